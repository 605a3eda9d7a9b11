from libc.math cimport INFINITY, fabs, floor, fmax, fmin

from dlx.kernels.price.node cimport Node

cdef enum:  # how a run of pivots ends
    OPTIMAL = 0
    STOPPED = 1  # the bound is below the target, or the inverse has become inexact
    DEAD = 2  # the program has no solution
    MORE = 3  # the number of pivots is spent, or the basis has to be built again


cdef class Simplex:
    # Variables are numbered: the options, and then for each item its slack variable, from 0 to its range.
    # Between two pivots, the inverse times the columns of the basic variables is the identity, `where` is the inverse of
    # `basis`, `value` solves the rows with all other variables at their bounds, and `reduced` is by `price`.
    cdef int n_options
    cdef readonly int levels  # number of levels with linear programs at their nodes
    cdef readonly long long pivots
    cdef int level  # the level of the current basis
    cdef int last_level  # the level of the last basis on the way to the node; -1 if there is none
    cdef int built_level  # the level where the basis was built from nothing
    cdef int pivots_left  # maximum pivots for this node
    # A run may end amid a program, which continues when the node is entered again: runs of any length search one tree.
    cdef readonly bint halted  # whether the last run ended amid a program
    cdef bint resumed  # whether the run before the last one ended amid a program
    cdef bint is_primal  # whether the next pivots are those of the primal simplex method
    cdef bint sifted  # whether the program began with some of the options
    cdef int m  # the number of rows
    cdef int[::1] row_of, row_item  # row_item[row_of[i]] == i for the items of the rows; row_of[i] is -1 for others
    cdef int[::1] limit  # limit[o]: the item that only option o has, whose range is the option's; -1 if there is none
    cdef int[::1] open_row  # open_row[:n_open_rows]: the rows of open items
    cdef int n_open_rows
    # Row r of the inverse is inverse[at[r], r], since a level writes to its own part only.
    cdef double[:, :, ::1] inverse
    # The current basis: rows of the arrays of all levels below
    cdef int[::1] at
    cdef int[::1] basis  # basis[r]: the basic variable of row r
    cdef double[::1] value  # value[r]: the value of that variable
    cdef double[::1] norm  # norm[r]: the squared length of row r of the inverse, in the columns of open rows
    cdef char[::1] at_upper  # at_upper[v]: whether variable v, if it is not basic, is at its upper bound
    cdef int[:, ::1] ats, bases
    cdef double[:, ::1] values, norms
    cdef char[:, ::1] at_uppers
    cdef double[:, ::1] prices  # prices of the levels above the current basis
    cdef int[::1] where  # where[v]: the row of variable v in the current basis, or -1
    cdef char[::1] lives  # lives[o]: whether option o lives
    cdef double[::1] upper  # upper[r]: the upper bound of the basic variable of row r
    cdef double[::1] right  # scratch: right[c] is the right-hand side of row c minus the variables at upper bounds
    cdef double[::1] reduced  # reduced[v]: the reduced cost of a live option, or of a slack variable
    cdef double[::1] price  # price[i]: the price of item i, the reduced cost of its slack variable; 0 if it is no row
    cdef double[::1] alpha  # alpha[v]: the entry of a live option, or of a slack variable, in the pivot row
    cdef double[::1] ray  # ray[i]: alpha of the slack variable of item i, which is an entry of the inverse of the basis
    cdef int[::1] reached  # reached[:n_reached]: the variables with an entry other than 0
    cdef int n_reached
    cdef double[::1] column  # column[r]: the entry of the entering variable in row r
    cdef double[::1] entry  # entry[c]: the pivot row of the inverse
    cdef int[::1] nonzero  # nonzero[:n_nonzero]: the columns c where entry[c] is not 0
    cdef int n_nonzero
    cdef double dual  # the dual objective: the bound by `price`
    cdef double largest  # the largest weight, or 1
    cdef double cheap  # a smaller reduced cost counts as 0
    cdef bint is_built  # whether the current basis has all wanted variables
    cdef bint repaired  # whether the current basis has been built again, without any pivot since
    cdef int[::1] wanted  # wanted[:n_wanted]: the variables for a basis to be built, the best first
    cdef int n_wanted, n_inserted  # wanted[:n_inserted] have been made basic, or are not independent
    cdef int[::1] candidate  # the variables that may enter
    cdef double[::1] shifted  # the prices before the costs of basic variables are taken as they are
    # The root
    # Of the last optimum at the root, or None: the items of the rows, the basis, the inverse, and `at_upper`
    cdef tuple kept
    # A program that is being solved has option[:live] of the options option[:all_live]
    cdef int all_live
    cdef long long slack_limit  # the largest slack of the options that it began with
    cdef int status  # how the last run of pivots of the dual simplex method ended
    cdef bint solved  # whether the root's program with the options taken so far has come to an optimum

    cdef inline void _forget(self, int level) noexcept nogil
    cdef bint _solve_program(self, Node node) noexcept nogil
    cdef void _begin(self, Node node) noexcept nogil
    cdef void _expect_pivots(self, int pivots) noexcept nogil
    cdef bint _continue(self, Node node) noexcept nogil
    cdef void _try_program(self, Node node, int most) noexcept nogil
    # The basis
    cdef void _work_at(self, int level) noexcept nogil
    cdef void _inherit(self, int level) noexcept nogil
    cdef void _want_basis(self, Node node) noexcept nogil
    cdef void _number_rows(self, Node node) noexcept nogil
    cdef int _twin(self, Node node, int i) noexcept nogil
    cdef void _clear_basis(self, Node node) noexcept nogil
    cdef bint _build(self, Node node) noexcept nogil
    cdef void _build_again(self, Node node) noexcept nogil
    cdef void _insert(self, Node node, int q) noexcept nogil
    cdef void _prepare(self, Node node, bint anew) noexcept nogil
    cdef void _find_reduced_costs(self, Node node) noexcept nogil
    cdef inline double _cost_of(self, Node node, int o) noexcept nogil
    cdef void _find_values(self) noexcept nogil
    cdef inline double _upper_bound(self, Node node, int v) noexcept nogil
    # Pivots of the dual simplex method
    cdef int _pivot_dual(self, Node node, int most) noexcept nogil
    cdef int _leaving_row(self) noexcept nogil
    cdef void _find_row(self, int r) noexcept nogil
    cdef void _find_entries(self, Node node) noexcept nogil
    cdef int _entering_variable(self, Node node, double sign) noexcept nogil
    cdef inline double _side(self, int v, double sign) noexcept nogil
    cdef void _change_prices(self, double step) noexcept nogil
    cdef void _find_column(self, Node node, int q) noexcept nogil
    cdef inline void _add_column(self, int c) noexcept nogil
    cdef void _exchange(self, Node node, int r, int q, double sign, double moved) noexcept nogil
    cdef inline int _pivot_work(self, Node node) noexcept nogil
    cdef void _pivot(self, int r, int q) noexcept nogil
    # Pivots of the primal simplex method
    cdef bint _is_shifted(self, Node node) noexcept nogil
    cdef void _pivot_primal(self, Node node) noexcept nogil
    cdef void _take_prices(self, Node node) noexcept nogil
    cdef int _most_wrong(self, Node node) noexcept nogil
    cdef bint _enter(self, Node node, int q) noexcept nogil
    # The end
    cdef void _propose_prices(self, Node node) noexcept nogil
    cdef void _find_masses(self, Node node) noexcept nogil
    # The root
    cdef int _count_rows(self, Node node) noexcept nogil
    cdef bint _go_on(self, Node node) noexcept nogil
    cdef void _take_options(self, Node node) noexcept nogil
    cdef bint _take_lacking(self, Node node) noexcept nogil
    cdef void _take_option(self, Node node, int k) noexcept nogil
