"""One search in pieces: how it is cut, who runs the pieces, and how they survive."""
