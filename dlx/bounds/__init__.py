"""Bounds on scores, and the searches that prove with them: what `best` is made of."""
