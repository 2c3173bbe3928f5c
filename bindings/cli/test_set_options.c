/* SPDX-License-Identifier: Apache-2.0 */
/* The options that choose a side of a test set in SGML or XML. */
#include <string.h>
#include <strings.h>

#include "inputs.h"

bool is_test_set(const char *path) {
    static const char *const suffixes[] = {".sgm", ".sgml", ".xml"};
    static const char *const compressed[] = {".gz", ".xz", ".zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
        const size_t bytes = strlen(compressed[i]);
        if (length <= bytes || strcasecmp(path + length - bytes, compressed[i]) != 0) continue;
        length -= bytes;
        break;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t bytes = strlen(suffixes[i]);
        if (length > bytes && strncasecmp(path + length - bytes, suffixes[i], bytes) == 0)
            return true;
    }
    return false;
}

void choose_side(const arguments *args, const char *path, bool is_pool,
                 alcore_read_options *options) {
    const bool set = is_test_set(path);
    if (!is_pool && !set && !(options->references && is_test_set(options->references))) return;
    if (is_pool || set) options->side = option_value(args, OPTION_SIDE, NULL);
    options->translator = option_value(args, OPTION_TRANSLATOR, NULL);
    options->system = option_value(args, OPTION_SYSTEM, NULL);
    options->domain = option_value(args, OPTION_DOMAIN, NULL);
}

/* The targets are what the sources are not: of a translator or system that --side does not use up,
 * and with --side src of one of those sides. */
void choose_pair(const arguments *args, const char *path, const char *other, bool is_target,
                 alcore_read_options *options) {
    choose_side(args, path, !is_test_set(other), options);
    const char *side = options->side ? options->side : "";
    const char **const unused[] = {&options->translator, &options->system};
    const char *const users[] = {"ref", "hyp"};
    for (int i = 0; i < 2; i++)
        if (is_target == !strcmp(side, users[i])) *unused[i] = NULL;
    if (is_target && options->side)
        options->side = strcmp(side, "src") ? NULL : options->system ? "hyp" : "ref";
}

int inputs_read_test(const arguments *args, alcore_ctx *ctx, int32_t max_order,
                     alcore_overlap **out) {
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    if (!option_given(args, OPTION_TEST)) return EXIT_DONE;
    options.max_order = max_order;
    reading.text_column = option_value(args, OPTION_TEXT_COLUMN, NULL);
    TRY(read_reading(args, &reading));
    TRY(outcome(alcore_overlap_new(ctx, &options, out)));
    for (int i = 0; option_repeat(args, OPTION_TEST, i); i++)
        TRY(outcome(alcore_overlap_read(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE,
                                        option_repeat(args, OPTION_TEST, i), &reading, NULL)));
    return EXIT_DONE;
}
