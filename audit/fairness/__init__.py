"""Statistics on the shuffle: the battery of tests, the decks they look at, and what is kept of every run."""
