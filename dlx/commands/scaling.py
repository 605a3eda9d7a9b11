"""What the command says of searches in pieces: who works, and what a journal tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dlx.commands.run import Run
from dlx.scale.errors import JournalError, NoWorkersError

UNKNOWN = "distributed is not installed, which --scheduler needs: pip install 'dancing-cover[distributed]'"
PATIENCE = "10s"  # with a scheduler that does not answer


@contextmanager
def workers(run: Run) -> Iterator[dict[str, Any]]:
    """The keywords that tell a search who is to do it.

    Raises:
        ImportError: dask is asked for, and not there.
        NoWorkersError: it does not answer.
    """
    options = run.options
    asked: dict[str, Any] = {} if options.jobs is None else {"jobs": options.jobs}
    if options.scheduler is None:
        yield asked
        return
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(UNKNOWN, name="distributed") from None
    try:
        client = Client(options.scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise NoWorkersError(f"{options.scheduler}: {error}") from None
    with client:
        cores = sum(client.ncores().values())
        yield {"jobs": max(1, cores), **asked, "executor": client.get_executor()}


def journal(run: Run) -> int:
    """Prints what a journal says."""
    from dlx.scale.journal import tell

    try:
        first, parts = tell(run.file)
    except JournalError as error:
        return run.fail(str(error))
    except OSError as error:
        return run.fail(f"{run.file}: {error.strerror}")
    total = sum(part.piece.nodes for part in parts)
    done = sum(part.done for part in parts)
    facts = {
        "problem": first["problem"],
        "kernel": first["kernel"],
        "pieces": len(parts),
        "done": sum(part.is_done for part in parts),
        "covers": sum(part.covers for part in parts),
        "nodes": first["nodes"] + sum(part.nodes for part in parts),
        "left": round(total - done),
        "fraction": round(done / total, 6) if total else 1.0,
    }
    if run.options.json:
        run.print_json(file=run.file, **facts)
    else:
        run.print("".join(f"{name}: {fact}\n" for name, fact in facts.items()))
    return 0
