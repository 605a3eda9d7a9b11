"""The command `sudoku`."""
