/* SPDX-License-Identifier: Apache-2.0 */
/* Kappa and alpha of annotators, and chrF of their texts, beside the public packages
 * (make_agreement_cases.py). */
#include "extra/metric/label_agreement.h"

#include <jansson.h>
#include <string.h>

#include "check_status.h"
#include "check_suite.h"
#include "extra/metric/chrf_count.h"
#include "fault_allocator.h"
#include "vectors.h"

static json_t *cases; /* of AGREEMENT_CASES */

static void set_up(void) {
    json_error_t error;
    cases = json_load_file(AGREEMENT_CASES, 0, &error);
    ck_assert_msg(cases, "%s", error.text);
}

static void tear_down(void) {
    json_decref(cases);
}

static json_t *cases_of(const char *name) {
    return json_object_get(cases, name);
}

static void expect(const char *name, double found, const json_t *expected) {
    if (json_is_null(expected))
        ck_assert_msg(isnan(found), "%s: %.17g, not NaN", name, found);
    else
        ck_assert_msg(fabs(found - json_number_value(expected)) < 1e-12, "%s: %.17g, not %.17g",
                      name, found, json_number_value(expected));
}

/* Adds the units of a case; backward: the last unit and annotator first. */
static alcore_status add_units(alcore__label_agreement *agreement, const json_t *rows,
                               bool backward) {
    const size_t people = json_array_size(rows), units = json_array_size(json_array_get(rows, 0));
    for (size_t i = 0; i < units; i++) {
        alcore__given_label labels[8];
        size_t count = 0;
        for (size_t k = 0; k < people; k++) {
            const size_t person = backward ? people - 1 - k : k;
            const json_t *label =
                json_array_get(json_array_get(rows, person), backward ? units - 1 - i : i);
            if (json_is_null(label)) continue;
            labels[count++] = (alcore__given_label){(uint32_t)person, json_string_value(label),
                                                    json_string_length(label)};
        }
        ALCORE__TRY(alcore__label_agreement_add(agreement, labels, count));
    }
    return alcore__label_agreement_end(agreement);
}

static const alcore__label_pair *pair_of(const alcore__label_agreement *agreement, json_int_t one,
                                         json_int_t other) {
    for (uint32_t i = 0; i < agreement->pair_numbers.count; i++)
        if (agreement->pairs[i].one == one && agreement->pairs[i].other == other)
            return &agreement->pairs[i];
    return NULL;
}

START_TEST(what_the_packages_compute) {
    json_t *row, *pair;
    size_t i, k;
    alcore_ctx *ctx;
    const json_t *all = cases_of("agreement");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_uint_gt(json_array_size(all), 40);
    json_array_foreach(all, i, row) for (int backward = 0; backward < 2; backward++) {
        const char *name = vector_text(json_object_get(row, "name"));
        alcore__label_agreement agreement = {.ctx = ctx};
        ck_assert_ok(add_units(&agreement, json_object_get(row, "labels"), backward));
        expect(name, alcore__label_agreement_alpha(&agreement), json_object_get(row, "alpha"));
        json_array_foreach(json_object_get(row, "pairs"), k, pair) {
            const json_int_t units = json_integer_value(json_object_get(pair, "units"));
            const alcore__label_pair *found =
                pair_of(&agreement, json_integer_value(json_object_get(pair, "one")),
                        json_integer_value(json_object_get(pair, "other")));
            ck_assert_msg(!!found == (units > 0), "%s", name);
            if (!found) continue;
            ck_assert_int_eq(found->units, units);
            expect(name, found->kappa, json_object_get(pair, "kappa"));
        }
        alcore__label_agreement_clear(&agreement);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* The paper's own number, without a package. */
START_TEST(the_example_of_the_paper) {
    alcore_ctx *ctx;
    const json_t *row = json_array_get(cases_of("agreement"), 0);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore__label_agreement agreement = {.ctx = ctx};
    ck_assert_str_eq(vector_text(json_object_get(row, "name")), "Krippendorff 2011");
    ck_assert_ok(add_units(&agreement, json_object_get(row, "labels"), false));
    ck_assert_double_eq_tol(alcore__label_agreement_alpha(&agreement), 0.743, 0.0005);
    ck_assert_int_eq(agreement.units, 11);
    ck_assert_int_eq(agreement.labels, 40);
    alcore__label_agreement_clear(&agreement);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(chrf_of_both_directions) {
    json_t *row, *answers;
    size_t i, k;
    alcore_ctx *ctx;
    const json_t *all = cases_of("chrf");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_uint_eq(json_array_size(all), 4);
    json_array_foreach(all, i, row) for (int swap = 0; swap < 2; swap++) {
        alcore__metric_workspace work = {.counter = {.ctx = ctx}, .lines = {.ctx = ctx}};
        int64_t sums[ALCORE__CHRF_WIDTH] = {0};
        json_array_foreach(json_object_get(row, "answers"), k, answers) {
            const char *texts[2];
            size_t lengths[2];
            for (int side = 0; side < 2; side++) {
                const json_t *text = json_array_get(answers, (size_t)(side ^ swap));
                texts[side] = json_string_value(text);
                lengths[side] = json_string_length(text);
            }
            ck_assert_ok(alcore__chrf_add_both(&work, texts, lengths, sums));
        }
        ck_assert_double_eq_tol(alcore__chrf_of(sums),
                                json_number_value(json_object_get(row, "chrf")), 1e-10);
        alcore__ngram_counter_clear(&work.counter);
        alcore__token_lines_clear(&work.lines);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Each allocation fails once; nothing is left. */
START_TEST(memory) {
    const json_t *rows = json_object_get(json_array_get(cases_of("agreement"), 7), "labels");
    static fault_allocator fault;
    alcore_status status = ALCORE_E_NOMEM;
    long long at = 1;
    alcore_ctx *ctx = fault_context(&fault, 0);
    for (; status != ALCORE_OK; at++) {
        alcore__label_agreement agreement = {.ctx = ctx};
        fault.calls = 0;
        fault.fail_at = at;
        status = add_units(&agreement, rows, false);
        fault.fail_at = 0;
        ck_assert(status == ALCORE_OK || status == ALCORE_E_NOMEM);
        alcore__label_agreement_clear(&agreement);
    }
    ck_assert_int_gt(at, 8);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

CHECK_SUITE_WITH("label_agreement", set_up, tear_down, what_the_packages_compute,
                 the_example_of_the_paper, chrf_of_both_directions, memory);
