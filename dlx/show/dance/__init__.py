"""Pages on which a search dances: each is one file, which needs no network and no other file.

The player is JavaScript (`engine.js`, `scores.js`, `player.js`), which says Algorithm X once more, so that a page can
search for what people type. Pyodide would have brought the kernels themselves, but as files beside the page that
browsers do not load from a folder; what it would have ensured, that both search alike, tests do by recorded traces.
"""

from dlx.show.dance.page import Backdrop, Board, check_size, live_page, page, prices_page

__all__ = ["Backdrop", "Board", "check_size", "live_page", "page", "prices_page"]
