/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go is checked before anything is read and computed. An input is never overwritten:
 * every file that the command line lets the command write is compared with every file and folder
 * that it names to be read, by device and inode, so that links and other spellings of a path count.
 * Two outputs differ too, and none has the suffix of a compression, as nothing is written so. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"

/* What is written, and how its path follows from the value of the option. */
static const struct {
    option_id id;
    const char *suffix;
} outputs[] = {{OPTION_OUT, ""},          {OPTION_REPORT, ""},        {OPTION_HTML, ""},
               {OPTION_SAVE, ".forward"}, {OPTION_SAVE, ".reverse"},  {OPTION_PARALLEL, ".src"},
               {OPTION_PARALLEL, ".tgt"}, {OPTION_TOKEN_OFFSETS, ""}, {OPTION_TOKEN_SCORES, ""},
               {OPTION_NEXT, ""}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* A file that is written. */
typedef struct output_file {
    const char *option; /* its name without the dashes */
    const char *path;
    struct stat info; /* of the file, or, where it is not there yet, of its folder */
    const char *name; /* in that folder, of a file that is not there; else NULL */
} output_file;

static bool is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* What a folder of a path is: everything before its last name, or the present folder. */
static bool stat_folder(const char *path, struct stat *out) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool found = folder && stat(folder, out) == 0;
    free(folder);
    return found;
}

/* Describes an output; false: nothing can be overwritten there, as it is a device, a pipe or a path
 * that cannot be made. */
static bool describe(const char *option, const char *path, output_file *out) {
    const bool standard = strcmp(path, "-") == 0;
    *out = (output_file){.option = option, .path = standard ? "standard output" : path};
    if (standard ? fstat(STDOUT_FILENO, &out->info) == 0 : stat(path, &out->info) == 0)
        return S_ISREG(out->info.st_mode);
    const char *slash = strrchr(path, '/');
    out->name = slash ? slash + 1 : path;
    return !standard && stat_folder(path, &out->info);
}

/* Whether the output is the file of the path, or lies in the folder of the path. */
static bool overwrites(const output_file *output, const char *path) {
    struct stat info, folder;
    if (output->name) return false;
    if ((strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0)
        return false;
    if (!S_ISDIR(info.st_mode)) return is_same(&info, &output->info);
    return stat_folder(output->path, &folder) && is_same(&info, &folder);
}

/* Whether a word that names an input, a path, NAME=PATH or PATH:TENSOR, is what the output
 * replaces. */
static bool names_output(const output_file *output, const char *word) {
    const char *equals = strchr(word, '='), *colon = strrchr(word, ':');
    if (overwrites(output, word) || (equals && overwrites(output, equals + 1))) return true;
    char *file = colon ? strndup(word, (size_t)(colon - word)) : NULL;
    const bool found = file && overwrites(output, file);
    free(file);
    return found;
}

static bool is_output(option_id id) {
    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i].id == id) return true;
    return false;
}

/* Whether the value of an option is a path to read. A report may be written again by the run that
 * --config repeats from it. */
static bool is_input(option_id id) {
    const char *argument = option_table[id].argument;
    return argument && !is_output(id) && id != OPTION_CONFIG &&
           (strstr(argument, "FILE") || strstr(argument, "DIR") || strstr(argument, "SELECTION"));
}

static int refuse(const output_file *output, const char *input) {
    return complain(EXIT_USAGE,
                    "--%s %s: this is the input %s, which would be lost; take another "
                    "name",
                    output->option, output->path, input);
}

int check_output(const arguments *args, option_id id, const char *path) {
    output_file output;
    if (!describe(option_table[id].name, path, &output)) return EXIT_DONE;
    for (int i = 0; i < args->operand_count; i++)
        if (names_output(&output, args->operands[i])) return refuse(&output, args->operands[i]);
    for (int i = 0; i < args->given_count; i++)
        if (args->given[i].value && is_input(args->given[i].id) &&
            names_output(&output, args->given[i].value))
            return refuse(&output, args->given[i].value);
    return EXIT_DONE;
}

/* Whether two outputs are one file. */
static bool is_one_file(const output_file *one, const output_file *other) {
    return is_same(&one->info, &other->info) && !one->name == !other->name &&
           (!one->name || strcmp(one->name, other->name) == 0);
}

/* The path of the index-th output, which the caller frees; NULL: it was not given, is standard
 * output, or is a path for each budget, which command_select() checks when it knows the budgets. */
static char *path_of(const arguments *args, int index) {
    const char *value = option_value(args, outputs[index].id, NULL);
    if (!value || strcmp(value, "-") == 0 || strstr(value, "{budget}")) return NULL;
    char *path = malloc(strlen(value) + strlen(outputs[index].suffix) + 1);
    if (path) strcat(strcpy(path, value), outputs[index].suffix);
    return path;
}

/* Refuses a value of --out that says that the file is compressed. */
static int check_plain(const arguments *args) {
    static const char *const compressed[] = {".gz", ".xz", ".zst", ".bz2"};
    const char *path = option_value(args, OPTION_OUT, "-"), *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof compressed / sizeof *compressed; i++)
        if (strcmp(dot, compressed[i]) == 0)
            return complain(EXIT_USAGE,
                            "--out %s: nothing is written compressed; take a name without %s", path,
                            dot);
    return EXIT_DONE;
}

int check_outputs(const arguments *args) {
    char *paths[OUTPUTS];
    output_file first, second;
    int code = check_plain(args);
    for (int i = 0; i < OUTPUTS; i++) paths[i] = path_of(args, i);
    if (code == EXIT_DONE && strcmp(option_value(args, OPTION_OUT, "-"), "-") == 0)
        code = check_output(args, OPTION_OUT, "-");
    for (int i = 0; i < OUTPUTS && code == EXIT_DONE; i++) {
        if (!paths[i]) continue;
        code = check_output(args, outputs[i].id, paths[i]);
        for (int j = 0; j < i && code == EXIT_DONE; j++)
            if (paths[j] && describe("", paths[i], &first) && describe("", paths[j], &second) &&
                is_one_file(&first, &second))
                code = complain(EXIT_USAGE, "--%s and --%s are one file, %s; take two names",
                                option_table[outputs[j].id].name, option_table[outputs[i].id].name,
                                paths[i]);
    }
    for (int i = 0; i < OUTPUTS; i++) free(paths[i]);
    return code;
}
