/* SPDX-License-Identifier: Apache-2.0 */
/* Which file an output of a path is, and what of it stays when it is replaced: as the library and
 * the command replace files. Knows nothing of the library: the command has a copy of its own. */
#ifndef ALCORE__OUTPUT_PATH_H
#define ALCORE__OUTPUT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
    ALCORE__OUTPUT_FILE = 0,    /* a regular file, or nothing yet: another file takes its name */
    ALCORE__OUTPUT_STREAM = 1,  /* a device or a pipe, which is written as it is */
    ALCORE__OUTPUT_STANDARD = 2 /* standard output under a name such as /dev/stdout */
};

typedef struct alcore__output {
    int32_t kind; /* ALCORE__OUTPUT_* */
    bool exists;  /* of a file: there is one, and `info` describes it */
    struct stat info;
    char path[PATH_MAX]; /* of the file behind all symbolic links, of which the last may lead to
                            nothing; of a stream as it was given */
} alcore__output;

/* Finds out what an output at the path is. An error number: EISDIR for a folder, EACCES for a file
 * that the process may not write (as cp has it, although its folder would let it be replaced),
 * ELOOP, ENAMETOOLONG; 0. */
int alcore__output_find(const char *path, alcore__output *out);
/* Gives a new file what the file has that it is to replace: its mode, and its owner and group where
 * that is permitted. */
void alcore__output_keep(const alcore__output *output, const char *temporary);
/* Writes a suffix for the name of a temporary file, at most 40 bytes with its NUL: ".alcore-", the
 * number of the process and a random one, as processes in containers have the same numbers. */
void alcore__output_suffix(char suffix[40]);

#endif
