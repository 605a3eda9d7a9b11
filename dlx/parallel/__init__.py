"""One search by many workers: pieces, crews, processes, checkpoints."""
