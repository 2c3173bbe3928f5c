/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a labeling plan (spec 7.10), a text file with a line for each configuration and round:
 *
 *     CONFIG <tab> ROUND <tab> LANGUAGE:ROWS,LANGUAGE:ROWS,...
 *
 * ROUND is a number from 1, or * for every round without a line of its own. Empty lines and lines
 * that begin with # say nothing. The file is small and is read to its end for each budget. */
#include "formats/plan_file.h"

#include <string.h>

#include "base/number.h"
#include "formats/line_reader.h"

typedef struct plan_search {
    alcore_ctx *ctx;
    const char *config;     /* the one that is looked for; "": the only one of the file */
    int64_t round;          /* from 1; 0: a line of "*" is the only one that is allowed */
    bool exact;             /* counts are of a line of the round itself, not of one of "*" */
    alcore__buffer only;    /* with config "": name of the configuration met first */
    alcore__buffer *counts; /* of the best line so far; empty: none yet */
    int64_t *line;          /* number of that line */
} plan_search;

/* Cuts a line into its three fields at the tabs; false: it has another number of them. */
static bool cut_fields(char *line, char *field[3]) {
    field[0] = line;
    for (int i = 1; i < 3; i++) {
        char *tab = strchr(field[i - 1], '\t');
        if (!tab) return false;
        *tab = '\0';
        field[i] = tab + 1;
    }
    return !strchr(field[2], '\t');
}

/* Sets *out to whether a line is of the configuration that is looked for. Where none was named, the
 * first line decides, and a line of another configuration is an error. */
static alcore_status match_config(plan_search *search, const alcore__line_reader *lines,
                                  const char *config, bool *out) {
    *out = strcmp(config, search->config) == 0;
    if (search->config[0] != '\0') return ALCORE_OK;
    *out = true;
    if (search->only.length == 0)
        return alcore__buffer_format(search->ctx, &search->only, "%s", config);
    if (strcmp(search->only.data, config) == 0) return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "the plan has the configurations %s and %s; name the one to follow",
                              search->only.data, config);
}

/* Reads one line, NUL-terminated, which it cuts, and keeps its counts where it is the best so far:
 * a line of the round itself before one of "*", and of equal ones the later. */
static alcore_status read_line(plan_search *search, const alcore__line_reader *lines, char *text) {
    char *field[3];
    int64_t round;
    bool matches;
    if (text[0] == '\0' || text[0] == '#') return ALCORE_OK;
    /* Another number of fields, no configuration, or the counts of several rounds. */
    if (!cut_fields(text, field) || field[0][0] == '\0' || strchr(field[2], ';'))
        return alcore__lines_fail(lines, "a line of a plan is a configuration, a round and counts, "
                                         "separated by tabs");
    const bool every = strcmp(field[1], "*") == 0;
    if (!every && (!alcore__parse_int(field[1], strlen(field[1]), &round) || round < 1))
        return alcore__lines_fail(lines, "\"%s\" is no round: a number from 1, or *", field[1]);
    ALCORE__TRY(match_config(search, lines, field[0], &matches));
    if (matches && !every && search->round == 0)
        return alcore__lines_fail(lines,
                                  "the line is of round %lld alone; a plan that is spread "
                                  "over rounds has one line, of round *",
                                  (long long)round);
    if (!matches || (!every && round != search->round) || (every && search->exact))
        return ALCORE_OK;
    search->exact = !every;
    *search->line = lines->line;
    search->counts->length = 0;
    return alcore__buffer_format(search->ctx, search->counts, "%s", field[2]);
}

/* Reads the file to its end, a buffer at a time: alcore__lines_fill() says whether there are more
 * bytes, alcore__lines_next() gives the next line of the buffer, NULL when it needs more. Lines are
 * copied, as they are not NUL-terminated. */
static alcore_status read_lines(plan_search *search, alcore__line_reader *lines) {
    for (bool more = true; more;) {
        ALCORE__TRY(alcore__lines_fill(lines, &more));
        while (more) {
            char *text, *line;
            size_t length;
            ALCORE__TRY(alcore__lines_next(lines, &text, &length));
            if (!text) break;
            line = alcore__strndup(search->ctx, text, length);
            if (!line) return alcore__fail_memory(length + 1);
            alcore_status status = read_line(search, lines, line);
            alcore__free(search->ctx, line);
            if (status != ALCORE_OK) return status;
        }
    }
    return ALCORE_OK;
}

/* Reads the whole plan, as a better line may come later; counts is empty before, and stays so where
 * the plan has no line for the round. */
alcore_status alcore__plan_file_find(alcore_ctx *ctx, const char *path, const char *config,
                                     int64_t round, alcore__buffer *counts, int64_t *line) {
    plan_search search = {
        .ctx = ctx, .config = config, .round = round, .counts = counts, .line = line};
    alcore__line_reader lines;
    ALCORE__TRY(alcore__lines_open(&lines, ctx, path, 0 /* the default limit of a line */));
    alcore_status status = read_lines(&search, &lines);
    alcore__lines_close(&lines);
    alcore__buffer_clear(ctx, &search.only);
    if (status != ALCORE_OK || counts->length > 0) return status;
    if (round == 0)
        return alcore__fail(ALCORE_E_NOT_FOUND,
                            "%s: the plan has no line for configuration \"%s\", round *", path,
                            config);
    return alcore__fail(ALCORE_E_NOT_FOUND,
                        "%s: the plan has no line for configuration \"%s\", round %lld", path,
                        config, (long long)round);
}
