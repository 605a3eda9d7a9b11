from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
from dlx.kernels.merge.memo cimport CRAMPED, Memo
from dlx.kernels.cover.multi cimport Multi


cdef class Mergesets(Multi):
    # A live option has marks, those of option o are mark_of[first_mark[o]:first_mark[o + 1]]. Bit m of the key is set
    # while a live option has mark m; behind the marks is a word for each measured item.
    cdef readonly Memo memo
    cdef int[::1] first_mark, mark_of
    cdef int[::1] carriers  # carriers[m]: how many of the live options have mark m, as far as the key goes
    cdef const int[::1] measured  # the items whose need and room are not told by the live options
    cdef int words  # of the marks
    cdef int keyed  # the key is that of the options in trail[:keyed] hidden
    cdef bint going  # whether the level has an option to try

    cdef inline void _arrive(self, bint found) noexcept nogil
    cdef inline bint _choose(self) noexcept nogil
    cdef inline void _mark(self) noexcept nogil
    cdef inline void _unmark(self) noexcept nogil
