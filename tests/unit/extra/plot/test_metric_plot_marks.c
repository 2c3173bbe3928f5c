/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/plot.h promises of a picture and its table: what series look like, bands,
 * scales, sizes, further columns, options that do not apply, and numbers at the end of the
 * range. */
#include "check_suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/plot.h"
#include "check_status.h"
#include "file_text.h"
#include "options_with.h"
#include "test_folder.h"
#include "text/utf8.h"

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_folder_make(folder, "marks");
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *text_of(const char *name) {
    return file_text(in_folder(name));
}

static int count_text(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* Two series of two rounds and two seeds, of which the second round has another x. */
enum { RUNS = 8 };
static const char *const series[RUNS] = {"a", "a", "a", "a", "b", "b", "b", "b"};
static const int64_t rounds[RUNS] = {1, 1, 2, 2, 1, 1, 2, 2};
static const double x[RUNS] = {10, 12, 20, 24, 10, 10, 20, 20}, y[RUNS] = {1, 3, 2, 6, 0, 0, 1, 1};

static alcore_status curves(const char *name, const alcore_plot_options *options) {
    return alcore_plot_write_curves(ctx, series, NULL, rounds, x, y, RUNS, in_folder(name),
                                    options);
}

static alcore_status points(const char *name, const alcore_plot_options *options) {
    return alcore_plot_write_points(ctx, series, NULL, rounds, x, y, RUNS, in_folder(name),
                                    options);
}

/* Lines of the table by its words; standard deviations of two numbers are |a - b| / sqrt(2). */
START_TEST(tables_have_a_line_for_each_point) {
    char expected[300];
    ck_assert_ok(curves("c.tsv", NULL));
    snprintf(expected, sizeof expected,
             "series\tround\tx\tn\tmean\tsd\tse\na\t1\t11\t2\t2\t%.17g\t1\na\t2\t22\t2\t4\t%.17g\t2"
             "\nb\t1\t10\t2\t0\t0\t0\nb\t2\t20\t2\t1\t0\t0\n",
             sqrt(2), sqrt(8));
    ck_assert_str_eq(text_of("c.tsv"), expected);
    /* Without rounds, equal x are one point, and the round is empty. */
    ck_assert_ok(
        alcore_plot_write_curves(ctx, series + 4, NULL, NULL, x + 4, y + 4, 4, path, NULL));
    ck_assert_str_eq(text_of("c.tsv"), "series\tround\tx\tn\tmean\tsd\tse\n"
                                       "b\t\t10\t2\t0\t0\t0\nb\t\t20\t2\t1\t0\t0\n");
    ck_assert_ok(curves("c.csv", NULL));
    ck_assert_ptr_nonnull(strstr(text_of("c.csv"), "series,round,x,n,mean,sd,se\r\na,1,11,2,2,"));
    const char *const names[] = {"row", "H"};
    const double row[RUNS] = {7, 6, 5, 4, 3, 2, 1, 0}, h[RUNS] = {0.5, NAN, 1};
    const double *const columns[] = {row, h};
    ck_assert_ok(points("p.tsv", OPTIONS_WITH(alcore_plot_options, .column_names = names,
                                              .columns = columns, .column_count = 2)));
    ck_assert_ptr_nonnull(strstr(text_of("p.tsv"),
                                 "series\tround\tx\ty\trow\tH\na\t1\t10\t1\t7\t0.5\n"
                                 "a\t1\t12\t3\t6\t\na\t2\t20\t2\t5\t1\n"));
    ck_assert_ok(alcore_plot_write_points(ctx, series, NULL, NULL, x, y, 1, path, NULL));
    ck_assert_str_eq(text_of("p.tsv"), "series\tround\tx\ty\na\t1\t10\t1\n");
    const size_t lengths[] = {1, 2};
    const char *const longer[] = {"ab", "ab"};
    ck_assert_ok(alcore_plot_write_points(ctx, longer, lengths, NULL, x, y, 2, path, NULL));
    ck_assert_str_eq(text_of("p.tsv"), "series\tround\tx\ty\na\t1\t10\t1\nab\t1\t12\t3\n");
}
END_TEST

/* The band of series a is drawn, as an area; it is the default, and that of a deviation is wider.
 * Seeds of series b agree, so it has none. */
START_TEST(bands_are_those_of_the_options) {
    static char se[1 << 16], by_default[1 << 16];
    ck_assert_ok(curves("b.svg", NULL));
    strcpy(by_default, text_of("b.svg"));
    ck_assert_ok(curves("b.svg", OPTIONS_WITH(alcore_plot_options, .band = ALCORE_BAND_SE)));
    strcpy(se, text_of("b.svg"));
    ck_assert_str_eq(se, by_default);
    ck_assert_int_eq(count_text(se, "fill-opacity"), 1);
    ck_assert_ok(curves("b.svg", OPTIONS_WITH(alcore_plot_options, .band = ALCORE_BAND_SD)));
    ck_assert_int_eq(count_text(text_of("b.svg"), "fill-opacity"), 1);
    ck_assert_str_ne(text_of("b.svg"), se);
    ck_assert_ok(curves("b.svg", OPTIONS_WITH(alcore_plot_options, .band = ALCORE_BAND_NONE)));
    ck_assert_int_eq(count_text(text_of("b.svg"), "fill-opacity"), 0);
}
END_TEST

/* Each of seven series has dashes and of eight a marker of its own. */
START_TEST(series_differ_without_color) {
    enum { SERIES = 7 };
    static const char *const names[SERIES] = {"a", "b", "c", "d", "e", "f", "g"};
    char seen[SERIES][40];
    ck_assert_ok(
        alcore_plot_write_curves(ctx, names, NULL, NULL, x, y, SERIES, in_folder("s.svg"), NULL));
    const char *at = text_of("s.svg");
    for (int i = 0; i < SERIES; i++) {
        at = strstr(at, "stroke-dasharray=\"");
        ck_assert_ptr_nonnull(at);
        at += strlen("stroke-dasharray=\"");
        snprintf(seen[i], sizeof seen[i], "%.*s", (int)strcspn(at, "\""), at);
        for (int k = 0; k < i; k++) ck_assert_str_ne(seen[i], seen[k]);
    }
    /* Of the markers only one is a circle: that of the first series, in the plot and the legend. */
    ck_assert_int_eq(count_text(text_of("s.svg"), "<circle"), 2);
}
END_TEST

/* Background is gray and small; picks are shaded by round, or colored where there is one. */
START_TEST(points_are_shaded_by_round) {
    static const char *const who[] = {"candidates", "huds", "huds", "huds"};
    static const int64_t when[] = {0, 1, 2, 3};
    ck_assert_ok(alcore_plot_write_points(ctx, who, NULL, when, x, y, 4, in_folder("r.svg"), NULL));
    const char *text = text_of("r.svg");
    ck_assert_int_eq(count_text(text, "r=\"1.6\" fill=\"#aaaaaa\""), 2); /* and in the legend */
    ck_assert_int_eq(count_text(text, "r=\"4.5\" fill=\"#282828\""), 2);
    ck_assert_int_eq(count_text(text, "r=\"4.5\" fill=\"#ebebeb\""), 1);
    ck_assert_ptr_nonnull(strstr(text, "rounds 1 to 3"));
    ck_assert_ok(alcore_plot_write_points(ctx, who, NULL, when, x, y, 2, path, NULL));
    text = text_of("r.svg");
    ck_assert_int_eq(count_text(text, "r=\"4.5\" fill=\"#000000\""), 2);
    ck_assert_ptr_null(strstr(text, "rounds 1 to"));
}
END_TEST

START_TEST(labels_sizes_and_scales) {
    ck_assert_ok(curves("l.svg", NULL));
    const char *text = text_of("l.svg");
    ck_assert_ptr_nonnull(strstr(text, ">x</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">y</text>"));
    ck_assert_ptr_null(strstr(text, "<title>"));
    ck_assert_ptr_nonnull(strstr(text, "width=\"480.0\" height=\"320.0\""));
    ck_assert_ok(
        curves("l.svg", OPTIONS_WITH(alcore_plot_options, .title = "T & T", .x_label = "words",
                                     .y_label = "BLEU", .width = 100, .height = 10000)));
    text = text_of("l.svg");
    ck_assert_ptr_nonnull(strstr(text, "<title>T &amp; T</title>"));
    ck_assert_ptr_nonnull(strstr(text, ">words</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">BLEU</text>"));
    ck_assert_ptr_nonnull(strstr(text, "width=\"100.0\" height=\"10000.0\""));
    static const struct {
        int32_t width, height;
    } wrong[] = {{99, 0}, {10001, 0}, {0, 99}, {0, 10001}, {-1, 0}, {0, -480}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_fails(curves("l.svg", OPTIONS_WITH(alcore_plot_options, .width = wrong[i].width,
                                                     .height = wrong[i].height)),
                        ALCORE_E_INVALID, "expected 100 to 10000");
    /* Of a square of one unit, drawn with equal scales in a frame of 200 x 100 pixels, the sides
     * are as long as each other. */
    static const char *const one[] = {"p", "p"};
    static const double corner[] = {0, 1};
    double at[2][2];
    ck_assert_ok(alcore_plot_write_points(
        ctx, one, NULL, NULL, corner, corner, 2, path,
        OPTIONS_WITH(alcore_plot_options, .equal_scales = 1, .width = 200, .height = 100)));
    const char *mark = text_of("l.svg");
    for (int i = 0; i < 2; i++) {
        mark = strstr(mark, "<circle") + 1;
        ck_assert_int_eq(sscanf(mark, "circle cx=\"%lf\" cy=\"%lf\"", &at[i][0], &at[i][1]), 2);
    }
    ck_assert_double_gt(at[1][0], at[0][0]);
    ck_assert_double_eq_tol(at[1][0] - at[0][0], at[0][1] - at[1][1], 0.25);
}
END_TEST

START_TEST(options_that_do_not_apply_are_refused) {
    static const int32_t bands[] = {ALCORE_BAND_SE, ALCORE_BAND_SD, ALCORE_BAND_NONE};
    const char *const name = "H";
    const double *const column = x;
    for (int i = 0; i < 3; i++)
        ck_assert_fails(points("p.svg", OPTIONS_WITH(alcore_plot_options, .band = bands[i])),
                        ALCORE_E_INVALID, "only curves have bands");
    ck_assert_fails(curves("p.svg", OPTIONS_WITH(alcore_plot_options, .column_names = &name,
                                                 .columns = &column, .column_count = 1)),
                    ALCORE_E_INVALID, "only points have further columns");
    ck_assert_fails(points("p.svg", OPTIONS_WITH(alcore_plot_options, .column_count = -1)),
                    ALCORE_E_INVALID, "column_count is negative");
    ck_assert_int_eq(curves("p.svg", &(const alcore_plot_options){0}), ALCORE_E_STRUCT_UNSET);
    ck_assert_fails(points("p", NULL), ALCORE_E_UNSUPPORTED, ".svg, .tsv or .csv");
    ck_assert_fails(points("p.svg.gz", NULL), ALCORE_E_UNSUPPORTED, "p.svg.gz");
    ck_assert_int_eq(access(in_folder("p.svg"), F_OK), -1);
    /* A call that fails leaves the file that was there. */
    ck_assert_ok(curves("kept.svg", NULL));
    const double broken[RUNS] = {0, 0, 0, NAN};
    ck_assert_int_eq(alcore_plot_write_curves(ctx, series, NULL, rounds, x, broken, RUNS,
                                              in_folder("kept.svg"), NULL),
                     ALCORE_E_DATA);
    ck_assert_int_gt((int)strlen(text_of("kept.svg")), 1000);
}
END_TEST

/* Numbers from -1e300 to 1e300 are drawn at finite places, beyond that they are named. */
START_TEST(extreme_numbers) {
    static const double ends[][2] = {
        {-1e300, 1e300}, {1e300, 1e300}, {-1e-300, 1e-300}, {0, 5e-324}};
    static const char *const one[] = {"p", "p"};
    static const double beyond[] = {0, 1.1e300}, none[] = {NAN, 0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int32_t equal = 0; equal < 2; equal++) {
            ck_assert_ok(alcore_plot_write_points(
                ctx, one, NULL, NULL, ends[i], ends[i], 2, in_folder("e.svg"),
                OPTIONS_WITH(alcore_plot_options, .equal_scales = equal)));
            ck_assert_ptr_null(strstr(text_of("e.svg"), "nan"));
            ck_assert_ptr_null(strstr(text_of("e.svg"), "inf"));
        }
    ck_assert_fails(alcore_plot_write_points(ctx, one, NULL, NULL, beyond, beyond, 2, path, NULL),
                    ALCORE_E_DATA, "observation 1 has x 1.1e+300");
    ck_assert_fails(alcore_plot_write_points(ctx, one, NULL, NULL, none, none, 2, path, NULL),
                    ALCORE_E_DATA, "observation 0");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "from -1e+300 to 1e+300"));
}
END_TEST

/* What is no UTF-8, or no text of XML, is replaced in a picture. */
START_TEST(names_that_are_no_text) {
    static const char *const names[] = {"\xFF\x01", "<b>"};
    ck_assert_ok(
        alcore_plot_write_curves(ctx, names, NULL, NULL, x, y, 2, in_folder("n.svg"), NULL));
    const char *text = text_of("n.svg");
    ck_assert_uint_eq(alcore__utf8_check(text, strlen(text)), strlen(text));
    ck_assert_ptr_null(strchr(text, '\x01'));
    ck_assert_ptr_nonnull(strstr(text, "&lt;b&gt;</text>"));
}
END_TEST

CHECK_SUITE_WITH("metric_plot_marks", setup, teardown, tables_have_a_line_for_each_point,
                 bands_are_those_of_the_options, series_differ_without_color,
                 points_are_shaded_by_round, labels_sizes_and_scales,
                 options_that_do_not_apply_are_refused, extreme_numbers, names_that_are_no_text);
