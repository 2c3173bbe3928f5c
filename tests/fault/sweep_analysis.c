/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: analyses of an experiment, and plots. */
#include "sweep.h"

static const double numbers[WORLD_ROWS] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233};

NEVER(alcore_analysis_compute_cost, 0) {
    alcore_cost_result result = ALCORE_COST_RESULT_INIT;
    (void)w;
    return alcore_analysis_compute_cost(100, NULL, &result);
}
ALLOCATES(alcore_analysis_compute_neighborhood, WITH_SCORES) {
    static const int64_t k[2] = {1, 2000}; /* a list that is longer than the kernel's, too */
    alcore_search_data data = world_embeddings(w);
    alcore_tensor out;
    int64_t shape[2] = {2, 2};
    double answer[4];
    if (alcore_tensor_init(&out, answer, ALCORE_FLOAT64, shape, 2)) return ALCORE_E_INTERNAL;
    return alcore_analysis_compute_neighborhood(w->ctx, &data, numbers, WORLD_ROWS, &data, numbers,
                                                WORLD_ROWS, k, 2, NULL, &out);
}
NEVER(alcore_analysis_count_languages, 0) {
    static const int64_t rows[2] = {0, 1};
    alcore_tensor out;
    int64_t counts[1], shape[1] = {1};
    if (alcore_tensor_init(&out, counts, ALCORE_INT64, shape, 1)) return ALCORE_E_INTERNAL;
    return alcore_analysis_count_languages(w->pool, rows, 2, &out);
}
NEVER(alcore_pool_distinct_language, 0) {
    HOLDS(alcore_pool_distinct_language(w->pool, 0) != NULL);
}
ALLOCATES(alcore_analysis_compute_composition, WITH_SCORES) {
    static const int64_t rows[2] = {0, 3};
    alcore_search_data data = world_embeddings(w);
    alcore_composition_options options = ALCORE_COMPOSITION_OPTIONS_INIT;
    alcore_composition_result out = ALCORE_COMPOSITION_RESULT_INIT;
    options.uncertainty = numbers;
    options.uncertainty_count = WORLD_ROWS;
    options.source = options.target = &data;
    options.target_pool = w->labeled;
    options.other_rows = rows;
    options.other_count = 1;
    return alcore_analysis_compute_composition(w->ctx, w->pool, rows, 2, &options, &out);
}
ALLOCATES(alcore_analysis_compute_projection, WITH_SCORES) {
    alcore_search_data data = world_embeddings(w);
    alcore_tensor points, other_points;
    int64_t shape[2] = {WORLD_ROWS, 2};
    double both[2][2 * WORLD_ROWS];
    if (alcore_tensor_init(&points, both[0], ALCORE_FLOAT64, shape, 2) ||
        alcore_tensor_init(&other_points, both[1], ALCORE_FLOAT64, shape, 2))
        return ALCORE_E_INTERNAL;
    return alcore_analysis_compute_projection(w->ctx, &data, &data, NULL, &points, &other_points,
                                              NULL, NULL);
}

ALLOCATES(alcore_request_ablate, WITH_REQUEST | WITH_SCORES) {
    static const double values[2] = {0.5, 1};
    static const char *const texts[2] = {"one test", "two words"};
    alcore_ablation rows[2] = {ALCORE_ABLATION_INIT, ALCORE_ABLATION_INIT};
    alcore_selection *picked[2];
    alcore_overlap *test;
    sweep_pause(w);
    alcore_status status = alcore_overlap_new(w->ctx, NULL, &test);
    if (!status)
        status = alcore_overlap_add(test, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, texts, NULL, 2);
    sweep_resume(w);
    if (status) return ALCORE_E_INTERNAL;
    status = alcore_request_ablate(w->request, NULL, values, 2, test, rows, picked);
    sweep_keep_error(w);
    if (status != ALCORE_OK && (picked[0] || picked[1])) status = ALCORE_E_INTERNAL;
    for (int i = 0; i < 2; i++) alcore_selection_unref(picked[i]);
    alcore_overlap_unref(test);
    return status;
}
/* Makes what is compared beside the floor, and a test set, without failing allocations. */
static alcore_status prepare_comparison(world *w, alcore_strategy **strategy,
                                        alcore_overlap **test) {
    static const char *const texts[2] = {"one test", "two words"};
    alcore_status status = alcore_overlap_new(w->ctx, NULL, test);
    if (!status)
        status = alcore_overlap_add(*test, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, texts, NULL, 2);
    return status ? status : alcore_strategy_new(w->ctx, "nnll", strategy);
}
ALLOCATES(alcore_request_compare, WITH_REQUEST | WITH_SCORES) {
    alcore_comparison *out;
    alcore_overlap *test;
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = prepare_comparison(w, &strategy, &test);
    sweep_resume(w);
    if (status) return ALCORE_E_INTERNAL;
    status = alcore_request_compare(w->request, &strategy, NULL, 1, test, &out);
    sweep_keep_error(w);
    if (status != ALCORE_OK && out) status = ALCORE_E_INTERNAL;
    alcore_comparison_unref(out);
    alcore_strategy_unref(strategy);
    alcore_overlap_unref(test);
    return status;
}
ALLOCATES(alcore_comparison_write, WITH_REQUEST | WITH_SCORES) {
    static const char *const files[3] = {"compared.tsv", "compared.json", "compared.html"};
    alcore_comparison *out = NULL;
    alcore_overlap *test;
    alcore_strategy *strategy = NULL;
    sweep_pause(w);
    alcore_status status = prepare_comparison(w, &strategy, &test);
    if (!status) status = alcore_request_compare(w->request, &strategy, NULL, 1, test, &out);
    sweep_resume(w);
    for (int i = 0; i < 3 && status == ALCORE_OK; i++)
        status = alcore_comparison_write(out, world_file(files[i]));
    sweep_keep_error(w);
    alcore_comparison_unref(out);
    alcore_strategy_unref(strategy);
    alcore_overlap_unref(test);
    return status;
}
NEVER(alcore_comparison_count, 0) {
    HOLDS(alcore_comparison_count(NULL) == 0);
}
NEVER(alcore_comparison_selection, 0) {
    HOLDS(alcore_comparison_selection(NULL, 0) == NULL);
}
NEVER(alcore_comparison_document, 0) {
    HOLDS(alcore_comparison_document(NULL) == NULL);
}
NEVER(alcore_comparison_unref, 0) {
    (void)w;
    alcore_comparison_unref(NULL);
    return ALCORE_OK;
}
NEVER(alcore_comparison_ref, 0) {
    HOLDS(alcore_comparison_ref(NULL) == NULL);
}
ALLOCATES(alcore_analysis_compute_duplicates, 0) {
    alcore_duplicates_result out = ALCORE_DUPLICATES_RESULT_INIT;
    return alcore_analysis_compute_duplicates(w->pool, w->labeled, NULL, &out);
}

ALLOCATES(alcore_analysis_compute_leverage, 0) {
    static const int64_t rows[] = {0, 1, 2};
    alcore_leverage_result out = ALCORE_LEVERAGE_RESULT_INIT;
    return alcore_analysis_compute_leverage(w->pool, rows, 3, w->labeled, NULL, &out);
}

static const char *const series[4] = {"a", "a", "b", "c"};
static const int64_t rounds[4] = {1, 1, 2, 0};

ALLOCATES(alcore_plot_write_curves, 0) {
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    options.title = "title";
    return alcore_plot_write_curves(w->ctx, series, NULL, rounds, numbers, numbers, 4,
                                    world_file("curves.svg"), &options);
}
ALLOCATES(alcore_plot_write_points, 0) {
    const char *const name = "H";
    const double *const values = numbers;
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    options.column_names = &name;
    options.columns = &values;
    options.column_count = 1;
    return alcore_plot_write_points(w->ctx, series, NULL, rounds, numbers, numbers, 4,
                                    world_file("points.tsv"), &options);
}
