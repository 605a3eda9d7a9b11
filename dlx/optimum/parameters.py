"""The measured parameters of the search for the best cover, in one place.

docs/benchmarks/tuning.md has the work with half and with twice the value of each parameter, and docs/benchmarks/best.md
has the instances. A number that hardly matters on any instance is a constant in its module.
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
    long_probe: int = 2_000  # the same if the search is almost done: 0.5 ms instead of 1.5 ms on a grid with 85 covers

    # Prices at the root
    rounds: int = 11  # number of temperatures of the first prices
    sweeps: int = 6  # number of sweeps at each temperature
    cooling: float = 0.6  # each temperature divided by the last one
    colder: int = 6  # maximum number of temperatures added after restarts, one after each
    root_sweeps: int = 64  # maximum number of sweeps at a temperature
    relaxed: float = 1.8  # power of over-relaxation, every second time: dominoes need a tenth of the sweeps

    # The linear program at the root
    pivots: int = 8  # maximum number of pivots of the simplex method for each row

    # Restarts, and prices at nodes
    first_restart: int = 500  # nodes of the first search
    restart_growth: int = 2  # nodes of the next search divided by nodes of the last search
    node_sweeps: int = 10  # maximum number of sweeps at a node
    warmth: float = 3.0  # temperature at nodes, divided by the allowed slack for each open item

    # Dives
    dives: tuple[float, float] = math.log(60), math.log(150)  # log(hottest temperature / temperature of a dive)
    diving: int = 12  # maximum number of dives in a row
    dive_by: int = 3  # maximum number of updates of dives, divided by the updates of the previous search
    dive_sweeps: int = 20  # sweeps at the root before a dive
    dive_nodes: int = 200  # nodes of a dive, without its way down

    # Strong branching on pairs of items
    pairing: int = 40_000_000  # updates before pairs are tried
    pairing_nodes: int = 8_000  # nodes of one search before pairs are tried
    pairing_sweeps: int = 100_000  # maximum time of the linear program at the root before pairs, in sweeps

    # Cuts
    at_once: int = 100  # maximum number of cuts added before prices are computed again
    cut_sweeps: int = 60  # sweeps at each temperature after cuts
    cut_rounds: int = 12  # temperatures after cuts
    violation: float = 0.1  # least violation of a cut
    support: float = 0.02  # least mass of an option from which a clique is grown
    clique: float = 1.02  # least mass of a clique


TUNED = Parameters()
