"""The forms in which people write grids, and the functions that read any mixture of them in one stream.

docs/forms.md has the forms, and what is refused. A *section* is what stands between empty lines, titles and grids in
one line. It is read as a whole when it ends: see `sudoku.formats.rows`. Every grid has one answer, a puzzle or an
error. A text with two readings is an error, and never the wrong grid. Titles and prose are skipped if there is any
grid.

    fast        plain grids in blocks, and all other lines one by one
    reader      what each line is: a grid, a row, a rule, a title, or a part of a value of JSON
    lines       a line without what stands around its cells, and its cells
    whole       lines that are grids; `regions` has killers and jigsaws
    sections    the lines of a section
    rows        the grids of a section
    signs       what the cells stand for
    files       JSON, f-puzzles, and links
"""

from sudoku.formats.reading import parse, parse_puzzle, read

__all__ = ["parse", "parse_puzzle", "read"]
