/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a training set that is mixed (mix_options.h). */
#include "mix_options.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"

/* One -p NAME=VALUE. */
static int set_parameter(alcore_mix_options *options, char **span, const char *name,
                         const char *value) {
    static const char all[] = "span, unique, norm, k, subset and upsample_phrase";
    int64_t number = -1;
    if (!strcmp(name, "span")) {
        free(*span);
        *span = strdup(value);
        options->span = *span;
        return *span ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
    }
    const bool flag = !strcmp(name, "unique") || !strcmp(name, "norm");
    const bool upsample = !strcmp(name, "upsample_phrase");
    if (strcmp(name, "k") != 0 && strcmp(name, "subset") != 0 && !upsample && !flag)
        return complain(EXIT_USAGE, "mix has no parameter '%s'; it has %s", name, all);
    if (!integer_of(value, &number) || number < (flag || upsample ? 0 : 1) || (flag && number > 1))
        return complain(EXIT_USAGE, "-p %s=%s: expected %s", name, value,
                        flag       ? "0 or 1"
                        : upsample ? "an integer from 0"
                                   : "an integer from 1");
    if (!strcmp(name, "unique")) options->unique = (int32_t)number;
    if (!strcmp(name, "norm")) options->norm = (int32_t)number;
    if (!strcmp(name, "k")) options->k = number;
    if (!strcmp(name, "subset")) options->subset = number;
    if (upsample) options->upsample_phrase = number;
    return EXIT_DONE;
}

int mix_read_parameters(const arguments *args, alcore_mix_options *options, char **span) {
    const char *text;
    TRY(option_integer(args, OPTION_COUNT, 0, INT64_MAX, &options->count));
    for (int i = 0; (text = option_repeat(args, OPTION_PARAM, i)); i++) {
        char name[32];
        const char *equals = strchr(text, '=');
        if (!equals) return complain(EXIT_USAGE, "-p %s: expected NAME=VALUE", text);
        const size_t length = (size_t)(equals - text);
        snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
        TRY(set_parameter(options, span, name, equals + 1));
    }
    return EXIT_DONE;
}
