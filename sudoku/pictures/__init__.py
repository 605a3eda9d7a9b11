"""Grids as pictures."""
