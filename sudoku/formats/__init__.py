"""The forms in which people write grids, and the functions that read any mixture of them in one stream.

    line    81 characters, a digit or a blank each. A comment may follow after white space, `,` or `;`.
    rows    nine lines of nine digits or blanks, with white space or commas between them, in groups, or with nothing
            between them.
    boxed   the same with `|` between the boxes, and rules and frames of `-`, `=` and `|` with `+`, `:`, `.`, `*` and
            `'` where they meet, or drawn with the lines of Unicode.
    free    81 numbers in one line, or in lines of several rows.
    marks, candidates, hodoku   what may be in the blanks, too: pencil marks, 729 characters, lines of a library.

`sudoku.formats.files` has the forms of whole files: tables, JSON, links and arrays.

A blank is any of `0 . * - _ x X ? ~`. Anything from `#` on is a comment, and a line with nothing else is skipped. An
empty line ends a grid, or stands between its bands, and a line `end` ends the input. In the line form the digits above
9 are the letters from A = 10 on, for grids of up to 32 rows; in the other forms they are decimal numbers with white
space between them. An alphabet says otherwise.

`sudoku.formats.rows` has the rule for rules, `sudoku.formats.text` that for empty lines, and `sudoku.formats.line` and
`sudoku.formats.rows` that for a 0 as a digit. A text with two readings is an error, and never the wrong grid.

A malformed grid costs one error and no other grid: after a bad row, the reader passes over as many rows as the grid
still lacks, or fewer if an empty line or another form ends it first. Lines that resemble no grid at all are one error
together, up to an empty line or a grid.
"""

from sudoku.formats.reader import FORMATS
from sudoku.formats.reading import parse, parse_puzzle, read

__all__ = ["FORMATS", "parse", "parse_puzzle", "read"]
