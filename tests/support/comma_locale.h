/* SPDX-License-Identifier: Apache-2.0 */
/* A locale with a decimal comma. Machines for builds have none, so that one is made where the
 * sources of locales are. */
#ifndef COMMA_LOCALE_H
#define COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_folder.h"

typedef struct comma_locale {
    char folder[TEST_PATH_BYTES]; /* that was made; "": none */
} comma_locale;

/* Whether numbers have a comma from now on. */
static inline bool comma_locale_begin(comma_locale *self) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    self->folder[0] = '\0';
    for (int i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i])) return true;
    char command[TEST_PATH_BYTES + 100];
    test_folder_make(self->folder, "locale");
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             self->folder);
    if (system(command) != 0) return false;
    setenv("LOCPATH", self->folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static inline void comma_locale_end(comma_locale *self) {
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    if (self->folder[0]) test_folder_remove(self->folder);
}

#endif
