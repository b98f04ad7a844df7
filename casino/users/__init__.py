"""Users, their roles and their tokens."""
