"""What setters of puzzles ask: grids that are the same, puzzles made and made smaller, what is wrong with one."""
