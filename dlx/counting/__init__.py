"""Returns the number of covers: one by one, by solving what is the same once, or what is the same up to renaming."""
