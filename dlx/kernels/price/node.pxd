from libc.math cimport exp, fabs, floor, log, pow

cdef enum:  # the kinds of steps of a proof
    PRICES = 0
    ITEM = 1
    OPTION = 2
    PAIR = 3
    END = 4


cdef class ProofLog:
    cdef bint is_open  # whether steps are recorded
    cdef int n_items
    cdef long long[::1] record  # record[:recorded]: each step: its kind, how many numbers follow, and the numbers
    cdef long long recorded
    cdef long long margin  # the most numbers that the steps of one node take

    cdef inline bint is_full(self) noexcept nogil
    cdef inline void write(self, long long number) noexcept nogil
    cdef inline void step(self, int kind, int numbers) noexcept nogil
    cdef void prices(self, const long long[::1] prices, const int[::1] place, int open) noexcept nogil
    cdef void item(self, int i, int o) noexcept nogil
    cdef void sides(self, int kind, int one, int other, bint first) noexcept nogil
    cdef void end(self) noexcept nogil


cdef class Node:
    cdef int n_items, n_primary, n_options  # items below n_primary are primary
    cdef int level  # 0 at the root
    cdef public long long nodes, updates  # work of the whole search: options tried, and options passed
    cdef long long update_limit  # linear programs and trials stop here, to go on in the next run
    cdef const int[::1] indptr, indices
    cdef const long long[::1] weight
    # Two sparse sets: a set is a prefix of a permutation, so to undo any number of removals is to restore its length.
    cdef int[::1] option  # option[:live] are the live options
    cdef int live
    cdef int n_usable  # the options with a primary item: only these are ever live
    cdef int[::1] item  # item[:open] may still be covered, of which open_primary have to be
    cdef int[::1] place  # item[place[i]] == i
    cdef int open, open_primary
    cdef int[::1] least, most, used  # item i has to be covered least[i] to most[i] times, and has been used[i] times
    cdef bint repeated  # some option may be chosen twice: all its items may be covered twice
    # Colours, if `coloured`. An item that any option gives a colour costs nothing, since options that agree on it share
    # it: `takes_colours[i]` is 1 for these.
    cdef bint coloured
    cdef const int[::1] colour  # the colour of each entry of `indices`, or 0
    cdef char[::1] takes_colours
    cdef int[::1] shade  # shade[i]: the colour that the chosen options have given item i, or 0
    cdef int[::1] painted  # painted[:n_painted]: the items with a shade, in the order in which they got it
    cdef int n_painted
    cdef int[::1] chosen  # chosen[:n_chosen]: the options chosen, forced ones too
    cdef int n_chosen
    cdef public long long target  # the least score of a cover
    cdef long long gain  # the weights of the chosen options
    cdef long long bound  # gain + the costs of the open items: no completion of this node scores more
    cdef long long[:, ::1] price  # price[row] at the current node: a row for each level, and the last one for all below
    cdef int row
    # After `_filter`:
    cdef long long[::1] slack  # slack[o] for live options, by price[row]
    cdef int[::1] size  # size[i]: how many live options an open item has
    cdef int[::1] times  # times[i]: the most times that these options can cover item i, larger if some are `repeated`
    cdef int[::1] witness  # witness[i]: the exclusive or of these options, so the option itself if there is only one
    # open_price[i]: the price of item i if it is open, else `closed`, which makes the slack of every option negative
    cdef long long[::1] open_price
    cdef long long closed
    cdef long long allowed  # bound - target: the slack that may be spent
    # After `_weigh`, work[i] is the sum over the live options o of item i of (1 - slack[o] / (allowed + 1)) squared. An
    # option with much slack has a small subtree: branching on the least work took fewer nodes than on the least size.
    cdef double[::1] work
    cdef bint dead  # an item has too few live options, or its only live option clashes with a chosen one
    # Prices
    cdef readonly long long entries  # the number of entries of all options
    cdef readonly long long upper_bound  # the least bound that the root has had
    cdef long long[::1] kept  # the best prices that the root has had
    cdef double price_limit
    # Scratch of a sweep: the live options of each open item, masses, factors, and prices on trial.
    cdef int[::1] begin, fill, member  # member[begin[i]:fill[i]]: the live options of open item i
    cdef int[::1] first_of  # member[first_of[k]:first_of[k + 1]]: the same of item[k]
    cdef double[::1] mass
    cdef double[::1] factor  # factor[k]: the factor of item[k]
    cdef double[::1] room  # room[k]: how often item[k] can still be covered
    cdef double[::1] at_zero  # at_zero[k]: the factor at which the price of item[k] is 0; 0 if it needs all its room
    cdef double temperature
    cdef long long[::1] trial, trial_slack
    # Settings of the caller:
    cdef public int sweeps  # soft sweeps at each node
    cdef public double warmth  # the temperature at nodes, by the allowed slack for each open item
    cdef public double diving  # the temperature at nodes during a dive, in units; 0 otherwise
    cdef bint fathomed  # propagation between sweeps at the root has proven that no cover reaches the target
    cdef readonly ProofLog log

    cdef void _take_rows(self, rows, ranges)
    # Open items, and the options that fit them
    cdef inline int _need(self, int i) noexcept nogil
    cdef inline bint _once(self, int i) noexcept nogil
    cdef inline int _room(self, int o) noexcept nogil
    cdef inline int _supply(self, int i) noexcept nogil
    cdef inline long long _price(self, int i) noexcept nogil
    cdef inline long long _cost(self, int i, long long price) noexcept nogil
    cdef bint _has(self, int o, int i) noexcept nogil
    cdef inline bint _fits(self, int o) noexcept nogil
    # Choosing and dropping options
    cdef void _choose(self, int o) noexcept nogil
    cdef bint _choose_masses(self) noexcept nogil
    cdef inline void _close(self, int i) noexcept nogil
    cdef inline void _drop(self, int k) noexcept nogil
    cdef void _keep_side(self, int i, int j, bint together) noexcept nogil
    # A node
    cdef void _descend(self) noexcept nogil
    cdef bint _sweep(self) noexcept nogil
    # Step 1: soft sweeps, by masses at a temperature
    cdef void _heat(self, double temperature) noexcept nogil
    cdef void _list_members(self) noexcept nogil
    cdef void _soften(self, int sweeps, double power) noexcept nogil
    # Step 2: prices from the masses, hard sweeps, and the bound
    cdef bint _cool(self, bint anyway) noexcept nogil
    cdef long long _bound_of_trial(self) noexcept nogil
    cdef long long _bound_of(self, const long long[::1] prices) noexcept nogil
    cdef void _harden(self) noexcept nogil
    cdef bint _accept(self, long long bound, bint anyway) noexcept nogil
    # Step 3: propagation
    cdef bint _propagate(self, bint counted, bint priced) noexcept nogil
    # `counted`: size and witness are those of the live options; `priced`: the trial slacks are by the current prices
    cdef bint _filter(self, bint counted, bint priced) noexcept nogil
    cdef inline void _count(self, int o, int by) noexcept nogil
    cdef void _count_again(self) noexcept nogil
    cdef void _count_times(self) noexcept nogil
    cdef bint _cover_forced(self) noexcept nogil
    cdef inline int _least_uses(self, int i, int need) noexcept nogil
    cdef int _witness(self, int i) noexcept nogil
    cdef void _weigh(self) noexcept nogil
    # Prices at the root
    cdef void _first_prices(self) noexcept nogil
    cdef void _save(self) noexcept nogil
    # Another root
    cdef void _make_root(self, prices, chosen)
