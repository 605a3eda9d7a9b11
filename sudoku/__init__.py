"""Sudoku as exact cover, and target sudoku: the completion of a grid with the highest weighted sum."""
