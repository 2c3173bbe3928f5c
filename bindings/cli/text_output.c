/* SPDX-License-Identifier: Apache-2.0 */
#include "text_output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int text_output_open(text_output *out) {
    *out = (text_output){0};
    out->stream = open_memstream(&out->text, &out->length);
    return out->stream ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
}

/* Writes the text to a new file beside the path, which then takes its name: the path holds the
 * whole text or what it held before. "x" refuses a file that exists, and the umask sets the
 * permissions. */
static int write_file(const text_output *out, const char *path) {
    const size_t capacity = strlen(path) + sizeof ".-2147483648.tmp";
    char *beside = malloc(capacity);
    if (!beside) return complain(EXIT_MEMORY, "out of memory");
    snprintf(beside, capacity, "%s.%d.tmp", path, (int)getpid());
    FILE *file = fopen(beside, "wbx");
    bool written = file && fwrite(out->text, 1, out->length, file) == out->length;
    written = written && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file) written = fclose(file) == 0 && written;
    written = written && rename(beside, path) == 0;
    const int code = written ? EXIT_DONE : complain(EXIT_IO, "%s: %s", path, strerror(errno));
    if (file && !written) unlink(beside);
    free(beside);
    return code;
}

int text_output_close(text_output *out, int code, const char *path) {
    if (out->stream && fclose(out->stream) != 0 && code == EXIT_DONE)
        code = complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && strcmp(path, "-") != 0) {
        code = write_file(out, path);
    } else if (code == EXIT_DONE) {
        fwrite(out->text, 1, out->length, stdout);
        if (fflush(stdout) || ferror(stdout))
            code = complain(EXIT_IO, "cannot write to standard output");
    }
    free(out->text);
    return code;
}

bool path_can_be_made(const char *path) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    while (end > 0 && path[end - 1] != '/') end--;
    /* What is left is "", "/" or ends with the slash before the last name. */
    char *parent = end > 0 ? strndup(path, end) : strdup(".");
    const bool can = parent && access(parent, W_OK | X_OK) == 0;
    const int why = errno;
    free(parent);
    errno = why;
    return can;
}

int json_needs_file(const arguments *args, const char *things) {
    if (!option_given(args, OPTION_JSON) || strcmp(option_value(args, OPTION_OUT, "-"), "-") != 0)
        return EXIT_DONE;
    return complain(
        EXIT_USAGE,
        "--json needs --out FILE: the %s and the JSON cannot both go to standard output", things);
}

int print_json_object(json_t *object) {
    const int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2));
    if (!failed) fputc('\n', stdout);
    json_decref(object);
    if (failed) return complain(EXIT_MEMORY, "out of memory");
    return fflush(stdout) || ferror(stdout) ? complain(EXIT_IO, "cannot write to standard output")
                                            : EXIT_DONE;
}

json_t *json_finite(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}
