# The canonical form of the graph of points: two are joined while an item that is about both is open.

from dlx.kernels.count.classes cimport bit, lowest, ones


cdef class Pointforms:
    cdef const unsigned long long[::1] state  # open items as bits come first
    cdef const int[::1] begin  # one[begin[i]:begin[i + 1]], other[...]: the points that item i joins; one < other
    cdef const int[::1] one, other
    cdef const int[::1] colour  # colour[p], from 0 to n_colours - 1
    cdef int n, n_colours  # the numbers of points (at most 64) and of colours
    cdef int item_words  # words of open items in a state
    cdef unsigned long long[::1] adjacent  # adjacent[p]: the points that are joined to p
    cdef int[::1] place  # place[p]: the vertex of `graph` for p, its number among the joined points; or ABSENT
    cdef int n_there  # number of joined points
    cdef object graph, certificate
    cdef object generators  # returns the group of `graph`
    cdef readonly int[::1] orbit  # orbit[o]: an option of the orbit of live option o
    cdef unsigned long long[::1] code  # code[p]: some bits for point p
    cdef unsigned long long[::1] image  # image[p]: the code of the point that takes the place of p
    cdef unsigned long long[::1] codes  # sorted codes of the options: each is the xor of the codes of its points
    cdef int[::1] option  # option[k]: the option with codes[k]
    cdef const int[::1] option_begin, point
    # Scratch of one refinement
    cdef long long[::1] mark  # mark[p]: the colour of p and 32 more bits; equal until refinement separates points
    cdef long long[::1] mixed  # mixed[p]: a number that follows from the mark of p
    cdef int[::1] sorted  # sorted[:n_there]: the joined points, by their marks
    cdef int[::1] rank  # rank[sorted[k]] = k once the points are sorted for the last time
    cdef long long[::1] ranked  # ranked[k]: the mark of sorted[k]
    cdef int n_marks  # number of different marks
    cdef unsigned long long[::1] packed  # the first n_bits of the refined graph, in words
    cdef object packed_bytes  # the same memory
    cdef int n_bits
    cdef dict known  # refined graph -> form, where there were ties
    cdef bint is_tied  # there were ties in the last refinement

    cdef void _join(self) noexcept
    cdef list _draw(self)
    cdef list _joined(self, int p)
    cdef int _find(self, int o) noexcept
    cdef int _image_of(self, int o) noexcept
    cdef bytes _by_refinement(self)
    cdef void _pack(self, unsigned long long word, int size) noexcept
    cdef void _mark(self) noexcept
    cdef void _refine(self) noexcept
    cdef void _sort(self) noexcept
    cdef int _tie(self) noexcept

cdef long long _mixed(long long number) noexcept
