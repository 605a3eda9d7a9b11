"""The compiled loops that know about sudoku."""
