/* SPDX-License-Identifier: Apache-2.0 */
#include "counts_file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of a number is lost by writing it. */
static const double ROUNDING = 0.00501;

/* The path that is written, NULL: none is. */
static const char *written_path(const char *name) {
    char variable[64];
    snprintf(variable, sizeof variable, "%s_OUT", name);
    return getenv(variable);
}

void counts_begin(const char *name, const char *head) {
    const char *path = written_path(name);
    if (!path) return;
    FILE *file = fopen(path, "w");
    if (!file || fputs(head, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

void counts_compare(const char *name, const char *key, int count, const double *numbers,
                    const double *slack) {
    char line[COUNTS_KEY + 16 * COUNTS_MOST], kept[256], padded[COUNTS_KEY + 1];
    const char *written = written_path(name), *path = getenv(name);
    int length = snprintf(line, sizeof line, "%-*s", COUNTS_KEY, key), lines = 0;
    ck_assert_int_eq(length, COUNTS_KEY);
    ck_assert_int_le(count, COUNTS_MOST);
    memcpy(padded, line, sizeof padded);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%14.2f", numbers[i]);
    FILE *file = fopen(written ? written : path ? path : "", written ? "a" : "r");
    ck_assert_msg(file != NULL, "no file of counts: $%s", name);
    if (written) fprintf(file, "%s\n", line);
    while (!written && fgets(kept, sizeof kept, file)) {
        if (strncmp(kept, padded, COUNTS_KEY) != 0) continue;
        char *rest = kept + COUNTS_KEY;
        lines++;
        for (int i = 0; i < count; i++) {
            char *begin = rest;
            double most = strtod(begin, &rest) + (slack ? slack[i] : 0.0);
            ck_assert_msg(rest != begin && numbers[i] <= most + ROUNDING,
                          "a count grew: before\n%snow\n%s", kept, line);
        }
    }
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_msg(written || lines == 1, "%d lines in $%s of %s", lines, name, key);
}
