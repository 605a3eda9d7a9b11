"""Pages on which a search dances: each is one file, which needs no network and no other file.

`engine.js` is Algorithm X once more, so that a page can search for what people type; `stage.js` is a place in a search,
`pictures.js`, `links.js` and `scores.js` draw it, `lesson.js` tells steps of reasoning in its place, and `player.js` is
what people press. Pyodide would have brought the kernels themselves, but as files beside the page that browsers do not
load from a folder; what it would have ensured, that both search alike, tests do by recorded traces.
"""

from dlx.show.dance.lesson import Told, steps_page, told
from dlx.show.dance.page import Backdrop, Board, check_size, live_page, page
from dlx.show.dance.prices import closer, prices_page

__all__ = [
    "Backdrop",
    "Board",
    "Told",
    "check_size",
    "closer",
    "live_page",
    "page",
    "prices_page",
    "steps_page",
    "told",
]
