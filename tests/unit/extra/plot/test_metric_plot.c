/* SPDX-License-Identifier: Apache-2.0 */
/* Plots: pictures byte for byte (tests/golden/plot-*.svg), tables against means by hand, ticks and
 * labels on random ranges, escaped texts, and what is refused. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "extra/plot/plot_axis.h"
#include "extra/plot/svg.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES];

static const char *in_folder(const char *name) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The contents of a file, which the caller frees; NULL when there is none. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = malloc(1 << 22);
    *length = fread(text, 1, (1 << 22) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void begin(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    test_folder_make(folder, "plot");
}
static void end(void) {
    static const char *const names[] = {"plot.svg", "plot.tsv"};
    for (int i = 0; i < 2; i++) unlink(in_folder(names[i]));
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left */
    alcore_ctx_unref(ctx);
}

/* Compares plot.svg with a golden file; $ALCORE_GOLDEN_RENEW=1 writes it first. */
static void check_golden(const char *name) {
    char path[300];
    size_t length, known_length = 0;
    char *text = read_file(in_folder("plot.svg"), &length);
    ck_assert_ptr_nonnull(text);
    snprintf(path, sizeof path, "%s/%s", ALCORE_GOLDEN_DIR, name);
    if (getenv("ALCORE_GOLDEN_RENEW")) {
        FILE *file = fopen(path, "wb");
        ck_assert_uint_eq(fwrite(text, 1, length, file), length);
        fclose(file);
    }
    char *known = read_file(path, &known_length);
    ck_assert_msg(known && known_length == length && memcmp(known, text, length) == 0,
                  "%s differs; look at it and renew it with tests/golden/renew.sh", name);
    free(known);
    free(text);
}

/* Learning curves of four strategies, eight rounds and three seeds, which spend different words. */
enum { STRATEGIES = 4, ROUNDS = 8, SEEDS = 3, RUNS = STRATEGIES * ROUNDS * SEEDS };
static const char *run_series[RUNS];
static int64_t run_rounds[RUNS];
static double run_x[RUNS], run_y[RUNS];

static void fill_runs(void) {
    static const char *const names[] = {"HUDS", "NSP <a&b> \"c\"", "IDDS", "数据 random"};
    alcore__rng rng;
    int n = 0;
    alcore__rng_seed(&rng, 1);
    for (int s = 0; s < STRATEGIES; s++)
        for (int r = 1; r <= ROUNDS; r++)
            for (int seed = 0; seed < SEEDS; seed++, n++) {
                run_series[n] = names[s];
                run_rounds[n] = r;
                run_x[n] = 5000 * r + (double)alcore__rng_below(&rng, 40);
                run_y[n] = 28 + (4 - s) * 2.0 * r / (r + 3.0) + alcore__rng_f64(&rng) / 2;
            }
}

START_TEST(test_curves_golden) {
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    begin();
    fill_runs();
    options.title = "Learning curves";
    options.x_label = "words labeled";
    options.y_label = "BLEU";
    options.band = ALCORE_BAND_SD;
    ck_assert_int_eq(alcore_plot_write_curves(ctx, run_series, NULL, run_rounds, run_x, run_y, RUNS,
                                              in_folder("plot.svg"), &options),
                     ALCORE_OK);
    check_golden("plot-curves.svg");
    end();
}
END_TEST

/* The table of curves: a line a point, in the order of the series and of x; the order in which the
 * observations are given does not change a byte of it. */
START_TEST(test_curves_table) {
    begin();
    fill_runs();
    const char *path = in_folder("plot.tsv");
    ck_assert_int_eq(
        alcore_plot_write_curves(ctx, run_series, NULL, run_rounds, run_x, run_y, RUNS, path, NULL),
        ALCORE_OK);
    size_t length, again_length;
    char *text = read_file(path, &length), *line = strchr(text, '\n') + 1;
    ck_assert_int_eq(strncmp(text, "series\tround\tx\tn\tmean\tsd\tse\n", 28), 0);
    for (int p = 0; p < STRATEGIES * ROUNDS; p++) {
        const int first = p * SEEDS;
        char name[40];
        long long round, n;
        double x, mean, sd, se, x_sum = 0, y_sum = 0, squares = 0;
        ck_assert_int_eq(sscanf(line, "%39[^\t]\t%lld\t%lf\t%lld\t%lf\t%lf\t%lf\n", name, &round,
                                &x, &n, &mean, &sd, &se),
                         7);
        for (int i = first; i < first + SEEDS; i++) x_sum += run_x[i], y_sum += run_y[i];
        for (int i = first; i < first + SEEDS; i++)
            squares += (run_y[i] - y_sum / SEEDS) * (run_y[i] - y_sum / SEEDS);
        ck_assert_str_eq(name, run_series[first]);
        ck_assert_int_eq(round, run_rounds[first]);
        ck_assert_int_eq(n, SEEDS);
        ck_assert_double_eq_tol(x, x_sum / SEEDS, 1e-9);
        ck_assert_double_eq_tol(mean, y_sum / SEEDS, 1e-9);
        ck_assert_double_eq_tol(sd, sqrt(squares / (SEEDS - 1)), 1e-9);
        ck_assert_double_eq_tol(se, sd / sqrt(SEEDS), 1e-9);
        line = strchr(line, '\n') + 1;
    }
    ck_assert_int_eq(*line, '\0');
    /* The seeds of each point in the reverse order. */
    for (int first = 0; first < RUNS; first += SEEDS) {
        const double x = run_x[first], y = run_y[first];
        run_x[first] = run_x[first + 2], run_y[first] = run_y[first + 2];
        run_x[first + 2] = x, run_y[first + 2] = y;
    }
    ck_assert_int_eq(
        alcore_plot_write_curves(ctx, run_series, NULL, run_rounds, run_x, run_y, RUNS, path, NULL),
        ALCORE_OK);
    char *again = read_file(path, &again_length);
    ck_assert_str_eq(text, again);
    free(again);
    free(text);
    end();
}
END_TEST

/* Candidates, a target, and picks of two strategies in three rounds. */
enum { CANDIDATES = 150, TARGET = 12, PICKS = 5, POINTS = CANDIDATES + TARGET + 2 * 3 * PICKS };
static const char *point_series[POINTS];
static int64_t point_rounds[POINTS];
static double point_x[POINTS], point_y[POINTS];

static void fill_points(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 2);
    for (int i = 0; i < POINTS; i++) {
        const int pick = i - CANDIDATES - TARGET;
        point_series[i] = i < CANDIDATES  ? "candidates"
                          : pick < 0      ? "target"
                          : pick % 2 == 0 ? "huds"
                                          : "nnll";
        point_rounds[i] = pick < 0 ? 0 : 1 + pick / (2 * PICKS);
        point_x[i] = alcore__rng_f64(&rng) + (pick < 0 ? 0 : 0.4);
        point_y[i] = alcore__rng_f64(&rng) * 2 + (i >= CANDIDATES ? 1 : 0);
    }
}

START_TEST(test_points_golden) {
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    begin();
    fill_points();
    options.x_label = "uncertainty u";
    options.y_label = "diversity d";
    ck_assert_int_eq(alcore_plot_write_points(ctx, point_series, NULL, point_rounds, point_x,
                                              point_y, POINTS, in_folder("plot.svg"), &options),
                     ALCORE_OK);
    check_golden("plot-points.svg");
    options.title = "Selection map";
    options.x_label = "component 1";
    options.y_label = "component 2";
    options.equal_scales = 1;
    options.width = options.height = 300;
    ck_assert_int_eq(alcore_plot_write_points(ctx, point_series, NULL, point_rounds, point_x,
                                              point_y, POINTS, in_folder("plot.svg"), &options),
                     ALCORE_OK);
    check_golden("plot-map.svg");
    end();
}
END_TEST

/* How often a text stands in another. */
static int count_text(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* Of a large background every n-th point is drawn, and the legend says so; picks are all drawn. */
START_TEST(test_points_sampled) {
    enum { MANY = 9001 };
    static const char *series[MANY];
    static int64_t rounds[MANY];
    static double x[MANY];
    begin();
    for (int i = 0; i < MANY; i++) {
        series[i] = i < 9000 ? "candidates" : "pick";
        rounds[i] = i < 9000 ? 0 : 1;
        x[i] = i;
    }
    ck_assert_int_eq(alcore_plot_write_points(ctx, series, NULL, rounds, x, x, MANY,
                                              in_folder("plot.svg"), NULL),
                     ALCORE_OK);
    size_t length;
    char *text = read_file(in_folder("plot.svg"), &length);
    ck_assert_ptr_nonnull(strstr(text, "candidates (1 of 3 drawn)"));
    ck_assert_int_eq(count_text(text, "r=\"1.6\""), 3000 + 1);
    ck_assert_int_eq(count_text(text, "r=\"4.5\""), 1 + 1); /* drawn, and in the legend */
    ck_assert_ptr_null(strstr(text, "rounds 1 to"));
    free(text);
    ck_assert_int_eq(alcore_plot_write_points(ctx, series, NULL, rounds, x, x, MANY,
                                              in_folder("plot.tsv"), NULL),
                     ALCORE_OK);
    text = read_file(in_folder("plot.tsv"), &length);
    ck_assert_int_eq(count_text(text, "\n"), MANY + 1);
    ck_assert_ptr_nonnull(strstr(text, "\npick\t1\t9000\t9000\n"));
    free(text);
    end();
}
END_TEST

/* Ticks are multiples of 1, 2 or 5 times a power of ten inside the range, in steps of one, as many
 * as can be told apart, and no two have the same label. */
START_TEST(test_ticks) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 4);
    for (int round = 0; round < 20000; round++) {
        const double scale = pow(10, (double)alcore__rng_below(&rng, 40) - 20);
        const double low =
            (alcore__rng_f64(&rng) - 0.5) * scale * pow(10, (double)alcore__rng_below(&rng, 4));
        const double high = low + alcore__rng_f64(&rng) * scale;
        const int wanted = 2 + (int)alcore__rng_below(&rng, 9);
        const alcore__plot_axis axis = alcore__plot_axis_make(low, high, wanted);
        const double mantissa = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
        char last[40] = "", label[40];
        ck_assert_double_le(axis.low, low);
        ck_assert_double_ge(axis.high, high);
        ck_assert(fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 ||
                  fabs(mantissa - 5) < 1e-9);
        ck_assert_int_ge(axis.ticks, 1);
        ck_assert_int_le(axis.ticks, wanted + 2);
        for (int i = 0; i < axis.ticks; i++) {
            const double tick = (double)(axis.first + i) * axis.step;
            ck_assert_double_ge(tick, axis.low - 1e-6 * axis.step);
            ck_assert_double_le(tick, axis.high + 1e-6 * axis.step);
            ck_assert_int_gt(alcore__plot_axis_label(&axis, i, label), 0);
            ck_assert_str_ne(label, last);
            strcpy(last, label);
        }
        /* No tick is missing at either end. */
        ck_assert_double_lt((double)(axis.first - 1) * axis.step, axis.low);
        ck_assert_double_gt((double)(axis.first + axis.ticks) * axis.step, axis.high);
    }
    static const struct {
        double low, high;
        int tick;
        const char *label;
    } known[] = {{0, 50000, 1, "10,000"},   {0, 1, 1, "0.2"}, {-3, 3, 0, "-2"},
                 {0, 0, 2, "0.0"},          {5, 5, 0, "3"},   {0, 2e9, 1, "5.0e+08"},
                 {1e6, 5e6, 0, "1,000,000"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const alcore__plot_axis axis = alcore__plot_axis_make(known[i].low, known[i].high, 6);
        char label[40];
        alcore__plot_axis_label(&axis, known[i].tick, label);
        ck_assert_str_eq(label, known[i].label);
    }
}
END_TEST

/* The labels of the x axis never touch, whatever the range and the width. */
START_TEST(test_labels_apart) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 9);
    begin();
    for (int round = 0; round < 60; round++) {
        static const char *const series[2] = {"a", "a"};
        const double base =
            (alcore__rng_f64(&rng) - 0.5) * pow(10, (double)alcore__rng_below(&rng, 16) - 4);
        const double x[2] = {base, base + alcore__rng_f64(&rng) * fabs(base)}, y[2] = {1, 2};
        alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
        options.width = 120 + (int32_t)alcore__rng_below(&rng, 900);
        ck_assert_int_eq(alcore_plot_write_curves(ctx, series, NULL, NULL, x, y, 2,
                                                  in_folder("plot.svg"), &options),
                         ALCORE_OK);
        size_t length;
        char *text = read_file(in_folder("plot.svg"), &length);
        double row = 0, right = -1e9;
        int labels = 0;
        for (char *at = text; (at = strstr(at, "<text x=\"")); at++) {
            double left, base_line;
            char label[60];
            if (sscanf(at, "<text x=\"%lf\" y=\"%lf\" text-anchor=\"middle\">%59[^<]<", &left,
                       &base_line, label) != 3)
                continue;
            if (labels == 0) row = base_line;
            if (base_line != row) continue; /* the name of the axis */
            const double width = alcore__svg_text_width(label, strlen(label));
            ck_assert_msg(left - width / 2 > right, "%s touches the label before it", label);
            right = left + width / 2;
            labels++;
        }
        ck_assert_int_ge(labels, 1);
        free(text);
    }
    end();
}
END_TEST

START_TEST(test_wrong_arguments) {
    static const char *const series[3] = {"a", "b", "a"}, *const none[3] = {"a", NULL, "a"};
    static const double x[3] = {1, 2, 3}, broken[3] = {1, 2, INFINITY};
    static const int64_t rounds[3] = {0, 1, -1};
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    begin();
#define CURVES(s, x, y, n, path)                                                                   \
    alcore_plot_write_curves(ctx, s, NULL, NULL, x, y, n, in_folder(path), &options)
    ck_assert_int_eq(CURVES(series, x, broken, 3, "plot.svg"), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "observation 2"));
    ck_assert_int_eq(CURVES(none, x, x, 3, "plot.svg"), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "series 1"));
    ck_assert_int_eq(CURVES(series, NULL, x, 3, "plot.svg"), ALCORE_E_INVALID);
    ck_assert_int_eq(CURVES(series, x, x, -1, "plot.svg"), ALCORE_E_INVALID);
    ck_assert_int_eq(CURVES(series, x, x, 3, "plot.png"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), ".svg, .tsv or .csv"));
    ck_assert_int_eq(CURVES(series, x, x, 3, "missing/plot.svg"), ALCORE_E_IO);
    ck_assert_int_eq(CURVES(NULL, NULL, NULL, 0, "plot.svg"), ALCORE_OK); /* an empty frame */
    ck_assert_int_eq(CURVES(series, x, x, 1, "plot.svg"), ALCORE_OK);     /* one point */
    options.width = 99;
    ck_assert_int_eq(CURVES(series, x, x, 3, "plot.svg"), ALCORE_E_INVALID);
    options.width = 0;
    options.band = 3;
    ck_assert_int_eq(CURVES(series, x, x, 3, "plot.svg"), ALCORE_E_INVALID);
    options.band = 0;
    options.equal_scales = 2;
    ck_assert_int_eq(CURVES(series, x, x, 3, "plot.svg"), ALCORE_E_INVALID);
#undef CURVES
    ck_assert_int_eq(
        alcore_plot_write_points(ctx, series, NULL, rounds, x, x, 3, in_folder("plot.svg"), NULL),
        ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "point 2"));
    ck_assert_int_eq(
        alcore_plot_write_points(ctx, NULL, NULL, NULL, NULL, NULL, 0, in_folder("plot.svg"), NULL),
        ALCORE_OK);
    ck_assert_int_eq(alcore_plot_write_points(ctx, series, NULL, NULL, x, x, 3, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(
        alcore_plot_write_points(NULL, series, NULL, NULL, x, x, 3, in_folder("plot.svg"), NULL),
        ALCORE_E_INVALID);
    const char *const column = "H";
    const double *const no_numbers = NULL;
    options = (alcore_plot_options)ALCORE_PLOT_OPTIONS_INIT;
    options.column_names = &column;
    options.column_count = 1;
    for (int given = 0; given < 2; given++) {
        options.columns = given ? &no_numbers : NULL;
        ck_assert_int_eq(alcore_plot_write_points(ctx, series, NULL, NULL, x, x, 3,
                                                  in_folder("plot.tsv"), &options),
                         ALCORE_E_INVALID);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "a column or its name is NULL"));
    }
    char names[ALCORE_PLOT_SERIES_MAX + 1][8];
    const char *many[ALCORE_PLOT_SERIES_MAX + 1];
    double values[ALCORE_PLOT_SERIES_MAX + 1] = {0};
    for (int i = 0; i <= ALCORE_PLOT_SERIES_MAX; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        many[i] = names[i];
    }
    ck_assert_int_eq(alcore_plot_write_points(ctx, many, NULL, NULL, values, values,
                                              ALCORE_PLOT_SERIES_MAX, in_folder("plot.svg"), NULL),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_plot_write_points(ctx, many, NULL, NULL, values, values,
                                              ALCORE_PLOT_SERIES_MAX + 1, in_folder("plot.svg"),
                                              NULL),
                     ALCORE_E_UNSUPPORTED);
    end();
}
END_TEST

CHECK_SUITE("metric_plot", test_curves_golden, test_curves_table, test_points_golden,
            test_points_sampled, test_ticks, test_labels_apart, test_wrong_arguments);
