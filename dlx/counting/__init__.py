"""Counting covers: one by one, by merging equal or isomorphic remaining problems; diagrams and estimates."""
