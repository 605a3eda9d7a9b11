"""Symmetries of a problem, and covers up to these."""
