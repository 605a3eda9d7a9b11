"""Pages that show a recorded search step by step; each is one file and needs no network.

`replay.js` replays the events of a trace, and `stage.js` describes a place among them. `pictures.js`, `links.js` and
`scores.js` draw, and `player.js` handles buttons and keys.
"""

from dlx.show.dance.page import Backdrop, PageBoard, check_size, page
from dlx.show.dance.prices import prices_page

__all__ = ["Backdrop", "PageBoard", "check_size", "page", "prices_page"]
