"""Reports for auditors, operators and regulators: figures of an interval of gaming days, each equal to the ledger."""
