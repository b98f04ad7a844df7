"""Tables in halls: where players sit together, agree that they are ready, and play rounds among themselves."""
