/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a run as JSON, which goes into its report, and with --config a run repeated
 * from such a report: the words of the report, then those that are given now, which replace them.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

/* Whether a word of the command line belongs to --config itself, which is not repeated. */
static bool is_config_word(const char *word) {
    return !strncmp(word, "--config", 8) || !strcmp(word, "--force");
}

/* The option of a saved word ("--out", "--out=x", "-p"); OPTION_TOTAL when it is none. */
static option_id option_of_word(const char *word) {
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const option_info *option = &option_table[i];
        size_t length = strlen(option->name);
        if (!strncmp(word, "--", 2) && !strncmp(word + 2, option->name, length) &&
            (word[2 + length] == '\0' || word[2 + length] == '='))
            return (option_id)i;
        if (option->letter && word[0] == '-' && word[1] == option->letter) return (option_id)i;
    }
    return OPTION_TOTAL;
}

/* Writes the effective command line to out->argv and parses it: the saved words, without the
 * options that are given again, then the words that are given now. */
static int merge_words(const json_t *saved, const arguments *given, run_record *out) {
    size_t saved_count = json_array_size(saved);

    out->argv = calloc(saved_count + (size_t)given->argc + 2, sizeof *out->argv);
    if (!out->argv) return complain(EXIT_MEMORY, "out of memory");
    for (size_t i = 0; i < saved_count; i++) {
        const char *word = json_string_value(json_array_get(saved, i));
        option_id id = word && i ? option_of_word(word) : OPTION_TOTAL;
        bool replaced = id != OPTION_TOTAL && option_given(given, id);

        if (!word) return complain(EXIT_DATA, "--config: \"command\" has an entry that is no text");
        bool two_words = id != OPTION_TOTAL && option_table[id].argument && !strchr(word, '=') &&
                         (word[1] == '-' || !word[2]);
        if (replaced) {
            if (two_words) i++;
            continue;
        }
        if (!(out->argv[out->argc++] = strdup(word))) return complain(EXIT_MEMORY, "out of memory");
        if (two_words && i + 1 < saved_count) {
            const char *value = json_string_value(json_array_get(saved, ++i));
            if (!value || !(out->argv[out->argc++] = strdup(value)))
                return complain(EXIT_MEMORY, "out of memory");
        }
    }
    for (int i = 2; i < given->argc; i++) {
        if (is_config_word(given->argv[i])) {
            if (!strcmp(given->argv[i], "--config")) i++;
            continue;
        }
        if (!(out->argv[out->argc++] = strdup(given->argv[i])))
            return complain(EXIT_MEMORY, "out of memory");
    }
    return arguments_parse(out->argc, out->argv, &out->args);
}

/* A word of the command line as a JSON string. Names of files may have any bytes: in a word that is
 * no UTF-8 each byte outside ASCII is written as U+FFFD. */
static json_t *word_of(const char *word) {
    json_t *made = json_string(word);
    if (made) return made;
    char *text = malloc(3 * strlen(word) + 1), *end = text;
    for (; text && *word; word++) {
        if ((unsigned char)*word < 0x80) {
            *end++ = *word;
        } else {
            memcpy(end, "\xEF\xBF\xBD", 3);
            end += 3;
        }
    }
    if (text) made = json_stringn(text, (size_t)(end - text));
    free(text);
    return made;
}

int record_open(const arguments *given, run_record *out) {
    const char *config = option_value(given, OPTION_CONFIG, NULL);
    json_t *words;

    memset(out, 0, sizeof *out);
    out->force = option_given(given, OPTION_FORCE);
    if (config) {
        json_error_t error;
        json_t *saved;

        out->old_report = json_load_file(config, JSON_REJECT_DUPLICATES, &error);
        if (!out->old_report)
            return error.line < 0
                       ? complain(EXIT_IO, "%s", error.text)
                       : complain(EXIT_DATA, "%s:%d: %s", config, error.line, error.text);
        const char *schema = json_string_value(json_object_get(out->old_report, "schema"));
        if (schema && strcmp(schema, "alcore-report-1"))
            return complain(EXIT_DATA,
                            "%s: \"schema\" is %s: alcore-report-1 is read, and reports of "
                            "libalcore 0.1, which have none",
                            config, schema);
        saved = json_object_get(out->old_report, "command");
        if (!json_is_array(saved) || !json_array_size(saved))
            return complain(EXIT_DATA, "%s: no \"command\": this is no report of alcore select",
                            config);
        int code = merge_words(saved, given, out);
        if (code != EXIT_DONE) return code;
    } else if (out->force) {
        return complain(EXIT_USAGE, "--force needs --config");
    } else {
        out->args = *given;
        out->args.given = malloc(((size_t)given->given_count + 1) * sizeof *given->given);
        if (!out->args.given) return complain(EXIT_MEMORY, "out of memory");
        memcpy(out->args.given, given->given, (size_t)given->given_count * sizeof *given->given);
    }
    words = json_array();
    for (int i = 0; words && i < out->args.argc; i++)
        json_array_append_new(words, word_of(i ? out->args.argv[i] : "alcore"));
    out->command = words ? json_dumps(words, JSON_COMPACT) : NULL;
    json_decref(words);
    if (!out->command) return complain(EXIT_MEMORY, "out of memory");
    return EXIT_DONE;
}

int record_check_inputs(const run_record *record, const char *provenance) {
    json_t *now;
    int code = EXIT_DONE;

    if (!record->old_report || record->force) return EXIT_DONE;
    now = json_loads(provenance, 0, NULL);
    if (!now) return complain(EXIT_MEMORY, "out of memory");
    if (!json_equal(json_object_get(now, "inputs"), json_object_get(record->old_report, "inputs")))
        code = complain(EXIT_DATA, "the inputs are not those of the report; --force accepts them");
    json_decref(now);
    return code;
}

void record_close(run_record *record) {
    json_decref(record->old_report);
    for (int i = 0; i < record->argc; i++) free(record->argv[i]);
    free(record->argv);
    free(record->command);
    arguments_clear(&record->args);
}
