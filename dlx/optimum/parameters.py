"""The measured parameters of the search for the best cover, in one place.

docs/benchmarks/tuning.md has the work with half and with twice the value of each, and docs/benchmarks/best.md the
instances. What no instance depends on is a constant where it is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """The parameters of branch and bound on Lagrangian bounds.

    The *allowed slack* of a node is its bound minus the target.
    """

    # Plain search before any prices
    probe: int = 150  # nodes of plain search before prices are computed
    long_probe: int = 2_000  # the same for a search that is almost done: a grid with 85 covers takes 0.5 ms, not 1.5

    # Prices at the root
    rounds: int = 11  # number of temperatures of the first prices
    sweeps: int = 6  # number of sweeps at each temperature
    cooling: float = 0.6  # each temperature divided by the one before
    colder: int = 6  # temperatures that are added after restarts, one each time, at most
    root_sweeps: int = 64  # sweeps at a temperature, at most
    relaxed: float = 1.8  # power of over-relaxation, every other time: dominoes need a tenth of the sweeps, others more

    # The linear program at the root
    pivots: int = 8  # pivots of the simplex method for each row, at most

    # Restarts, and prices at nodes
    first_restart: int = 500  # nodes of the first search
    restart_growth: int = 2  # the nodes of the next search by those of the last one
    node_sweeps: int = 10  # sweeps at a node, at most
    warmth: float = 3.0  # the temperature at nodes, by the allowed slack for each open item

    # Dives
    dives: tuple[float, float] = math.log(60), math.log(150)  # logarithm of the hottest temperature by that of a dive
    diving: int = 12  # dives at a time, at most
    dive_by: int = 3  # updates of dives by those of the search before, at most
    dive_sweeps: int = 20  # sweeps at the root before a dive
    dive_nodes: int = 200  # nodes of a dive, not counting its way down

    # Strong branching on pairs of items
    pairing: int = 40_000_000  # updates before it is tried
    pairing_nodes: int = 8_000  # nodes of one search before it is tried
    pairing_sweeps: int = 100_000  # sweeps in whose time the linear program of the root is solved before it, at most

    # Cuts
    at_once: int = 100  # cuts added before prices are found again, at most
    cut_sweeps: int = 60  # sweeps at each temperature after cuts
    cut_rounds: int = 12  # temperatures after cuts
    violation: float = 0.1  # the violation of a cut, at least
    support: float = 0.02  # the mass of an option from which a clique is grown
    clique: float = 1.02  # the mass of a clique


TUNED = Parameters()
