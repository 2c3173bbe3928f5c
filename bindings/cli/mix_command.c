/* SPDX-License-Identifier: Apache-2.0 */
/* alcore mix: writes the training set of a round: what was selected and answered, and pairs that
 * are made of labeled data. */
#include <stdlib.h>
#include <string.h>

#include "annotating.h"
#include "commands.h"
#include "inputs.h"
#include "mix_options.h"
#include "text_output.h"
#include "tool_options.h"

/* What a training set is made of; NULL where nothing was named. */
typedef struct mixing {
    const arguments *args;
    alcore_ctx *ctx;
    alcore_pool *labeled, *pool;
    alcore_annotations *annotations;
    alcore_lm *lm;
    alcore_links *links;
    alcore_model *model;
    alcore_mix_options options;
    alcore_tool_options tool; /* of --answers */
    char *span;               /* of -p span=..., owned */
} mixing;

/* The options that need no file. */
static int read_settings(mixing *self) {
    int64_t seed = 0;
    self->options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    self->options.kind = option_value(self->args, OPTION_KIND, "none");
    self->options.device = option_value(self->args, OPTION_DEVICE, NULL);
    TRY(option_integer(self->args, OPTION_ROUND, 1, INT64_MAX, &self->options.round));
    TRY(option_integer(self->args, OPTION_SEED, 0, INT64_MAX, &seed));
    self->options.seed = (uint64_t)seed;
    return mix_read_parameters(self->args, &self->options, &self->span);
}

/* Refuses what only other kinds of pairs read than those of --kind, which may be several with "+"
 * between them. */
static int check_kinds(const arguments *args) {
    static const struct {
        option_id id;
        const char *kinds; /* one of them reads it */
    } readers[] = {{OPTION_EMBEDDINGS, "retrieved contextualized switched"},
                   {OPTION_LABELED_EMBEDDINGS, "retrieved contextualized switched"},
                   {OPTION_LM, "contextualized switched"},
                   {OPTION_LINKS, "switched"}};
    const char *made = option_value(args, OPTION_KIND, "none");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        bool read = false;
        for (const char *word = readers[i].kinds; *word; word += strspn(word, " ")) {
            char kind[24];
            const size_t length = strcspn(word, " ");
            snprintf(kind, sizeof kind, "%.*s", (int)length, word);
            read |= strstr(made, kind) != NULL;
            word += length;
        }
        if (option_given(args, readers[i].id) && !read)
            return complain(EXIT_USAGE, "--%s is not read by --kind %s, but by %s",
                            option_table[readers[i].id].name, made, readers[i].kinds);
    }
    return EXIT_DONE;
}

/* Reads the ready columns, the language model and the links. */
static int read_parts(mixing *self) {
    const arguments *args = self->args;
    const char *path;
    TRY(check_kinds(args));
    if ((path = option_value(args, OPTION_EMBEDDINGS, NULL))) {
        if (!self->pool) return complain(EXIT_USAGE, "--embeddings needs --pool");
        TRY(outcome(alcore_pool_read_column(self->pool, "embeddings", path, NULL)));
    }
    if ((path = option_value(args, OPTION_LABELED_EMBEDDINGS, NULL))) {
        if (!self->labeled) return complain(EXIT_USAGE, "--labeled-embeddings needs --labeled");
        TRY(outcome(alcore_pool_read_column(self->labeled, "embeddings", path, NULL)));
    }
    if ((path = option_value(args, OPTION_LM, NULL)))
        TRY(outcome(alcore_lm_open_arpa(self->ctx, path, &self->lm)));
    if ((path = option_value(args, OPTION_LINKS, NULL))) {
        if (!self->labeled) return complain(EXIT_USAGE, "--links needs --labeled");
        TRY(outcome(alcore_links_open(self->ctx, path, alcore_pool_row_count(self->labeled),
                                      &self->links)));
    }
    TRY(option_once(args, OPTION_MODEL));
    if ((path = option_value(args, OPTION_MODEL, NULL)) && strcmp(path, "ngram") != 0)
        TRY(outcome(alcore_model_open(self->ctx, path, NULL, &self->model)));
    self->options.lm = self->lm;
    self->options.links = self->links;
    self->options.model = self->model;
    return EXIT_DONE;
}

/* Reads the answers of a file, and says what it had. */
static int read_answers(mixing *self, const char *path) {
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    const char *tool = option_value(self->args, OPTION_TOOL, NULL);
    TRY(outcome(tool ? alcore_tool_read_answers(self->annotations, tool, path, &self->tool)
                     : alcore_annotations_read_answers(self->annotations, path)));
    TRY(outcome(alcore_annotations_answer_report(self->annotations, &report)));
    if (option_given(self->args, OPTION_QUIET)) return EXIT_DONE;
    const struct {
        int64_t count;
        const char *what;
    } parts[] = {{report.corrected, "corrected"},
                 {report.unanswered, "unanswered"},
                 {report.skipped, "skipped"},
                 {report.rejected, "rejected"},
                 {report.untranslatable, "untranslatable"},
                 {report.conflicting, "conflicting"},
                 {report.unusable, "lines not usable"}};
    terminal_clear();
    fprintf(stderr, "%s: %lld answered", path, (long long)report.answered);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count) fprintf(stderr, ", %lld %s", (long long)parts[i].count, parts[i].what);
    fputc('\n', stderr);
    return EXIT_DONE;
}

static int read_inputs(mixing *self) {
    const char *pool = option_value(self->args, OPTION_POOL, NULL);
    TRY(annotating_read_labeled(self->ctx, self->args, &self->labeled));
    if (pool) TRY(annotating_read_pool(self->ctx, self->args, pool, false, &self->pool));
    if (option_given(self->args, OPTION_SELECTION)) {
        if (!self->pool) return complain(EXIT_USAGE, "--selection needs --pool");
        TRY(annotating_read_selection(self->args, self->pool, &self->annotations));
    }
    if (option_given(self->args, OPTION_ANSWERS)) {
        const char *path;
        if (!self->annotations) return complain(EXIT_USAGE, "--answers needs --selection");
        TRY(tool_read(self->args, &self->tool));
        for (int i = 0; (path = option_repeat(self->args, OPTION_ANSWERS, i)); i++)
            TRY(read_answers(self, path));
    }
    return read_parts(self);
}

/* Makes and writes the training set. */
static int run_mix(mixing *self) {
    const char *out = option_value(self->args, OPTION_OUT, "-");
    const char *prefix = option_value(self->args, OPTION_PARALLEL, NULL);
    alcore_mix *mix = NULL;
    TRY(read_settings(self));
    TRY(read_inputs(self));
    int code = outcome(alcore_mix_new(self->ctx, self->labeled, self->pool, self->annotations,
                                      &self->options, &mix));
    terminal_clear();
    if (code == EXIT_DONE) code = outcome(alcore_mix_write(mix, out, NULL));
    if (code == EXIT_DONE && prefix) code = outcome(alcore_mix_write_parallel(mix, prefix));
    if (code == EXIT_DONE && !option_given(self->args, OPTION_QUIET))
        fputs(alcore_mix_summary(mix), stderr);
    if (code == EXIT_DONE && option_given(self->args, OPTION_JSON))
        puts(alcore_mix_provenance(mix));
    if (code == EXIT_DONE && option_given(self->args, OPTION_STRICT) && alcore_mix_missing(mix) > 0)
        code = EXIT_SHORT;
    alcore_mix_unref(mix);
    return code;
}

int command_mix(const arguments *args) {
    mixing self = {.args = args};
    int code = option_suffix(args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt");

    if (code == EXIT_DONE) code = tool_check(args, OPTION_ANSWERS);
    if (code == EXIT_DONE && option_given(args, OPTION_TOOL) && !option_given(args, OPTION_ANSWERS))
        code = complain(EXIT_USAGE, "--tool is read with --answers only");
    if (code == EXIT_DONE) code = json_needs_file(args, "pairs");
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE) code = run_mix(&self);
    alcore_model_unref(self.model);
    alcore_links_unref(self.links);
    alcore_lm_unref(self.lm);
    alcore_annotations_unref(self.annotations);
    alcore_pool_unref(self.pool);
    alcore_pool_unref(self.labeled);
    alcore_ctx_unref(self.ctx);
    free(self.span);
    tool_clear(&self.tool);
    return code;
}
