"""`dlx count` and `dlx sample`: how many covers there are, in how many each option is, and some drawn at random."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import TypeVar

import dlx
from dlx.command.parallel import workers
from dlx.command.run import Run, Texts, how_it_went, in_json, word
from dlx.problem.problem import Problem
from dlx.problem.words import counted

All = TypeVar("All", dlx.Diagram, dlx.Folded)


def count(run: Run, problem: Problem) -> int:
    """Prints how many covers there are, or in how many each option is."""
    options = run.options
    own = options.kernel is not None or options.seed is not None
    if options.shares and (own or options.limit is not None or options.merge not in ("auto", "same")):
        refused = "--kernel, --seed, --limit and another --merge cannot be given"
        return run.fail(f"--shares merges what is the same, in all covers: {refused}")
    in_pieces = options.jobs is not None or options.scheduler is not None or options.checkpoint is not None
    if in_pieces and (options.shares or options.merge == "same"):
        way = "--shares" if options.shares else "--merge same"
        return run.fail(f"{way} does not count in pieces: no --jobs, --scheduler or --checkpoint can be given")
    if options.checkpoint is not None and options.merge == "isomorphic":
        return run.fail("what is counted up to isomorphism is not written down: no --checkpoint can be given")
    if options.merge in ("same", "isomorphic") and own:
        return run.fail(f"--merge {options.merge} has an order of its own: --kernel and --seed cannot be given")
    if options.points is not None and options.merge != "isomorphic":
        return run.fail("--points is for --merge isomorphic")
    return _of_all_covers(run, problem, dlx.diagram, _shares) if options.shares else _count(run, problem)


def sample(run: Run, problem: Problem) -> int:
    """Prints covers drawn at random."""
    if run.options.merge == "isomorphic":
        return _of_all_covers(run, problem, dlx.folded, _sample)
    return _of_all_covers(run, problem, dlx.diagram, _sample)


def _count(run: Run, problem: Problem) -> int:
    options = run.options
    try:
        with workers(run) as who:
            result = dlx.count(
                problem,
                merge=options.merge,
                memory=options.memory,
                checkpoint=options.checkpoint,
                points=None if options.points is None else _matches(options.points),
                max_covers=options.limit,
                timeout=options.timeout,
                progress=run.progress,
                **run.choices(),
                **who,
            )
    except OSError as error:
        if error.filename != options.checkpoint:
            raise
        return run.fail(f"{options.checkpoint}: {error.strerror}")
    if options.json:
        merging = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory", "doubt")}
        run.print_json(file=run.file, covers=result.covers, kernel=result.kernel, **merging, **how_it_went(result))
    else:
        run.print(f"{result.covers}\n")
    return run.end(result.stopped, False, "there may be more covers")


def _matches(pattern: re.Pattern[str]) -> Callable[[Hashable], list[str]]:
    """Returns the part of an item's name that a pattern matches."""
    return lambda item: [found[0] for found in pattern.finditer(word(item))]


def _of_all_covers(run: Run, problem: Problem, find: Callable[..., All], answer: Callable[[Run, All], int]) -> int:
    """Answers with the diagram of all covers; part of one would answer nothing."""
    options = run.options
    try:
        diagram = find(problem, timeout=options.timeout, progress=run.progress, memory=options.memory)
    except TimeoutError as error:
        return run.end("timeout", False, str(error))
    except KeyboardInterrupt:
        return run.end("interrupt", False, "nothing is known before the search has ended")
    return answer(run, diagram)


def _shares(run: Run, diagram: dlx.Diagram) -> int:
    texts = Texts(diagram.problem)
    each = enumerate(zip(diagram.uses(), diagram.shares().tolist(), strict=True))
    if run.options.json:
        lines = [in_json(**texts.option_facts(o), covers=uses, share=share) for o, (uses, share) in each]
        run.print("".join([*lines, _size(run, diagram)]))
    else:
        run.print("".join([f"{uses}\t{share:.6g}\t{texts[o]}\n" for o, (uses, share) in each]))
    return 0


def _sample(run: Run, diagram: dlx.Diagram | dlx.Folded) -> int:
    texts, as_json = Texts(diagram.problem), run.options.json
    done = 0
    try:
        for some in diagram.samples(run.options.n if diagram else 0, run.options.seed):
            run.print(texts.lines(some, range(done + 1, done + 1 + len(some)), as_json))
            done += len(some)
    except KeyboardInterrupt:
        return run.end("interrupt", False, f"{done} of {counted(run.options.n, 'cover')} have been drawn")
    if as_json:
        run.print(_size(run, diagram))
    return run.end(None, not diagram, "")


def _size(run: Run, diagram: dlx.Diagram | dlx.Folded) -> str:
    """Returns the number of covers of all, and how large a diagram they make, for programs."""
    return in_json(file=run.file, covers=diagram.covers, nodes=diagram.nodes, edges=diagram.edges)
