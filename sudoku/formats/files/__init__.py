"""Puzzles in JSON: values in any nesting, objects of f-puzzles, and links that contain such an object."""
