"""What bounds the scores of covers beyond the prices of a single search."""
