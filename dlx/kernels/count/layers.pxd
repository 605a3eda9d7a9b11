from dlx.kernels.cover.frame cimport BUDGET_SPENT, EXHAUSTED
from dlx.kernels.count.classes cimport lowest

cdef enum:  # what `run` returns besides the states of all kernels, as in dlx/kernels/__init__.py
    NO_ROOM = 3  # there is no room for another state: `load` makes some

cdef inline unsigned long long bits_from(int place) noexcept nogil:
    return <unsigned long long> -1 << (place & 63)

# States in layers, and the number of ways to reach each.
#
# A state is a window of the words of covered items, from the word of its first open item on. Items have their bits in
# the order of the search: one for each time that a primary item can be covered, the lowest first, and those that spell
# the colour of a secondary item. A bit before those of the first open item is 0 in a state: nothing depends on it.

cdef class Layers:
    # Primary item i
    cdef int[::1] place, behind  # place[i]: first bit of item i; behind[i]: the bit after its last bit
    cdef int[::1] needed  # needed[i]: this bit tells whether it is covered as often as it has to be; -1: it need not be
    cdef int[::1] start  # start[i]: first layer of item i, which has one layer for each option and one for the end
    cdef int[::1] item_of  # item_of[b]: the primary item with bit b
    cdef unsigned long long[::1] primary  # the bits of primary items
    cdef int n_primary
    # Option o of the search; those of item i, to which no earlier item belongs, are start[i] - i to start[i + 1] - i - 2
    cdef unsigned long long[:, ::1] has, forbids  # windows from the word of its first item on
    cdef unsigned long long[:, ::1] plus  # the lowest bits of those that are counted up; without rows no item is
    cdef int words  # words of a window
    # The states of layer l are head[l] - 1, and from each on its next one, up to 0
    cdef int[::1] head
    cdef unsigned long long[:, ::1] record  # record[s]: layer << 32 | next state + 1; the window; the number of ways
    cdef unsigned long long[::1] table  # a slot is 0, or has 1 + a state below the lower half of its hash
    cdef unsigned long long slot_mask
    cdef int vacant  # 1 + the first of the records that are not in use, which are linked as those of a layer
    cdef int digits  # digits of 63 bits in a number of ways, the lowest first
    cdef bint wide  # whether a count is near its last digit
    cdef unsigned long long[::1] window  # of the state that is being made
    # The state that is being expanded
    cdef readonly int layer  # all states are in this layer or a later layer
    cdef readonly int state  # or -1
    cdef readonly int item  # the item of the layer, the first open item of its states
    cdef int option  # the option to try next

    # The lines of a diagram that is drawn: each node, once it is expanded, and behind it its edges, the last one first
    cdef bint draws  # whether a record has the number of its node, from 1, instead of the number of ways
    cdef readonly long long n_reached, n_lines  # the last such number, and the lines written
    cdef long long heading  # the line of the state that is being expanded
    cdef int[::1] line_option  # the option of an edge; -1 if an item gets no further option, NODE in the line of a node
    cdef unsigned int[::1] line_node  # the child, or the node itself

    cdef public int ceiling  # this layer and later ones are not expanded; initially the last layer

    cdef readonly long long live  # states not yet expanded
    cdef public long long n_states  # states expanded so far
    cdef public long long hits  # number of times that a state was known
    cdef public long long nodes, updates  # options chosen and options read so far

    cdef void _enter(self, Py_ssize_t given) noexcept nogil
    cdef Py_ssize_t _merge(self, const unsigned long long[:, ::1] rows, Py_ssize_t first) noexcept nogil
    cdef inline void _seek_item(self) noexcept nogil
    cdef int _run(self, long long nodes, long long updates) noexcept nogil
    cdef inline bint _take(self) noexcept nogil
    cdef inline bint _fits(self) noexcept nogil
    cdef inline bint _choose(self) noexcept nogil
    cdef inline void _cover(self, int option) noexcept nogil
    cdef inline bint _leave(self) noexcept nogil
    cdef bint _arrive(self, int since) noexcept nogil
    cdef inline int _first_open(self, int since, int base) noexcept nogil
    cdef inline int _only(self, int item) noexcept nogil
    cdef inline bint _reach(self, int layer) noexcept nogil
    cdef inline void _lead_to(self, int state) noexcept nogil
    cdef inline void _write(self, int option, int state) noexcept nogil
    cdef inline void _end_node(self) noexcept nogil
    cdef inline void _add(self, int state) noexcept nogil
    cdef inline unsigned long long _hash(self, int layer) noexcept nogil
    cdef inline void _forget(self, int state) noexcept nogil
    cdef inline void _hang(self, int state, int layer) noexcept nogil
    cdef void _insert(self, int state) noexcept nogil
    cdef inline unsigned long long _behind(self, unsigned long long slot, unsigned long long other) noexcept nogil
    cdef inline void _free(self, int state) noexcept nogil
