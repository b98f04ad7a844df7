"""Pure building blocks shared by every game: standard library only, no clock, no randomness, no I/O."""
