/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a training set: a table with the origin of each pair, and two parallel texts for the
 * trainers of translation models (alcore/extra/mix.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "extra/mix/mix_internal.h"
#include "formats/json_text.h"
#include "formats/table_writer.h"

enum { POLL_PAIRS = 1024 }; /* pairs between two polls of cancellation */

/* Writes the columns that the pair has to out, "labeled_row=3 pool_row=7 score=-8.25". */
static alcore_status put_origin(alcore_ctx *ctx, const alcore__mix_pair *pair,
                                alcore__buffer *out) {
    char digits[32];
    const char *lead = "";
    out->length = 0;
    ALCORE__TRY(alcore__buffer_reserve(ctx, out, 1)); /* so that an empty one has a text too */
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++) {
        if (pair->numbers[c] < 0) continue;
        ALCORE__TRY(alcore__buffer_format(ctx, out, "%s%s=%" PRId64, lead,
                                          alcore_mix_builtin_column_name(c), pair->numbers[c]));
        lead = " ";
    }
    if (isnan(pair->score)) return ALCORE_OK;
    alcore__print_double(pair->score, digits);
    return alcore__buffer_format(ctx, out, "%sscore=%s", lead, digits);
}

/* A pair as a line of TSV or CSV; origin: workspace. */
static alcore_status put_cells(const alcore__mix_pair *pair, alcore__buffer *origin,
                               alcore__table *table) {
    ALCORE__TRY(put_origin(table->ctx, pair, origin));
    ALCORE__TRY(alcore__table_put_string(table, alcore__mix_kind_name(pair->kind)));
    ALCORE__TRY(alcore__table_put_text(table, pair->source, pair->source_length));
    ALCORE__TRY(alcore__table_put_text(table, pair->target, pair->target_length));
    ALCORE__TRY(alcore__table_put_text(table, origin->data, origin->length));
    return alcore__table_end_line(table);
}

/* A pair as a line of JSONL. The JSON is appended to the table's own buffer. */
static alcore_status put_object(const alcore__mix_pair *pair, alcore__table *table) {
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "kind", alcore__mix_kind_name(pair->kind));
    alcore__json_put_text(&json, "src", pair->source, pair->source_length);
    alcore__json_put_text(&json, "tgt", pair->target, pair->target_length);
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++)
        if (pair->numbers[c] >= 0)
            alcore__json_put_integer(&json, alcore_mix_builtin_column_name(c), pair->numbers[c]);
    if (!isnan(pair->score)) alcore__json_put_number(&json, "score", pair->score);
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes the header, if the format has one, and all pairs; plain text has the sources only. */
static alcore_status put_pairs(const alcore_mix *mix, alcore__buffer *origin,
                               alcore__table *table) {
    static const char *const names[] = {"kind", "src", "tgt", "provenance"};
    const bool cells = alcore__table_has_cells(table);
    for (size_t i = 0; cells && i < sizeof names / sizeof *names; i++)
        ALCORE__TRY(alcore__table_put_string(table, names[i]));
    if (cells) ALCORE__TRY(alcore__table_end_line(table));
    for (int64_t i = 0; i < mix->count; i++) {
        const alcore__mix_pair *pair = &mix->pairs[i];
        if (i % POLL_PAIRS == 0) ALCORE__TRY(alcore__tick(table->ctx, "writing", i, mix->count));
        ALCORE__TRY(cells ? put_cells(pair, origin, table)
                    : table->format == ALCORE_FORMAT_JSONL
                        ? put_object(pair, table)
                        : alcore__table_put_plain_line(table, pair->source, pair->source_length));
    }
    return ALCORE_OK;
}

/* Writes the table; the file appears only if all of it could be written. */
static alcore_status write_pairs(const alcore_mix *mix, const char *path,
                                 const alcore_write_options *options) {
    alcore_ctx *ctx = mix->object.ctx;
    alcore__buffer origin = {0};
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, ctx, "a training set", path, options));
    const alcore_status status = alcore__table_close(&table, put_pairs(mix, &origin, &table));
    alcore__buffer_clear(ctx, &origin);
    return status;
}

alcore_status alcore_mix_write(const alcore_mix *mix, const char *path,
                               const alcore_write_options *options) {
    if (!mix || !path)
        return alcore__fail(ALCORE_E_INVALID, "alcore_mix_write: mix and path are needed");
    ALCORE__TRY(alcore__enter(mix->object.ctx));
    return alcore__leave(mix->object.ctx, write_pairs(mix, path, options));
}

/* ---- parallel texts ---- */

enum { SIDES = 2 }; /* 0: sources, 1: targets */

/* Opens prefix.src or prefix.tgt. path: workspace. */
static alcore_status open_side(alcore_ctx *ctx, const char *prefix, int side, alcore__buffer *path,
                               alcore__table *out) {
    alcore_write_options plain = ALCORE_WRITE_OPTIONS_INIT;
    plain.format = ALCORE_FORMAT_TEXT;
    path->length = 0;
    ALCORE__TRY(alcore__buffer_format(ctx, path, "%s.%s", prefix, side == 0 ? "src" : "tgt"));
    return alcore__table_open(out, ctx, "a parallel text", path->data, &plain);
}

/* Writes a line of each pair to both tables [SIDES]. */
static alcore_status put_lines(const alcore_mix *mix, alcore__table *tables) {
    for (int64_t i = 0; i < mix->count; i++) {
        const alcore__mix_pair *pair = &mix->pairs[i];
        if (i % POLL_PAIRS == 0)
            ALCORE__TRY(alcore__tick(mix->object.ctx, "writing", i, mix->count));
        ALCORE__TRY(alcore__table_put_plain_line(&tables[0], pair->source, pair->source_length));
        ALCORE__TRY(alcore__table_put_plain_line(&tables[1], pair->target, pair->target_length));
    }
    return ALCORE_OK;
}

/* Writes both files, of which both appear or neither. */
static alcore_status write_parallel(const alcore_mix *mix, const char *prefix) {
    alcore_ctx *ctx = mix->object.ctx;
    alcore__buffer path[SIDES] = {{0}};
    alcore__table tables[SIDES];
    int open = 0;
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && open < SIDES) {
        status = open_side(ctx, prefix, open, &path[open], &tables[open]);
        if (status == ALCORE_OK) open++;
    }
    if (status == ALCORE_OK) status = put_lines(mix, tables);
    if (open == SIDES)
        status = alcore__table_close_both(&tables[0], &tables[1], status);
    else if (open > 0)
        status = alcore__table_close(&tables[0], status);
    for (int side = 0; side < SIDES; side++) alcore__buffer_clear(ctx, &path[side]);
    return status;
}

alcore_status alcore_mix_write_parallel(const alcore_mix *mix, const char *prefix) {
    if (!mix || !prefix)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_mix_write_parallel: mix and prefix are needed");
    ALCORE__TRY(alcore__enter(mix->object.ctx));
    return alcore__leave(mix->object.ctx, write_parallel(mix, prefix));
}
