/* SPDX-License-Identifier: Apache-2.0 */
#include "demux_bed.h"

#include <stdio.h>

int64_t demux_bed_open(bed *b, const vector_case *one) {
    int64_t rows, numbers;
    const double *u = vector_doubles(vector_input(one, "u"), &rows);
    const double *source = vector_doubles(vector_input(one, "source"), NULL);
    const double *target = vector_doubles(vector_input(one, "target"), &numbers);
    bed_open(b, rows, 2, NULL);
    bed_column(b, &b->input.candidates, "scores", u, rows, 1, ALCORE_FLOAT64);
    bed_column(b, &b->input.candidates, "embeddings", source, rows, 2, ALCORE_FLOAT64);
    bed_column(b, &b->input.target, "embeddings", target, numbers / 2, 2, ALCORE_FLOAT64);
    return numbers / 2;
}

void demux_bed_expect_picks(const bed *b, const vector_case *one) {
    int64_t count;
    const int64_t *picks = vector_integers(vector_expected(one, "picks"), &count);
    bed_expect_picks(b, count, picks);
    ck_assert_int_eq(b->outcome.bought.pick_count, count);
}

void demux_bed_uncertainty_knn(bed *b, const char *vector, const char *params,
                               void (*open)(const vector_case *one)) {
    test_vector all = vector_find("multilingual", vector);
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        char text[96];
        open(&one);
        snprintf(text, sizeof text, "%s c=%g %s%s", params, vector_double(vector_input(&one, "c")),
                 vector_has_input(&one, "prox") ? "prox=" : "cover=1",
                 vector_has_input(&one, "prox") ? vector_text(vector_input(&one, "prox")) : "");
        ck_assert_msg(bed_run(b, "uncertainty-knn", text, vector_double(vector_input(&one, "b"))) ==
                          ALCORE_OK,
                      "%s", alcore_last_error());
        demux_bed_expect_picks(b, &one);
        bed_close(b);
    }
}
