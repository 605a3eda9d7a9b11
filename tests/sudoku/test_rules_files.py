"""Files of rules and maps of jigsaws, and the options of the command that name them and variants."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeds import tries
from sudoku_command import ROOT, Feed, to_rows

import sudoku
from sudoku import Layout, read_jigsaw, read_rules

KILLER = str(ROOT / "examples" / "killer.txt")
KILLED = "269715483173864592854923167412396758536278941987541326621457839395182674748639215"
EMPTY = 81 * "."

ALL = """\
# one of each
variant x, anti-knight

15=R1C1+R1C2+R2C1   # a sum
little-killer 23 r1c2 r2c3 r3c4
arrow r5c5 r5c6 r5c7
sandwich 12 row 3
sandwich 0 column 9
thermometer r1c1 r2c1 r3c1
white-dot r9c1 r9c2
minimum r5c9   # with its neighbours
clone r1c8 r2c8 r8c1 r9c1
region cross r4c5 r5c4 r5c6
region cross r6c5 r7c5
"""


Reader = Callable[..., Layout]


@pytest.fixture
def rules(tmp_path: Path) -> Reader:
    """A reader of the rules of a text, by way of a file."""

    def reader(text: str, layout: Layout | tuple[int, int] | None = None) -> Layout:
        path = tmp_path / "rules.txt"
        path.write_text(text)
        return read_rules(path, layout)

    return reader


def test_one_of_each(rules: Reader) -> None:
    """A file has the same rules as calls of the same names."""
    by_hand = (
        Layout.named("x,anti-knight")
        .with_sums("cage", (15, [(0, 0), (0, 1), (1, 0)]))
        .with_sums("little-killer", (23, [(0, 1), (1, 2), (2, 3)]))
        .with_sums("arrow", ((4, 4), [(4, 5), (4, 6)]))
        .with_sums("sandwich", (12, [(2, c) for c in range(9)]), (0, [(r, 8) for r in range(9)]))
        .with_lines("thermometer", [(0, 0), (1, 0), (2, 0)])
        .with_lines("white-dot", [(8, 0), (8, 1)])
        .with_lines("minimum", [(4, 8), (3, 8), (4, 7), (5, 8)])
        .with_lines("clone", [(0, 7), (1, 7), (7, 0), (8, 0)])
        .with_regions("cross", [(3, 4), (4, 3), (4, 5)], [(5, 4), (6, 4)])
    )
    assert rules(ALL) == rules(ALL, Layout.boxes()) == rules(ALL, (3, 3)) == by_hand


def test_capitals(rules: Reader) -> None:
    """Kinds, cells, rows and variants may be written in any case."""
    assert rules(ALL.upper().replace("CROSS", "cross")) == rules(ALL)


def test_grids_that_share_cells(rules: Reader) -> None:
    """A file says that there are several grids, in any line, and its other rules are about all of their cells."""
    samurai = Layout.named("samurai,anti-king").with_sums("cage", (3, [(20, 20), (20, 19)]))
    assert rules("cage 3 r21c21 r21c20\nvariant anti-king, samurai\n") == samurai
    assert rules("cage 3 r21c21 r21c20\nvariant anti-king\n", Layout.named("samurai")) == samurai
    two = Layout.named("anti-king", Layout.gattai((0, 0), (2, 2), box=(2, 2))).with_sums("cage", (3, [(5, 5), (5, 4)]))
    assert rules("cage 3 r6c6 r6c5\ngrids r1c1 r3c3\nvariant anti-king\n", (2, 2)) == two


def test_many_rules(rules: Reader) -> None:
    """A file of 600 rules is read, and one of them that is wrong is told by its line."""
    kinds = ("cage 9", "thermometer", "arrow r9c9", "region cross")
    places = [(k // 4 % 8, k // 32 % 8) for k in range(600)]
    text = "".join(f"{kinds[k % 4]} r{1 + r}c{1 + c} r{2 + r}c{1 + c}\n" for k, (r, c) in enumerate(places))
    assert [rules(text).kinds()[kind.split()[0]] for kind in kinds[:3]] == [150, 150, 150]
    with pytest.raises(ValueError, match="txt:601: the cage has the cell r1c1 twice"):
        rules(f"{text}cage 9 r1c1 r1c1")


@settings(max_examples=tries(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([*ALL.split(), "\n", "9", "r99c1", "=", "row", "V", "X", "palindrome", "é"]), max_size=12)
)
def test_any_words(rules: Reader, words: list[str]) -> None:
    """Any words of a file are rules or a ValueError that names the file."""
    fault = "rules.txt:"
    try:
        rules(" ".join(words))
    except ValueError as error:
        fault = str(error)
    assert "rules.txt:" in fault


def test_maps_of_jigsaws(tmp_path: Path) -> None:
    """Letters, or words with white space between them, are names of regions."""
    path = tmp_path / "map.txt"
    path.write_text("# a jigsaw\nAAAB\nACBB\n\nCCDB\nCDDD\n")
    four = Layout.jigsaw("AAAB ACBB CCDB CDDD")
    assert read_jigsaw(path) == four
    path.write_text("10 10 10 2\n10 3 2 2\n3 3 4 2\n3 4 4 4\n")
    assert {region.cells for region in read_jigsaw(path).regions} == {region.cells for region in four.regions}


def test_variants_of_the_command(feed_sudoku: Feed, tmp_path: Path) -> None:
    """solve, count, target and shares take variants by name, maps of jigsaws, and files of rules."""
    grid = "1" + 15 * "."
    layout = Layout.named("x,anti-king", (2, 2))
    chosen = ("--box", "2x2", "--variant", "x,anti-king")
    assert feed_sudoku(16 * ".", "count", *chosen) == (0, f"{sudoku.count(16 * '.', layout).covers}\n", "")
    assert feed_sudoku(grid, "count", "--box", "2x2", "--variant", "x") == (0, "12\n", "")
    path = tmp_path / "map.txt"
    path.write_text("AAAB\nACBB\nCCDB\nCDDD\n")
    jigsaw = Layout.jigsaw("AAAB ACBB CCDB CDDD")
    assert feed_sudoku(grid, "count", "--jigsaw", str(path)) == (0, f"{sudoku.count(grid, jigsaw).covers}\n", "")
    assert feed_sudoku(EMPTY, "solve", "--rules", KILLER) == (0, f"{KILLED}\n", "")
    assert feed_sudoku(EMPTY, "target", "--rules", KILLER) == (0, f"{sudoku.score(KILLED)}\n", "")
    status, out, err = feed_sudoku(EMPTY, "target", "--rules", KILLER, "--strategy", "dlx", "--json")
    facts = json.loads(out)
    assert (status, err, facts["completion"], facts["completions"]) == (0, "", KILLED, 1)
    status, out, err = feed_sudoku("." + KILLED[1:], "shares", "--rules", KILLER)
    assert (status, out.split()[-9:], err) == (0, [".", "100.0", *7 * "."], "")
    assert feed_sudoku(EMPTY, "target", "--rules", KILLER, "--strategy", "brute")[1] == "error\n"


def test_a_samurai_by_the_command(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A samurai is read as a picture, solved as one, and drawn without the cells that are missing."""
    layout = Layout.named("samurai")
    completion = sudoku.solve(441 * ".", layout).completion
    assert completion is not None
    text = to_rows(completion, layout)
    opened = text.replace("9", ".")
    status, out, err = feed_sudoku(opened, "solve", "--variant", "samurai")
    assert (status, err) == (0, "")
    assert len(out.splitlines()) == 21
    assert out.splitlines()[9].startswith(" " * 12)
    status, out, err = feed_sudoku(opened, "shares", "--variant", "samurai", "--svg", str(tmp_path / "grid.svg"))
    assert (status, err, len(out.splitlines())) == (0, "", 1 + opened.count("."))
    assert ElementTree.parse(tmp_path / "grid.svg").getroot().get("viewBox") == "-2 -2 760 760"
    lines = feed_sudoku(opened, "convert", "--variant", "samurai")[1]
    assert len(lines.strip()) == 441
    drawn = feed_sudoku(opened, "draw", "--variant", "samurai")[1]
    assert drawn.count("┏") >= 1
    assert feed_sudoku(opened, "convert", "--variant", "samurai", "--to", "marks")[0] == 2


def test_draw_by_the_command(feed_sudoku: Feed, tmp_path: Path) -> None:
    """`sudoku draw` draws the cages of a file of rules."""
    picture = tmp_path / "killer.svg"
    assert feed_sudoku(EMPTY, "draw", "--rules", KILLER, "-o", str(picture))[0] == 0
    assert picture.read_text().count("stroke-dasharray") == 28


@pytest.mark.parametrize("turned", [False, True])
def test_totals_that_meet(turned: bool) -> None:
    """Three totals of one cell outside of the grid are drawn apart, above it or at its side, as their directions go."""
    down, left, right = [(r, 3) for r in range(9)], [(0, 2), (1, 1), (2, 0)], [(k, 4 + k) for k in range(5)]
    layout = Layout.boxes(3, 3)
    for kind, total, cells in (("sandwich", 21, down), ("little-killer", 22, right), ("little-killer", 20, left)):
        layout = layout.with_sums(kind, (total, [cell[::-1] if turned else cell for cell in cells]))
    drawn = re.findall('<text x="(.+?)" y="(.+?)".* font-size="(.+?)".*>(2[012])<', sudoku.to_svg(EMPTY, layout))
    places = {total: (float(x), float(y))[turned] for x, y, _, total in drawn}
    assert 108 < places["20"] + 8 < places["21"] < places["22"] - 8 < 144
    assert turned or all(2 * 0.65 * float(size) < 12 for *_, size, _ in drawn)  # as wide as two digits are


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (("--variant", "anti-king"), "anti-king"),
        (("--variant", "x", "--rules", KILLER), "diagonal, cage"),
    ],
)
def test_draw_says_what_text_does_not_show(feed_sudoku: Feed, rules: tuple[str, ...], said: str) -> None:
    """`sudoku draw` says once for all grids what text does not show."""
    status, out, err = feed_sudoku(f"{EMPTY}\n{EMPTY}", "draw", *rules)
    assert (status, out.count("┏")) == (0, 2)
    assert err == f"sudoku: text does not show {said}\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--variant", "z"), "there is no variant 'z'"),
        (("--variant", "samurai", "--box", "2x2"), "samurai has grids with boxes of 3 x 3"),
        (("--variant", "windoku", "--box", "2x3"), "windoku is for boxes with as many rows as columns"),
        (("--jigsaw", "/nowhere/map.txt"), "/nowhere/map.txt: No such file or directory"),
        (("--rules", "/nowhere/rules.txt"), "/nowhere/rules.txt: No such file or directory"),
        (("--jigsaw", "map", "--box", "3x3"), "--box and --jigsaw exclude each other"),
        (("--rules", KILLER, "--box", "2x2"), f"{KILLER}:6: the cell r1c5 of the cage is not in the grid"),
        (("--rules", __file__), f"{__file__}:1: "),
    ],
)
def test_wrong_options(feed_sudoku: Feed, options: tuple[str, ...], message: str) -> None:
    """Options that do not go together, or name what is not there, end the command with status 2 and the reason."""
    status, _, err = feed_sudoku(EMPTY, "solve", *options)
    assert status == 2
    assert err.startswith(f"sudoku: {message}")
