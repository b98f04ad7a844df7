"""Who changed what and why; replay of rounds and reconciliation of the books."""
