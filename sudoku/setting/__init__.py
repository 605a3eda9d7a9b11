"""The functions for setters of puzzles: canonical forms, generation, minimal puzzles, explanations, hardness."""
