"""The parameters of the search for the best cover, in one place; docs/benchmarks/best.md has the instances measured."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """The parameters of branch and bound on Lagrangian bounds; counts are of nodes where nothing else is said."""

    # Plain search before any prices, on the whole and on small components
    probe: int = 150  # of plain search before prices are computed: a problem that ends there needs none
    long_probe: int = 2_000  # the same where the search then looks nearly done
    widest: int = 128  # primary items of a component that is searched plainly,
    patience: int = 1 << 12  # for so many updates, a small part of the start of a search by prices
    taste: int = 5_000  # for each hard component, before one of them is searched to the end

    # Prices at the root
    rounds: int = 11  # temperatures of the first prices
    sweeps: int = 6  # at each of them
    cooling: float = 0.6  # from one temperature to the next
    gain: float = 0.1  # the gap must shrink by this part for twice as many sweeps at once
    colder: int = 6  # one more round after each restart, up to so many more
    root_sweeps: int = 64  # at a temperature, at most
    relaxed: float = 1.8  # every other time, over-relaxed: dominoes then need a tenth of the sweeps, and others more
    swept: int = 1 << 21  # entries that sweeps at the root may pass before the loop looks at the clock

    # Restarts, and prices at nodes
    first_restart: int = 500  # of the first search,
    restart_growth: int = 2  # and so many times more of the next
    node_sweeps: int = 10  # at a node, at most
    warmth: float = 3.0  # the temperature there, by the slack to spend for an open item
    price_bytes: int = 1 << 28  # memory for the prices of the nodes on a path

    # Dives
    dives: tuple[float, float] = math.log(60), math.log(150)  # the hottest temperature by that of a dive, as logarithms
    diving: int = 12  # dives at a time, at most
    dive_by: int = 3  # times the updates of the search before
    dive_sweeps: int = 20  # at the root before a dive
    dive_nodes: int = 200  # besides those on its way down

    # Searches for scores nearer to the bound than the incumbent must be
    hopeful: int = 6  # the stage from which on they are made,
    hoping: int = 4  # with this part of the nodes of a search
    near: float = 0.125  # the part of the gap that is left out at first,
    never_nearer: float = 0.5  # and at most

    # Strong branching on pairs of items
    pairing: int = 150_000_000  # updates before it is tried,
    pairing_nodes: int = 50_000  # and of one search
    pair_sweeps: int = 250  # at the root
    pair_warmth: float = 8.0  # at nodes
    high: int = 12  # levels of the tree where many pairs are tried,
    trials_above: int = 60  # at a node there,
    trials_below: int = 8  # and at a node below
    trial_sweeps: int = 15  # for each side of a pair
    trial_work: int = 1 << 24  # options swept in the trials of a node: 100,000 options took 4 s without this
    reliable: int = 8  # trials after which a pair is believed
    half: float = 0.02  # the mass of the lighter side of a pair, at least: one of nearly none tells nothing
    least_share: float = 1e-9  # of a tree, below which nothing is known of its size
    neglect: int = 4  # the worse tree is searched again when the other has had so many times as much

    # Cuts
    adding: int = 2  # the stage from which on they are looked for,
    adding_work: int = 700  # after so many updates for each option,
    adding_rounds: int = 10  # so many times at most,
    adding_gain: float = 0.003  # while the gap shrinks by this part
    at_once: int = 30  # cuts added before prices are found again,
    all_added: int = 400  # and in all
    soft_sweeps: int = 60  # of each pass before cuts are looked for,
    softer: tuple[float, ...] = (1.0, 0.3, 0.1)  # at these temperatures, by the slack to spend for an open item
    cut_sweeps: int = 60  # after cuts,
    cut_rounds: int = 12  # in so many rounds,
    warm: int = 3  # from this temperature on, by the slack to spend for an item
    cubed: int = 4  # updates before odd sets are looked for among items, by the cube of their number
    undecided: float = 0.01  # the distance of an option's mass from 0 and 1 at least where it joins items to an odd set
    items: int = 400  # undecided ones, among which odd sets are looked for, at most
    many: int = 60  # items in an odd set, at most
    violation: float = 0.1  # of an odd-set or cardinality cut, at least
    support: float = 0.02  # the mass of an option that may begin a clique
    clique: float = 1.02  # the mass of a clique, at least
    seeds: int = 600  # options that a clique is grown from, at most,
    random_runs: int = 2  # so many times at random, besides the greedy run
    tests: int = 1 << 26  # of pairs while cliques are lifted: 1 s; where many options fit it took 12 s without this

    # Buffers
    block: int = 256  # covers that plain search hands over at a time, or fewer where they are wide:
    buffer: int = 1 << 20  # entries of a buffer of covers
    raising: int = 16  # covers in the buffer of a kernel that raises its target itself
    steps: int = 1 << 16  # numbers of a proof log at a time, besides those of one node
    all_steps: int = 1 << 24  # numbers in a certificate, at most: 128 MB

    # Real weights
    finer: int = 16  # the problem is searched again where the tolerance becomes so many times as small


TUNED = Parameters()
