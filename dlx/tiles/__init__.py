"""Pieces and boards: tilings of squares, cubes, triangles and hexagons as exact-cover problems in one line."""

from dlx.problem.placement import Placement
from dlx.tiles.boards import Board
from dlx.tiles.drawing import drawn, picture
from dlx.tiles.files import Puzzle, load, loads
from dlx.tiles.lattice import CUBES, HEXAGONS, LATTICES, SQUARES, TRIANGLES, Lattice
from dlx.tiles.pieces import Piece, cut, named, polyforms, sided
from dlx.tiles.symmetric import Symmetry
from dlx.tiles.tiling import TilingProblem, problem, symmetries

__all__ = [
    "CUBES", "HEXAGONS", "LATTICES", "SQUARES", "TRIANGLES", "Board", "Lattice", "Piece", "Placement", "Puzzle",
    "Symmetry", "TilingProblem", "cut", "drawn", "load", "loads", "named", "picture", "polyforms",
    "problem", "sided", "symmetries",
]  # fmt: skip
