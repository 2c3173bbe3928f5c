/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of libtorch of later runs (torch_setting.h). */
#include "torch_setting.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

/* Writes the path of the file of the setting, or of its folder without `file`; false where neither
 * $XDG_CONFIG_HOME nor $HOME is set. */
static bool setting_path(char *out, const char *file) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/')
        return snprintf(out, TORCH_SETTING_BYTES, "%s/alcore%s", config, file) <
               TORCH_SETTING_BYTES;
    return home && *home &&
           snprintf(out, TORCH_SETTING_BYTES, "%s/.config/alcore%s", home, file) <
               TORCH_SETTING_BYTES;
}

static const char *this_run;

void torch_setting_use(const char *folder) {
    this_run = folder;
}

const char *torch_setting_file(char *out) {
    return setting_path(out, "/torch") ? out : NULL;
}

const char *torch_setting_read(char *folder) {
    char path[TORCH_SETTING_BYTES];
    if (this_run) return this_run;
    const char *variable = getenv("ALCORE_TORCH_LIBDIR");
    if ((variable && *variable) || !setting_path(path, "/torch")) return NULL;
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    const char *line = fgets(folder, TORCH_SETTING_BYTES, file);
    fclose(file);
    if (!line) return NULL;
    folder[strcspn(folder, "\n")] = '\0';
    return *folder ? folder : NULL;
}

/* Makes the folder of a path and those above it, but for the root. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

int torch_setting_write(const char *folder) {
    char path[TORCH_SETTING_BYTES];
    if (!setting_path(path, "/torch"))
        return complain(EXIT_IO,
                        "--torch: neither $XDG_CONFIG_HOME nor $HOME says where to keep it");
    if (!folder)
        return unlink(path) == 0 || errno == ENOENT
                   ? EXIT_DONE
                   : complain(EXIT_IO, "%s: %s", path, strerror(errno));
    make_folders(path);
    FILE *file = fopen(path, "w");
    bool written = file && fprintf(file, "%s\n", folder) > 0;
    if (file && fclose(file) != 0) written = false;
    return written ? EXIT_DONE : complain(EXIT_IO, "%s: %s", path, strerror(errno));
}

const char *torch_folder_find(const char *folder, char *out) {
    static const char *const inner[] = {"", "/lib"};
    char path[TORCH_SETTING_BYTES + 32], found[PATH_MAX];
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        snprintf(path, sizeof path, "%s%s/libtorch_cpu.so", folder, inner[i]);
        if (access(path, R_OK) != 0) continue;
        snprintf(path, sizeof path, "%s%s", folder, inner[i]);
        if (!realpath(path, found) || strlen(found) >= TORCH_SETTING_BYTES) continue;
        return strcpy(out, found);
    }
    return NULL;
}
