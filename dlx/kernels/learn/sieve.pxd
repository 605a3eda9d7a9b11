from dlx.kernels.cover.frame cimport EXHAUSTED, Frame


cdef class Sieve(Frame):
    cdef const int[::1] indptr, indices, colours
    cdef int[::1] low, high  # low[i], high[i]: the bounds of item i; 0 and 1 if it is secondary
    cdef const int[::1] begin, member  # member[begin[i] : begin[i + 1]]: the entries of item i, of dropped options too
    cdef const int[::1] user  # user[k]: the option of entry member[k]
    cdef char[::1] live
    cdef int[::1] size  # size[i]: how many live options have item i
    cdef int[::1] lost  # lost[i]: how many of these clash with the option being tried; all 0 between trials
    cdef int[::1] clash  # clash[:n_clash]: those options
    cdef char[::1] clashes  # clashes[o]: whether o is one of them
    cdef int n_clash
    cdef int next  # the next option to try
    cdef int idle  # how many options have been tried since one was dropped

    cdef inline bint _leaves_short(self, int o) noexcept nogil
    cdef inline bint _differs(self, int e, int f) noexcept nogil
    cdef inline bint _lose(self, int q) noexcept nogil
    cdef inline void _drop(self, int o) noexcept nogil
    cdef inline void _drop_all(self) noexcept nogil
