/* SPDX-License-Identifier: Apache-2.0 */
/* A file of docs/results that a test program compares its counts with: a head, and lines of a key
 * and numbers. None of the numbers may grow. With $NAME_OUT=FILE, for a file whose path is $NAME,
 * the program writes the file anew instead, where a change is meant. */
#ifndef ALCORE__TESTS_COUNTS_FILE_H
#define ALCORE__TESTS_COUNTS_FILE_H

/* Columns of a key, blanks behind it included, and the most numbers of a line. */
enum { COUNTS_KEY = 96, COUNTS_MOST = 8 };

/* Called by main() before the tests: writes the head, if the file is to be written. */
void counts_begin(const char *name, const char *head);

/* Compares the numbers [count] of a key with the file's, or writes them: with two decimals.
 * slack [count]: by how much each may be larger; NULL: by nothing. */
void counts_compare(const char *name, const char *key, int count, const double *numbers,
                    const double *slack);

#endif
