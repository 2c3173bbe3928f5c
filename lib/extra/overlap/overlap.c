/* SPDX-License-Identifier: Apache-2.0 */
/* The overlap handle: texts by role into the tables of ngram_uses.h, and the counts that are read
 * from them. Reading a file holds one block of it in memory. */
#include "extra/overlap/overlap_handle.h"

#include <math.h>
#include <string.h>

#include "formats/records.h"
#include "text/utf8.h"

#define TICK_EVERY 4096                    /* n-grams between two polls of cancellation */
#define MAX_LINE_BYTES ((int64_t)64 << 20) /* of a file */
enum { ALL_ROLES = ALCORE_OVERLAP_BOTH | ALCORE_OVERLAP_TEST };

static void release(void *object) {
    alcore_overlap *overlap = object;
    alcore__ngram_uses_clear(overlap->object.ctx, &overlap->sides[0]);
    alcore__ngram_uses_clear(overlap->object.ctx, &overlap->sides[1]);
    alcore__buffer_clear(overlap->object.ctx, &overlap->repaired);
}

alcore_overlap *alcore_overlap_ref(alcore_overlap *overlap) {
    return alcore__object_ref(overlap);
}

void alcore_overlap_unref(alcore_overlap *overlap) {
    alcore__object_unref(overlap);
}

/* *ours: the caller's options (NULL: all defaults), checked, with the defaults filled in. */
static alcore_status read_options(const alcore_overlap_options *options,
                                  alcore_overlap_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_overlap_options, reserved), options,
                                    "alcore_overlap_options"));
    if (ours->max_order == 0) ours->max_order = 4;
    if (ours->kept == 0) ours->kept = ALCORE_OVERLAP_TEST;
    if (ours->max_order < 1 || ours->max_order > ALCORE_NGRAM_ORDER_MAX)
        return alcore__fail(ALCORE_E_INVALID, "max_order %d is not 1 to %d", ours->max_order,
                            ALCORE_NGRAM_ORDER_MAX);
    if ((ours->kept & ~ALL_ROLES) != 0)
        return alcore__fail(ALCORE_E_INVALID, "kept %d has other bits than ALCORE_OVERLAP_*",
                            ours->kept);
    if ((ours->tagged & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "tagged is 0 or 1");
    return alcore__struct_reserved(ours->reserved, "alcore_overlap_options");
}

static alcore_status new_overlap(alcore_ctx *ctx, const alcore_overlap_options *options,
                                 alcore_overlap **out) {
    alcore_overlap_options ours;
    alcore_overlap *overlap;
    ALCORE__TRY(read_options(options, &ours));
    ALCORE__TRY(alcore__object_new(ctx, sizeof *overlap, release, &overlap));
    overlap->max_order = ours.max_order;
    overlap->kept = ours.kept;
    overlap->tagged = ours.tagged != 0;
    *out = overlap;
    return ALCORE_OK;
}

alcore_status alcore_overlap_new(alcore_ctx *ctx, const alcore_overlap_options *options,
                                 alcore_overlap **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL"));
    return alcore__leave(ctx, new_overlap(ctx, options, out));
}

/* ---- texts ---- */

/* One call that adds texts. */
typedef struct addition {
    alcore_overlap *overlap;
    const char *path; /* of a file that is read, else NULL */
    int32_t role, side;
    int64_t texts; /* added so far */
    int64_t total; /* of the call, -1: unknown */
} addition;

/* Begins a call that adds texts; unless it fails, end_adding() ends it. */
static alcore_status begin_adding(alcore_overlap *overlap, int32_t role, int32_t side) {
    if (!overlap) {
        ALCORE__TRY(alcore__enter(NULL));
        return alcore__leave(NULL, alcore__fail(ALCORE_E_INVALID, "overlap is NULL"));
    }
    ALCORE__TRY(alcore__enter_long(overlap->object.ctx));
    alcore_status status = alcore__write_begin(overlap, "overlap");
    if (status != ALCORE_OK) return alcore__leave(overlap->object.ctx, status);
    if (role != ALCORE_OVERLAP_SELECTED && role != ALCORE_OVERLAP_OUTSIDE &&
        role != ALCORE_OVERLAP_TEST)
        status = alcore__fail(ALCORE_E_INVALID, "role %d is none of ALCORE_OVERLAP_*", role);
    else if (side != ALCORE_SIDE_SOURCE && side != ALCORE_SIDE_TARGET)
        status = alcore__fail(ALCORE_E_INVALID, "side %d is none of ALCORE_SIDE_*", side);
    else if (overlap->spoiled)
        status = alcore__fail(ALCORE_E_INVALID,
                              "an earlier call on this overlap failed in the middle of its texts; "
                              "make a new one");
    else if ((overlap->kept & role) && overlap->looked_up)
        status = alcore__fail(ALCORE_E_INVALID,
                              "texts of a role that is kept come before those of roles that are "
                              "not");
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__write_end(overlap);
    return alcore__leave(overlap->object.ctx, status);
}

/* Ends a call that adds texts. began: the first text was reached, so that after a failure the
 * counts have a part of the texts, and the overlap refuses further calls. */
static alcore_status end_adding(const addition *add, bool began, alcore_status status) {
    alcore_overlap *overlap = add->overlap;
    if (began && !(overlap->kept & add->role)) overlap->looked_up = true;
    if (began && status != ALCORE_OK) overlap->spoiled = true;
    alcore__write_end(overlap);
    return alcore__leave(overlap->object.ctx, status);
}

/* Adds one text; a malformed sequence counts as U+FFFD. */
static alcore_status add_text(addition *add, const char *text, size_t length) {
    alcore_overlap *overlap = add->overlap;
    alcore_ctx *ctx = overlap->object.ctx;
    ALCORE__TRY(alcore__tick(ctx, "n-grams", add->texts++, add->total));
    if (alcore__utf8_check(text, length) < length) {
        overlap->repaired.length = 0;
        ALCORE__TRY(alcore__utf8_repair(ctx, text, length, &overlap->repaired, NULL));
        text = overlap->repaired.data;
        length = overlap->repaired.length;
    }
    return alcore__ngram_uses_read(
        ctx, &overlap->sides[overlap->tagged && add->side == ALCORE_SIDE_TARGET],
        overlap->max_order, add->role, (overlap->kept & add->role) != 0, text, length);
}

alcore_status alcore_overlap_add(alcore_overlap *overlap, int32_t role, int32_t side,
                                 const char *const *texts, const size_t *lengths, int64_t count) {
    addition add = {.overlap = overlap, .role = role, .side = side, .total = count};
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(begin_adding(overlap, role, side));
    if (count < 0 || (count > 0 && !texts))
        status = alcore__fail(ALCORE_E_INVALID, "count is negative or texts is NULL");
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++)
        if (!texts[i]) status = alcore__fail(ALCORE_E_INVALID, "text %lld is NULL", (long long)i);
    if (status != ALCORE_OK) return end_adding(&add, false, status);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++)
        status = add_text(&add, texts[i], lengths ? lengths[i] : strlen(texts[i]));
    return end_adding(&add, count > 0, status);
}

/* For alcore__read_records(): adds a batch of texts, which are valid UTF-8 as those of a pool are.
 */
static alcore_status add_records(void *user, const alcore__record *records, int64_t count,
                                 int64_t coming) {
    addition *add = user;
    (void)coming;
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        const size_t valid = alcore__utf8_check(record->text, record->text_length);
        if (valid < record->text_length)
            return alcore__fail(ALCORE_E_DATA, "%s:%lld: the text is not valid UTF-8 at byte %zu",
                                add->path, (long long)record->line, valid);
        ALCORE__TRY(add_text(add, record->text, record->text_length));
    }
    return ALCORE_OK;
}

alcore_status alcore_overlap_read(alcore_overlap *overlap, int32_t role, int32_t side,
                                  const char *path, const alcore_read_options *options,
                                  int64_t *out_texts) {
    addition add = {.overlap = overlap, .path = path, .role = role, .side = side, .total = -1};
    alcore_read_options ours;
    if (out_texts) *out_texts = 0;
    ALCORE__TRY(begin_adding(overlap, role, side));
    alcore_status status = alcore__struct_read(&ours, sizeof ours,
                                               ALCORE__FIRST_SIZE(alcore_read_options, text_column),
                                               options, "alcore_read_options");
    if (status == ALCORE_OK && !path) status = alcore__fail(ALCORE_E_INVALID, "path is NULL");
    if (status == ALCORE_OK &&
        (ours.references || ours.reference_column || ours.language || ours.by))
        status = alcore__fail(ALCORE_E_INVALID,
                              "an overlap reads one side at a time: text_column names its column, "
                              "references, reference_column, language and by do not apply");
    if (status == ALCORE_OK)
        status = alcore__read_records(overlap->object.ctx, path, &ours, MAX_LINE_BYTES, add_records,
                                      &add);
    if (status == ALCORE_OK && out_texts) *out_texts = add.texts;
    return end_adding(&add, add.texts > 0, status);
}

/* The n-grams of a role that is not kept are those of other roles too: only their marks go. */
alcore_status alcore__overlap_forget_selected(alcore_overlap *overlap) {
    ALCORE__TRY(alcore__write_begin(overlap, "overlap"));
    for (int side = 0; side < 2; side++) {
        alcore__ngram_uses *uses = &overlap->sides[side];
        for (int32_t order = 1; order <= overlap->max_order; order++)
            for (int64_t i = 0; i < alcore__ngram_uses_count(uses, order); i++) {
                uses->use[order - 1][i].roles &= ~ALCORE_OVERLAP_SELECTED;
                uses->use[order - 1][i].selected = 0;
            }
    }
    alcore__write_end(overlap);
    return ALCORE_OK;
}

/* ---- counts ---- */

alcore_status alcore__overlap_begin(const alcore_overlap *overlap, int32_t role) {
    if (!overlap) {
        ALCORE__TRY(alcore__enter(NULL));
        return alcore__leave(NULL, alcore__fail(ALCORE_E_INVALID, "overlap is NULL"));
    }
    alcore_ctx *ctx = overlap->object.ctx;
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = alcore__read_begin(overlap, "overlap");
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    if (overlap->spoiled)
        status = alcore__fail(ALCORE_E_INVALID, "an earlier call on this overlap failed in the "
                                                "middle of its texts; make a new one");
    else if (!(overlap->kept & role))
        status = alcore__fail(ALCORE_E_INVALID,
                              "this overlap does not keep the n-grams of the %s; name that role in "
                              "`kept` when it is made",
                              role == ALCORE_OVERLAP_TEST ? "test set" : "selected data");
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__read_end(overlap);
    return alcore__leave(ctx, status);
}

/* 100 * part / whole; NaN of nothing. */
static double percent(int64_t part, int64_t whole) {
    return whole > 0 ? 100 * (double)part / (double)whole : (double)NAN;
}

/* Adds the n-grams of one order and side to the counts of *score. data: ALCORE_OVERLAP_* bits of
 * the roles that the test set is compared with. */
static alcore_status count_overlap(alcore_ctx *ctx, const alcore__ngram_uses *uses, int32_t order,
                                   int32_t data, alcore_coverage_result *score) {
    const int64_t count = alcore__ngram_uses_count(uses, order);
    for (int64_t i = 0; i < count; i++) {
        const alcore__ngram_use *use = &uses->use[order - 1][i];
        const bool in_test = (use->roles & ALCORE_OVERLAP_TEST) != 0;
        const bool in_data = (use->roles & data) != 0;
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(ctx, "overlap", i, count));
        score->test_types += in_test;
        score->test_tokens += use->test;
        score->data_types += in_data;
        score->shared_types += in_test && in_data;
        score->shared_tokens += in_data ? use->test : 0;
    }
    return ALCORE_OK;
}

/* *data: the roles of the caller's options (NULL: default), checked. */
static alcore_status read_data(const alcore_coverage_options *options, int32_t *data) {
    alcore_coverage_options ours;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_coverage_options, reserved), options,
                                    "alcore_coverage_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_coverage_options"));
    *data = ours.data == 0 ? ALCORE_OVERLAP_SELECTED : ours.data;
    if ((*data & ALCORE_OVERLAP_BOTH) && !(*data & ~ALCORE_OVERLAP_BOTH)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "data %d is none of ALCORE_OVERLAP_SELECTED, _OUTSIDE and _BOTH", *data);
}

/* alcore_overlap_compute_coverage() with the overlap locked for reading. Precision, Jaccard index
 * and data_types need all n-grams of the data, so they are NaN and -1 where a role of `data` is not
 * kept. */
static alcore_status compute_overlap(const alcore_overlap *overlap, int32_t order,
                                     const alcore_coverage_options *options,
                                     alcore_coverage_result *out) {
    alcore_coverage_result score = {0};
    int32_t data = 0;
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    ALCORE__TRY(read_data(options, &data));
    if (order < 1 || order > overlap->max_order)
        return alcore__fail(ALCORE_E_INVALID, "order %d is not 1 to %d", order, overlap->max_order);
    for (int side = 0; side < 2; side++)
        ALCORE__TRY(count_overlap(overlap->object.ctx, &overlap->sides[side], order, data, &score));
    score.coverage = percent(score.shared_types, score.test_types);
    score.token_coverage = percent(score.shared_tokens, score.test_tokens);
    if ((overlap->kept & data) == data) {
        score.precision = percent(score.shared_types, score.data_types);
        score.jaccard =
            percent(score.shared_types, score.test_types + score.data_types - score.shared_types);
    } else {
        score.precision = score.jaccard = NAN;
        score.data_types = -1;
    }
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_coverage_result, shared_tokens),
                                "alcore_coverage_result");
}

alcore_status alcore_overlap_compute_coverage(const alcore_overlap *overlap, int32_t order,
                                              const alcore_coverage_options *options,
                                              alcore_coverage_result *out) {
    ALCORE__TRY(alcore__overlap_begin(overlap, ALCORE_OVERLAP_TEST));
    const alcore_status status = compute_overlap(overlap, order, options, out);
    alcore__read_end(overlap);
    return alcore__leave(overlap->object.ctx, status);
}

/* *needed: the roles that have an in-domain word beside the selected data, by the definition of the
 * caller's options (NULL: default), which is checked. */
static alcore_status read_needed(const alcore_in_domain_options *options, int32_t *needed) {
    alcore_in_domain_options ours;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_in_domain_options, reserved), options,
                                    "alcore_in_domain_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_in_domain_options"));
    ours.definition = alcore__or_default(ours.definition, ALCORE_IN_DOMAIN_TEST);
    if (ours.definition != ALCORE_IN_DOMAIN_TEST && ours.definition != ALCORE_IN_DOMAIN_UNSEEN)
        return alcore__fail(ALCORE_E_INVALID, "definition %d is none of ALCORE_IN_DOMAIN_*",
                            ours.definition);
    *needed = ours.definition == ALCORE_IN_DOMAIN_TEST ? ALCORE_OVERLAP_TEST : 0;
    return ALCORE_OK;
}

/* alcore_overlap_compute_in_domain() with the overlap locked for reading. A word of the selected
 * data is in-domain if it is not outside the domain and, by ALCORE_IN_DOMAIN_TEST, is in the test
 * set. */
static alcore_status compute_in_domain(const alcore_overlap *overlap,
                                       const alcore_in_domain_options *options,
                                       alcore_in_domain_result *out) {
    alcore_in_domain_result score = {0};
    int32_t needed = 0;
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    ALCORE__TRY(read_needed(options, &needed));
    for (int side = 0; side < 2; side++) {
        const alcore__ngram_uses *uses = &overlap->sides[side];
        for (int64_t i = 0; i < uses->words.count; i++) {
            const alcore__ngram_use *use = &uses->use[0][i];
            if (i % TICK_EVERY == 0)
                ALCORE__TRY(
                    alcore__tick(overlap->object.ctx, "in-domain words", i, uses->words.count));
            if (!(use->roles & ALCORE_OVERLAP_SELECTED)) continue;
            const bool in_domain =
                !(use->roles & ALCORE_OVERLAP_OUTSIDE) && (use->roles & needed) == needed;
            score.types++;
            score.words += use->selected;
            score.in_domain_types += in_domain;
            score.in_domain_words += in_domain ? use->selected : 0;
        }
    }
    score.type_share = percent(score.in_domain_types, score.types);
    score.word_share = percent(score.in_domain_words, score.words);
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_in_domain_result, words),
                                "alcore_in_domain_result");
}

alcore_status alcore_overlap_compute_in_domain(const alcore_overlap *overlap,
                                               const alcore_in_domain_options *options,
                                               alcore_in_domain_result *out) {
    ALCORE__TRY(alcore__overlap_begin(overlap, ALCORE_OVERLAP_SELECTED));
    const alcore_status status = compute_in_domain(overlap, options, out);
    alcore__read_end(overlap);
    return alcore__leave(overlap->object.ctx, status);
}
