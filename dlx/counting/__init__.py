"""Counting covers: one by one, by merging equal remaining problems, or by merging isomorphic ones; estimates."""
