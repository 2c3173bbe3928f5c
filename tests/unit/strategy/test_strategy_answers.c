/* SPDX-License-Identifier: Apache-2.0 */
/* The uncertainty of answers (SUM-PROB, spec 7.4) in the three strategies that rank by the
 * uncertainty of DeMuX: TV-ANSWERS. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "demux_bed.h"

static bed b;

/* Gives the candidates a column of answers from a vector: one value a position or a window. */
static void give_answers(const vector_case *one, const char *name, const char *column) {
    const json_t *lists = vector_input(one, name);
    int64_t rows;
    const int64_t *offsets = vector_offsets(lists, &rows);
    if (strcmp(name, "windows") == 0)
        bed_ragged(&b, column, vector_integers(lists, NULL), offsets, 7, 1, ALCORE_INT64);
    else
        bed_ragged(&b, column, vector_doubles(lists, NULL), offsets, 7, 1, ALCORE_FLOAT64);
}

/* Opens a bed with the points, the target and the answers of a vector. */
static void open_answers(const vector_case *one, bool windowed) {
    const double *source = vector_doubles(vector_input(one, "source"), NULL);
    const double *target = vector_doubles(vector_input(one, "target"), NULL);
    bed_open(&b, 7, 1, NULL);
    give_answers(one, "start", "qa_start");
    give_answers(one, "end", "qa_end");
    if (windowed) give_answers(one, "windows", "qa_windows");
    bed_column(&b, &b.input.candidates, "embeddings", source, 7, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.target, "embeddings", target, 2, 2, ALCORE_FLOAT64);
}

/* Answers over one window or several are an uncertainty of all three strategies, also beside
 * scores, which they are read instead of, and with the labeled rows of mode=code. */
START_TEST(answers_are_an_uncertainty) {
    test_vector all = vector_find("multilingual", "TV-ANSWERS");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        const bool windowed = vector_integer(vector_input(&one, "windowed")) == 1;
        const char *strategy = vector_text(vector_input(&one, "strategy"));
        const char *own = vector_has_input(&one, "k")   ? " k=2"
                          : vector_has_input(&one, "c") ? " c=1"
                                                        : "";
        static const char *const MODES[] = {"windows=1", "windows=1 mode=sum-prob",
                                            "windows=1 mode=paper", "mode=sum-prob"};
        for (int m = windowed ? 0 : 3; m < (windowed ? 3 : 4); m++) {
            static const double scores[7] = {7, 6, 5, 4, 3, 2, 1};
            char params[64];
            open_answers(&one, windowed);
            bed_column(&b, &b.input.candidates, "scores", scores, 7, 1, ALCORE_FLOAT64);
            snprintf(params, sizeof params, "%s%s", MODES[m], own);
            ck_assert_msg(bed_run(&b, strategy, params, vector_double(vector_input(&one, "b"))) ==
                              ALCORE_OK,
                          "%s %s: %s", strategy, params, alcore_last_error());
            demux_bed_expect_picks(&b, &one);
            if (*own) {
                const double *u = bed_record(&b, "u");
                for (size_t i = 0; i < 7; i++)
                    ck_assert(fabs(u[i] - vector_doubles(vector_expected(&one, "u"), NULL)[i]) <
                              1e-12);
            }
            bed_close(&b);
        }
    }
}
END_TEST

/* What is measured of classes has no part in the uncertainty of answers. */
START_TEST(answers_have_no_classes) {
    static const char *const STRATEGIES[] = {"uncertainty", "knn-uncertainty", "uncertainty-knn"};
    static const char *const PARAMS[] = {"windows=1 mode=lc", "windows=1 margin=log",
                                         "mode=sum-prob margin=log"};
    vector_case one = vector_case_number(vector_find("multilingual", "TV-ANSWERS"), 0);
    for (size_t s = 0; s < sizeof STRATEGIES / sizeof *STRATEGIES; s++) {
        for (size_t p = 0; p < sizeof PARAMS / sizeof *PARAMS; p++) {
            open_answers(&one, true);
            ck_assert_int_eq(bed_run(&b, STRATEGIES[s], PARAMS[p], 2), ALCORE_E_PARAM);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has no part in it"));
            bed_close(&b);
        }
    }
}
END_TEST

CHECK_SUITE("strategy-answers", answers_are_an_uncertainty, answers_have_no_classes);
