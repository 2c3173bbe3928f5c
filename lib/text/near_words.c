/* SPDX-License-Identifier: Apache-2.0 */
/* Near-duplicates, as near_words.h defines them. Everything is integers, so that the same texts are
 * near on every machine. */
#include "text/near_words.h"

#include "base/rng.h"
#include "text/text_tokens.h"

enum { KEY_HASHES = 3, HASHES = ALCORE__NEAR_KEYS * KEY_HASHES };

/* A hash of a word times an odd number is its place in a random order. These are outputs of
 * splitmix64 of seed 0 with the last bit set. */
static const uint64_t factors[HASHES] = {
    UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F5), UINT64_C(0x06C45D188009454F),
    UINT64_C(0xF88BB8A8724C81ED), UINT64_C(0x1B39896A51A8749B), UINT64_C(0x53CB9F0C747EA2EB),
    UINT64_C(0x2C829ABE1F4532E1), UINT64_C(0xC584133AC916AB3D), UINT64_C(0x3EE5789041C98AC3),
    UINT64_C(0xF3B8488C368CB0A7), UINT64_C(0x657EECDD3CB13D09), UINT64_C(0xC2D326E0055BDEF7),
    UINT64_C(0x8621A03FE0BBDB7B), UINT64_C(0x8E1F7555983AA92F), UINT64_C(0xB54E0F1600CC4D19),
    UINT64_C(0x84BB3F97971D80AB), UINT64_C(0x7D29825C75521255), UINT64_C(0xC3CF17102B7F7F87),
};

/* Moves each hash before the larger ones of those that are `gap`, 2 gap, ... before it. */
static void insert(uint32_t *hashes, int64_t count, int64_t gap) {
    for (int64_t i = gap; i < count; i++) {
        const uint32_t moved = hashes[i];
        int64_t place = i;
        for (; place >= gap && hashes[place - gap] > moved; place -= gap)
            hashes[place] = hashes[place - gap];
        hashes[place] = moved;
    }
}

/* Puts hashes [count], at most FEW, into the order of their highest bits. */
enum { FEW = 256, BUCKET_BITS = 6 };
static void distribute(uint32_t *hashes, int64_t count) {
    uint16_t next[(1 << BUCKET_BITS) + 1] = {0}; /* place of the next hash of a bucket */
    uint32_t given[FEW];
    for (int64_t i = 0; i < count; i++) next[(hashes[i] >> (32 - BUCKET_BITS)) + 1]++;
    for (int b = 0; b < 1 << BUCKET_BITS; b++) next[b + 1] = (uint16_t)(next[b + 1] + next[b]);
    for (int64_t i = 0; i < count; i++) given[i] = hashes[i];
    for (int64_t i = 0; i < count; i++) hashes[next[given[i] >> (32 - BUCKET_BITS)]++] = given[i];
}

/* Sorts a few dozen hashes, as texts nearly always have, in time that grows with their number, and
 * those of a text of a million words by Shell's method with gaps that shrink by 4/9 (Tokuda 1992):
 * in place, because texts are read on all threads. */
static void sort(uint32_t *hashes, int64_t count) {
    int64_t gap = 1;
    if (count <= FEW) distribute(hashes, count);
    while (count > FEW && gap < count / 2) gap = gap * 9 / 4 + 1;
    for (; gap > 1; gap = gap * 4 / 9) insert(hashes, count, gap);
    insert(hashes, count, 1);
}

/* Sorts hashes [count], and leaves out equal ones; returns how many stay. */
static uint32_t sort_distinct(uint32_t *hashes, int64_t count) {
    uint32_t distinct = 0;
    sort(hashes, count);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || hashes[i] != hashes[i - 1]) hashes[distinct++] = hashes[i];
    return distinct;
}

/* The same of at most FEWEST, as most texts have: the place of a hash is the number of smaller
 * ones, which are counted four at a time, without branches that depend on them. Signed numbers are
 * in this order once their highest bit is flipped. */
enum { FEWEST = 64, LANES = 4 };
typedef int32_t lanes __attribute__((vector_size(LANES * sizeof(int32_t))));
static uint32_t rank_distinct(uint32_t *hashes, int64_t count) {
    lanes flipped[FEWEST / LANES];
    uint32_t sorted[FEWEST], distinct = 0;
    uint64_t places = 0; /* a bit for each that a hash has */
    const int64_t groups = (count + LANES - 1) / LANES;
    for (int64_t i = 0; i < groups * LANES; i++)
        flipped[i / LANES][i % LANES] = i < count ? (int32_t)(hashes[i] ^ 1u << 31) : INT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        const int32_t own = flipped[i / LANES][i % LANES];
        lanes smaller = {0}; /* how many, negative */
        for (int64_t g = 0; g < groups; g++) smaller += flipped[g] < own;
        const int32_t place = -(smaller[0] + smaller[1] + smaller[2] + smaller[3]);
        sorted[place] = hashes[i];
        places |= UINT64_C(1) << place;
    }
    for (; places; places &= places - 1) hashes[distinct++] = sorted[__builtin_ctzll(places)];
    return distinct;
}

static uint32_t shorten(uint64_t hash) {
    return (uint32_t)(alcore__scramble(hash) >> 32);
}

uint32_t alcore__near_list(const uint64_t *words, int64_t count, uint32_t *out) {
    int64_t written = 0;
    uint64_t before = alcore__scramble(0); /* the word before, mixed */
    for (int64_t i = 0; i < count; i++) {
        const uint64_t word = alcore__scramble(words[i]);
        out[written++] = (uint32_t)(word >> 32);
        out[written++] = shorten(alcore__token_join(before, words[i]));
        before = word;
    }
    out[written++] = shorten(alcore__token_join(before, 0));
    return written <= FEWEST ? rank_distinct(out, written) : sort_distinct(out, written);
}

uint64_t alcore__near_outline(const alcore__near_parts *text) {
    const uint64_t many = text->count < ALCORE__NEAR_MANY ? text->count : ALCORE__NEAR_MANY;
    uint64_t outline = many << 1 | text->unspaced;
    outline <<= ALCORE__NEAR_SKETCH;
    for (uint32_t i = 0; i < text->count; i++)
        outline |= UINT64_C(1) << text->parts[i] % ALCORE__NEAR_SKETCH;
    return outline;
}

/* Lowers the least places in the KEY_HASHES orders of a key to those of words [count], mixed. The
 * places stay in registers, which those of all keys have not room in. */
static void lower(const uint64_t *words, int count, const uint64_t *by, uint64_t *least) {
    _Static_assert(KEY_HASHES == 3, "orders of a key");
    uint64_t a = least[0], b = least[1], c = least[2];
    for (int i = 0; i < count; i++) {
        const uint64_t in_a = words[i] * by[0], in_b = words[i] * by[1], in_c = words[i] * by[2];
        a = in_a < a ? in_a : a;
        b = in_b < b ? in_b : b;
        c = in_c < c ? in_c : c;
    }
    least[0] = a;
    least[1] = b;
    least[2] = c;
}

void alcore__near_keys(const uint64_t *words, int64_t count, uint32_t out[ALCORE__NEAR_KEYS]) {
    enum { TOGETHER = 32 };
    uint64_t least[HASHES], mixed[TOGETHER];
    for (int h = 0; h < HASHES; h++) least[h] = UINT64_MAX;
    for (int64_t first = 0; first < count; first += TOGETHER) {
        const int some = count - first < TOGETHER ? (int)(count - first) : TOGETHER;
        for (int i = 0; i < some; i++) mixed[i] = alcore__scramble(words[first + i]);
        for (int h = 0; h < HASHES; h += KEY_HASHES) lower(mixed, some, factors + h, least + h);
    }
    for (int key = 0; key < ALCORE__NEAR_KEYS; key++) {
        uint64_t hash = (uint64_t)key;
        for (int h = 0; h < KEY_HASHES; h++)
            hash = alcore__token_join(alcore__scramble(hash), least[key * KEY_HASHES + h]);
        out[key] = shorten(hash);
    }
}

/* Of two texts of a and b parts, d are in one of them alone and (a + b - d) / 2 in both: they are
 * near where (a + b - d) / (a + b + d) is at least the share of near texts. */
bool alcore__near_same(const alcore__near_parts *a, const alcore__near_parts *b) {
    const int64_t most =
        alcore__near_alone((int64_t)a->count + b->count, a->unspaced || b->unspaced);
    uint32_t i = 0, j = 0;
    int64_t alone = 0; /* of d: parts that were passed in one text alone */
    while (i < a->count && j < b->count && alone <= most) {
        const uint32_t left = a->parts[i], right = b->parts[j];
        alone += left != right;
        i += left <= right;
        j += right <= left;
    }
    return alone + (a->count - i) + (b->count - j) <= most;
}
