"""Searches for covers: all of them, one of them, an explanation of none; traces."""
