from dlx.kernels.cover.frame cimport BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY, Frame


cdef class Multi(Frame):
    # Entry e is one item of one option. Those of option o begin at first[o] and end before first[o + 1].
    cdef int[::1] first
    cdef int[::1] item, option, colour  # of entry e: its item, n_items for the extra one; its option; its colour, or 0
    # The entries of item i with live options are a circular list, linked by `down` and `up`, with the header head + i.
    cdef int[::1] up, down
    cdef int head  # the number of entries
    cdef int[::1] size  # size[i]: the length of the list of item i
    cdef int[::1] need  # need[i]: the options that item i still needs; negative if it has more than the least
    cdef int[::1] room  # room[i]: the most further options of item i
    cdef int[::1] shade  # shade[i]: the colour that the chosen options have given a secondary item, or 0
    cdef int[::1] owner  # owner[i]: the entry that gave it that colour
    cdef int[::1] trail  # trail[:height]: the options hidden, in that order
    cdef int[::1] branch  # branch[l]: the item of level l
    cdef int[::1] floor  # floor[l]: the height of the trail after the chosen option of level l was hidden
    cdef int[::1] tried  # tried[l]: the number of options tried on level l, including the current one
    cdef int[::1] width  # width[l]: the number of options to try on level l
    cdef const int[:, ::1] multiplicities
    cdef int n_wanted  # primary items that need an option
    cdef int n_roomy  # primary items that may have another option
    cdef int height
    cdef bint dead  # some item has fewer live options than it needs

    cdef inline bint _enter(self) noexcept nogil
    cdef inline bint _try(self) noexcept nogil
    cdef inline bint _extend(self, int o) noexcept nogil
    cdef inline bint _has_no_room(self, int o) noexcept nogil
    cdef inline bint _retract(self) noexcept nogil
    cdef inline void _close(self, int i) noexcept nogil
    cdef inline void _purify(self, int e) noexcept nogil
    cdef inline void _hide(self, int o) noexcept nogil
    cdef inline void _undo(self, int height) noexcept nogil
