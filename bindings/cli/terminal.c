/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a run with its progress bar, log lines and signal handlers, and exit codes. */
#include "terminal.h"
#include "torch_setting.h"
#include "torch_step.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inputs.h"

/* The context that a signal cancels. Set once, before the handlers are. */
static alcore_ctx *interrupted_ctx;

/* Signals that came. The first ends what is computed, and results that are there are written; the
 * second ends that too. */
static volatile sig_atomic_t interrupts;

static bool shows_bar;

/* The project that remedies are for; NULL: they are options. */
static const char *remedied_project;

/* Log lines of the level ALCORE_LOG_INFO are shown. */
static bool shows_notes;

/* The progress bar: one line of standard error. */
static struct {
    bool shown;            /* the line has text */
    char stage[32];        /* name of the stage that runs, cut to fit */
    struct timespec begin; /* of the stage */
} bar;

/* Handler of SIGINT and SIGTERM; alcore_ctx_cancel() may be called from one. */
static void on_interrupt(int number) {
    (void)number;
    interrupts = interrupts ? 2 : 1;
    alcore_ctx_cancel(interrupted_ctx);
}

static double seconds_since(const struct timespec *begin) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

/* "stage 42 %, 1.2e+03/s, 10 s left" */
static void show_bar(const char *stage, int64_t done, int64_t total) {
    if (strncmp(bar.stage, stage, sizeof bar.stage - 1) != 0) {
        snprintf(bar.stage, sizeof bar.stage, "%s", stage);
        clock_gettime(CLOCK_MONOTONIC, &bar.begin);
    }
    double seconds = seconds_since(&bar.begin);
    double rate = seconds > 0.0 ? (double)done / seconds : 0.0;
    fprintf(stderr, "\r\033[K%s", bar.stage);
    if (total > 0) {
        fprintf(stderr, " %3.0f %%", 100.0 * (double)done / (double)total);
        if (rate > 0.0)
            fprintf(stderr, ", %.3g/s, %.0f s left", rate, (double)(total - done) / rate);
    } else if (rate > 0.0) {
        fprintf(stderr, " %lld, %.3g/s", (long long)done, rate);
    }
    fflush(stderr);
    bar.shown = true;
}

/* The progress callback, which alone can end a call that writes a file. */
static int32_t on_progress(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    if (shows_bar) show_bar(stage, done, total);
    return interrupts > 1;
}

void terminal_clear(void) {
    if (bar.shown) fputs("\r\033[K", stderr);
    bar.shown = false;
}

void terminal_show_notes(void) {
    shows_notes = true;
}

/* The log callback: warnings and errors, notes where they are asked for, and what a cache had,
 * which nothing else tells; with --quiet (user) errors only. */
static void show_log(void *user, int32_t level, const char *component, const char *message,
                     const char *fields) {
    bool quiet = *(const bool *)user;

    (void)fields;
    const int32_t least = quiet         ? ALCORE_LOG_ERROR
                          : shows_notes ? ALCORE_LOG_INFO
                                        : ALCORE_LOG_WARN;
    if (level < least && (quiet || strcmp(component, "cache") != 0)) return;
    terminal_clear();
    fprintf(stderr, "%s: %s\n", component, message);
}

int terminal_context(const arguments *args, alcore_ctx **out) {
    static bool quiet;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    const char *threads = option_value(args, OPTION_THREADS, "0");
    int64_t count;

    quiet = option_given(args, OPTION_QUIET);
    if (!integer_of(threads, &count) || count < 0 || count > 4096)
        return complain(EXIT_USAGE, "--threads %s: an integer from 0 to 4096 is needed", threads);
    options.threads = (int32_t)count;
    options.log = show_log;
    options.log_user = &quiet;
    shows_bar = !quiet && isatty(STDERR_FILENO);
    options.progress = on_progress;
    char folder[TORCH_SETTING_BYTES];
    options.torch_dir = torch_setting_read(folder);
    alcore_status status = alcore_ctx_new(&options, out);
    if (status != ALCORE_OK) return terminal_failure(status);

    struct sigaction action = {.sa_handler = on_interrupt};
    interrupted_ctx = *out;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    return EXIT_DONE;
}

/* The name of an option as it stands on the command line: dashes for underscores. The option of the
 * column mlm_losses has a name of its own. */
static void print_option(FILE *stream, const char *name) {
    fputs("--", stream);
    if (!strcmp(name, "mlm_losses")) name = "losses";
    for (; *name; name++) fputc(*name == '_' ? '-' : *name, stream);
}

void terminal_remedies_of(const char *project) {
    remedied_project = project;
}

/* A remedy as a command about a project: texts that are added, or a setting. */
static void print_project_remedy(FILE *stream, const alcore_remedy *remedy, const char *value) {
    const char *name = remedy->name;

    if (remedy->kind == ALCORE_REMEDY_POOL) {
        fprintf(stream, "`alcore project add %s FILE --role %s`", remedied_project, name);
        return;
    }
    if (remedy->kind == ALCORE_REMEDY_STRATEGY) name = "strategy", value = remedy->name;
    if (remedy->kind == ALCORE_REMEDY_MODEL) name = "model", value = remedy->name;
    if (remedy->kind == ALCORE_REMEDY_COLUMN) name = "model", value = "FOLDER";
    fprintf(stream, "`alcore project set %s %s=%s`", remedied_project, name, value);
}

void terminal_remedy(FILE *stream, const alcore_remedy *remedy) {
    const char *value = remedy->value ? remedy->value : "VALUE";

    if (remedied_project && remedy->kind != ALCORE_REMEDY_TORCH) {
        print_project_remedy(stream, remedy, value);
        return;
    }
    switch (remedy->kind) {
    case ALCORE_REMEDY_PARAMETER:
        fprintf(stream, "-p %s=%s", remedy->name, value);
        break;
    case ALCORE_REMEDY_STRATEGY:
        fprintf(stream, "--strategy %s", remedy->name);
        break;
    case ALCORE_REMEDY_MODEL:
        fprintf(stream, "--model %s%s%s", remedy->value ? value : "", remedy->value ? "=" : "",
                remedy->name);
        break;
    case ALCORE_REMEDY_MEANING: /* one option for the classes of rows, of tokens and of samples */
        print_option(stream, strstr(remedy->name, "probs") ? "probs" : remedy->name);
        fprintf(stream, "-are %s", value);
        break;
    case ALCORE_REMEDY_TORCH:
        fprintf(stream,
                "`alcore doctor --torch --write`, after `pip install 'torch==%s.*'` where that "
                "release is not installed,",
                remedy->name);
        break;
    case ALCORE_REMEDY_OPTION:
        print_option(stream, remedy->name);
        fprintf(stream, " %s", value);
        break;
    default: /* a pool or a column comes from a file */
        if (strcmp(remedy->name, "candidates") != 0) print_option(stream, remedy->name);
        fputs(strcmp(remedy->name, "candidates") != 0 ? " FILE" : "POOL", stream);
    }
}

void terminal_error(FILE *stream, alcore_status status) {
    const char *text = alcore_last_error();
    alcore_remedy remedy = ALCORE_REMEDY_INIT;

    fputs(*text ? text : alcore_status_name(status), stream);
    if (!alcore_last_remedy(&remedy)) return;
    fputs("; ", stream);
    terminal_remedy(stream, &remedy);
    fprintf(stream, " %s", remedy.effect);
}

int terminal_failure(alcore_status status) {
    terminal_clear();
    fputs("alcore: ", stderr);
    if (status == ALCORE_E_CANCELLED)
        fputs("interrupted", stderr);
    else if (!torch_step_print(stderr))
        terminal_error(stderr, status);
    fputc('\n', stderr);
    switch (status) {
    case ALCORE_E_INVALID:
    case ALCORE_E_PARAM:
        return EXIT_USAGE;
    case ALCORE_E_IO:
    case ALCORE_E_EXISTS:
        return EXIT_IO;
    case ALCORE_E_NOMEM:
        return EXIT_MEMORY;
    case ALCORE_E_UNSUPPORTED:
    case ALCORE_E_MODULE:
        return EXIT_MODULE;
    case ALCORE_E_CANCELLED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_DATA;
    }
}

bool terminal_error_row(int64_t *out) {
    const char *found = strstr(alcore_last_error(), "row ");
    char number[20];
    const size_t digits = found ? strspn(found + 4, "0123456789") : 0;
    if (digits == 0 || digits >= sizeof number || strncmp(found + 4 + digits, " (id ", 5) != 0)
        return false;
    memcpy(number, found + 4, digits);
    number[digits] = '\0';
    return integer_of(number, out);
}

int outcome(alcore_status status) {
    return status == ALCORE_OK ? EXIT_DONE : terminal_failure(status);
}
