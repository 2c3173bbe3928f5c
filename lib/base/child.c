/* SPDX-License-Identifier: Apache-2.0 */
/* Running another program (child.h) with posix_spawn(), which is safe in a process with threads.
 * The program leads a process group of its own: Ctrl-C in a terminal reaches the host alone, which
 * cancels the call, and one signal ends the program with everything that it started. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between two looks at the program: first and longest. */
enum { FIRST_WAIT = 1000000, LONGEST_WAIT = 16000000 };

extern char **environ;

alcore_status alcore__temporary_folder(alcore_ctx *ctx, alcore__buffer *out) {
    const char *parent = getenv("TMPDIR");
    out->length = 0;
    ALCORE__TRY(
        alcore__buffer_format(ctx, out, "%s/alcore-XXXXXX", parent && *parent ? parent : "/tmp"));
    if (mkdtemp(out->data)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_IO, "cannot make a folder '%s': %s", out->data,
                        strerror_l(errno, alcore__c_locale()));
}

/* Describes what the program begins with: the folder, the three standard files and no other
 * descriptor; no signal is ignored or blocked. Returns an error number, 0 after a success. */
static int describe(const char *folder, posix_spawn_file_actions_t *files,
                    posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_addchdir_np(files, folder);
    if (!error) error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error =
            posix_spawn_file_actions_addopen(files, 1, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error) error = posix_spawn_file_actions_adddup2(files, 1, 2);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(files, 3);
#endif
#endif
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return error;
}

/* Starts the program. Returns an error number, 0 after a success. */
static int start(const char *const *arguments, const char *folder, pid_t *out) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = describe(folder, &files, &attributes);
        if (!error)
            error = posix_spawnp(out, arguments[0], &files, &attributes, (char *const *)arguments,
                                 environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Waits until the program has ended, or with the flag WNOHANG only looks. Returns whether it has
 * ended; *out_code is set then. */
static bool collect(pid_t child, int flags, int *out_code) {
    int state = 0;
    pid_t ended;
    do {
        ended = waitpid(child, &state, flags);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return false;
    *out_code = ended < 0 ? -1 : WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return true;
}

/* Whether a program that ended with code was never there. Under valgrind and qemu-user
 * posix_spawnp() cannot tell: the process that would have become the program ends with 127 and has
 * written nothing. The loader ends with 127 too, for a library that is missing, but says so. */
static bool never_ran(const char *folder, int code) {
    struct stat info = {0};
    const int directory = code == 127 ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory < 0) return false;
    const bool silent = fstatat(directory, "log", &info, 0) == 0 && info.st_size == 0;
    close(directory);
    return silent;
}

alcore_status alcore__child_run(alcore_ctx *ctx, const char *const *arguments, const char *folder,
                                const char *stage, int *out_code) {
    pid_t child = 0;
    struct timespec wait = {0, FIRST_WAIT};
    const int error = start(arguments, folder, &child);
    if (error == ENOENT) return ALCORE_E_NOT_FOUND;
    if (error)
        return alcore__fail(error == ENOMEM ? ALCORE_E_NOMEM : ALCORE_E_IO, "cannot start %s: %s",
                            arguments[0], strerror_l(error, alcore__c_locale()));
    while (!collect(child, WNOHANG, out_code)) {
        const alcore_status status = alcore__tick(ctx, stage, 0, -1);
        if (status != ALCORE_OK) {
            kill(-child, SIGKILL);
            collect(child, 0, out_code);
            return status;
        }
        nanosleep(&wait, NULL);
        if (wait.tv_nsec < LONGEST_WAIT) wait.tv_nsec *= 2;
    }
    return never_ran(folder, *out_code) ? ALCORE_E_NOT_FOUND : ALCORE_OK;
}
