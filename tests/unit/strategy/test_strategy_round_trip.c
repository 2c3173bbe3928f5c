/* SPDX-License-Identifier: Apache-2.0 */
/* RTTL and round-trip BLEU (spec 5.7): TV-RTTL, the sentence BLEU of TV-BLEU, floors, and rows
 * without a round trip. */
#include <math.h>
#include <string.h>

#include "pool/column.h"
#include "strategy_bed.h"
#include "vectors.h"

static bed b;

START_TEST(rttl_vector) {
    static const struct {
        const char *name, *params;
    } CASES[] = {{"default", ""},
                 {"norm=none", "norm=none"},
                 {"sign=literal", "sign=literal"},
                 {"sign=literal", "sign=literal norm=none"}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        vector_case one = vector_case_named(vector_find("scores", "TV-RTTL"), CASES[c].name);
        const json_t *lists = vector_input(&one, "logprobs");
        int64_t rows = vector_length(lists);
        bed_open(&b, rows, 1, NULL);
        bed_ragged(&b, "logprobs", vector_doubles(lists, NULL), vector_offsets(lists, NULL), rows,
                   1, ALCORE_FLOAT64);
        ck_assert_int_eq(bed_run(&b, "rttl", CASES[c].params, (double)rows), ALCORE_OK);
        vector_near(b.outcome.scores, vector_expected(&one, "scores"), 1e-12);
        bed_expect_picks(&b, rows, vector_integers(vector_expected(&one, "order"), NULL));
        const double *sums = bed_record(&b, "loglikelihood");
        vector_case literal = vector_case_named(vector_find("scores", "TV-RTTL"), "sign=literal");
        vector_near(sums, vector_expected(&literal, "scores"), 1e-12);
        bed_close(&b);
    }
}
END_TEST

/* Values below -100 count as -100 in the sum too, and a base of 10 is converted before. */
START_TEST(sums_have_the_floor_and_the_base) {
    static const double values[] = {-1000, -2, -1, 1e-7};
    static const int64_t offsets[] = {0, 2, 4};
    bed_open(&b, 2, 1, NULL);
    alcore__column *column = bed_ragged(&b, "logprobs", values, offsets, 2, 1, ALCORE_FLOAT64);
    ck_assert_int_eq(bed_run(&b, "rttl", "norm=none", 2), ALCORE_OK);
    ck_assert(b.outcome.scores[0] == 102.0 && b.outcome.scores[1] == 1.0);
    column->log_scale = log(10.0);
    ck_assert_int_eq(bed_run(&b, "rttl", "norm=none", 2), ALCORE_OK);
    ck_assert(fabs(b.outcome.scores[0] - (100 + 2 * log(10.0))) < 1e-12);
    ck_assert_int_eq(b.outcome.floored, 1);
    bed_close(&b);
}
END_TEST

/* Opens a pool of `texts` with their round trips, a text column. */
static void open_texts(const char *const *texts, const char *const *back, int64_t rows) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    bed_open(&b, rows, 1, NULL);
    ck_assert_int_eq(alcore_pool_new(b.ctx, &options, &b.pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(b.pool, texts, NULL, rows, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_set_text_column(b.pool, "roundtrip", back, NULL, rows, NULL),
                     ALCORE_OK);
    b.input.candidates.pool = b.pool;
    ck_assert_int_eq(alcore__dataset_add(&b.input.candidates, "roundtrip",
                                         alcore__pool_find_column(b.pool, "roundtrip")),
                     ALCORE_OK);
}

START_TEST(rtt_bleu_is_sentence_bleu) {
    vector_case one = vector_case_named(vector_find("analyses", "TV-BLEU"), "sentences");
    const char *back[4] = {"x y", ""}, *texts[4] = {"x y", "x y"};
    const json_t *hypotheses = vector_input(&one, "hypotheses");
    const json_t *references = vector_input(&one, "references");
    const double *bleu = vector_doubles(vector_expected(&one, "sentence_bleu"), NULL);
    for (size_t i = 0; i < 2; i++) {
        back[2 + i] = json_string_value(json_array_get(hypotheses, i));
        texts[2 + i] = json_string_value(json_array_get(json_array_get(references, i), 0));
    }
    open_texts(texts, back, 4);
    ck_assert_msg(bed_run(&b, "rtt-bleu", "", 4) == ALCORE_OK, "%s", alcore_last_error());
    ck_assert(b.outcome.scores[0] == 0.0 || fabs(b.outcome.scores[0]) < 1e-12);
    ck_assert(b.outcome.scores[1] == 1.0); /* an empty round trip */
    for (int i = 0; i < 2; i++)
        ck_assert(fabs(b.outcome.scores[2 + i] - (1 - bleu[i] / 100)) < 1e-9);
    BED_PICKS(&b, 1, 2, 3, 0);
    bed_close(&b);
}
END_TEST

START_TEST(rows_without_a_round_trip_are_named) {
    const char *texts[] = {"a b", "c d"}, *back[] = {"a b", NULL};
    open_texts(texts, back, 2);
    ck_assert_int_eq(bed_run(&b, "rtt-bleu", "", 2), ALCORE_E_DATA);
    ck_assert_msg(strstr(alcore_last_error(), "row 1: the column \"roundtrip\" has no text"), "%s",
                  alcore_last_error());
    b.input.nan_exclude = true;
    ck_assert_int_eq(bed_run(&b, "rtt-bleu", "", 2), ALCORE_OK);
    BED_PICKS(&b, 0);
    ck_assert_int_eq(b.outcome.nan_count, 1);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-round-trip", rttl_vector, sums_have_the_floor_and_the_base,
            rtt_bleu_is_sentence_bleu, rows_without_a_round_trip_are_named);
