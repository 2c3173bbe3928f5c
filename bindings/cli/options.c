/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of the command line, which reads the tables of option_table.c, and the usage text. */
#include "options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <alcore/extra.h>

int complain(int code, const char *format, ...) {
    va_list args;

    fputs("alcore: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

/* Edit distance (Levenshtein 1966: insertions, deletions, replacements) of the first 31 bytes of
 * two names; row[j] is the distance of the bytes of a read so far from the first j bytes of b. */
static int edit_distance(const char *a, const char *b) {
    int row[32];
    int n = (int)strnlen(a, 31), m = (int)strnlen(b, 31);

    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int above = row[j];
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[m];
}

const char *nearest_name(const char *text, const char *(*name_at)(int, void *), void *data) {
    const char *best = NULL;
    int best_distance = (int)strnlen(text, 31) / 2 + 1;

    for (int i = 0; name_at(i, data); i++) {
        int distance = edit_distance(text, name_at(i, data));
        if (distance < best_distance) {
            best_distance = distance;
            best = name_at(i, data);
        }
    }
    return best;
}

/* The names of the commands, for nearest_name(). */
static const char *command_name_at(int index, void *data) {
    (void)data;
    return index < command_total ? command_table[index].name : NULL;
}

/* The index-th of the options of a command, whose bit is the data, for nearest_name(). */
static const char *option_name_at(int index, void *data) {
    unsigned bit = *(const unsigned *)data;

    for (int i = 0; i < OPTION_TOTAL; i++)
        if ((option_table[i].commands & bit) && index-- == 0) return option_table[i].name;
    return NULL;
}

/* The option of a command, whose bit it is, that a hint names as the library calls it ("it is
 * called max_similarity"); NULL: it names none. */
static const char *option_of_hint(const char *hint, unsigned bit) {
    static const char lead[] = "it is called ";

    if (!hint || strncmp(hint, lead, sizeof lead - 1) != 0) return NULL;
    hint += sizeof lead - 1;
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const char *name = option_table[i].name;
        size_t at = 0;
        while (name[at] && (name[at] == hint[at] || (name[at] == '-' && hint[at] == '_'))) at++;
        if ((option_table[i].commands & bit) && !name[at] && !hint[at]) return name;
    }
    return NULL;
}

/* Complains about an option that the command (NULL: none yet) does not have. */
static int unknown_option(const char *text, const command_info *command) {
    unsigned bit = command ? command->bit : COMMAND_ALL;
    const int32_t measure = bit == COMMAND_EVAL ? ALCORE_HINT_METRIC : 0;
    const char *hint = alcore_hint(ALCORE_HINT_OPTION | measure, text);
    const char *dashes = text[0] && !text[1] ? "-" : "--";
    const char *called = option_of_hint(hint, bit);
    const char *near = called ? called : nearest_name(text, option_name_at, &bit);
    if (hint && !called)
        return complain(EXIT_USAGE, "%s%s has no option '%s%s'; %s", command ? "" : "the program",
                        command ? command->name : "", dashes, text, hint);
    return complain(EXIT_USAGE, "%s%s has no option '%s%s'%s%s%s", command ? "" : "the program",
                    command ? command->name : "", dashes, text, near ? "; did you mean '--" : "",
                    near ? near : "", near ? "'?" : "; see `alcore --help`");
}

/* Appends an option to those that were given; an exit code. */
static int add_given(arguments *out, option_id id, const char *value) {
    if (!option_table[id].repeatable && option_given(out, id))
        return complain(EXIT_USAGE, "--%s was given twice", option_table[id].name);
    out->given[out->given_count].id = id;
    out->given[out->given_count].value = value;
    out->given_count++;
    return EXIT_DONE;
}

/* Finds "name" or "name=value" among the options of a command; OPTION_TOTAL when there is none. */
static option_id find_long(const char *text, size_t length, const command_info *command) {
    for (int i = 0; i < OPTION_TOTAL; i++)
        if (strlen(option_table[i].name) == length &&
            !strncmp(option_table[i].name, text, length) &&
            (!command || (option_table[i].commands & command->bit)))
            return (option_id)i;
    return OPTION_TOTAL;
}

/* The option with a letter; OPTION_TOTAL when there is none. */
static option_id find_letter(char letter, const command_info *command) {
    for (int i = 0; i < OPTION_TOTAL; i++)
        if (option_table[i].letter == letter &&
            (!command || (option_table[i].commands & command->bit)))
            return (option_id)i;
    return OPTION_TOTAL;
}

/* Whether a word is the value of the option that stands before it and may be without one. */
static bool is_value_of(const char *argument, const char *word) {
    const size_t length = strlen(word);
    if (!strcmp(argument, "[O.npy]")) return length > 4 && !strcmp(word + length - 4, ".npy");
    return word[0] != '-';
}

int arguments_parse(int argc, char **argv, arguments *out) {
    bool options_end = false;

    memset(out, 0, sizeof *out);
    out->argc = argc;
    out->argv = argv;
    out->given = calloc((size_t)argc + 1, sizeof *out->given);
    if (!out->given) return complain(EXIT_MEMORY, "out of memory");

    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const char *value = NULL;
        option_id id;

        if (options_end || word[0] != '-' || !strcmp(word, "-")) {
            if (!out->command) {
                for (int c = 0; c < command_total; c++)
                    if (!strcmp(command_table[c].name, word)) out->command = &command_table[c];
                if (!out->command) {
                    const char *near = nearest_name(word, command_name_at, NULL);
                    return complain(EXIT_USAGE, "no command '%s'%s%s%s", word,
                                    near ? "; did you mean '" : "", near ? near : "",
                                    near ? "'?" : "; see `alcore --help`");
                }
                continue;
            }
            if (out->operand_count == out->command->max_operands)
                return complain(EXIT_USAGE, "%s takes %s; '%s' is one too many", out->command->name,
                                out->command->operands[0] ? out->command->operands : "no operand",
                                word);
            out->operands[out->operand_count++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            options_end = true;
            continue;
        }
        if (word[1] == '-') {
            const char *equals = strchr(word, '=');
            size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
            id = find_long(word + 2, length, out->command);
            if (id == OPTION_TOTAL) {
                char name[32];
                snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
                return unknown_option(name, out->command);
            }
            if (equals) value = equals + 1;
            if (value && !option_table[id].argument)
                return complain(EXIT_USAGE, "--%s takes no value", option_table[id].name);
        } else {
            id = find_letter(word[1], out->command);
            if (id == OPTION_TOTAL) return unknown_option(word + 1, out->command);
            if (word[2] && option_table[id].argument)
                value = word + 2;
            else if (word[2])
                return complain(EXIT_USAGE, "-%c takes no value", word[1]);
        }
        if (option_table[id].argument && option_table[id].argument[0] == '[') {
            if (!value && i + 1 < argc && is_value_of(option_table[id].argument, argv[i + 1]))
                value = argv[++i];
        } else if (option_table[id].argument && !value) {
            if (i + 1 == argc)
                return complain(EXIT_USAGE, "--%s needs a value: %s", option_table[id].name,
                                option_table[id].argument);
            value = argv[++i];
        }
        int code = add_given(out, id, value);
        if (code != EXIT_DONE) return code;
    }
    if (option_given(out, OPTION_HELP) || option_given(out, OPTION_VERSION)) return EXIT_DONE;
    if (!out->command) {
        print_usage(stderr, NULL);
        return EXIT_USAGE;
    }
    if (out->operand_count < out->command->min_operands)
        return complain(EXIT_USAGE, "%s needs %s; see `alcore %s --help`", out->command->name,
                        out->command->operands, out->command->name);
    return EXIT_DONE;
}

void arguments_clear(arguments *args) {
    free(args->given);
    args->given = NULL;
    args->given_count = 0;
}

const char *option_repeat(const arguments *args, option_id id, int n) {
    for (int i = 0; i < args->given_count; i++)
        if (args->given[i].id == id && n-- == 0) return args->given[i].value;
    return NULL;
}

bool option_given(const arguments *args, option_id id) {
    for (int i = 0; i < args->given_count; i++)
        if (args->given[i].id == id) return true;
    return false;
}

const char *option_value(const arguments *args, option_id id, const char *otherwise) {
    const char *value = option_repeat(args, id, 0);
    return value ? value : otherwise;
}

void print_usage(FILE *stream, const command_info *command) {
    if (!command) {
        fputs("usage: alcore COMMAND [OPTION]...\n\n"
              "Decides what to label next.\n\ncommands:\n",
              stream);
        for (int i = 0; i < command_total; i++)
            fprintf(stream, "  %-11s %-17s %s\n", command_table[i].name, command_table[i].operands,
                    command_table[i].summary);
        fputs("\n`alcore COMMAND --help` shows a command's options.\n", stream);
        return;
    }
    fprintf(stream, "usage: alcore %s %s%s[OPTION]...\n\n%s\n\noptions:\n", command->name,
            command->operands, command->operands[0] ? " " : "", command->summary);
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const option_info *option = &option_table[i];
        char head[64];

        if (!(option->commands & command->bit)) continue;
        snprintf(head, sizeof head, "%s%c%s--%s%s%s", option->letter ? "-" : "  ",
                 option->letter ? option->letter : ' ', option->letter ? ", " : " ", option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        fprintf(stream, "  %-34s %s\n", head, option->help);
    }
}
