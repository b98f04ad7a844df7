"""The fairness statistics, without a database."""
