"""Many grids at once: plain ones by their kernel, the best completion of each, and workers that share them."""
