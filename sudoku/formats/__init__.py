"""The forms in which people write grids, and the functions that read any mixture of them in one stream.

    line    81 characters, a digit or a blank each. A comment may follow after white space, `,` or `;`.
    rows    nine lines of nine digits or blanks, with white space or commas between them, in groups, or with nothing
            between them.
    boxed   the same with `|` between the boxes, and rules and frames of `-`, `=` and `|` with `+`, `:`, `.`, `*` and
            `'` where they meet, or drawn with the lines of Unicode.
    free    81 numbers, or 81 characters, in lines of any length.
    marks, candidates, hodoku   what may be in the blanks, too: pencil marks, 729 characters, lines of a library.

`sudoku.formats.files` has tables, JSON, links, and killers and jigsaws that say what their regions are.

A blank is any of `0 . * - _ x X ? ~`, the same one in all of a grid. Anything from `#` on is a comment, and a line with
nothing else is an empty line. A line `end` ends the input. `sudoku.formats.signs` says what the digits above 9 are.

A *section* is what stands between empty lines, titles and grids in one line. It is read as a whole when it ends: see
`sudoku.formats.rows`. Every grid has one answer, a puzzle or an error. A text with two readings is an error, and
never the wrong grid. Titles and prose are skipped if there is any grid.
"""

from sudoku.formats.reading import parse, parse_puzzle, read

__all__ = ["parse", "parse_puzzle", "read"]
