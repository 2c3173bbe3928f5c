/* SPDX-License-Identifier: Apache-2.0 */
/* Tab-separated records (docs/formats.md): a header line names the columns; no quoting; \t, \n and
 * \\ stand for TAB, newline and backslash. Each line is cut at its TABs in place, so the record's
 * values are views of it. */
#include <string.h>

#include "alcore/remedy.h"
#include "formats/escape.h"
#include "formats/record_format.h"

typedef struct tsv_state {
    int32_t *roles;  /* [columns] ALCORE__ROLE_... of each column; set by the header */
    size_t capacity; /* entries roles has memory for */
    size_t columns;  /* 0 before the header was read */
} tsv_state;

/* The column that has a role so far, while the header is read. */
typedef struct winner {
    size_t column;
    int32_t rank; /* of its name, alcore__record_role(); 0: no column yet */
} winner;

/* The error for a header without the column that was asked for, or NULL: without one of texts. */
static alcore_status no_column(const alcore__line_reader *lines, const char *requested,
                               const char *header, size_t length) {
    int shown = (int)(length < 200 ? length : 200);
    if (requested)
        return alcore__lines_fail(lines, "no column is called \"%s\"; the header line is \"%.*s\"",
                                  requested, shown, header);
    return alcore__fail_remedy(
        alcore__lines_fail(
            lines,
            "the first line must name the columns, one of them text, source or src; it is \"%.*s\"",
            shown, header),
        ALCORE_REMEDY_OPTION, "text_column", "NAME", "names the column of the texts");
}

/* Reads the names of the columns into state->roles. Of several columns with one role the name of
 * the smallest rank wins, and the others get no role; equal ranks are the same name twice, an
 * error. */
static alcore_status read_header(tsv_state *state, const alcore_read_options *options,
                                 const alcore__line_reader *lines, const char *header,
                                 size_t length) {
    winner winners[ALCORE__ROLES] = {{0, 0}};
    const char *next = header, *end = header + length;
    for (bool more = true; more;) {
        const char *tab = memchr(next, '\t', (size_t)(end - next));
        const char *stop = tab ? tab : end;
        ALCORE__TRY(alcore__grow(lines->ctx, &state->roles, &state->capacity, state->columns + 1,
                                 sizeof *state->roles));
        int32_t rank, role = alcore__record_role(options, next, (size_t)(stop - next), &rank);
        winner *role_winner = &winners[role];
        state->roles[state->columns] = ALCORE__ROLE_NONE;
        if (role != ALCORE__ROLE_NONE && role_winner->rank == rank)
            return alcore__lines_fail(lines, "two columns are called \"%.*s\"", (int)(stop - next),
                                      next);
        if (role != ALCORE__ROLE_NONE && (role_winner->rank == 0 || rank < role_winner->rank)) {
            if (role_winner->rank > 0) state->roles[role_winner->column] = ALCORE__ROLE_NONE;
            *role_winner = (winner){state->columns, rank};
            state->roles[state->columns] = role;
        }
        state->columns++;
        more = tab;
        next = stop + 1;
    }
    const char *reference = options ? options->reference_column : NULL;
    if (winners[ALCORE__ROLE_TEXT].rank == 0)
        return no_column(lines, options ? options->text_column : NULL, header, length);
    if (reference && winners[ALCORE__ROLE_REFERENCE].rank == 0)
        return no_column(lines, reference, header, length);
    return ALCORE_OK;
}

static size_t count_tabs(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += text[i] == '\t';
    return count;
}

/* Reads the header from the first line, and each other line as a record with as many fields as the
 * header has. A text with fewer or more fields is an error that names both numbers. */
static alcore_status read_line(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    tsv_state *state = data;
    if (state->columns == 0) {
        *out_skip = true;
        return read_header(state, options, lines, text, length);
    }
    char *next = text, *end = text + length;
    size_t column = 0;
    for (bool more = true; more && column < state->columns; column++) {
        char *tab = memchr(next, '\t', (size_t)(end - next));
        char *stop = tab ? tab : end;
        if (state->roles[column] != ALCORE__ROLE_NONE) {
            size_t bytes = alcore__tsv_unescape(next, (size_t)(stop - next));
            ALCORE__TRY(alcore__record_set(record, state->roles[column], next, bytes, lines));
        }
        more = tab;
        next = stop + 1;
    }
    /* After the last field of the line, next is end + 1; otherwise it is behind a TAB, and the line
     * has more fields than the header. */
    if (column == state->columns && next > end) return ALCORE_OK;
    size_t extra = next <= end ? 1 + count_tabs(next, (size_t)(end - next)) : 0;
    return alcore__lines_fail(lines, "%zu columns, the header has %zu", column + extra,
                              state->columns);
}

/* After the last line: a file without a header is an error. */
static alcore_status check_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    const tsv_state *state = data;
    (void)record, (void)out_skip;
    if (state->columns > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s is empty: a .tsv begins with a line that names its columns",
                        lines->path);
}

static void clear(void *data, alcore_ctx *ctx) {
    tsv_state *state = data;
    alcore__free(ctx, state->roles);
}

const alcore__record_format alcore__tsv_format = {.name = "tsv",
                                                  .has_header = true,
                                                  .state_bytes = sizeof(tsv_state),
                                                  .line = read_line,
                                                  .end = check_end,
                                                  .clear = clear};
