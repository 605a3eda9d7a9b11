"""What the `sudoku` command does: reading grids as they come, and a module for each kind of answer."""
