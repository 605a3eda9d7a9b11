"""The page on which a search dances, in a browser: it shows what the engine found, and searches as the engine does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from browser import check_accessible, pictured, visited
from commands import Feed
from families import build
from oracle import random_problem
from seeds import nightly, tries
from waiting import WAIT

import dlx
from dlx import Problem, Progress, tiles, trace
from dlx.show.dance import Backdrop, PageBoard, page, prices, prices_page

TOY = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
DOMINOES = build("dominoes", 3, 4)
PLACES: list[Any] = [DOMINOES.option(o) for o in range(DOMINOES.n_options)]
PIECES = PageBoard(kind="pieces", rows=3, columns=4, marks=[([*one, *other], "", 0) for one, other in PLACES])
Visit = Callable[..., Any]


@pytest.fixture
def visit(chromium: Any, tmp_path: Path) -> Iterator[Visit]:
    """Opens a page in the browser; in the end it has said no error, and asked for nothing."""
    with ExitStack() as pages:

        def visit(text: str, **settings: Any) -> Any:
            file = tmp_path / f"{len(list(tmp_path.iterdir()))}.html"
            file.write_text(text, encoding="utf-8")
            return pages.enter_context(visited(chromium, file, **settings))

        yield visit


def shown(visitor: Any) -> list[list[int]]:
    rows = visitor.eval_on_selector_all("#covers li", "rows => rows.map(row => row.dataset.options)")
    return [json.loads(row) for row in rows]


@pytest.mark.parametrize(("name", "problem", "board"), [("toy", TOY, None), ("dominoes", DOMINOES, PIECES)])
def test_plays_to_the_end(name: str, problem: Problem, board: PageBoard | None, visit: Visit) -> None:
    """A page plays to its end at full speed, and lists the covers that `dlx.covers` finds, in that order."""
    visitor = visit(page(trace(problem), title=name, board=board))
    visitor.fill("#speed", "12")
    visitor.click("#play")
    visitor.wait_for_function("player().place === player().frames", timeout=1000 * WAIT)
    assert shown(visitor) == [list(cover) for cover in dlx.covers(problem)]
    assert visitor.inner_text("#count") == f"{len(shown(visitor))} of {len(shown(visitor))}"
    assert visitor.get_attribute("#play", "aria-label") == "Play"
    assert re.search(r"All has been tried: there (is|are) \d+ cover", visitor.inner_text("#say"))
    assert visitor.evaluate("stage.state.by.every((by) => by === LIVE) && !stage.state.covered.includes(true)")
    visitor.click("#covers li button")
    assert "A cover of" in visitor.inner_text("#say")
    pictured(visitor, name)


HALVES = """<svg xmlns="http://www.w3.org/2000/svg" width="6" height="4"><script>alert(1)</script>
<rect width="6" height="4" fill="#ff0000"/><rect x="1" y="1" width="2" height="1" fill="#0000ff"/></svg>"""


def test_backdrops(visit: Visit) -> None:
    """The empty board is an image, in which nothing runs, on light paper in any theme; pieces are over it."""
    backdrop = Backdrop(HALVES, -1, -1, 6, 4)
    visitor = visit(page(trace(DOMINOES), board=replace(PIECES, backdrop=backdrop)), color_scheme="dark")
    visitor.keyboard.press("n")
    assert visitor.locator("#board script").count() == 0
    image = visitor.locator("#board image").bounding_box()
    boxes = [path.bounding_box() for path in visitor.locator("#board path").all()]
    left, top = (min(box[side] for box in boxes) for side in ("x", "y"))
    assert (left, top) == pytest.approx((image["x"] + image["width"] / 6, image["y"] + image["height"] / 4), abs=10)
    assert visitor.evaluate("getComputedStyle($('board')).backgroundColor") == "rgb(255, 255, 255)"
    pictured(visitor, "backdrop")


def test_keys(visit: Visit) -> None:
    """Keys step, jump, play and pause wherever the focus is; a slider keeps its arrows, a tabbed button Space."""
    visitor = visit(page(trace(DOMINOES), board=PIECES))

    def pressed(key: str) -> list[Any]:
        visitor.keyboard.press(key)
        return list(
            visitor.evaluate("[player().place, $('play').ariaLabel, Number($('speed').value), $('say').textContent]")
        )

    forwards = [pressed("ArrowRight") for _ in range(7)]
    assert [place for place, *_ in forwards] == [*range(1, 8)]
    assert [pressed("ArrowLeft") for _ in range(6)] == forwards[-2::-1]
    first, end = visitor.evaluate("[stage.covers[0].place, player().frames]")
    for key, place in (("n", first), ("End", end), ("Home", 0)):
        assert pressed(key)[0] == place
    for clicked in ("#step", "#back", "#place", "#speed"):
        (visitor.focus if clicked in ("#place", "#speed") else visitor.click)(clicked)
        assert [pressed(" ")[1] for _ in range(2)] == ["Pause", "Play"]
        assert pressed("-")[2] == pressed("+")[2] - 1
    visitor.evaluate("go(1)")
    visitor.focus("#place")
    assert pressed("ArrowRight")[0] == 2
    visitor.focus("#step")
    assert pressed(" ")[:2] == [3, "Play"]


def test_many_covers(visit: Visit) -> None:
    """The current cover is in view in the list, which has the first 1000."""
    many = Problem.from_options([[item] for item in "abcdef" for _ in range(3)] + [["f"], ["f"]])
    inside = """() => {
        const box = (each) => document.querySelector(each).getBoundingClientRect();
        const [list, row] = [box("#covers"), box("#covers .now")];
        return row.top >= list.top && row.bottom <= list.bottom + 1;
    }"""
    visitor = visit(page(trace(many, max_events=100_000)))
    for n in (1, 50, 999, 20):
        visitor.evaluate(f"go(stage.covers[{n}].place)")
        assert visitor.inner_text("#covers .now") == visitor.evaluate(f"stage.coverText(stage.covers[{n}].options)")
        assert visitor.evaluate(inside)
    visitor.evaluate("go(stage.covers[1100].place)")
    assert visitor.inner_text("#count") == "1101 of 1215"
    assert visitor.evaluate("window.scrollY") == 0


def test_any_place(visit: Visit) -> None:
    """The rest of the problem at a place does not depend on the way there; a choice says how often it is needed."""
    problem = Problem.from_options(
        [[k, (k + d) % 11] for k in range(11) for d in (1, 2, 3)], multiplicities={0: (1, 2)}
    )
    found = trace(problem)
    assert len(found.events) > 400
    visitor = visit(page(found))
    same = visitor.evaluate(
        """() => {
            const places = [300, 17, 399, 0, 120, stage.frames, 51, 50, 49, 301];
            return places.every((where) => {
                go(where);
                const straight = new State(stage.problem);
                for (const step of stage.steps.slice(0, where)) straight.apply(step);
                return JSON.stringify([straight.by, straight.covered, straight.chosen, straight.need])
                    === JSON.stringify(["by", "covered", "chosen", "need"].map((key) => stage.state[key]));
            });
        }"""
    )
    assert same
    said = " ".join(visitor.evaluate(f"go({k}), $('say').textContent") for k in range(400))
    assert re.search(r"branch on 0, which has \d options? and is to be covered (1 to 2|0 to 1) times more", said)
    assert not re.search(r"branch on [1-9]\d*, [^.]*to be covered", said)


@pytest.mark.parametrize("kind", ["plain", "coloured"])
def test_links(kind: str, visit: Visit) -> None:
    """At any place the linked lists are what is left, and each change of a link is undone, in reverse order."""
    visitor = visit(page(trace(TOY)))
    steps = 0
    for seed in range(tries(40)):
        recording = told(page(trace(random_problem(np.random.default_rng(seed), kind))))
        wrong, seen = visitor.evaluate(
            """(recording) => {
                const stage = new Stage(recording), { problem } = stage, n = problem.items.length;
                const keys = ["LLINK", "RLINK", "ULINK", "DLINK", "LEN"];
                const written = (links) => JSON.stringify(keys.map((key) => links[key]));
                const lists = ({ DLINK, OPTION }) => problem.items.map((_, i) => {
                    const list = [];
                    for (let q = DLINK[i + 1]; q > n; q = DLINK[q]) list.push(OPTION[q]);
                    return list;
                });
                const start = written(linksAt(stage.state)), before = [];
                let seen = 0;
                for (let k = 0; k <= stage.frames; k++) {
                    stage.go(k);
                    const { state } = stage, links = linksAt(state), colours = (i) => state.shade[i];
                    const left = problem.items.map((_, i) => state.users[i].filter((o) =>
                        state.by[o] === LIVE || state.by[o] === i));
                    const same = lists(links).every((list, i) => colours(i) || `${list}` === `${left[i]}`);
                    const sizes = left.every((some, i) => colours(i) || links.LEN[i + 1] === some.length);
                    if (!same || !sizes) return [`place ${k}`, seen];
                    const step = stage.steps[k];
                    if (!step) break;
                    if ([COVER, PURIFY].includes(step[0])) before.push([step[2], written(links)]);
                    const changes = [...dancers(links, step)];
                    seen += changes.length;
                    if ([UNCOVER, LEAVE].includes(step[0])) {
                        const [item, old] = before.pop();
                        if (item !== step[2] || written(links) !== old) return [`undone at ${k}`, seen];
                        const again = [...dancers(links, [COVER, 0, item, -1, step[4]])];
                        if (`${again}` !== `${changes.reverse()}`) return [`order at ${k}`, seen];
                    }
                }
                return [before.length || written(linksAt(stage.state)) !== start ? "not as it was" : "", seen];
            }""",
            recording,
        )
        assert wrong == "", seed
        steps += seen
    assert steps > 100


def test_into(visit: Visit) -> None:
    """The keys for links go into a step and back, one change at a time; the lines that run are marked."""
    visitor = visit(page(trace(TOY)))
    here = "[stage.place, stage.inner, $('say').textContent]"
    visitor.evaluate("go(1)")
    forwards = [visitor.evaluate(here)]
    while forwards[-1][0] < 3:
        visitor.keyboard.press(".")
        forwards.append(visitor.evaluate(here))
    assert [inner for _, inner, _ in forwards] == [0, 1, 2, 3, 4, 0, 0]  # a has two options of two other items
    for before in forwards[-2::-1]:
        visitor.keyboard.press(",")
        assert visitor.evaluate(here) == before
    visitor.keyboard.press(".")
    assert visitor.inner_text("#say").startswith(
        "Cover a: hide d in option 2: its neighbours above and below now point"
    )
    marked = visitor.eval_on_selector_all("#code .now", "rows => rows.map(row => row.textContent.trim())")
    assert marked == ["DLINK[ULINK[q]] = DLINK[q];", "ULINK[DLINK[q]] = ULINK[q];", "LEN[TOP[q]]--;"]
    visitor.keyboard.press("ArrowRight")  # over the rest of it
    assert visitor.evaluate(here)[:2] == [2, 0]
    visitor.keyboard.press("End")
    assert visitor.evaluate(here)[:2] == [visitor.evaluate("stage.frames"), 0]


def test_why(visit: Visit) -> None:
    """A choice tells its size and all ties; the items of the dead ends are those of the trace, and so in the tree."""
    found = trace(TOY, kernel="bits")
    visitor = visit(page(found))
    visitor.keyboard.press("ArrowRight")
    assert visitor.inner_text("#say") == (
        "Level 0: branch on a, which has 2 options; none has fewer, b, c, e, f have as few."
    )
    dead = [found.problem.items[event.item] for event in found.events if event.kind == "back up" and event.item >= 0]
    for item in dead:
        place = visitor.evaluate("stage.steps.findIndex(([kind], k) => kind === DEAD && k >= stage.place) + 1")
        visitor.evaluate(f"go({place})")
        assert f"dead end: {item} has no option left" in visitor.inner_text("#say")
    visitor.keyboard.press("End")
    tree = visitor.eval_on_selector_all("#tree .node", "nodes => nodes.map(node => node.lastChild.textContent)")
    assert sorted(tree) == sorted([*"abbc", *(f"✕{item}" for item in dead), "★1"])
    visitor.click("#tree .node:has-text('★1')")
    assert visitor.inner_text("#say").startswith("Level 2: try")


def test_boards_by_names(visit: Visit) -> None:
    """Queens have a board, and so has a tiling, whose pieces are drawn; other problems have none."""
    visitor = visit(page(trace(build("queens", 6))))
    visitor.keyboard.press("n")
    assert visitor.eval_on_selector_all("#board text", "all => all.map(each => each.textContent)") == ["♛"] * 6
    for size, piece, number in (("3x4", "domino", 6), ("2x2", "dihex", 2)):
        pieces = visit(page(trace(tiles.problem(size, piece, each="any"))))
        pieces.keyboard.press("n")
        assert pieces.locator("#board path").count() == number
    for other in (Problem.from_options([["row 1", "column 1"], ["row 1"]]), TOY):
        assert told(page(trace(other)))["problem"]["board"] is None


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_one_screen(size: tuple[int, int], visit: Visit) -> None:
    """The toy fits on a laptop and a telephone at any place, as a page of its own and in a frame; a tap is a step."""
    visitor = visit(
        page(trace(TOY), title="Which options have each of a to g exactly once?"),
        viewport={"width": size[0], "height": size[1]},
        has_touch=True,
    )
    places = range(visitor.evaluate("stage.frames + 1"))
    tall = [visitor.evaluate(f"go({k}), document.documentElement.scrollHeight") for k in places]
    assert max(tall) <= size[1]
    assert visitor.evaluate("document.documentElement.scrollWidth") <= size[0]
    visitor.evaluate("go(1)")
    visitor.tap("#step")
    assert visitor.evaluate("player().place") == 2
    pictured(visitor, f"toy-{size[0]}")
    visitor.evaluate("document.body.classList.add('embed')")
    assert visitor.is_hidden("#help")
    assert visitor.is_visible("#links")


@pytest.mark.parametrize("scheme", ["light", *nightly("dark")])
def test_accessible(scheme: str, visit: Visit) -> None:
    """Axe finds nothing on the pages of a small search, a large one and a search for the best."""
    weighted = Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    pages = page(trace(TOY)), page(trace(build("queens", 5)), title="Queens"), searched(weighted)
    for text in pages:
        visitor = visit(text, color_scheme=scheme, reduced_motion="reduce")
        visitor.keyboard.press("n")
        visitor.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        check_accessible(visitor)


def test_plays_by_itself(chromium: Any, tmp_path: Path) -> None:
    """With `?play` behind its address a page plays from the beginning, but not where reduced motion is asked for."""
    file = tmp_path / "toy.html"
    file.write_text(page(trace(TOY), title="Toy"), encoding="utf-8")
    with visited(chromium, file, query="?embed&play") as visitor:
        visitor.wait_for_function("player().place > 0")
        assert visitor.get_attribute("#play", "aria-label") == "Pause"
    with visited(chromium, file, query="?embed&play", reduced_motion="reduce") as visitor:
        assert visitor.get_attribute("#play", "aria-label") == "Play"


def priced(weights: Any, size: int = 30) -> Problem:
    """Some triples and all singles of points, with weights drawn by a function of the generator and their number."""
    rng = np.random.default_rng(3)
    options = [rng.choice(size, size=3, replace=False).tolist() for _ in range(10 * size)] + [[k] for k in range(size)]
    return Problem.from_options(options, weights=weights(rng, len(options)))


def searched(problem: Problem, sense: Literal["min", "max"] = "min", **limits: Any) -> str:
    return prices_page([], dlx.best(problem, sense, **limits), sense)


def told(text: str) -> Any:
    return json.loads(re.search(r'id="data">(.*)</script>', text)[1])  # type: ignore[index]


# The texts of a picture on a page: where each is, from side to side and in height, and the size of the picture.
TEXTS = """() => {
    const svg = document.querySelector("#prices svg"), { x, y, width, height } = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((each) => {
        const box = each.getBoundingClientRect(), middle = (box.top + box.bottom) / 2 - y;
        return [each.textContent, box.left - x, box.right - x, middle - 6, middle + 6];
    });
    return [texts, width, height];
}"""


@pytest.mark.parametrize("wide", [400, *nightly(1200)])
@pytest.mark.parametrize("unit", [10**14, 0.1, *nightly(1)])
def test_prices(unit: float, wide: int, visit: Visit) -> None:
    """The page of a search for the best ends with the score proven; no text in its picture is cut or upon another."""
    problem = priced(lambda rng, n: (rng.integers(30, 60, n) * unit).tolist())
    best = dlx.best(problem, "min")
    visitor = visit(searched(problem), color_scheme="dark")
    visitor.set_viewport_size({"width": wide, "height": 900})
    visitor.keyboard.press("End")
    said = best.score if isinstance(best.score, int) else f"{best.score:.12g}"
    assert f"the best cover scores {said}, which is proven. Its options: " in visitor.inner_text("#say")
    assert visitor.is_hidden("#options")
    texts, width, height = visitor.evaluate(TEXTS)
    assert len(texts) >= 3 + 3 + 2  # ticks, nodes, and what bound and score are
    for text, left, right, top, foot in texts:
        assert 0 <= left <= right <= width, text
        assert 0 <= top <= foot <= height, text
    for (one, *a), (other, *b) in combinations(texts, 2):
        assert a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or b[3] < a[2], (one, other)
    pictured(visitor, f"prices-{unit}-{wide}")


@pytest.mark.parametrize("sense", ["min", "max"])
def test_prices_prove(sense: Literal["min", "max"]) -> None:
    """No cover beats the bound of prices, each scores as they say, and what goes grey is in no better cover."""
    grey = 0
    for seed in range(tries(60)):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, "plain")
        problem = replace(problem, weights=rng.integers(-9, 10, problem.n_options))
        covers = list(dlx.covers(problem))
        found = prices.priced(problem, sense)
        if found is None or not covers:
            continue
        sign = 1 if sense == "min" else -1
        scores = [problem.score(cover) for cover in covers]
        for cover, score in zip(covers, scores, strict=True):
            assert sign * (score - found.bound) >= found.reduced[list(cover)].sum() - 1e-4, seed
        for best_so_far in scores:
            out = found.reduced > sign * (best_so_far - found.bound) - 1 + 1e-6
            grey += int(out.sum())
            for cover, score in zip(covers, scores, strict=True):
                assert sign * (score - best_so_far) >= 0 or not out[list(cover)].any(), seed
    assert grey


def test_costs(feed_dlx: Feed, visit: Visit) -> None:
    """The page of examples/toys/costs.dlx shows the bound from the beginning, then what is out, and a closed gap.

    Its star goes from one score to the next one, and then to the end.
    """
    text = (Path(__file__).parents[2] / "examples" / "toys" / "costs.dlx").read_text()
    status, out, _ = feed_dlx(text, "watch", "--best", "--min")
    visitor = visit(out)
    scores = [report["score"] and report["score"][0] for report in told(out)["reports"]]
    better = [k + 1 for k, score in enumerate(scores) if score and score not in scores[:k]]
    for place in [*better, len(scores)]:
        visitor.keyboard.press("n")
        assert visitor.evaluate("player().place") == place
    visitor.keyboard.press("Home")
    assert status == 0
    said = []
    for _ in range(visitor.evaluate("best.frames")):
        visitor.keyboard.press("ArrowRight")
        out = visitor.evaluate("best.options.filter((_, o) => best.isOut(o)).length")
        said.append((visitor.inner_text("#say"), out))
    assert "(dashed) rises, the best score falls" in visitor.inner_text("#prices figcaption")
    assert visitor.inner_text("#title") == "The best cover of <stdin>"
    assert said[0] == ("By the prices alone, no cover scores better than 2.", 0)
    now = "the best cover so far scores 5, and none scores better than 2. The gap is 2: 1 option with"
    assert any(now in text for text, _ in said)
    assert said[-1][0].endswith("The gap is closed: no option can be in a better cover.")
    assert said[-1][1] == 4  # all but the two chosen options


def test_last_word() -> None:
    """The last place is the result, whatever the reports were: its score, bound and cover, and why the search ended."""
    early = [Progress(3, 1, 900, 1, 0.1, 0.01)]
    problem = Problem.from_options({"left": "ab", "right": "c", "all": "abc"}, weights=[2**60, 1, 2**61])
    data = told(prices_page(early, dlx.best(problem, "min"), "min"))
    assert data["reports"][-1]["score"][0] == str(2**60 + 1)
    assert data["reports"][-1]["bound"] == data["reports"][-1]["score"]
    assert f"scores {2**60 + 1}, which is proven. Its options: left | right." in data["end"]
    none = dlx.best(Problem.from_options(["ab", "bc"], items="abc"), "min")
    assert told(prices_page(early, none, "min"))["end"] == "There is no cover, which is proven."
    hard = priced(lambda rng, n: rng.integers(1000, 2000, n), size=120)
    part = dlx.best(hard, "min", max_nodes=2000)
    assert part.score is not None
    assert part.bound is not None
    end = told(prices_page(early, part, "min"))["end"]
    assert f"stopped by max_nodes: the best cover scores {part.score}, and none scores better than {part.bound}" in end
    assert f"(a gap of {100 * (part.score - part.bound) / part.score:.3g} %)" in end
    assert end.endswith("….")
    coloured = Problem.from_options([["a", dlx.Coloured("x", "red")]], secondary=["x"], weights=[0.1])
    assert "scores 0.1, which is proven. Its options: a x:red." in told(searched(coloured))["end"]


def test_scale() -> None:
    """The scale is that of the later reports, what is beyond is at its edge, and it has three numbers or more."""
    result = dlx.best(Problem.from_options(["a"], weights=[81002]), "max")
    reports = [(2, 300000), (3432, 208770), (81000, 81005), (81001, 81004), (81002, 81003)]
    data = told(prices_page([Progress(1, 1, *pair, 0.0, 0.1) for pair in reports], result))
    heights = [report["score"][1] for report in data["reports"][1:]]
    assert heights[:2] == [0, 0]
    assert all(0.19 < height < 0.81 for height in heights[2:])
    assert {"81,001", "81,002", "81,003"} <= {text for _, text in data["ticks"]}
    for weight in (0, 1, -7, 0.1, 10**6, 2**61, 5.83e14, 1e-9, -1e300):
        ticks = told(searched(Problem.from_options(["a"], weights=[weight])))["ticks"]
        assert len({text for _, text in ticks}) >= 3, weight
        assert all(0 <= height <= 1 and len(text) < 20 for height, text in ticks)


def test_a_large_problem_on_a_telephone(visit: Visit) -> None:
    """Of many items those with the fewest options are shown, of a deep tree the lowest levels; nothing is cut off."""
    wide = Problem.from_options([(k, k + 1) for k in range(0, 600, 2)])
    visitor = visit(page(trace(wide)), viewport={"width": 390, "height": 844})
    visitor.evaluate("go(400)")
    assert "48 of 400 items" in visitor.text_content("#sizes figcaption")
    assert "levels above" in visitor.text_content("#tree svg")
    assert visitor.evaluate("document.documentElement.scrollWidth") <= 390


def test_one_file() -> None:
    """A page loads nothing, cannot be ended by what a problem is called, and is small besides its data."""
    evil = Problem.from_options({"</script><s>": ["<!--", "&"]})
    text = page(trace(evil), title="<i>&")
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|import\(|fetch\(", text)
    assert text.count("</script>") == 2
    assert "<s>" not in text
    assert "<title>&lt;i&gt;&amp;</title>" in text
    assert len(text.encode()) < 300_000
    assert told(text)["problem"]["items"] == ["<!--", "&"]
