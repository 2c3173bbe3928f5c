/* SPDX-License-Identifier: Apache-2.0 */
/* The copies of libtorch on this machine (torch_search.h). */
#include "torch_search.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <alcore/alcore.h>

/* Where the package lies below a prefix such as /usr or a virtual environment. */
static const char *const package_patterns[] = {"/lib/python3*/site-packages/torch",
                                               "/lib/python3*/dist-packages/torch"};

typedef struct search {
    torch_copy *copies; /* [TORCH_COPIES] */
    int count;
} search;

/* Reads __version__ of FOLDER/../version.py, which the package has beside its lib/: the text
 * between the quotes. */
static void read_version(torch_copy *copy) {
    char path[TORCH_SETTING_BYTES + 16], line[256];
    copy->version[0] = '\0';
    snprintf(path, sizeof path, "%s/../version.py", copy->folder);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && !copy->version[0]) {
        const char *quote = strpbrk(line, "'\"");
        if (!quote || strncmp(line, "__version__", 11) != 0) continue;
        snprintf(copy->version, sizeof copy->version, "%.*s", (int)strcspn(quote + 1, "'\""),
                 quote + 1);
    }
    if (file) fclose(file);
}

bool torch_copy_at(const char *folder, torch_copy *copy) {
    if (!torch_folder_find(folder, copy->folder)) return false;
    read_version(copy);
    copy->reason[0] = '\0';
    return true;
}

/* Adds the libtorch of a folder, unless it is among the copies already. */
static void add_copy(search *found, const char *folder) {
    if (found->count == TORCH_COPIES) return;
    torch_copy *copy = &found->copies[found->count];
    if (!torch_copy_at(folder, copy)) return;
    for (int i = 0; i < found->count; i++)
        if (!strcmp(found->copies[i].folder, copy->folder)) return;
    found->count++;
}

/* Adds what is installed below a prefix. */
static void add_prefix(search *found, const char *prefix) {
    char pattern[TORCH_SETTING_BYTES];
    if (!prefix || prefix[0] != '/') return;
    for (size_t i = 0; i < sizeof package_patterns / sizeof *package_patterns; i++) {
        glob_t paths;
        if (snprintf(pattern, sizeof pattern, "%s%s", prefix, package_patterns[i]) >=
            (int)sizeof pattern)
            return;
        if (glob(pattern, 0, NULL, &paths) != 0) continue;
        for (size_t k = 0; k < paths.gl_pathc; k++) add_copy(found, paths.gl_pathv[k]);
        globfree(&paths);
    }
}

/* Adds what is installed beside a folder of programs: below PREFIX of PREFIX/bin. */
static void add_programs(search *found, const char *folder, size_t bytes) {
    char prefix[TORCH_SETTING_BYTES];
    while (bytes > 1 && folder[bytes - 1] == '/') bytes--;
    if (bytes < 4 || bytes >= sizeof prefix || strncmp(folder + bytes - 4, "/bin", 4) != 0) return;
    snprintf(prefix, sizeof prefix, "%.*s", (int)bytes - 4, folder);
    add_prefix(found, prefix);
}

static void add_own_environment(search *found) {
    char path[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    if (bytes <= 0) return;
    path[bytes] = '\0';
    add_programs(found, path, (size_t)(strrchr(path, '/') - path));
}

static void add_path(search *found) {
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t bytes = strcspn(at, ":");
        add_programs(found, at, bytes);
        at += bytes + (at[bytes] == ':');
    }
}

int torch_search(torch_copy copies[TORCH_COPIES]) {
    search found = {copies, 0};
    char local[TORCH_SETTING_BYTES];
    const char *named = getenv("ALCORE_TORCH_LIBDIR"), *home = getenv("HOME");

    if (named && *named) add_copy(&found, named);
    add_prefix(&found, getenv("VIRTUAL_ENV"));
    add_prefix(&found, getenv("CONDA_PREFIX"));
    add_own_environment(&found);
    add_path(&found);
    if (home && snprintf(local, sizeof local, "%s/.local", home) < (int)sizeof local)
        add_prefix(&found, local);
    return found.count;
}

/* In the child: writes why models do not run on a libtorch to the pipe; nothing where they do. */
static void report_engine(const torch_copy *copy, int pipe_end) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx = NULL;
    options.torch_dir = copy->folder;
    options.threads = 1;
    alcore_status status = alcore_ctx_new(&options, &ctx);
    if (status == ALCORE_OK) status = alcore_model_check_engine(ctx);
    if (status == ALCORE_OK) return;
    const char *why = alcore_last_error();
    if (write(pipe_end, why, strlen(why)) < 0) _exit(1);
}

void torch_try(torch_copy *copy) {
    int ends[2], outcome = 0;
    size_t length = 0;

    strcpy(copy->reason, "it could not be tried");
    if (pipe(ends) != 0) return;
    const pid_t child = fork();
    if (child == 0) {
        report_engine(copy, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = child > 0; got > 0 && length < sizeof copy->reason - 1;) {
        got = read(ends[0], copy->reason + length, sizeof copy->reason - 1 - length);
        if (got > 0) length += (size_t)got;
    }
    close(ends[0]);
    if (child < 0 || waitpid(child, &outcome, 0) != child) return;
    copy->reason[length] = '\0';
    if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0)
        strcpy(copy->reason, "loading it ended the process that tried it");
}
