"""`python -m dlx` is the `dlx` command."""

from dlx.command.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
