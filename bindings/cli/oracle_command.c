/* SPDX-License-Identifier: Apache-2.0 */
/* alcore oracle: answers a selection from references or from a dictionary, or writes it as requests
 * to people. */
#include <stdlib.h>
#include <string.h>

#include "annotating.h"
#include "commands.h"
#include "text_output.h"
#include "tool_options.h"

int annotating_read_pool(alcore_ctx *ctx, const arguments *args, const char *path,
                         bool with_references, alcore_pool **out) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;

    TRY(option_enum(args, OPTION_DEDUP, "exact|normalized|none", ALCORE_DEDUP_EXACT,
                    &options.dedup));
    TRY(outcome(alcore_pool_new(ctx, &options, out)));
    if (!with_references) return inputs_read_texts(args, path, true, *out);
    return inputs_read_pairs(args, path, option_value(args, OPTION_REFERENCES, NULL), true, *out);
}

/* The n-th --labeled-references belongs to the n-th --labeled. Repeated sources stay: they are
 * pairs of their own. */
int annotating_read_labeled(alcore_ctx *ctx, const arguments *args, alcore_pool **out) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    const char *path, *references = option_repeat(args, OPTION_LABELED_REFERENCES, 0);
    int files = 0;
    while (option_repeat(args, OPTION_LABELED, files)) files++;
    if (references && (!option_repeat(args, OPTION_LABELED_REFERENCES, files - 1) ||
                       option_repeat(args, OPTION_LABELED_REFERENCES, files)))
        return complain(EXIT_USAGE, "--labeled-references is given once for each --labeled");
    TRY(check_join(args, references || option_given(args, OPTION_REFERENCES)));
    if (files == 0) return EXIT_DONE;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY;
    TRY(outcome(alcore_pool_new(ctx, &keep_all, out)));
    for (int i = 0; (path = option_repeat(args, OPTION_LABELED, i)); i++)
        TRY(inputs_read_pairs(args, path, option_repeat(args, OPTION_LABELED_REFERENCES, i), false,
                              *out));
    return EXIT_DONE;
}

int annotating_read_selection(const arguments *args, alcore_pool *pool, alcore_annotations **out) {
    const char *path;

    TRY(outcome(alcore_annotations_new(pool, out)));
    for (int i = 0; (path = option_repeat(args, OPTION_SELECTION, i)); i++)
        TRY(outcome(alcore_annotations_read_selection(*out, path)));
    return EXIT_DONE;
}

/* Answers from the references of the pool. */
static int simulate(alcore_ctx *ctx, const arguments *args, const alcore_pool *pool,
                    alcore_annotations *annotations) {
    const char *path = option_value(args, OPTION_LINKS, NULL);
    alcore_links *links = NULL;
    alcore_pool *labeled = NULL;
    int code = annotating_read_labeled(ctx, args, &labeled);

    if (code == EXIT_DONE && path)
        code = outcome(alcore_links_open(ctx, path, alcore_pool_row_count(pool), &links));
    if (code == EXIT_DONE) code = outcome(alcore_annotations_simulate(annotations, links, labeled));
    alcore_pool_unref(labeled);
    alcore_links_unref(links);
    return code;
}

/* Answers by the oracle that the command line names; --requests leaves all open. */
static int answer(alcore_ctx *ctx, const arguments *args, const alcore_pool *pool,
                  alcore_annotations *annotations) {
    if (option_given(args, OPTION_REQUESTS)) return EXIT_DONE;
    if (!option_given(args, OPTION_DICT)) return simulate(ctx, args, pool, annotations);
    return outcome(alcore_annotations_look_up(annotations, option_value(args, OPTION_DICT, "-")));
}

/* How many items have the status. */
static long long count_status(const alcore_annotations *annotations, const char *status) {
    long long count = 0;
    for (int64_t i = 0; i < alcore_annotations_count(annotations); i++)
        count += !strcmp(alcore_annotations_status(annotations, i), status);
    return count;
}

static void print_summary(const alcore_annotations *annotations) {
    fprintf(stderr, "items: %lld; translated %lld, %lld of them loosely; untranslatable %lld\n",
            (long long)alcore_annotations_count(annotations),
            count_status(annotations, "ok") + count_status(annotations, "loose"),
            count_status(annotations, "loose"), count_status(annotations, "untranslatable"));
    fprintf(stderr, "cost: %.15g; refunded for untranslatable items: %.15g\n",
            alcore_annotations_spent(annotations), alcore_annotations_refunded(annotations));
}

/* The same as a JSON object on standard output; of requests too, whose items are all open. */
static int print_json(const alcore_annotations *annotations) {
    json_t *all = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "version", alcore_version(),
                            "items", (json_int_t)alcore_annotations_count(annotations), "ok",
                            (json_int_t)count_status(annotations, "ok"), "loose",
                            (json_int_t)count_status(annotations, "loose"), "untranslatable",
                            (json_int_t)count_status(annotations, "untranslatable"), "open",
                            (json_int_t)count_status(annotations, "open"), "cost",
                            alcore_annotations_spent(annotations), "refunded",
                            alcore_annotations_refunded(annotations));
    return print_json_object(all);
}

/* Writes the open items as requests, for --tool where it is given. */
static int write_requests(const arguments *args, alcore_annotations *annotations, const char *out) {
    const char *tool = option_value(args, OPTION_TOOL, NULL);
    alcore_tool_options options;
    if (!tool) return outcome(alcore_annotations_write_requests(annotations, out, NULL));
    int code = tool_read(args, &options);
    if (code == EXIT_DONE)
        code = outcome(alcore_tool_write_requests(
            annotations, tool, out, option_value(args, OPTION_DRAFTS, NULL), &options));
    tool_clear(&options);
    return code;
}

/* Reads, answers and writes; the exit code. */
static int run_oracle(alcore_ctx *ctx, const arguments *args) {
    const char *out = option_value(args, OPTION_OUT, "-");
    alcore_pool *pool = NULL;
    alcore_annotations *annotations = NULL;
    const bool requests = option_given(args, OPTION_REQUESTS);
    int code = annotating_read_pool(ctx, args, args->operands[0], true, &pool);

    if (code == EXIT_DONE) code = annotating_read_selection(args, pool, &annotations);
    if (code == EXIT_DONE) code = answer(ctx, args, pool, annotations);
    terminal_clear();
    if (code == EXIT_DONE)
        code = requests ? write_requests(args, annotations, out)
                        : outcome(alcore_annotations_write(annotations, out, NULL));
    if (code == EXIT_DONE && !requests && !option_given(args, OPTION_QUIET))
        print_summary(annotations);
    if (code == EXIT_DONE && option_given(args, OPTION_JSON)) code = print_json(annotations);
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    return code;
}

int command_oracle(const arguments *args) {
    alcore_ctx *ctx = NULL;
    const bool dictionary = option_given(args, OPTION_DICT);
    const bool requests = option_given(args, OPTION_REQUESTS);
    const bool labeled = option_given(args, OPTION_LABELED);
    const bool linked = option_given(args, OPTION_LINKS);
    const bool simulated = option_given(args, OPTION_REFERENCES) || linked || labeled;
    int code = tool_check(args, OPTION_OUT);

    if (code == EXIT_DONE && option_given(args, OPTION_TOOL) && !requests)
        code = complain(EXIT_USAGE, "--tool is read with --requests only");
    if (code == EXIT_DONE && !option_given(args, OPTION_TOOL))
        code = option_suffix(args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt");

    if (code == EXIT_DONE && !option_given(args, OPTION_SELECTION))
        code = complain(EXIT_USAGE, "oracle needs --selection FILE");
    if (code == EXIT_DONE && dictionary + requests + simulated > 1)
        code = complain(EXIT_USAGE, "oracle takes one of --references, --dict and --requests");
    if (code == EXIT_DONE && linked && labeled)
        code = complain(EXIT_USAGE, "oracle takes one of --links and --labeled, which is aligned "
                                    "with POOL where no links are given");
    if (code == EXIT_DONE) code = json_needs_file(args, "items");
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    if (code == EXIT_DONE) code = run_oracle(ctx, args);
    alcore_ctx_unref(ctx);
    return code;
}
