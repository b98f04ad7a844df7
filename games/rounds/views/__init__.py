"""The API of rounds, commitments and the sandbox."""
