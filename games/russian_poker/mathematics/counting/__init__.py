"""Count every deal of Russian poker that matters to its mathematics, by numpy; the results are kept in ``frequencies.json``."""
