/* SPDX-License-Identifier: Apache-2.0 */
/* See output_path.h. */
#include "base/output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* as the kernel follows them */

/* Whether the path is standard output by a name that leads to the descriptor: to open it again
 * would write over what other programs wrote before. */
static bool is_standard(const char *path) {
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 ||
           strcmp(path, "/proc/self/fd/1") == 0;
}

/* Replaces path, of capacity PATH_MAX, by what the symbolic link leads to, which is relative to the
 * folder of the link. */
static int follow_link(char path[PATH_MAX]) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target);
    if (length < 0) return errno;
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    if (folder + (size_t)length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(path + folder, target, (size_t)length);
    path[folder + (size_t)length] = '\0';
    return 0;
}

/* Follows all links at the end of the path. */
static int follow_links(char path[PATH_MAX]) {
    struct stat info;
    for (int links = 0; lstat(path, &info) == 0 && S_ISLNK(info.st_mode); links++) {
        const int error = links < MAX_LINKS ? follow_link(path) : ELOOP;
        if (error) return error;
    }
    return 0;
}

int alcore__output_find(const char *path, alcore__output *out) {
    struct stat behind;
    *out = (alcore__output){.kind = ALCORE__OUTPUT_STANDARD};
    if (is_standard(path)) return 0;
    if (strlen(path) >= sizeof out->path) return ENAMETOOLONG;
    strcpy(out->path, path);
    out->exists = stat(path, &out->info) == 0;
    out->kind =
        !out->exists || S_ISREG(out->info.st_mode) ? ALCORE__OUTPUT_FILE : ALCORE__OUTPUT_STREAM;
    if (out->exists && S_ISDIR(out->info.st_mode)) return EISDIR;
    if (out->kind == ALCORE__OUTPUT_STREAM) return 0;
    const int error = follow_links(out->path);
    if (error || !out->exists) return error;
    if (faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) != 0) return errno;
    /* Without a link the path is the name, whatever another process puts there meanwhile. */
    if (strcmp(path, out->path) == 0) return 0;
    /* An open file that has lost its name, as a link of /proc leads to: it has none to be given. */
    if (stat(out->path, &behind) != 0 || behind.st_ino != out->info.st_ino ||
        behind.st_dev != out->info.st_dev)
        return ENOENT;
    return 0;
}

/* The owner first: a change of the owner takes bits of the mode away. */
void alcore__output_keep(const alcore__output *output, const char *temporary) {
    struct stat made;
    if (!output->exists || output->kind != ALCORE__OUTPUT_FILE) return;
    if (stat(temporary, &made) != 0) return;
    if (made.st_uid != output->info.st_uid || made.st_gid != output->info.st_gid) {
        const int kept = chown(temporary, output->info.st_uid, output->info.st_gid);
        const int group = kept ? chown(temporary, (uid_t)-1, output->info.st_gid) : 0;
        (void)group; /* not permitted: the file is the process's own, as every new one is */
    }
    const mode_t mode = output->info.st_mode & 0777;
    if ((made.st_mode & 0777) != mode) chmod(temporary, mode);
}

void alcore__output_suffix(char suffix[40]) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        number = (uint32_t)now.tv_nsec;
    }
    snprintf(suffix, 40, ".alcore-%" PRId64 "-%" PRIu32, (int64_t)getpid(), number);
}
