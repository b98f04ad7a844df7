"""Games of the casino: halls, rounds and one package per game."""
