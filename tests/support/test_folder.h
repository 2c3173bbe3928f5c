/* SPDX-License-Identifier: Apache-2.0 */
/* A folder, or a file, of a test's own under /tmp, for tests that write files. Where one cannot be
 * made or removed the process ends: there is nothing to test then. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory for the path of such a folder or file. */
enum { TEST_PATH_BYTES = 64 };

/* Writes the pattern of mkdtemp() and mkstemps() to path [TEST_PATH_BYTES]. */
static inline void test_path_pattern(char *path, const char *name, const char *ending) {
    const int length = snprintf(path, TEST_PATH_BYTES, "/tmp/alcore-%s-XXXXXX%s", name, ending);
    if (length < 0 || length >= TEST_PATH_BYTES) abort();
}

/* Makes an empty folder, whose path, with `name` in it, goes to path [TEST_PATH_BYTES]. */
static inline void test_folder_make(char *path, const char *name) {
    test_path_pattern(path, name, "");
    if (mkdtemp(path)) return;
    perror(path);
    abort();
}

static inline int test_folder_remove_one(const char *path, const struct stat *about, int kind,
                                         struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

/* Removes the folder and all that is in it. A test that is to leave nothing there asserts that
 * rmdir() succeeds instead. */
static inline void test_folder_remove(const char *path) {
    if (nftw(path, test_folder_remove_one, 16 /* open folders */, FTW_DEPTH | FTW_PHYS) == 0)
        return;
    perror(path);
    abort();
}

/* Makes a file with this text, whose path, with `name` in it and `ending` (".npy", "") behind it,
 * goes to path [TEST_PATH_BYTES]. The test removes it by unlink(). */
static inline void test_file_make(char *path, const char *name, const char *ending,
                                  const char *text) {
    test_path_pattern(path, name, ending);
    const int number = mkstemps(path, (int)strlen(ending));
    FILE *file = number >= 0 ? fdopen(number, "wb") : NULL;
    if (file && fputs(text, file) >= 0 && fclose(file) == 0) return;
    perror(path);
    abort();
}

#endif
