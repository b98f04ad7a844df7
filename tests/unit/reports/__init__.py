"""Parts of reports that need no database."""
