"""Exact-cover problems by name: families with known numbers of covers, each with its encoding explained.

Tests count their covers against `tests/data/counts.txt`, and benchmarks time them.

>>> build("queens", 8)
Problem(16 + 30 secondary items, 64 options, 256 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from string import ascii_lowercase
from typing import Any

import numpy as np
from puzzles import PUZZLES

from dlx import Coloured, Problem

Cell = tuple[int, int]

# A 17-given sudoku that has one completion, without the 9 in its sixth row: 97,290 completions.
SIXTEEN_GIVENS = "000000010400000000020000000000050407008000300001000000300400200050100000000806000"

# Twenty sudokus that circulate as hard for backtracking, with one completion each. The list is the one of Heng Li's
# comparison of programming languages (github.com/attractivechaos/plb, sudoku); among them are Platinum Blonde, Cheese,
# Fata Morgana, Red Dwarf and Easter Monster, the hardest of several collections, and three of 17 givens.
HARD_SUDOKUS = (
    "000000000000003085001020000000507000004000100090000000500000073002010000000040009",
    "000000012000000003002300400001800005060070800000009000008500000900040500470006000",
    "020050700400100006800003000200008003040020500000600010002090000090000005704000900",
    "000000003001005600090040070000009050700000008050402000080020090003500100600000000",
    "120300004350000100004000000005400200600070000000008090003100500000009070000060008",
    "100000002090400050006000700050903000000070000000850040700000600030009080002000001",
    "000000039000001005003050800008090006070002000100400000009080050020000600400700000",
    "120300000400000300003050000004200500000080009060005070001500200000090060000007008",
    "003006080000100200000070004009008060030040001070200000300005000005000600980000050",
    "100000009006700020080000400000075030005002000060300000090000800600040001002500060",
    "009000400070300020800060007100800006000010070000056000300005001040000090002000700",
    "000090050010000030002300700004500070800000200000006400090010000080060000005400007",
    "400030000000600800000000001000050090080000600070200000000102700503000040900000000",
    "708000300000201000500000000040000026300080000000100090090600004000070500000000000",
    "307040000000000091800000000400000700000160000000250000000000380090000500020600000",
    "000000008003000400090020060000079000000061200060502070008000500010000020405000003",
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
    "100000002090400050006000700050304000000060000000058040002000600030009080700000001",
    "000001020300040500000600007002000001080090030400000800500002000090030400006700000",
)

# Common English words, in alphabetical order.
_WORDS = """
able ache acid acre aged aide also arch area arid army aunt away axis baby back bake bald ball band bank bare bark
barn base bath bead beak beam bean bear beat beef been beer bell belt bend best bird bite blow blue boat body bold
bolt bone book boot bore born boss both bowl brow bulb bulk bull burn bush busy cage cake call calm came camp cane
card care cart case cash cast cave cell cent chat chef chin chip city clad clan clay clip club coal coat code coin
cold come cone cook cool cope copy cord core corn cost crab crew crop crow cube cult cure curl dale dame damp dare
dark dash data date dawn dead deaf deal dear debt deck deed deep deer dent desk dial dice dine dire dirt disc dish
dive dock done door dose down drag draw drip drop drum dual duck duel dull dumb dune dusk dust duty each earl earn
ease east easy echo edge edit else emit epic even ever evil exit face fact fade fail fair fall fame fare farm fast
fate fear feed feel fern file fill film find fine fire firm fish five flag flat flaw flea fled flee flew flow foam
fold folk fond food foot fork form fort foul four free frog from fuel full fund fuse gain gale game gate gave gaze
gear gene gift girl give glad glow glue goal goat gold golf gone good gown grab gram gray grew grid grim grip grow
gulf hair half hall halt hand hang hard hare harm hate haul have hawk head heal heap hear heat heel heir held herb
herd here hero hide high hike hill hint hire hold hole holy home hood hook hope horn hose host hour huge hull hung
hunt hurt icon idea idle idol inch into iris iron isle item jail jazz join joke jump june jury just keen keep kept
kick kind king kiss kite knee knew knit knot know lace lack lady laid lake lamb lame lamp land lane last late lava
lawn lead leaf lean leap left lend lens less liar lice life lift like lily limb lime line link lion list live load
loaf loan lock loft lone long look loop lord lose loss lost love luck lung made maid mail main make male mall malt
mane many mark mart mask mass mast mate maze meal mean meat meet melt mend menu mere mesh mice mild mile milk mill
mind mine mint miss mist moan mode mole mood moon more moss most moth move much mule must myth nail name navy near
neat neck need nest news next nice nine node none noon nose note noun oath obey odds omen once only onto open oral
oven over pace pack page paid pain pair pale palm park part pass past path pave peak pear peel peer pick pile pine
pink pint pipe plan play plea plot plug plum poem poet pole pond pony pool poor pope pork port pose post pour pray
prey pull pump pure push quit race rack rage raid rail rain rake ramp rang rank rare rate read real reap rear reed
reef rely rent rest rice rich ride ring riot ripe rise risk road roar robe rock rode role roll roof room root rope
rose ruin rule rung rush rust safe sage said sail sale salt same sand sane sang save scan scar seal seam seat seed
seek seem seen self sell send sent shed ship shoe shop shot show shut sick side sigh sign silk sing sink site size
skin skip slam slap sled slid slim slip slow snap snow soap sock soft soil sold sole some song soon sore sort soul
soup sour spin spit spot star stay stem step stir stop such suit sure swan swim tail take tale talk tall tame tank
tape task taxi team tear tell tend tent term test text than that them then they thin this thus tick tide tidy tile
till time tiny tire toad told toll tomb tone took tool torn toss tour town trap tray tree trim trip true tube tune
turn twin type ugly undo unit upon urge used user vain vary vase vast veil vein verb very vest view vine visa vote
wage wait wake walk wall want ward warm warn wash wave weak wear week well went were west what when whip whom wide
wife wild will wind wine wing wipe wire wise wish wolf wood wool word wore work worm yard yarn year yell zero zone
zoom
"""
WORDS = _WORDS.split()

PENTOMINOES = {
    "F": (".##", "##.", ".#."),
    "I": ("#####",),
    "L": ("####", "#..."),
    "N": ("##..", ".###"),
    "P": ("##", "##", "#."),
    "T": ("###", ".#.", ".#."),
    "U": ("#.#", "###"),
    "V": ("#..", "#..", "###"),
    "W": ("#..", "##.", ".##"),
    "X": (".#.", "###", ".#."),
    "Y": ("####", ".#.."),
    "Z": ("##.", ".#.", ".##"),
}
TROMINOES = {"I": ("###",), "L": ("##", "#.")}
TETROMINOES = {"I": ("####",), "L": ("###", "#.."), "O": ("##", "##"), "S": (".##", "##."), "T": ("###", ".#.")}


def toy() -> Problem:
    """The example of Knuth's "Dancing links" (2000, arXiv:cs/0011047), display (3): seven items, six options.

    >>> toy().labels([0, 3, 4])
    (('c', 'e', 'f'), ('a', 'd'), ('b', 'g'))
    """
    return Problem.from_options(["cef", "adg", "bcf", "ad", "bg", "deg"], items="abcdefg")


def rooks(n: int) -> Problem:
    """Places n rooks on an n x n board so that none attacks another: there are n! ways.

    Items: each row and each column. An option is a square.
    """
    return Problem.from_options({(r, c): [("row", r), ("column", c)] for r in range(n) for c in range(n)})


def comb(teeth: int, n: int) -> Problem:
    """A search tree like a comb: a spine that is left at a tooth or at its end, for n rooks: (teeth + 1) n! ways.

    Items: the places of the spine, then each row and each column of an n x n board. An option goes on to the next
    place, leaves the spine for good, or is a square. Whoever cuts such a tree at its root cuts off one tooth.
    """
    spine = [("place", k) for k in range(teeth)]
    on = [[place] for place in spine]
    off = [spine[k:] for k in range(teeth)]
    squares = [[("row", r), ("column", c)] for r in range(n) for c in range(n)]
    board = [(line, k) for line in ("row", "column") for k in range(n)]
    return Problem.from_options([*on, *off, *squares], items=[*spine, *board])


def queens(n: int) -> Problem:
    """Places n queens on an n x n board so that none attacks another.

    Items: each row and each column must be hit; each diagonal, of either direction, is secondary: it may be hit once.
    An option is a square (TAOCP 4B, 7.2.2.1).
    """
    board = product(range(n), repeat=2)
    options = {(r, c): [("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r, c in board}
    diagonals = [("sum", s) for s in range(2 * n - 1)] + [("difference", d) for d in range(1 - n, n)]
    return Problem.from_options(options, secondary=diagonals)


def langford(n: int) -> Problem:
    """Arranges 1, 1, 2, 2, ..., n, n in a line so that k numbers stand between the two k's.

    Items: each number and each of the 2n places. An option puts the pair of k's in places j and j + k + 1. An
    arrangement and its mirror image count as two (TAOCP 4B, 7.2.2.1).
    """
    pairs = [(k, j) for k in range(1, n + 1) for j in range(1, 2 * n - k)]
    items = [("number", k) for k in range(1, n + 1)] + [("place", j) for j in range(1, 2 * n + 1)]
    return Problem.from_options([[("number", k), ("place", j), ("place", j + k + 1)] for k, j in pairs], items=items)


def dominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with dominoes.

    Items: the cells. An option is a domino, two cells side by side.
    """
    board = [(r, c) for r in range(rows) for c in range(columns)]
    across = [[(r, c), (r, c + 1)] for r, c in board if c + 1 < columns]
    down = [[(r, c), (r + 1, c)] for r, c in board if r + 1 < rows]
    return Problem.from_options(across + down, items=board)


def latin(n: int) -> Problem:
    """Fills an n x n square so that every row and every column has each of n symbols.

    Items: the cells, and the pairs (row, symbol) and (column, symbol). An option puts a symbol in a cell.
    """
    return Problem.from_options(_symbols(n))


def latin_below(n: int) -> Problem:
    """Fills an n x n square so that every row and every column has each of n symbols, the first row being in order.

    Items and options as in `latin`, without those of the first row. There are n! times as many without that row.
    """
    return Problem.from_options({(r, c, s): items for (r, c, s), items in _symbols(n).items() if r and s != c})


def _symbols(n: int) -> dict[tuple[int, int, int], list[tuple[str, int, int]]]:
    """Each symbol in each cell of an n x n square, with its items: row, column and symbol, from 0."""
    cube = product(range(n), repeat=3)
    return {(r, c, s): [("cell", r, c), ("row", r, s), ("column", c, s)] for r, c, s in cube}


def words(n: int) -> Problem:
    """Fills a 4 x 4 square so that every row and every column is one of the first n words; any may come again.

    Items: each row and each column, which get a word, and, secondary, each cell, whose colour is its letter. An option
    puts a word in a row or in a column (TAOCP 4B, 7.2.2.1, on colours).
    """
    return Problem.from_options(
        {
            (*line, word): [line, *(Coloured(cell, letter) for cell, letter in zip(_cells(*line), word, strict=True))]
            for line in _lines()
            for word in WORDS[:n]
        },
        items=_lines(),
        secondary=[cell for r in range(4) for cell in _cells("row", r)],
    )


def words_plain(n: int) -> Problem:
    """The problem of `words` without colours, and without secondary items.

    Items: each row and each column, and each letter in each cell. A row's word covers its letters; a column's word
    covers in each of its cells all the others, so that both together cover every letter once just if they agree.
    """
    options = {}
    for direction, k in _lines():
        for word in WORDS[:n]:
            entries = [
                (cell, letter)
                for cell, mark in zip(_cells(direction, k), word, strict=True)
                for letter in ascii_lowercase
                if (letter == mark) == (direction == "row")
            ]
            options[direction, k, word] = [(direction, k), *entries]
    return Problem.from_options(options)


def _lines() -> list[tuple[str, int]]:
    return [(direction, k) for direction in ("row", "column") for k in range(4)]


def _cells(direction: str, k: int) -> list[Cell]:
    return [(k, m) if direction == "row" else (m, k) for m in range(4)]


def pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board of 60 cells with the twelve pentominoes, each used once, turned and flipped at will.

    Items: the twelve pieces and the cells. An option is a piece in one of its places. Turned and mirrored tilings
    count as different.
    """
    board = [(r, c) for r in range(rows) for c in range(columns)]
    options = [[name, *place] for name, picture in PENTOMINOES.items() for place in places(picture, rows, columns)]
    return Problem.from_options(options, items=[*PENTOMINOES, *board])


def trominoes(rows: int, columns: int, pieces: str = "IL") -> Problem:
    """Tiles a board with trominoes, straight or bent or both, any number of times, turned at will.

    Items: the cells. An option is a place of a piece.
    """
    return tilings([TROMINOES[piece] for piece in pieces], rows, columns)


def tetrominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with tetrominoes, any of them any number of times, turned and flipped at will.

    Items: the cells. An option is a place of a piece. Turned and mirrored tilings count as different.
    """
    return tilings(TETROMINOES.values(), rows, columns)


def tilings(pictures: Iterable[tuple[str, ...]], rows: int, columns: int) -> Problem:
    """Tiles a board with the pieces of pictures, any of them any number of times, turned and flipped at will."""
    options = [place for picture in pictures for place in places(picture, rows, columns)]
    return Problem.from_options(options, items=[(r, c) for r in range(rows) for c in range(columns)])


def orientations(picture: tuple[str, ...]) -> set[frozenset[Cell]]:
    """The up to eight shapes that turning and flipping make of a picture."""
    shape = {(r, c) for r, line in enumerate(picture) for c, mark in enumerate(line) if mark == "#"}
    shapes = set()
    for _ in range(4):
        shape = {(c, -r) for r, c in shape}
        shapes |= {_corner(shape), _corner({(r, -c) for r, c in shape})}
    return shapes


def _corner(shape: set[Cell]) -> frozenset[Cell]:
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    return frozenset((r - top, c - left) for r, c in shape)


def places(picture: tuple[str, ...], rows: int, columns: int) -> Iterator[list[Cell]]:
    """The cells of a piece in each of its places on a board, turned and flipped at will."""
    for shape in sorted(orientations(picture), key=sorted):
        height, width = max(r for r, _ in shape) + 1, max(c for _, c in shape) + 1
        for top, left in product(range(rows - height + 1), range(columns - width + 1)):
            yield sorted((r + top, c + left) for r, c in shape)


def sparse(options: int, items: int, size: int) -> Problem:
    """Covers items by random options, the same in every run; their sizes differ from `size` by at most 2."""
    rng = np.random.default_rng(1)
    sizes = (rng.integers(max(2, size - 2), size + 3) for _ in range(options))
    return Problem.from_options([rng.choice(items, some, replace=False).tolist() for some in sizes], items=range(items))


def matchings(n: int) -> Problem:
    """Pairs 2n people off: there are (2n-1)!! = 1 * 3 * 5 * ... * (2n - 1) ways.

    Items: the people. An option is a pair of them.
    """
    return Problem.from_options(list(combinations(range(2 * n), 2)), items=range(2 * n))


def partitions(n: int) -> Problem:
    """Splits a set of n elements into non-empty classes: the number of ways is the n-th Bell number.

    Items: the elements. The options are all the non-empty subsets.
    """
    subsets = [subset for size in range(1, n + 1) for subset in combinations(range(n), size)]
    return Problem.from_options(subsets, items=range(n))


def steiner(n: int) -> Problem:
    """Finds triples of n points such that each pair of points is in just one of them: a Steiner triple system.

    Items: the pairs. An option is a triple, with its three pairs.
    """
    return Problem.from_options([[(a, b), (a, c), (b, c)] for a, b, c in combinations(range(n), 3)])


def tournaments(n: int) -> Problem:
    """Schedules n teams, each meeting each other once, on n - 1 days: a one-factorization of the complete graph.

    Team 0 meets team d on day d, which gives the days their names. Items: the games of the others, and for each of them
    and each day on which it does not meet team 0 that it plays. An option puts a game on a day.
    """
    games = list(combinations(range(1, n), 2))
    return Problem.from_options(
        [[(u, v), (u, f"day {d}"), (v, f"day {d}")] for u, v in games for d in range(1, n) if d not in (u, v)]
    )


def grids(rows: int, columns: int) -> Problem:
    """Fills a sudoku grid with boxes of these rows and columns, without givens.

    Items: the cells, and the pairs (row, symbol), (column, symbol) and (box, symbol), as in `sudoku`.
    """
    squares = _symbols(rows * columns).items()
    return Problem.from_options([[*items, ("box", r // rows * rows + c // columns, s)] for (r, c, s), items in squares])


def sudoku(givens: str) -> Problem:
    """Completes a 9 x 9 sudoku, 81 characters in reading order with 0 where the cell is blank.

    Items: the cells, and the pairs (row, digit), (column, digit) and (box, digit). An option puts a digit in a cell;
    a digit that a given forbids there is left out (TAOCP 4B, 7.2.2.1).
    """
    options = {
        (r, c, d): [("cell", r, c), ("row", r, d), ("column", c, d), ("box", r // 3 * 3 + c // 3, d)]
        for r, c, d in product(range(9), range(9), range(1, 10))
    }
    given = {(k // 9, k % 9, int(mark)) for k, mark in enumerate(givens) if mark != "0"}
    taken = {item for candidate in given for item in options[candidate]}
    live = {o: items for o, items in options.items() if o in given or taken.isdisjoint(items)}
    return Problem.from_options(live, items=dict.fromkeys(item for items in options.values() for item in items))


def beside(problems: Sequence[Problem]) -> Problem:
    """One problem made of several, without weights and roles; item i of problem k becomes (k, i).

    >>> beside([toy(), rooks(2)])
    Problem(11 items, 10 options, 24 entries)
    """
    options, items, secondary = [], [], []
    multiplicities: dict[Any, tuple[int, int]] = {}
    for k, problem in enumerate(problems):
        for o in range(problem.n_options):
            named = problem.option(o)
            options.append([Coloured((k, i.item), i.colour) if isinstance(i, Coloured) else (k, i) for i in named])
        items += [(k, i) for i in problem.items]
        secondary += [(k, i) for i in problem.items[problem.n_primary :]]
        if problem.multiplicities is not None:
            multiplicities |= {(k, i): tuple(m) for i, m in zip(problem.items, problem.multiplicities, strict=False)}
    return Problem.from_options(options, items=items, secondary=secondary, multiplicities=multiplicities or None)


_FAMILIES: tuple[Callable[..., Problem], ...] = (
    toy, rooks, comb, queens, langford, dominoes, latin, latin_below, words, words_plain, pentominoes, trominoes,
    tetrominoes, sparse, matchings, partitions, steiner, tournaments, grids, sudoku,
)  # fmt: skip
FAMILIES: Mapping[str, Callable[..., Problem]] = {family.__name__: family for family in _FAMILIES} | dict(PUZZLES)


def build(family: str, *sizes: int | str) -> Problem:
    """The problem of a family with the given sizes.

    >>> build("dominoes", 2, 3)
    Problem(6 items, 7 options, 14 entries)
    """
    return FAMILIES[family](*sizes)
