/* SPDX-License-Identifier: Apache-2.0 */
/* Records of tables, TSV and CSV (docs/formats.md): the first line names the columns, and each
 * other one has as many fields. How backslashes of a TSV are read, table_origin.h says. A line is
 * cut and decoded in place, so the record's values are views of it. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/record_format.h"
#include "formats/table_origin.h"

/* What both formats know of a file. */
typedef struct table_state {
    int32_t *roles;  /* [columns] ALCORE__ROLE_... of each column; set by the header */
    size_t capacity; /* entries roles has memory for */
    size_t columns;  /* 0 before the header was read */
    alcore__fields fields;
    alcore__decoding decoding;
} table_state;

/* The column that has a role so far, while the header is read. */
typedef struct winner {
    size_t column;
    int32_t rank; /* of its name, alcore__record_role(); 0: no column yet */
} winner;

/* What a first line without the column that is needed most likely lacks, as the end of a
 * message. */
static const char *header_hint(const alcore__line_reader *lines, const alcore__fields *names) {
    if (lines->quoting)
        return names->count > 1 ? ""
                                : "; a comma, a semicolon or a TAB separates columns, or what a "
                                  "line such as sep=| before the first one names";
    const alcore__field *name = &names->items[0];
    return name->length > 1 && name->text[0] == '"' && name->text[name->length - 1] == '"'
               ? "; a table with quotes is read with the format csv"
               : "";
}

/* The error for a header without the column that an option asks for, or NULL: without one of texts.
 */
static alcore_status no_column(const alcore__line_reader *lines, const char *option,
                               const char *requested, const alcore__fields *names) {
    char list[200];
    const char *hint = header_hint(lines, names);
    alcore__fields_list(names, list);
    if (requested)
        return alcore__fail_remedy(
            alcore__lines_fail(lines, "no column is called \"%s\"; the first line names %s%s",
                               requested, list, hint),
            ALCORE_REMEDY_OPTION, option, "NAME", "names another");
    return alcore__fail_remedy(
        alcore__lines_fail(
            lines,
            "the first line must name the columns, one of them text, source or src; it has %s%s",
            list, hint),
        ALCORE_REMEDY_OPTION, "text_column", "NAME", "names the column of the texts");
}

/* The role of a column. Spreadsheets have "Text" and "ID": where a name as it stands has no role,
 * that of its small letters counts, behind exact names. */
static int32_t column_role(const alcore_read_options *options, const alcore__field *name,
                           int32_t *out_rank) {
    enum { MOST = 16, BEHIND = 10 };
    char small[MOST];
    const int32_t role = alcore__record_role(options, name->text, name->length, out_rank);
    if (role != ALCORE__ROLE_NONE || name->length > MOST) return role;
    for (size_t i = 0; i < name->length; i++) {
        const char c = name->text[i];
        small[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    const int32_t found = alcore__record_role(options, small, name->length, out_rank);
    *out_rank += BEHIND;
    return found;
}

/* Reads the names of the columns into state->roles. Of several columns with one role the name of
 * the smallest rank wins, and the others get no role; equal ranks are the same name twice, an
 * error. */
static alcore_status read_header(table_state *state, const alcore_read_options *options,
                                 const alcore__line_reader *lines) {
    winner winners[ALCORE__ROLES] = {{0, 0}};
    const alcore__fields *names = &state->fields;
    ALCORE__TRY(alcore__grow(lines->ctx, &state->roles, &state->capacity, names->count,
                             sizeof *state->roles));
    for (size_t i = 0; i < names->count; i++) {
        const alcore__field *name = &names->items[i];
        int32_t rank, role = column_role(options, name, &rank);
        winner *role_winner = &winners[role];
        state->roles[i] = ALCORE__ROLE_NONE;
        if (role == ALCORE__ROLE_NONE) continue;
        if (role_winner->rank == rank)
            return alcore__lines_fail(lines, "two columns are called \"%.*s\"", (int)name->length,
                                      name->text);
        if (role_winner->rank > 0 && rank > role_winner->rank) continue;
        if (role_winner->rank > 0) state->roles[role_winner->column] = ALCORE__ROLE_NONE;
        *role_winner = (winner){i, rank};
        state->roles[i] = role;
    }
    const char *reference = options ? options->reference_column : NULL;
    if (winners[ALCORE__ROLE_TEXT].rank == 0)
        return no_column(lines, "text_column", options ? options->text_column : NULL, names);
    if (reference && winners[ALCORE__ROLE_REFERENCE].rank == 0)
        return no_column(lines, "reference_column", reference, names);
    state->columns = names->count;
    return ALCORE_OK;
}

/* Whether the fields of a line are as many as the header's. */
static alcore_status check_count(const table_state *state, const alcore__line_reader *lines) {
    if (state->fields.count == state->columns) return ALCORE_OK;
    const size_t kept = state->fields.count < state->columns ? state->fields.count : state->columns;
    bool quoted = false;
    for (size_t i = 0; i < kept && state->decoding.foreign; i++)
        quoted |= state->fields.items[i].length > 0 && state->fields.items[i].text[0] == '"';
    return alcore__lines_fail(lines, "%zu columns, the header has %zu%s", state->fields.count,
                              state->columns,
                              quoted ? "; a field begins with a quote: tables with quotes are read "
                                       "with the format csv"
                                     : "");
}

/* in_header of both formats. */
static bool in_header(const void *data) {
    const table_state *state = data;
    return state->columns == 0;
}

/* The value of ALCORE_ESCAPES_* among the options, which may be NULL. */
static int32_t escapes_of(const alcore_read_options *options) {
    return options ? options->escapes : 0;
}

/* Sets the members of a record from the fields of a line. */
static alcore_status set_record(table_state *state, const alcore__line_reader *lines,
                                alcore__record *record) {
    ALCORE__TRY(check_count(state, lines));
    for (size_t i = 0; i < state->columns; i++) {
        alcore__field *field = &state->fields.items[i];
        if (state->roles[i] == ALCORE__ROLE_NONE) continue;
        ALCORE__TRY(alcore__decode_field(&state->decoding, lines, i, field));
        ALCORE__TRY(alcore__record_set(record, state->roles[i], field->text, field->length, lines));
    }
    return ALCORE_OK;
}

/* After the last line: a file without a header is an error. */
static alcore_status check_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    const table_state *state = data;
    (void)record, (void)out_skip;
    alcore__decoding_report(&state->decoding, lines);
    if (state->columns > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s is empty: a table begins with a line that names its columns",
                        lines->path);
}

static void clear(void *data, alcore_ctx *ctx) {
    table_state *state = data;
    alcore__free(ctx, state->roles);
    alcore__fields_clear(&state->fields, ctx);
}

/* ---- TSV ---- */

/* line of TSV: the first one is the header. */
static alcore_status read_tsv_line(void *data, const alcore_read_options *options,
                                   const alcore__line_reader *lines, char *text, size_t length,
                                   alcore__record *record, bool *out_skip) {
    table_state *state = data;
    ALCORE__TRY(alcore__fields_of_tsv(lines, text, length, state->columns, &state->fields));
    *out_skip = state->columns == 0;
    if (!*out_skip) return set_record(state, lines, record);
    state->decoding = alcore__decoding_of_tsv(&state->fields, escapes_of(options));
    return read_header(state, options, lines);
}

const alcore__record_format alcore__tsv_format = {.name = "tsv",
                                                  .in_header = in_header,
                                                  .state_bytes = sizeof(table_state),
                                                  .line = read_tsv_line,
                                                  .end = check_end,
                                                  .clear = clear};

/* ---- CSV ---- */

/* alcore__fields_fit: whether a first line has a column of texts. user: the options. */
static bool has_text(const void *user, const alcore__fields *names) {
    for (size_t i = 0; i < names->count; i++) {
        int32_t rank;
        if (column_role(user, &names->items[i], &rank) == ALCORE__ROLE_TEXT) return true;
    }
    return false;
}

/* line of CSV: the header may have a line sep=; before it. An empty line is no record, unless the
 * table has one column, where spreadsheets write an empty cell so. */
static alcore_status read_csv_line(void *data, const alcore_read_options *options,
                                   const alcore__line_reader *lines, char *text, size_t length,
                                   alcore__record *record, bool *out_skip) {
    table_state *state = data;
    *out_skip = length == 0 && state->columns > 1;
    if (lines->quoting->delimiter == 0)
        ALCORE__TRY(alcore__csv_find_delimiter(lines, text, length, has_text, options,
                                               &state->fields, out_skip));
    if (*out_skip) return ALCORE_OK;
    ALCORE__TRY(alcore__fields_of_csv(lines, text, length, state->columns, &state->fields));
    *out_skip = state->columns == 0;
    if (!*out_skip) return set_record(state, lines, record);
    state->decoding.decode = escapes_of(options) == ALCORE_ESCAPES_ON;
    state->decoding.columns = SIZE_MAX;
    state->decoding.csv = true;
    return read_header(state, options, lines);
}

const alcore__record_format alcore__csv_format = {.name = "csv",
                                                  .in_header = in_header,
                                                  .quoted = true,
                                                  .state_bytes = sizeof(table_state),
                                                  .line = read_csv_line,
                                                  .end = check_end,
                                                  .clear = clear};
