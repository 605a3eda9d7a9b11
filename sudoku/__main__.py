"""`python -m sudoku` is the `sudoku` command."""

from sudoku.command.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
