"""Rounds for people who look into them: what each seat saw at each step, what would have been otherwise, and exports."""
