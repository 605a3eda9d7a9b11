"""Searches for covers: all of them, one of them, an explanation of none; estimates and traces."""
