"""The parameters of the search for the best cover, in one place; docs/benchmarks/best.md has the instances measured."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """The parameters of branch and bound on Lagrangian bounds; counts are of nodes where nothing else is said.

    Two numbers in brackets are the updates with half and with twice the value, as ratios to the updates with the value
    here: geometric means over problems and seeds of `benchmarks/tuning.py`. 1.00 twice: none of them depends on it.
    """

    # Plain search before any prices, on the whole and on small components
    probe: int = 150  # of plain search before prices are computed: a problem that ends there needs none [1.01, 1.03]
    long_probe: int = 2_000  # the same if the search looks nearly done: a grid with 85 covers takes .5 ms, not 1.5
    frontier: float = 16  # bits of a state, at most, in a search layer by layer
    widest: int = 128  # primary items of a component that is searched plainly, [1.00, 1.00]
    patience: int = 1 << 12  # for so many updates, a small part of the start of a search by prices [1.00, 1.00]
    taste: int = 5_000  # for each hard component, before one of them is searched to the end [0.99, 0.97]

    # Prices at the root
    rounds: int = 11  # temperatures of the first prices [1.02, 1.40]
    sweeps: int = 6  # at each of them [0.96, 1.17]
    cooling: float = 0.6  # from one temperature to the next [1.11, 1.28]
    colder: int = 6  # one more round after each restart, up to so many more [0.98, 1.00]
    root_sweeps: int = 64  # at a temperature, at most [0.94, 1.04]
    relaxed: float = 1.8  # every other time: dominoes need a tenth of the sweeps over-relaxed, others more [1.02, 1.13]
    swept: int = 1 << 21  # entries that sweeps at the root may pass before the loop looks at the clock

    # The linear program at the root
    solving: float = 0.25  # of the work of the search that it may take, at least,
    # and if options are pairs; by the square of the number of others with an item else; in seconds [1.21, 1.04]
    solving_pairs: float = 1.5
    early: int = 400  # sweeps in whose time it is solved before any search by prices, where options are pairs,
    early_sweeps: int = 2  # after so many at each
    early_rounds: int = 4  # of these temperatures,
    early_options: int = 60  # and before plain search if there are so many or more,
    cut_entries: int = 16_000  # and up to so many entries: then cuts are looked for, some milliseconds a round
    pivots: int = 8  # of the simplex method for each row, at most,
    pivoting: int = 30_000_000  # and updates of it: some tenths of a second
    fewer: float = 0.8  # of the options, after which it is solved again

    # Restarts, and prices at nodes
    first_restart: int = 500  # of the first search, [1.54, 0.94]
    restart_growth: int = 2  # and so many times more of the next [3.73, 0.88]
    node_sweeps: int = 10  # at a node, at most [0.98, 1.01]
    warmth: float = 3.0  # the temperature there, by the slack to spend for an open item [1.00, 1.06]
    price_bytes: int = 1 << 28  # memory for the prices of the nodes on a path

    # Dives
    dives: tuple[float, float] = math.log(60), math.log(150)  # of the hottest temperature by a dive's [1.05, 1.05]
    diving: int = 12  # dives at a time, at most [0.97, 1.03]
    dive_by: int = 3  # times the updates of the search before [1.02, 0.98]
    dive_sweeps: int = 20  # at the root before a dive [1.02, 1.08]
    dive_nodes: int = 200  # besides those on its way down [1.03, 1.01]

    # Strong branching on pairs of items
    pairing: int = 40_000_000  # updates before it is tried,
    pairing_nodes: int = 8_000  # and nodes of one search: most problems measured end before
    unprogrammed: int = 4  # times as many of both where nodes have no linear programs
    program_levels: int = 40  # of that tree that have linear programs,
    program_bytes: int = 1 << 29  # in so much memory,
    program_rows: int = 1_000  # and if that has no more items: a pivot takes the square of their number
    program_trial: int = 20  # pivots of a trial
    fork_sweeps: int = 100_000  # the most sweeps in whose time the linear program is solved before, at the root
    pair_sweeps: int = 80  # at a node without a program
    pair_warmth: float = 8.0  # at nodes [1.11, 1.12]
    trials: int = 12  # pairs that are tried at a node, at most
    vain_trials: int = 8  # since the best pair, after which no more are tried
    trial_sweeps: int = 8  # for each side of a pair
    trial_work: int = 1 << 24  # options swept in the trials of a node: 100,000 options took 4 s without this
    half: float = 0.02  # the mass of a pair's lighter side, at least: nearly none tells nothing [1.00, 1.00]
    least_share: float = 1e-9  # of a tree, below which nothing is known of its size
    near_end: int = 30  # times the updates so far, of which a tree of items promises to end
    neglect: int = 8  # the worse tree is searched again when the other has had so many times as much
    neglected: int = 160_000_000  # updates, and so many more

    # Cuts
    adding: int = 2  # the stage from which on they are looked for, [1.00, 1.05]
    adding_work: int = 700  # after so many updates for each option, [0.98, 1.11]
    adding_rounds: int = 10  # so many times at most, [1.00, 1.00]
    adding_gain: float = 0.003  # while the gap shrinks by this part [1.00, 1.00]
    at_once: int = 100  # cuts added before prices are found again, [0.98, 1.00]
    all_added: int = 400  # and in all [1.00, 1.00]
    soft_sweeps: int = 60  # of each pass before cuts are looked for, [0.98, 1.05]
    softer: float = 0.3  # the temperature of these sweeps, by the slack to spend for an open item [0.99, 0.99]
    cut_sweeps: int = 60  # after cuts, [0.98, 1.08]
    cut_rounds: int = 12  # in so many rounds, [0.98, 1.03]
    warm: int = 3  # from this temperature on, by the slack to spend for an item [1.02, 1.00]
    undecided: float = 0.01  # of an option's mass from 0 and 1, least, to join items to an odd set [1.02, 1.00]
    items: int = 400  # undecided ones, among which odd sets are looked for, at most [1.00, 1.00]
    many: int = 60  # items in an odd set, at most [1.02, 1.00]
    share: float = 0.05  # of the entries, those of cliques of colours at first; twice as many once they pay, or half
    worth: int = 80  # the violation of such a clique, by its share of the entries, at least: words have less
    common: int = 8  # primary items of an option by which options of one colour are grouped, at most
    violation: float = 0.1  # of an odd-set or cardinality cut, at least [1.00, 1.00]
    steep: float = 0.03  # the violation of an odd-set cut by the root of the number of its options, least: with 0.1 a
    # matching of two clusters of 13 points took 60 million updates, and takes 1 million [1.00, 1.01]
    support: float = 0.02  # the mass of an option that may begin a clique [1.00, 0.98]
    clique: float = 1.02  # the mass of a clique, at least [0.98, 1.01]
    seeds: int = 600  # options that a clique is grown from, at most, [1.00, 1.00]
    tests: int = 1 << 26  # of pairs while cliques are lifted: 1 s; where many options fit it took 12 s without this;
    # and of entries for odd sets: with 300,000 entries it took more than 40 s

    # Buffers
    block: int = 256  # covers that plain search hands over at a time, or fewer where they are wide:
    buffer: int = 1 << 20  # entries of a buffer of covers
    raising: int = 16  # covers in the buffer of a kernel that raises its target itself
    steps: int = 1 << 16  # numbers of a proof log at a time, besides those of one node
    all_steps: int = 1 << 24  # numbers in a certificate, at most: 128 MB

    # Real weights
    finer: int = 16  # the problem is searched again where the tolerance becomes so many times as small


TUNED = Parameters()
