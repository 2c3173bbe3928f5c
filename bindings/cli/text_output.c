/* SPDX-License-Identifier: Apache-2.0 */
#include "text_output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_path.h"

int text_output_open(text_output *out) {
    *out = (text_output){0};
    out->stream = open_memstream(&out->text, &out->length);
    return out->stream ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
}

/* Writes the text to an open descriptor, which is closed in any case; false: errno says why not. */
static bool write_text(const text_output *out, int descriptor, bool sync) {
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file) {
        const int why = errno;
        if (descriptor >= 0) close(descriptor);
        errno = why;
        return false;
    }
    bool written = fwrite(out->text, 1, out->length, file) == out->length;
    written = written && fflush(file) == 0 && (!sync || fsync(fileno(file)) == 0);
    const int why = errno;
    const bool closed = fclose(file) == 0;
    if (!written) errno = why;
    return written && closed;
}

/* Writes the text to a new file beside the one that the path names, which then takes its name, mode
 * and owner: that file holds the whole text or what it held before. */
static bool replace_file(const text_output *out, const alcore__output *output) {
    const size_t capacity = strlen(output->path) + 40;
    char *beside = malloc(capacity), suffix[40];
    int file = -1;
    if (!beside) return false;
    for (int attempt = 0; attempt < 100 && file < 0; attempt++) {
        alcore__output_suffix(suffix);
        snprintf(beside, capacity, "%s%s", output->path, suffix);
        file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file >= 0) alcore__output_keep(output, beside);
    const bool created = file >= 0;
    const bool written = write_text(out, file, true) && rename(beside, output->path) == 0;
    const int why = errno;
    if (created && !written) unlink(beside);
    free(beside);
    errno = why;
    return written;
}

/* Writes the text to what the path names. */
static int write_file(const text_output *out, const char *path) {
    alcore__output output;
    errno = alcore__output_find(path, &output);
    bool written = errno == 0;
    if (written && output.kind == ALCORE__OUTPUT_FILE)
        written = replace_file(out, &output);
    else if (written)
        written = write_text(out,
                             output.kind == ALCORE__OUTPUT_STREAM
                                 ? open(path, O_WRONLY | O_CLOEXEC)
                                 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                             false);
    return written ? EXIT_DONE : complain(EXIT_IO, "%s: %s", path, strerror(errno));
}

static int fail_output(int why) {
    return complain(EXIT_IO, "cannot write to standard output%s%s", why ? ": " : "",
                    why ? strerror(why) : "");
}

int output_end(void) {
    errno = 0; /* of an earlier write that failed, it is not known any more */
    return fflush(stdout) || ferror(stdout) ? fail_output(errno) : EXIT_DONE;
}

int text_output_close(text_output *out, int code, const char *path) {
    if (out->stream && fclose(out->stream) != 0 && code == EXIT_DONE)
        code = complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && strcmp(path, "-") != 0) {
        code = write_file(out, path);
    } else if (code == EXIT_DONE) {
        const bool written = fwrite(out->text, 1, out->length, stdout) == out->length;
        code = written ? output_end() : fail_output(errno);
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
    text_output out = {.text = object ? json_dumps(object, JSON_INDENT(2)) : NULL};
    json_decref(object);
    if (!out.text) return complain(EXIT_MEMORY, "out of memory");
    out.length = strlen(out.text);
    out.text[out.length++] = '\n'; /* in place of the NUL */
    return text_output_close(&out, EXIT_DONE, "-");
}

json_t *json_finite(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}
