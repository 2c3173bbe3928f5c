/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options as numbers, choices, formats of files and ways to read them. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "inputs.h"

bool part_number(const char *text, size_t length, double *out) {
    double value;
    if (!alcore__parse_double(text, length, &value) || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool number_of(const char *text, double *out) {
    return part_number(text, strlen(text), out);
}

bool part_integer(const char *text, size_t length, int64_t *out) {
    return alcore__parse_int(text, length, out);
}

bool integer_of(const char *text, int64_t *out) {
    return part_integer(text, strlen(text), out);
}

int option_integer(const arguments *args, option_id id, int64_t low, int64_t high, int64_t *out) {
    const char *text = option_value(args, id, NULL);
    int64_t value;

    if (!text) return EXIT_DONE;
    if (!integer_of(text, &value) || value < low || value > high)
        return complain(EXIT_USAGE, "--%s %s: an integer from %lld to %lld is needed",
                        option_table[id].name, text, (long long)low, (long long)high);
    *out = value;
    return EXIT_DONE;
}

int option_once(const arguments *args, option_id id) {
    if (!option_repeat(args, id, 1)) return EXIT_DONE;
    return complain(EXIT_USAGE, "--%s was given twice", option_table[id].name);
}

int choice_of(const char *text, const char *choices) {
    size_t length = strlen(text);

    for (int i = 0;; i++) {
        size_t name = strcspn(choices, "|");
        if (name == length && !strncmp(choices, text, length)) return i;
        if (!choices[name]) return -1;
        choices += name + 1;
    }
}

int option_choice(const arguments *args, option_id id, const char *choices, int *out) {
    const char *text = option_value(args, id, NULL);

    if (!text) return EXIT_DONE;
    *out = choice_of(text, choices);
    if (*out < 0)
        return complain(EXIT_USAGE, "--%s %s: one of %s is needed", option_table[id].name, text,
                        choices);
    return EXIT_DONE;
}

int option_enum(const arguments *args, option_id id, const char *choices, int32_t first,
                int32_t *out) {
    int choice = -1;
    TRY(option_choice(args, id, choices, &choice));
    if (choice >= 0) *out = first + choice;
    return EXIT_DONE;
}

/* Whether a path, less a suffix of compression, ends in the suffix. */
static bool has_suffix(const char *path, const char *suffix) {
    static const char *const compressed[] = {".gz", ".xz", ".zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
        const size_t end = strlen(compressed[i]);
        if (length > end && !memcmp(path + length - end, compressed[i], end)) length -= end;
    }
    const size_t end = strlen(suffix);
    return length >= end && !strncasecmp(path + length - end, suffix, end);
}

char table_of_path(const char *path) {
    static const char *const tables[] = {".tsv", ".tab", ".csv"};
    static const char *const objects[] = {".jsonl", ".ndjson", ".jsonlines", ".ldjson"};
    for (int i = 0; i < 3; i++)
        if (has_suffix(path, tables[i])) return 't';
    for (int i = 0; i < 4; i++)
        if (has_suffix(path, objects[i])) return 'j';
    return 0;
}

int option_suffix(const arguments *args, option_id id, const char *suffixes) {
    const char *path = option_value(args, id, "-");
    const char *dot = strrchr(path, '.');

    if (!strcmp(path, "-") || (dot && choice_of(dot, suffixes) >= 0)) return EXIT_DONE;
    return complain(EXIT_USAGE, "--%s %s: the suffix says the format, one of %s",
                    option_table[id].name, path, suffixes);
}

int option_one_budget(const arguments *args, const char *command) {
    const char *budget = option_value(args, OPTION_BUDGET, NULL);

    if (!budget)
        return complain(EXIT_USAGE, "%s needs --budget N[i|w|c|u], such as --budget 1000w",
                        command);
    if (strchr(budget, ','))
        return complain(EXIT_USAGE, "%s takes one budget, not '%s'", command, budget);
    return EXIT_DONE;
}

int parse_format(const char *text, int32_t *out) {
    static const int32_t formats[] = {ALCORE_FORMAT_TEXT,  ALCORE_FORMAT_TSV,   ALCORE_FORMAT_CSV,
                                      ALCORE_FORMAT_JSONL, ALCORE_FORMAT_CONLL, ALCORE_FORMAT_SGML,
                                      ALCORE_FORMAT_TMX};
    int choice = choice_of(text, "text|tsv|csv|jsonl|conll|sgml|tmx");

    if (choice < 0)
        return complain(EXIT_USAGE,
                        "--format %s: one of text, tsv, csv, jsonl, conll, sgml, tmx is needed",
                        text);
    *out = formats[choice];
    return EXIT_DONE;
}

int read_reading(const arguments *args, alcore_read_options *options) {
    static const int32_t choices[] = {0, ALCORE_ESCAPES_ON, ALCORE_ESCAPES_OFF};
    int escapes = 0;

    options->bad_lines = ALCORE_BAD_LINES_ERROR;
    TRY(option_enum(args, OPTION_BAD_LINES, "error|mask", ALCORE_BAD_LINES_ERROR,
                    &options->bad_lines));
    TRY(option_choice(args, OPTION_ESCAPES, "auto|on|off", &escapes));
    options->escapes = choices[escapes];
    return EXIT_DONE;
}
