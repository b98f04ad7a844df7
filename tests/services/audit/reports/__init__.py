"""Reports against figures computed by hand, against the ledger, and against planted faults."""
