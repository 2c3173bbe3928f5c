/* SPDX-License-Identifier: Apache-2.0 */
/* main() of the programs whose sources have TEST_FILE().
 *   test_ROOM                        the cases of all its sources, one after another
 *   test_ROOM SOURCE [ARGUMENT]...   those of one, named without its folder and ending */
#include <stdio.h>
#include <string.h>

#include "check_suite.h"

static check_source *all_sources;

void check_source_add(check_source *source) {
    check_source **end = &all_sources;
    while (*end) end = &(*end)->next;
    *end = source;
}

/* Whether that is the name of a source: its path without folder and ending. */
static int is_named(const check_source *source, const char *name) {
    const char *folder = strrchr(source->path, '/');
    const char *begin = folder ? folder + 1 : source->path;
    size_t length = strcspn(begin, ".");
    return strlen(name) == length && !memcmp(name, begin, length);
}

int main(int argc, char **argv) {
    int failed = 0;
    for (check_source *source = all_sources; source; source = source->next) {
        if (argc < 2)
            failed |= source->run(1, argv);
        else if (is_named(source, argv[1]))
            return source->run(argc - 1, argv + 1);
    }
    if (argc < 2) return failed;
    fprintf(stderr, "%s: no source %s; there are:\n", argv[0], argv[1]);
    for (check_source *source = all_sources; source; source = source->next)
        fprintf(stderr, "  %s\n", source->path);
    return 2;
}
