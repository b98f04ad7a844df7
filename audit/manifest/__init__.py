"""Which program deals and pays: the SHA-256 of every rule-bearing file, held against a reviewed list."""
