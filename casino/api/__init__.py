"""How the API speaks HTTP: problems, strict bodies, pages, preconditions, the base view and the schema."""
