/* The passes of `bits` over a list of masks of up to three words, four rows at a time: for gcc and clang on x86-64, where
   the processor has AVX2. Elsewhere, and with DLX_PORTABLE, the methods of bits.py take the same steps row by row.

   A list has a plane for each word of its masks, and one for the numbers of its options. The places behind its rows, up
   to whole vectors, hold zeros. */
#ifndef DLX_BITS_H
#define DLX_BITS_H

#include "core.h"

typedef struct {  /* plane w is at `planes` + w * `span` */
    dlx_word *planes;
    long long span;
    int rows, words;
} dlx_list;

#if defined(__GNUC__) && defined(__x86_64__) && !defined(DLX_PORTABLE)
#include <immintrin.h>
#define DLX_PASS __attribute__((target("avx2"), always_inline)) static inline
#define DLX_PASSES __attribute__((target("avx2"), noinline)) static

typedef dlx_word dlx_four __attribute__((vector_size(32)));
typedef dlx_word dlx_two __attribute__((vector_size(16)));

static inline int dlx_has_passes(void) { return __builtin_cpu_supports("avx2") != 0; }

#define dlx_load(place) ((dlx_four) _mm256_loadu_si256((const __m256i *) (place)))
#define dlx_copies(word) ((dlx_four) _mm256_set1_epi64x((long long) (word)))
#define dlx_ones(four) _mm256_movemask_pd((__m256d) (four))  /* bit k: word k is all ones, not zero */

/* The words of four rows that stay, in front of the others: pairs of halves of words, by the bits of `dlx_ones`. */
static const int dlx_packed[16][8] __attribute__((aligned(32))) = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7},
};

/* Return ones for each of the four rows from k on that has no bit of `gone`. */
DLX_PASS dlx_four dlx_staying(const dlx_list list, const int words, int k, const dlx_four *gone) {
    dlx_four clash = dlx_load(list.planes + k) & gone[0];
    DLX_UNROLL
    for (int w = 1; w < words; w++) clash |= dlx_load(list.planes + w * list.span + k) & gone[w];
    return (dlx_four) (clash == (dlx_four) {0, 0, 0, 0});
}

DLX_PASS int dlx_look_at(const dlx_list list, const int words, const dlx_word *gone, const dlx_word *needed,
                         const int primary_words, dlx_word *together) {
    dlx_four all[3], found[3], rows = dlx_copies(0);
    DLX_UNROLL
    for (int w = 0; w < words; w++) {
        all[w] = dlx_copies(gone[w]);
        found[w] = dlx_copies(0);
    }
    for (int k = 0; k < list.rows; k += 4) {
        dlx_four stays = dlx_staying(list, words, k, all);
        rows -= stays;
        DLX_UNROLL
        for (int w = 0; w < words; w++) found[w] |= stays & dlx_load(list.planes + w * list.span + k);
    }
    DLX_UNROLL
    for (int w = 0; w < words; w++) {
        together[w] = found[w][0] | found[w][1] | found[w][2] | found[w][3];
        if (w < primary_words && needed[w] & ~together[w]) return -1;
    }
    /* the zeros after the list have been counted, too */
    return (int) (rows[0] + rows[1] + rows[2] + rows[3]) - (-list.rows & 3);
}

DLX_PASS void dlx_filter_to(const dlx_list list, const int words, const dlx_word *gone, const dlx_list next) {
    dlx_four all[3];
    int q = 0;
    DLX_UNROLL
    for (int w = 0; w < words; w++) all[w] = dlx_copies(gone[w]);
    for (int k = 0; k < list.rows; k += 4) {
        int stays = dlx_ones(dlx_staying(list, words, k, all));
        __m256i places = _mm256_load_si256((const __m256i *) dlx_packed[stays]);
        DLX_UNROLL
        for (int w = 0; w <= words; w++) {
            __m256i four = (__m256i) dlx_load(list.planes + w * list.span + k);
            four = _mm256_permutevar8x32_epi32(four, places);
            _mm256_storeu_si256((__m256i *) (next.planes + w * next.span + q), four);
        }
        q += __builtin_popcount((unsigned) stays);
    }
    DLX_UNROLL
    for (int w = 0; w < words; w++)
        _mm256_storeu_si256((__m256i *) (next.planes + w * next.span + next.rows), _mm256_setzero_si256());
}

/* Return the number of rows without a bit of `gone`, and all their bits in `together`; -1: they lack a needed item.
   Only the primary words of `needed` count: those behind them are of an earlier layout. */
DLX_PASSES int dlx_look(const dlx_list *list, const dlx_word *gone, const dlx_word *needed, int primary_words,
                        dlx_word *together) {
    switch (list->words) {
        case 1: return dlx_look_at(*list, 1, gone, needed, primary_words, together);
        case 2: return dlx_look_at(*list, 2, gone, needed, primary_words, together);
        default: return dlx_look_at(*list, 3, gone, needed, primary_words, together);
    }
}

/* Copy the rows without a bit of `gone` to the next list, whose number of rows is known. */
DLX_PASSES void dlx_filter(const dlx_list *list, const dlx_word *gone, const dlx_list *next) {
    switch (list->words) {
        case 1: dlx_filter_to(*list, 1, gone, *next); break;
        case 2: dlx_filter_to(*list, 2, gone, *next); break;
        default: dlx_filter_to(*list, 3, gone, *next); break;
    }
}

/* Add the second half of a count to its first half: sizes modulo 16 in four planes, and those above 15 in the fifth. */
#define DLX_ADD(kind, a, b) do { \
    kind carry = a[0] & b[0], sum = a[1] ^ b[1], both; \
    a[0] ^= b[0]; \
    both = a[1] & b[1]; a[1] = sum ^ carry; carry = both | (sum & carry); \
    sum = a[2] ^ b[2]; both = a[2] & b[2]; a[2] = sum ^ carry; carry = both | (sum & carry); \
    sum = a[3] ^ b[3]; both = a[3] & b[3]; a[3] = sum ^ carry; carry = both | (sum & carry); \
    a[4] |= b[4] | carry; \
} while (0)

/* Count the rows that have each bit of a plane. */
DLX_PASSES void dlx_count(const dlx_word *plane, int rows, dlx_word *sizes) {
    dlx_four ones = dlx_copies(0), twos = ones, fours = ones, eights = ones, many = ones;
    dlx_two low[5], high[5];
    dlx_word last[5];
    for (int k = 0; k < rows; k += 4) {
        dlx_four x = dlx_load(plane + k), carry = ones & x;
        ones ^= x;
        x = twos & carry;
        twos ^= carry;
        carry = fours & x;
        fours ^= x;
        many |= eights & carry;
        eights ^= carry;
    }
    for (int p = 0; p < 5; p++) {
        __m256i four = (__m256i) (p == 0 ? ones : p == 1 ? twos : p == 2 ? fours : p == 3 ? eights : many);
        low[p] = (dlx_two) _mm256_castsi256_si128(four);
        high[p] = (dlx_two) _mm256_extracti128_si256(four, 1);
    }
    DLX_ADD(dlx_two, low, high);
    for (int p = 0; p < 5; p++) {
        sizes[p] = low[p][0];
        last[p] = low[p][1];
    }
    DLX_ADD(dlx_word, sizes, last);
}
#else
static inline int dlx_has_passes(void) { return 0; }
static inline int dlx_look(const dlx_list *list, const dlx_word *gone, const dlx_word *needed, int primary_words,
                           dlx_word *together) {
    return -1;
}
static inline void dlx_filter(const dlx_list *list, const dlx_word *gone, const dlx_list *next) {}
static inline void dlx_count(const dlx_word *plane, int rows, dlx_word *sizes) {}
#endif
#endif
