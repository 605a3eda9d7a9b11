/* The search of the core, as in `_search` of core.py. A set of lanes is one word or one vector if gcc or clang compile for
   x86-64 and the processor has AVX2. Otherwise, and with DLX_PORTABLE, it is an array of words.

   The file has two parts. The first part includes the second part once for each kind of row. */
#ifndef DLX_CORE_SEARCH

#ifndef DLX_CORE_H
#define DLX_CORE_H

typedef unsigned long long dlx_word;

typedef struct {  /* a Core has the same fields, but not `base`, `limit` and `most` */
    const dlx_word *conflict, *users, *has;
    dlx_word *live, *todo, *size;
    int *chosen, *branch;
    int words, width, planes, level, base;
    long long nodes, covers, updates;  /* of this run */
    long long limit, most;  /* the most nodes and covers of this run */
} dlx_core;

enum { DLX_ENDED, DLX_SPENT, DLX_FOUND };
enum { DLX_PLANES = 8, DLX_WIDTH = 4 };  /* the most of each */

#if defined(__GNUC__) && !defined(DLX_PORTABLE)
#define dlx_first(word) __builtin_ctzll(word)
#define DLX_UNROLL _Pragma("GCC unroll 8")
#define DLX_INLINE __attribute__((always_inline)) static inline
#define DLX_ALONE __attribute__((noinline, unused)) static
#else
static inline int dlx_first(dlx_word word) {
    word &= 0 - word;
    return 32 * !!(word & 0xFFFFFFFF00000000) + 16 * !!(word & 0xFFFF0000FFFF0000) + 8 * !!(word & 0xFF00FF00FF00FF00)
         + 4 * !!(word & 0xF0F0F0F0F0F0F0F0) + 2 * !!(word & 0xCCCCCCCCCCCCCCCC) + !!(word & 0xAAAAAAAAAAAAAAAA);
}
#define DLX_UNROLL
#define DLX_INLINE static inline
#define DLX_ALONE static
#endif

/* Define `kind` as a search on states of a number of words, each with one row for a set of lanes. With constant numbers of
   words and planes, a compiler keeps a state in registers, if each search is a function of its own. */
#define DLX_SEARCHES(kind, search, words) \
    DLX_SEARCH(kind, search, words, 3) \
    DLX_SEARCH(kind, search, words, 4) \
    DLX_SEARCH(kind, search, words, 5) \
    DLX_SEARCH(kind, search, words, 8) \
    static int kind(dlx_core *c) { \
        return c->planes == 3 ? kind##_3(c) : c->planes == 4 ? kind##_4(c) : c->planes == 5 ? kind##_5(c) : kind##_8(c); \
    }
#define DLX_SEARCH(kind, search, words, planes) \
    DLX_ALONE int kind##_##planes(dlx_core *c) { return search(c, words, 1, planes); }

#define DLX_CORE_SEARCH dlx_search
#define DLX_ROW dlx_word
#define DLX_ANY(x) ((x) != 0)
#define DLX_LANE(x) dlx_first(x)
#include "core.h"
DLX_SEARCHES(dlx_one, dlx_search, 1)

#if defined(__GNUC__) && defined(__x86_64__) && !defined(DLX_PORTABLE)
#include <immintrin.h>
#undef DLX_INLINE
#undef DLX_ALONE
#define DLX_TARGET target("avx2,bmi,popcnt")
#define DLX_INLINE __attribute__((always_inline, DLX_TARGET)) static inline
#define DLX_ALONE __attribute__((noinline, unused, DLX_TARGET)) static

#define DLX_CORE_SEARCH dlx_search_words
#define DLX_ROW dlx_word
#define DLX_ANY(x) ((x) != 0)
#define DLX_LANE(x) dlx_first(x)
#include "core.h"
DLX_SEARCHES(dlx_words_1, dlx_search_words, 1)
DLX_SEARCHES(dlx_words_2, dlx_search_words, 2)
DLX_SEARCHES(dlx_words_3, dlx_search_words, 3)
DLX_SEARCHES(dlx_words_4, dlx_search_words, 4)

typedef dlx_word dlx_vector __attribute__((vector_size(32), may_alias));

/* Return the index of the lowest set bit of a vector. */
DLX_INLINE int dlx_lane(dlx_vector x) {
    int zeros = _mm256_movemask_pd((__m256d) (x == (dlx_vector) {0, 0, 0, 0})), w = __builtin_ctz(~zeros);
    return 64 * w + __builtin_ctzll(x[w]);
}

#define DLX_CORE_SEARCH dlx_search_vectors
#define DLX_ROW dlx_vector
#define DLX_ANY(x) (!_mm256_testz_si256((__m256i) (x), (__m256i) (x)))
#define DLX_LANE(x) dlx_lane(x)
#include "core.h"
DLX_SEARCHES(dlx_vectors_1, dlx_search_vectors, 1)
DLX_SEARCHES(dlx_vectors_2, dlx_search_vectors, 2)
DLX_SEARCHES(dlx_vectors_3, dlx_search_vectors, 3)
DLX_SEARCHES(dlx_vectors_4, dlx_search_vectors, 4)
#endif

static inline int dlx_core_run(dlx_core *c) {
#ifdef DLX_TARGET
    static int (*const searches[2][4])(dlx_core *) = {{dlx_words_1, dlx_words_2, dlx_words_3, dlx_words_4},
                                                      {dlx_vectors_1, dlx_vectors_2, dlx_vectors_3, dlx_vectors_4}};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt"))
        return searches[c->width > 1][c->words - 1](c);
#endif
    return c->words == 1 && c->width == 1 ? dlx_one(c) : dlx_search(c, c->words, c->width, c->planes);
}
#endif

#else

/* The search with `words` words for a set of options and n rows for each plane of the sizes. It has the steps of `_search`
   in core.py. */
DLX_INLINE int DLX_CORE_SEARCH(dlx_core *c, const int words, const int n, const int planes) {
    const DLX_ROW *every = (const DLX_ROW *) c->has;
    DLX_ROW left[DLX_PLANES * DLX_WIDTH], smallest[DLX_WIDTH];
    dlx_word rest[4];
    long long nodes = 0, covers = 0, updates = 0;
    int level = c->level, status;
    for (;;) {
        const dlx_word *live = c->live + level * words, *conflict;
        const DLX_ROW *size = (const DLX_ROW *) c->size + level * planes * n, *own;
        dlx_word *todo = c->todo + level * words, some = 0;
        int option, lane = 0, w = 0, dead = 0;
        while (w < words - 1 && !todo[w]) w++;
        if (!todo[w]) {  /* back up */
            status = DLX_ENDED;
            if (level == c->base) break;
            level--;
            continue;
        }
        status = DLX_SPENT;
        if (nodes >= c->limit) break;
        nodes++;  /* try */
        option = 64 * w + dlx_first(todo[w]);
        todo[w] &= todo[w] - 1;
        c->chosen[level] = option;
        own = every + option * n;
        conflict = c->conflict + option * words;
        DLX_UNROLL
        for (int p = 0; p < planes * n; p++) left[p] = size[p];  /* count */
        for (w = 0; w < words; w++) {
            dlx_word gone = live[w] & conflict[w];
            rest[w] = live[w] ^ gone;
            some |= rest[w];
            while (gone) {
                const DLX_ROW *has = every + (64 * w + dlx_first(gone)) * n;
                gone &= gone - 1;
                updates++;
                for (int v = 0; v < n; v++) {
                    DLX_ROW borrow = has[v];
                    DLX_UNROLL
                    for (int p = v; p < planes * n; p += n) {
                        left[p] ^= borrow;
                        borrow &= left[p];
                    }
                }
            }
        }
        for (int v = 0; v < n; v++) {
            DLX_ROW nonzero = own[v];
            DLX_UNROLL
            for (int p = v; p < planes * n; p += n) nonzero |= left[p];
            dead |= DLX_ANY(~nonzero);
            smallest[v] = ~own[v];
        }
        if (dead) continue;
        if (!some) {  /* a cover: no item is active, since each live option has an active item */
            status = DLX_FOUND;
            if (++covers == c->most) break;
            continue;
        }
        DLX_UNROLL
        for (int p = (planes - 1) * n; p >= 0; p -= n) {  /* enter */
            int any = 0;
            for (int v = 0; v < n; v++) any |= DLX_ANY(smallest[v] & ~left[p + v]);
            if (any)
                for (int v = 0; v < n; v++) smallest[v] &= ~left[p + v];
        }
        while (lane < n - 1 && !DLX_ANY(smallest[lane])) lane++;
        lane = 64 * (int) (sizeof(DLX_ROW) / sizeof(dlx_word)) * lane + DLX_LANE(smallest[lane]);
        level++;
        c->branch[level] = lane;
        DLX_UNROLL
        for (int p = 0; p < planes * n; p++) ((DLX_ROW *) c->size)[level * planes * n + p] = left[p] | own[p % n];
        for (w = 0; w < words; w++) {
            c->live[level * words + w] = rest[w];
            c->todo[level * words + w] = rest[w] & c->users[lane * words + w];
        }
    }
    c->nodes = nodes;
    c->covers = covers;
    c->updates = updates;
    c->level = level;
    return status;
}
#undef DLX_CORE_SEARCH
#undef DLX_ROW
#undef DLX_ANY
#undef DLX_LANE
#endif
