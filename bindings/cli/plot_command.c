/* SPDX-License-Identifier: Apache-2.0 */
/* alcore plot: learning curves and scatters from tables with named columns, and maps of selections
 * from a pool with its embeddings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "commands.h"
#include "inputs.h"
#include "text_output.h"

enum { FIRST_PICKS = 10, GROUPS = 4096, TERMS = 3 };

/* What the table of a scatter says of a pick beside x and y, where the files have these columns. */
static const char *const term_names[TERMS] = {"index", "H", "stratum"};

/* The observations of a plot, and the pools that their names are views of. */
typedef struct plot_run {
    const arguments *args;
    alcore_ctx *ctx;
    const char **series;   /* [count] */
    int64_t *rounds;       /* [count] */
    double *x, *y;         /* [count] */
    double *terms[TERMS];  /* [count] NaN where the file lacks the column */
    bool has_terms[TERMS]; /* a file has the column; never for plots that show none */
    bool reads_terms;      /* the plot is the table of a scatter */
    int64_t count, capacity;
    bool has_rounds;                 /* a file has the column "round" */
    const char *x_name, *y_name;     /* columns, which label the axes */
    alcore_pool *kept[MAX_OPERANDS]; /* pools of names */
    char *stems[MAX_OPERANDS];       /* names of files without folder and suffix */
    int kept_count;
    alcore_plot_options options;
} plot_run;

/* Appends an observation. terms [TERMS]; NULL: it has none. */
static int add_observation(plot_run *self, const char *series, int64_t round, double x, double y,
                           const double *terms) {
    if (self->count == self->capacity) {
        const size_t more = (size_t)self->capacity * 2 + 1024;
        const char **all = realloc(self->series, more * sizeof *all);
        if (all) self->series = all;
        int64_t *rounds = realloc(self->rounds, more * sizeof *rounds);
        if (rounds) self->rounds = rounds;
        double *xs = realloc(self->x, more * sizeof *xs);
        if (xs) self->x = xs;
        double *ys = realloc(self->y, more * sizeof *ys);
        if (ys) self->y = ys;
        bool grown = all && rounds && xs && ys;
        for (int t = 0; t < TERMS && grown; t++) {
            double *values = realloc(self->terms[t], more * sizeof *values);
            if (values) self->terms[t] = values;
            grown = values;
        }
        if (!grown) return complain(EXIT_MEMORY, "out of memory");
        self->capacity = (int64_t)more;
    }
    self->series[self->count] = series;
    self->rounds[self->count] = round;
    self->x[self->count] = x;
    self->y[self->count] = y;
    for (int t = 0; t < TERMS; t++) self->terms[t][self->count] = terms ? terms[t] : NAN;
    self->count++;
    return EXIT_DONE;
}

/* ---- columns of a table ---- */

/* One column of a file as a pool whose texts are its cells; *out is NULL for a column that the file
 * lacks, unless it is required. */
static int read_column(const plot_run *self, const char *path, const char *name, bool required,
                       alcore_pool **out) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    options.text_column = name;
    TRY(read_reading(self->args, &options));
    TRY(outcome(alcore_pool_new(self->ctx, &keep_all, out)));
    const alcore_status status = alcore_pool_read(*out, path, &options);
    if (status == ALCORE_OK) return EXIT_DONE;
    alcore_pool_unref(*out);
    *out = NULL;
    return required || status != ALCORE_E_DATA ? outcome(status) : EXIT_DONE;
}

/* A cell as a number; NaN for an empty one. Everything else is refused. */
static int cell_number(const char *path, const char *name, const alcore_pool *column, int64_t row,
                       double *out) {
    size_t length;
    const char *text = alcore_pool_text(column, row, &length);
    *out = NAN;
    if (length == 0 || part_number(text, length, out)) return EXIT_DONE;
    return complain(EXIT_DATA, "%s: column %s, entry %lld: a number is needed, got '%.40s'%s", path,
                    name, (long long)row + 1, text, alcore__number_fault(text, length));
}

/* The name of a file without its folder and its suffix, which the run keeps. */
static const char *keep_stem(plot_run *self, const char *path) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strchr(name, '.');
    char *stem = strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    self->stems[self->kept_count] = stem;
    return stem;
}

/* The columns of one file. x and y are its own, or those of values_path by the ids of the picks. */
typedef struct table_columns {
    const char *path, *values_path;
    alcore_pool *strategy, *round; /* either may be NULL */
    alcore_pool *ids;              /* column "id" of the picks; NULL: x and y have its rows */
    alcore_pool *x, *y;
    alcore_pool *terms[TERMS]; /* with the rows of x and y; NULL: the file lacks the column */
} table_columns;

/* terms: the file of x and y, NULL: the table has them. */
static int open_table(const plot_run *self, const char *path, const char *terms,
                      table_columns *out) {
    *out = (table_columns){.path = path, .values_path = terms ? terms : path};
    if (!strcmp(path, "-") || !strcmp(out->values_path, "-"))
        return complain(EXIT_USAGE, "the table cannot be '-': it is read once for each column");
    if (terms) TRY(read_column(self, path, "id", true, &out->ids));
    TRY(read_column(self, out->values_path, self->y_name, true, &out->y));
    TRY(read_column(self, out->values_path, self->x_name, true, &out->x));
    for (int t = 0; t < TERMS && self->reads_terms; t++)
        TRY(read_column(self, out->values_path, term_names[t], false, &out->terms[t]));
    TRY(read_column(self, path, "round", false, &out->round));
    return read_column(self, path, "strategy", false, &out->strategy);
}

static void close_table(table_columns *table) {
    alcore_pool_unref(table->round);
    alcore_pool_unref(table->ids);
    alcore_pool_unref(table->x);
    alcore_pool_unref(table->y);
    for (int t = 0; t < TERMS; t++) alcore_pool_unref(table->terms[t]);
    *table = (table_columns){0};
}

/* *x, *y and terms [TERMS]: the numbers of a row of the table; NaN for empty cells. */
static int row_numbers(const plot_run *self, const table_columns *table, int64_t row, double *x,
                       double *y, double *terms) {
    int64_t at = row; /* the row of x and y */
    if (table->ids) {
        size_t length;
        const char *id = alcore_pool_text(table->ids, row, &length);
        if (alcore_pool_find(table->y, id, length, &at) != ALCORE_OK)
            return complain(EXIT_DATA, "%s: entry %lld: %s has no row with the id '%.*s'",
                            table->path, (long long)row + 1, table->values_path, (int)length, id);
    }
    for (int t = 0; t < TERMS; t++) {
        terms[t] = NAN;
        if (table->terms[t])
            TRY(cell_number(table->values_path, term_names[t], table->terms[t], at, &terms[t]));
    }
    TRY(cell_number(table->values_path, self->x_name, table->x, at, x));
    return cell_number(table->values_path, self->y_name, table->y, at, y);
}

/* Picks that were counted, by strategy and round. */
typedef struct pick_groups {
    struct {
        const char *series;
        int64_t round, count;
    } groups[GROUPS];
    int used;
} pick_groups;

/* Counts a pick among those of its strategy and round; true while there are at most `most`. */
static bool among_first(pick_groups *all, const char *series, int64_t round, int64_t most) {
    for (int i = all->used; i-- > 0;)
        if (all->groups[i].round == round && !strcmp(all->groups[i].series, series))
            return ++all->groups[i].count <= most;
    if (all->used == GROUPS) return false;
    all->groups[all->used].series = series;
    all->groups[all->used].round = round;
    all->groups[all->used++].count = 1;
    return most > 0;
}

/* Adds the rows of one table. groups NULL: all rows; else the first `most` of each strategy and
 * round. Rows without x or y are left out. */
static int add_rows(plot_run *self, const table_columns *table, pick_groups *groups, int64_t most) {
    const char *stem = keep_stem(self, table->path);
    if (!stem) return complain(EXIT_MEMORY, "out of memory");
    self->has_rounds = self->has_rounds || table->round;
    for (int t = 0; t < TERMS; t++) self->has_terms[t] = self->has_terms[t] || table->terms[t];
    const int64_t rows = alcore_pool_row_count(table->ids ? table->ids : table->y);
    for (int64_t row = 0; row < rows; row++) {
        double x, y, round = 1, terms[TERMS];
        TRY(row_numbers(self, table, row, &x, &y, terms));
        if (table->round) TRY(cell_number(table->path, "round", table->round, row, &round));
        if (isnan(round) || round != floor(round) || fabs(round) > 1e9)
            return complain(EXIT_DATA, "%s: column round, entry %lld: an integer is needed",
                            table->path, (long long)row + 1);
        const char *series = table->strategy ? alcore_pool_text(table->strategy, row, NULL) : stem;
        if (isnan(x) || isnan(y)) continue;
        if (groups && !among_first(groups, series, (int64_t)round, most)) continue;
        TRY(add_observation(self, series, (int64_t)round, x, y, terms));
    }
    return EXIT_DONE;
}

/* The --terms of each table: *each says whether every table has one of its own, else the first is
 * that of all. An exit code. */
static int count_terms(const arguments *args, bool *each) {
    int given = 0;
    const int tables = args->operand_count - 1;
    while (option_repeat(args, OPTION_TERMS, given)) given++;
    *each = given > 1;
    if (given < 2 || given == tables) return EXIT_DONE;
    return complain(EXIT_USAGE, "--terms was given %d times for %d tables: once, or once for each",
                    given, tables);
}

/* Adds all tables of the command line. */
static int add_tables(plot_run *self, pick_groups *groups, int64_t most) {
    bool each;
    TRY(count_terms(self->args, &each));
    for (int i = 1; i < self->args->operand_count; i++) {
        table_columns table;
        int code = open_table(self, self->args->operands[i],
                              option_repeat(self->args, OPTION_TERMS, each ? i - 1 : 0), &table);
        if (code == EXIT_DONE) code = add_rows(self, &table, groups, most);
        self->kept[self->kept_count++] = table.strategy; /* its texts are names of series */
        close_table(&table);
        TRY(code);
    }
    return EXIT_DONE;
}

/* ---- the plots ---- */

/* Writes the plot with one of the functions of alcore/extra/plot.h. */
static int write_plot(plot_run *self, bool curves) {
    const char *path = option_value(self->args, OPTION_OUT, "-"), *names[TERMS];
    const double *columns[TERMS];
    self->options.column_names = names;
    self->options.columns = columns;
    for (int t = 0; t < TERMS; t++) {
        if (!self->has_terms[t]) continue;
        names[self->options.column_count] = term_names[t];
        columns[self->options.column_count++] = self->terms[t];
    }
    const int64_t *rounds = curves && !self->has_rounds ? NULL : self->rounds;
    return outcome((curves ? alcore_plot_write_curves : alcore_plot_write_points)(
        self->ctx, self->series, NULL, rounds, self->x, self->y, self->count, path,
        &self->options));
}

/* curves FILE...: columns strategy, seed, round and, by --x and --y, words and metric. */
static int plot_curves(plot_run *self) {
    TRY(option_enum(self->args, OPTION_BAND, "se|sd|none", ALCORE_BAND_SE, &self->options.band));
    self->x_name = option_value(self->args, OPTION_X, "words");
    self->y_name = option_value(self->args, OPTION_Y, "metric");
    TRY(add_tables(self, NULL, 0));
    self->options.x_label = self->x_name;
    self->options.y_label = self->y_name;
    return write_plot(self, true);
}

/* scatter FILE...: columns strategy, round and, by --x and --y, u and d, which --terms may have. */
static int plot_scatter(plot_run *self) {
    int64_t first = FIRST_PICKS;
    const char *out = option_value(self->args, OPTION_OUT, "-");
    const size_t length = strlen(out);
    pick_groups *groups = calloc(1, sizeof *groups);
    if (!groups) return complain(EXIT_MEMORY, "out of memory");
    self->reads_terms = length < 4 || strcmp(out + length - 4, ".svg") != 0;
    self->x_name = option_value(self->args, OPTION_X, "u");
    self->y_name = option_value(self->args, OPTION_Y, "d");
    int code = option_integer(self->args, OPTION_FIRST, 1, INT64_MAX, &first);
    if (code == EXIT_DONE) code = add_tables(self, groups, first);
    free(groups);
    TRY(code);
    self->options.x_label = strcmp(self->x_name, "u") ? self->x_name : "uncertainty u";
    self->options.y_label = strcmp(self->y_name, "d") ? self->y_name : "diversity d";
    return write_plot(self, false);
}

/* Makes the embeddings of a pool that has none. */
static int add_embeddings(const plot_run *self, const inputs *in, alcore_pool *pool) {
    alcore_model *model = NULL;
    if (!pool) return EXIT_DONE;
    const int code = inputs_embed(self->ctx, self->args, in, &model, pool);
    alcore_model_unref(model);
    return code;
}

/* Sets the round of the rows that each selection names: selection i is round i + 1. */
static int read_selections(const plot_run *self, const inputs *in, int64_t *rounds) {
    for (int i = 2; i < self->args->operand_count; i++) {
        int64_t *rows = NULL, count = 0;
        const int code = inputs_read_selection(self->ctx, self->args, in, self->args->operands[i],
                                               &rows, &count);
        for (int64_t n = 0; code == EXIT_DONE && n < count; n++) rounds[rows[n]] = i - 1;
        free(rows);
        TRY(code);
    }
    return EXIT_DONE;
}

/* Adds the points [count, 2] of one pool; those without a place, of masked rows, are left out.
 * rounds NULL: all are background. */
static int add_points(plot_run *self, const char *background, const double *points, int64_t count,
                      const int64_t *rounds) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t round = rounds ? rounds[i] : 0;
        if (isnan(points[2 * i])) continue;
        TRY(add_observation(self, round > 0 ? "picks" : background, round, points[2 * i],
                            points[2 * i + 1], NULL));
    }
    return EXIT_DONE;
}

/* Projects both pools and adds their points. points [rows, 2] and [target rows, 2]: workspace. */
static int add_map(plot_run *self, const inputs *in, double *points, double *target_points,
                   int64_t *rounds) {
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, others = ALCORE_SEARCH_DATA_INIT;
    int64_t shape[2] = {alcore_pool_row_count(in->candidates), 2};
    int64_t target_shape[2] = {in->target ? alcore_pool_row_count(in->target) : 0, 2};
    alcore_tensor out, target_out;
    rows.pool = in->candidates;
    others.pool = in->target;
    TRY(add_embeddings(self, in, in->candidates));
    TRY(add_embeddings(self, in, in->target));
    TRY(read_selections(self, in, rounds));
    TRY(outcome(alcore_tensor_init(&out, points, ALCORE_FLOAT64, shape, 2)));
    TRY(outcome(alcore_tensor_init(&target_out, target_points, ALCORE_FLOAT64, target_shape, 2)));
    TRY(outcome(alcore_analysis_compute_projection(self->ctx, &rows, in->target ? &others : NULL,
                                                   NULL, &out, in->target ? &target_out : NULL,
                                                   NULL, NULL)));
    TRY(add_points(self, "candidates", points, shape[0], rounds));
    return add_points(self, "target", target_points, target_shape[0], NULL);
}

/* map POOL SELECTION...: the pool on two principal components, with the picks by round. */
static int plot_map(plot_run *self) {
    arguments shifted = *self->args; /* POOL is the second operand */
    inputs in = {0};
    double *points = NULL, *target_points = NULL;
    int64_t *rounds = NULL;
    shifted.operands[0] = self->args->operands[1];
    int code = inputs_read(self->ctx, &shifted, &in);
    if (code == EXIT_DONE) {
        const size_t count = (size_t)alcore_pool_row_count(in.candidates) + 1;
        const size_t targets = in.target ? (size_t)alcore_pool_row_count(in.target) + 1 : 1;
        points = calloc(2 * count, sizeof *points);
        target_points = calloc(2 * targets, sizeof *target_points);
        rounds = calloc(count, sizeof *rounds);
        code = points && target_points && rounds ? add_map(self, &in, points, target_points, rounds)
                                                 : complain(EXIT_MEMORY, "out of memory");
    }
    free(points);
    free(target_points);
    free(rounds);
    inputs_release(&in);
    TRY(code);
    self->options.x_label = "component 1";
    self->options.y_label = "component 2";
    self->options.equal_scales = 1;
    return write_plot(self, false);
}

/* With --json: the kind, and how many observations of how many series it shows. */
static int print_counts(const plot_run *self) {
    const char **names = calloc((size_t)self->count + 1, sizeof *names); /* one of each series */
    int64_t series = 0;
    if (!names) return complain(EXIT_MEMORY, "out of memory");
    for (int64_t i = 0; i < self->count; i++) {
        int64_t known = 0;
        while (known < series && strcmp(names[known], self->series[i]) != 0) known++;
        if (known == series) names[series++] = self->series[i];
    }
    free(names);
    return print_json_object(json_pack("{s:s, s:s, s:I, s:I}", "version", alcore_version(), "plot",
                                       self->args->operands[0], "series", (json_int_t)series,
                                       "observations", (json_int_t)self->count));
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*plot)(plot_run *self);
    option_id options[5]; /* those of this kind only; ends with OPTION_TOTAL */
} kinds[] = {
    {"curves", plot_curves, {OPTION_X, OPTION_Y, OPTION_BAND, OPTION_TOTAL}},
    {"scatter", plot_scatter, {OPTION_X, OPTION_Y, OPTION_FIRST, OPTION_TERMS, OPTION_TOTAL}},
    {"map",
     plot_map,
     {OPTION_EMBEDDINGS, OPTION_TARGET, OPTION_TARGET_EMBEDDINGS, OPTION_MODEL, OPTION_TOTAL}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Whether a kind of plot has an option. */
static bool kind_has(int kind, option_id id) {
    for (int i = 0; i < 5 && kinds[kind].options[i] != OPTION_TOTAL; i++)
        if (kinds[kind].options[i] == id) return true;
    return false;
}

/* Finds the kind of the first operand and refuses options of the others; an exit code. */
static int find_kind(const arguments *args, int *out) {
    for (*out = 0; *out < KINDS && strcmp(kinds[*out].name, args->operands[0]) != 0; ++*out) {
    }
    if (*out == KINDS)
        return complain(EXIT_USAGE, "plot has no kind '%s': one of curves, scatter, map is needed",
                        args->operands[0]);
    for (int i = 0; i < args->given_count; i++)
        for (int k = 0; k < KINDS; k++)
            if (kind_has(k, args->given[i].id) && !kind_has(*out, args->given[i].id))
                return complain(EXIT_USAGE, "plot %s has no option '--%s'", args->operands[0],
                                option_table[args->given[i].id].name);
    return EXIT_DONE;
}

int command_plot(const arguments *args) {
    plot_run self = {.args = args, .options = ALCORE_PLOT_OPTIONS_INIT};
    int kind, code = find_kind(args, &kind);
    if (code == EXIT_DONE) code = option_suffix(args, OPTION_OUT, ".svg|.tsv|.csv");
    if (code == EXIT_DONE) code = json_needs_file(args, "plot");
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    self.options.title = option_value(args, OPTION_TITLE, NULL);
    if (code == EXIT_DONE) code = kinds[kind].plot(&self);
    terminal_clear();
    if (code == EXIT_DONE && option_given(args, OPTION_JSON)) code = print_counts(&self);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        alcore_pool_unref(self.kept[i]);
        free(self.stems[i]);
    }
    free(self.series);
    free(self.rounds);
    free(self.x);
    free(self.y);
    for (int t = 0; t < TERMS; t++) free(self.terms[t]);
    alcore_ctx_unref(self.ctx);
    return code;
}
