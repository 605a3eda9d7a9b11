"""The best completion of each of many grids, and workers that share them."""
