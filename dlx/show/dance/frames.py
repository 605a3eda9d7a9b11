"""The pictures of a page one by one, as SVG for papers and as a GIF for slides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice

from dlx.search.trace import Trace
from dlx.show.dance.page import Board, recorded, source

MOST_FRAMES = 2_000
MOST_IN_FILM = 400  # of half a megabyte each
SECONDS = 0.7  # that a frame of a GIF is seen, unless it is said


def frames(trace: Trace, *, board: Board | None = None) -> Iterator[str]:
    """Yields a picture of each place of a search, drawn by the scripts of its page in V8.

    Parameters:
        trace: what `dlx.trace` has recorded.
        board: what options look like, as for `page`.

    Returns:
        SVG texts of one size, the first one of the beginning; no more than 2,000.

    Raises:
        ImportError: mini-racer is not installed (extra `frames`).
        TypeError, ValueError: as for `page`.

    >>> import dlx
    >>> pictures = list(frames(dlx.trace(dlx.Problem.from_options(["ab", "c", "bc"]))))
    >>> len(pictures), pictures[1][:4]
    (14, '<svg')
    """
    data = recorded(trace, board)
    try:
        from py_mini_racer import MiniRacer
    except ImportError:
        raise ImportError("frames are drawn by V8: pip install mini-racer") from None
    style = source("style.css").partition("@media")[0]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", style))
    with MiniRacer() as machine:
        for script in ("engine.js", "stage.js", "pictures.js", "links.js"):
            machine.eval(source(script))
        places = machine.eval(f"const film = new Stage({json.dumps(data, default=float)}); film.frames")
        for place in range(min(places + 1, MOST_FRAMES)):
            picture = machine.eval(f"film.go({place}), drawFrame(film)")
            yield re.sub(r"var\(--(\w+)\)", lambda match: colours[match[1]], str(picture)) + "\n"


def gif(pictures: Iterable[str], *, seconds: float = SECONDS) -> bytes:
    """Makes a film of pictures that goes on for ever.

    Parameters:
        pictures: SVG texts of one size, from one to 400.
        seconds: how long each is seen.

    Returns:
        The bytes of a GIF.

    Raises:
        ImportError: Pillow or resvg is not installed (extra `frames`).
        ValueError: there is no picture, or there are more.
    """
    every = list(islice(pictures, MOST_IN_FILM + 1))
    if not 0 < len(every) <= MOST_IN_FILM:
        raise ValueError(f"a film has from 1 to {MOST_IN_FILM} pictures; here {'are more' if every else 'is none'}")
    try:
        from PIL import Image
        from resvg_py import svg_to_bytes
    except ImportError:
        raise ImportError("a GIF is made by resvg and Pillow: pip install resvg-py Pillow") from None
    films = [Image.open(BytesIO(svg_to_bytes(picture))).convert("RGB").quantize(255, dither=0) for picture in every]
    file = BytesIO()
    films[0].save(file, "GIF", save_all=True, append_images=films[1:], duration=round(1000 * seconds), loop=0)
    return file.getvalue()
