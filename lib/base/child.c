/* SPDX-License-Identifier: Apache-2.0 */
/* Running another program (child.h). The program leads a process group of its own: Ctrl-C in a
 * terminal reaches the host alone, which cancels the call, and one signal ends the program with
 * everything that it started.
 *
 * Linux kills the program when its host dies, however that happens: the new process asks for it by
 * PR_SET_PDEATHSIG before it becomes the program, which posix_spawn() cannot do. The signal comes
 * when the thread that started the process ends, and that thread waits here for the program. A host
 * that dies before the process has asked is noticed by getppid().
 *
 * The process is made by fork() in a process with threads. Until it becomes the program it calls
 * only functions that are safe in a signal handler, and none of the host's handlers runs in it:
 * signals are blocked before fork(). What fails is written to a pipe that closes when the program
 * begins. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Nanoseconds between two checks whether the program has ended: the first wait, and the longest one
 * to which waits double. */
enum { FIRST_WAIT = 1000000, LONGEST_WAIT = 16000000 };

/* Makes an empty folder that only this user can enter. The caller removes it, and frees *out also
 * after a failure. */
alcore_status alcore__temporary_folder(alcore_ctx *ctx, alcore__buffer *out) {
    const char *parent = getenv("TMPDIR");
    out->length = 0;
    ALCORE__TRY(
        alcore__buffer_format(ctx, out, "%s/alcore-XXXXXX", parent && *parent ? parent : "/tmp"));
    if (mkdtemp(out->data)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_IO, "cannot make a folder '%s': %s", out->data,
                        strerror_l(errno, alcore__c_locale()));
}

/* Closes what the host has open when the program begins; only the standard files remain. */
static void close_others(void) {
#ifdef CLOSE_RANGE_CLOEXEC
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
#endif
}

/* No signal is ignored, handled or blocked in the program. */
static void reset_signals(void) {
    struct sigaction initial = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++) sigaction(number, &initial, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Makes the standard input, an empty one. */
static bool open_input(void) {
    const int input = open("/dev/null", O_RDONLY);
    return input >= 0 && dup2(input, 0) == 0;
}

/* Makes both outputs the file log of the folder, which becomes the current one. */
static bool open_log(const char *folder) {
    if (chdir(folder) != 0) return false;
    const int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return log >= 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2;
}

/* Turns the new process into the program; returns only after a failure, with errno. host: the
 * process that it is to die with. */
static void become(const char *const *arguments, const char *folder, pid_t host) {
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
#endif
    if (getppid() != host) _exit(127); /* it died before, and nobody reads the pipe */
    if (setpgid(0, 0) != 0 || !open_input() || (folder && !open_log(folder))) return;
    close_others();
    reset_signals();
    execvp(arguments[0], (char *const *)arguments);
}

/* The new process: becomes the program, or writes why it cannot to the pipe. The end of the pipe is
 * moved to a descriptor from 3 on, as open_files() replaces 0 to 2. */
_Noreturn static void run_child(const char *const *arguments, const char *folder, pid_t host,
                                int pipe_end) {
    const int end = fcntl(pipe_end, F_DUPFD_CLOEXEC, 3);
    if (end >= 0) become(arguments, folder, host);
    const int error = errno;
    const ssize_t written = write(end >= 0 ? end : pipe_end, &error, sizeof error);
    (void)written; /* without it the host takes the end with 127 for that of the program */
    _exit(127);
}

/* Starts a process that becomes the program; an error number. pipe_ends: of a pipe, both of which
 * close when a program begins. */
static int start_with(const char *const *arguments, const char *folder, const int pipe_ends[2],
                      pid_t *out) {
    sigset_t all, before;
    const pid_t host = getpid();
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error) return error;
    const pid_t child = fork();
    error = child < 0 ? errno : 0;
    if (child == 0) run_child(arguments, folder, host, pipe_ends[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out = child;
    return error;
}

/* Reads what the new process could not do, an error number; 0 where it became the program, which
 * closes the pipe. */
static int read_error(int pipe_end) {
    int error = 0;
    ssize_t length;
    do {
        length = read(pipe_end, &error, sizeof error);
    } while (length < 0 && errno == EINTR);
    return length == (ssize_t)sizeof error ? error : 0;
}

/* Starts the program; an error number. */
static int start(const char *const *arguments, const char *folder, pid_t *out) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return errno;
    int error = start_with(arguments, folder, pipe_ends, out);
    close(pipe_ends[1]);
    if (!error) {
        error = read_error(pipe_ends[0]);
        if (error) waitpid(*out, NULL, 0);
    }
    close(pipe_ends[0]);
    return error;
}

/* Waits until the program has ended, or with the flag WNOHANG only checks. Returns whether it has
 * ended; *out_code is set then (-1: a host that ignores SIGCHLD, so that waitpid() fails). */
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

/* The process leads a group of its own number (become()), which kill() of -child ends whole. The
 * last collect() waits for the end, so that no zombie stays. */
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
    return ALCORE_OK;
}
