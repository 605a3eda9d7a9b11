"""Many grids at once: their completions, the best of each, and workers that share them."""
