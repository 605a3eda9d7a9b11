"""What maps a problem to itself, and what of it is the same up to renaming."""
