"""Grids as exact-cover problems, and covers as grids."""

from sudoku.encoding.problem import candidates, decode, encode
from sudoku.encoding.weights import MAX_WEIGHT, Weights, as_weights

__all__ = ["MAX_WEIGHT", "Weights", "as_weights", "candidates", "decode", "encode"]
