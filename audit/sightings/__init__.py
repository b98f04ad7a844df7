"""Who among the staff saw what of which players."""
