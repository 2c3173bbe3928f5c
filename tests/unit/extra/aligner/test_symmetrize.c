/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetrization of word alignments and Pharaoh's notation: the vectors, random links against the
 * definition, threads, files, malformed lines, allocations that fail. */
#include "check_suite.h"

#include <unistd.h>

#include "aligner_bed.h"
#include "fault_allocator.h"
#include "formats/pharaoh.h"
#include "test_folder.h"
#include "vectors.h"

static void assert_symmetrized(alcore_ctx *ctx, const char *forward, const char *reverse,
                               alcore__symmetrization method, const char *expected) {
    alcore__links a = bed_parse(ctx, &forward, 1), b = bed_parse(ctx, &reverse, 1), out;
    ck_assert_int_eq(alcore__links_symmetrize(ctx, &a, &b, method, &out), ALCORE_OK);
    bed_assert_links(&out, 0, expected);
    alcore__links_clear(ctx, &a);
    alcore__links_clear(ctx, &b);
    alcore__links_clear(ctx, &out);
}

START_TEST(tv_sym) {
    const test_vector vector = vector_find("aligner", "TV-SYM");
    alcore_ctx *ctx = bed_ctx(2);
    for (int64_t c = 0; c < vector_case_count(vector); c++) {
        const vector_case known = vector_case_number(vector, c);
        const char *forward = vector_text(vector_input(&known, "forward"));
        const char *reverse = vector_text(vector_input(&known, "reverse"));
        for (int m = 0; m <= ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND; m++) {
            const alcore__symmetrization method = (alcore__symmetrization)m;
            assert_symmetrized(
                ctx, forward, reverse, method,
                vector_text(vector_expected(&known, alcore__symmetrization_name(method))));
        }
        assert_symmetrized(ctx, forward, reverse, ALCORE__SYMMETRIZE_FORWARD, forward);
        assert_symmetrized(ctx, forward, reverse, ALCORE__SYMMETRIZE_REVERSE, reverse);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_names) {
    for (int m = 0; m < ALCORE__SYMMETRIZE_METHODS; m++) {
        alcore__symmetrization found;
        ck_assert_int_eq(alcore__symmetrization_find(
                             alcore__symmetrization_name((alcore__symmetrization)m), &found),
                         ALCORE_OK);
        ck_assert_int_eq(found, m);
    }
    alcore__symmetrization found;
    ck_assert_int_eq(alcore__symmetrization_find("grow-diag-finaland", &found), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "grow-diag-final-and"));
}
END_TEST

/* ---- the definition, on matrices ---- */

enum { SIZE = 8 };
typedef struct matrix {
    bool point[SIZE][SIZE];
} matrix;

static bool row_used(const matrix *r, int i) {
    for (int j = 0; j < SIZE; j++)
        if (r->point[i][j]) return true;
    return false;
}

static bool column_used(const matrix *r, int j) {
    for (int i = 0; i < SIZE; i++)
        if (r->point[i][j]) return true;
    return false;
}

static bool near_point(const matrix *r, int i, int j) {
    for (int a = i - 1; a <= i + 1; a++)
        for (int b = j - 1; b <= j + 1; b++)
            if (a >= 0 && a < SIZE && b >= 0 && b < SIZE && (a != i || b != j) && r->point[a][b])
                return true;
    return false;
}

static void grow(const matrix *a, const matrix *b, matrix *r) {
    for (bool added = true; added;) {
        added = false;
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                if ((a->point[i][j] || b->point[i][j]) && !r->point[i][j] && near_point(r, i, j) &&
                    !(row_used(r, i) && column_used(r, j)))
                    r->point[i][j] = added = true;
    }
}

static void finish(const matrix *a, matrix *r, bool both) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            const bool rows = !row_used(r, i), columns = !column_used(r, j);
            if (a->point[i][j] && !r->point[i][j] && (both ? rows && columns : rows || columns))
                r->point[i][j] = true;
        }
}

static matrix symmetrize_matrix(const matrix *a, const matrix *b, alcore__symmetrization method) {
    matrix r = {0};
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            r.point[i][j] = method == ALCORE__SYMMETRIZE_UNION ? a->point[i][j] || b->point[i][j]
                            : method == ALCORE__SYMMETRIZE_FORWARD ? a->point[i][j]
                            : method == ALCORE__SYMMETRIZE_REVERSE
                                ? b->point[i][j]
                                : a->point[i][j] && b->point[i][j];
    if (method < ALCORE__SYMMETRIZE_GROW_DIAG || method > ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND)
        return r;
    grow(a, b, &r);
    if (method == ALCORE__SYMMETRIZE_GROW_DIAG) return r;
    finish(a, &r, method == ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND);
    finish(b, &r, method == ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND);
    return r;
}

enum { CASES = 3000 };

/* Random points of CASES pairs, sorted as links are. */
static alcore__links random_links(alcore_ctx *ctx, uint64_t seed, matrix *matrices) {
    alcore__links out = {.pairs = CASES};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    ck_assert_int_eq(alcore__new_array(ctx, CASES + 1, sizeof(int64_t), &out.begin), ALCORE_OK);
    ck_assert_int_eq(alcore__new_array(ctx, CASES * SIZE * SIZE, sizeof(alcore__link), &out.link),
                     ALCORE_OK);
    for (int c = 0; c < CASES; c++) {
        const uint64_t rarity = 2 + (uint64_t)c % 9;
        int64_t end = out.begin[c];
        for (uint32_t i = 0; i < SIZE; i++)
            for (uint32_t j = 0; j < SIZE; j++) {
                matrices[c].point[i][j] = bed_draw(&rng, rarity) == 0;
                if (matrices[c].point[i][j]) out.link[end++] = (alcore__link){i, j};
            }
        out.begin[c + 1] = end;
    }
    return out;
}

START_TEST(test_definition) {
    static matrix a[CASES], b[CASES];
    for (int32_t threads = 1; threads <= 8; threads += 7) {
        alcore_ctx *ctx = bed_ctx(threads);
        alcore__links forward = random_links(ctx, 1, a), reverse = random_links(ctx, 2, b), out;
        for (int m = 0; m < ALCORE__SYMMETRIZE_METHODS; m++) {
            ck_assert_int_eq(
                alcore__links_symmetrize(ctx, &forward, &reverse, (alcore__symmetrization)m, &out),
                ALCORE_OK);
            for (int c = 0; c < CASES; c++) {
                const matrix expected = symmetrize_matrix(&a[c], &b[c], (alcore__symmetrization)m);
                int64_t next = out.begin[c];
                for (uint32_t i = 0; i < SIZE; i++)
                    for (uint32_t j = 0; j < SIZE; j++) {
                        if (!expected.point[i][j]) continue;
                        ck_assert_int_lt(next, out.begin[c + 1]);
                        ck_assert_uint_eq(out.link[next].source, i);
                        ck_assert_uint_eq(out.link[next++].target, j);
                    }
                ck_assert_int_eq(next, out.begin[c + 1]);
            }
            alcore__links_clear(ctx, &out);
        }
        alcore__links_clear(ctx, &forward);
        alcore__links_clear(ctx, &reverse);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

START_TEST(test_unequal) {
    alcore_ctx *ctx = bed_ctx(1);
    const char *const lines[] = {"0-0", "1-1"};
    alcore__links one = bed_parse(ctx, lines, 1), two = bed_parse(ctx, lines, 2), out;
    ck_assert_int_eq(alcore__links_symmetrize(ctx, &one, &two, ALCORE__SYMMETRIZE_UNION, &out),
                     ALCORE_E_SHAPE);
    ck_assert_ptr_null(out.begin);
    alcore__links_clear(ctx, &one);
    alcore__links_clear(ctx, &two);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- files ---- */

static char path[TEST_PATH_BYTES];

static void put_file(const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(test_read) {
    alcore_ctx *ctx = bed_ctx(1);
    alcore__links links, again;
    test_file_make(path, "pharaoh", "", "");
    put_file("0-0 2-1 1-0\r\n\n  3-3\t3-3 0-16777215 \n5-1");
    ck_assert_int_eq(alcore__pharaoh_read(ctx, path, 4, &links), ALCORE_OK);
    ck_assert_int_eq(links.pairs, 4);
    bed_assert_links(&links, 0, "0-0 1-0 2-1");
    bed_assert_links(&links, 1, "");
    bed_assert_links(&links, 2, "0-16777215 3-3");
    bed_assert_links(&links, 3, "5-1");
    ck_assert_int_eq(alcore__pharaoh_write(ctx, path, &links), ALCORE_OK);
    ck_assert_int_eq(alcore__pharaoh_read(ctx, path, -1, &again), ALCORE_OK);
    ck_assert(bed_links_equal(&links, &again));
    alcore__links_clear(ctx, &links);
    alcore__links_clear(ctx, &again);
    put_file("");
    ck_assert_int_eq(alcore__pharaoh_read(ctx, path, 0, &links), ALCORE_OK);
    ck_assert_int_eq(links.pairs, 0);
    alcore__links_clear(ctx, &links);
    unlink(path);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_malformed) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"0-0\n0-\n", ":2: '0-' is not a link"},
        {"0-0\n\n-1\n", ":3: '-1' is not a link"},
        {"1\n", ":1: '1' is not a link"},
        {"0-0 1--1\n", ":1: '1--1' is not a link"},
        {"0-+1\n", ":1: '0-+1' is not a link"},
        {"0-0-0\n", ":1: '0-0-0' is not a link"},
        {"0p0\n", ":1: '0p0' is not a link"},
        {"a-b\n", ":1: 'a-b' is not a link"},
        {"0-16777216\n", ":1: '0-16777216' is not a link"},
        {"99999999999999999999-0\n", "is not a link"},
        {"0-0 1?1\n", "'1?1' is not a link: write source-target as two word positions from 0 to "
                      "16777215, such as 0-1; possible links, i?j, are not read: leave them out"},
        {"0-0\xC2\xA0"
         "1-1\n",
         "a no-break space (U+00A0): separate links by spaces"},
        {"# Sentence pair (1) source length 2\n", "GIZA++'s own files are not read"},
        {"0-0\n0-0\n0-0\n0-0\n", ":4: there are only 3 sentence pairs"},
        {"0-0\n0-0\n", "has 2 lines, but there are 3 sentence pairs"},
    };
    alcore_ctx *ctx = bed_ctx(1);
    test_file_make(path, "pharaoh", "", "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        alcore__links links;
        put_file(bad[i].text);
        ck_assert_int_eq(alcore__pharaoh_read(ctx, path, 3, &links), ALCORE_E_DATA);
        ck_assert_ptr_null(links.begin);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
        ck_assert_msg(strstr(alcore_last_error(), bad[i].message), "%s in %s", bad[i].message,
                      alcore_last_error());
    }
    unlink(path);
    alcore__links links;
    ck_assert_int_eq(alcore__pharaoh_read(ctx, path, -1, &links), ALCORE_E_IO);
    alcore_ctx_unref(ctx);
}
END_TEST

/* What may have caused a link that names a word too many. */
START_TEST(test_links_behind_their_texts) {
    static const struct {
        const char *text, *source, *target, *message;
    } cases[] = {
        {"0-0 2-1\n",
         "a\xC2\xA0"
         "b c",
         "x y",
         ":1: bad; the aligner may have split at the space U+00A0 in \"a\xC2\xA0"
         "b\" of the "
         "source, which is one word here: replace such spaces before aligning"},
        {"0-0 1-3\n", "a c", "x yy\xE3\x80\x80z", "U+3000 in \"yy\xE3\x80\x80z\" of the target"},
        {"1-1 2-2\n", "a b", "x y", ":1: bad; no link has a position 0: subtract 1"},
        {"0-0 2-2\n", "a b", "x y", ":1: bad"},
        {"0-0 2-2\n", "caf\xC3\xA9 b", "x\xE2\x80\x94y", ":1: bad"},
    };
    alcore_ctx *ctx = bed_ctx(1);
    test_file_make(path, "behind", "", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore__links links;
        put_file(cases[i].text);
        ck_assert_int_eq(alcore__pharaoh_read(ctx, path, 1, &links), ALCORE_OK);
        alcore__fail(ALCORE_E_DATA, "bad");
        ck_assert_int_eq(alcore__links_fail_range(&links, 0, ALCORE_E_DATA, cases[i].source,
                                                  strlen(cases[i].source), cases[i].target,
                                                  strlen(cases[i].target)),
                         ALCORE_E_DATA);
        const char *found = strstr(alcore_last_error(), cases[i].message);
        ck_assert_msg(found, "%s in %s", cases[i].message, alcore_last_error());
        if (i > 2) ck_assert_str_eq(found, cases[i].message); /* no cause is known */
        alcore__links_clear(ctx, &links);
    }
    unlink(path);
    alcore_ctx_unref(ctx);
}
END_TEST

static alcore_status read_and_write(alcore_ctx *ctx) {
    alcore__links links, both = {0};
    alcore_status status = alcore__pharaoh_read(ctx, path, -1, &links);
    ck_assert_int_eq(!links.begin, status != ALCORE_OK);
    if (status == ALCORE_OK)
        status = alcore__links_symmetrize(ctx, &links, &links, ALCORE__SYMMETRIZE_UNION, &both);
    if (status == ALCORE_OK) status = alcore__pharaoh_write(ctx, path, &both);
    alcore__links_clear(ctx, &links);
    alcore__links_clear(ctx, &both);
    return status;
}

START_TEST(test_memory) {
    fault_allocator fault = {0};
    test_file_make(path, "pharaoh", "", "");
    put_file("0-0 1-1\n\n5-1 1-2 1-2\n");
    alcore_ctx *ctx = fault_context(&fault, 1);
    ck_assert_int_eq(read_and_write(ctx), ALCORE_OK);
    const long long blocks = atomic_load(&fault.live_blocks);
    int failed = 0;
    for (long long call = 1;; call++) {
        fault_arm(&fault, call, 0);
        const alcore_status status = read_and_write(ctx);
        ck_assert_int_eq(atomic_load(&fault.live_blocks), blocks);
        if (atomic_load(&fault.failures) == 0) {
            ck_assert_int_eq(status, ALCORE_OK);
            break;
        }
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        failed++;
    }
    ck_assert_int_gt(failed, 8);
    unlink(path);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("text/symmetrize", tv_sym, test_names, test_definition, test_unequal, test_read,
            test_malformed, test_links_behind_their_texts, test_memory);
