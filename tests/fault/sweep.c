/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the sweep: for every exported function, for k = 1, 2, ..., allocation k fails, once or
 * from k on, until the call succeeds without meeting a failure. Each time: the call says
 * ALCORE_E_NOMEM (or succeeds all the same), nothing that the caller can see has changed, live
 * bytes are back where they were, the same call then succeeds, and at the end no byte is left. In
 * builds without a sanitizer, malloc itself fails too, for what zlib and others allocate on
 * their own.
 *
 * Beside the functions, a whole selection with files goes through the same for every strategy.
 *
 * usage: sweep MAP-FILE [CASE]... */
#include <ctype.h>
#include <string.h>

#include "base/rng.h"
#include "sweep.h"

static sweep_case *cases;
static int lines, wrong;

void sweep_register(sweep_case *new_case) {
    new_case->next = cases;
    cases = new_case;
}

static void report(bool good, const char *name, const char *detail) {
    printf("%s %d - %s%s%s\n", good ? "ok" : "not ok", ++lines, name, *detail ? ": " : "", detail);
    fflush(stdout);
    wrong += !good;
}

/* ---- malloc that fails ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERPOSED 0
static void process_arm(long long at) {
    (void)at;
}
static long long process_disarm(void) {
    return 0;
}
static void process_pause(bool paused) {
    (void)paused;
}
#else
#define INTERPOSED 1
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
static atomic_llong process_calls, process_fail_at;
static _Atomic bool process_armed, process_paused;

static bool process_fails(void) {
    return atomic_load(&process_armed) && !atomic_load(&process_paused) &&
           atomic_fetch_add(&process_calls, 1) + 1 == atomic_load(&process_fail_at);
}

static void process_arm(long long at) {
    atomic_store(&process_calls, 0);
    atomic_store(&process_fail_at, at);
    atomic_store(&process_armed, true);
}

/* The calls since the arming. */
static long long process_disarm(void) {
    atomic_store(&process_armed, false);
    return atomic_load(&process_calls);
}

static void process_pause(bool paused) {
    atomic_store(&process_paused, paused);
}

void *malloc(size_t bytes) {
    return process_fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return process_fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    return process_fails() ? NULL : __libc_realloc(memory, bytes);
}
#endif

/* ---- one failing allocation ---- */

enum { ONCE, FROM_ON, PROCESS, MODES };
static const char *const mode_names[] = {"once", "from there on", "malloc itself"};

static void arm(world *w, int mode, long long at) {
    if (mode == PROCESS)
        process_arm(at);
    else
        fault_arm(&w->fault, at, mode == FROM_ON);
}

/* Stops failing; whether the failure was met. */
static bool disarm(world *w, int mode, long long at) {
    if (mode == PROCESS) return process_disarm() >= at;
    bool met = atomic_load(&w->fault.failures) > 0;
    fault_arm(&w->fault, 0, 0);
    return met;
}

void sweep_pause(world *w) {
    w->paused_calls = atomic_load(&w->fault.calls);
    w->paused_fail_at = atomic_exchange(&w->fault.fail_at, 0);
    process_pause(true);
}

void sweep_resume(world *w) {
    atomic_store(&w->fault.calls, w->paused_calls);
    atomic_store(&w->fault.fail_at, w->paused_fail_at);
    process_pause(false);
}

void sweep_keep_error(world *w) {
    snprintf(w->error, sizeof w->error, "%.199s", alcore_last_error());
}

/* Fails allocation `at` of a case; *met is whether there was such an allocation. NULL, or what was
 * wrong. */
static const char *try_one(const sweep_case *the_case, int mode, long long at, bool *met) {
    static char detail[400];
    const char *bad = NULL;
    world w;
    world_begin(&w, the_case->with);
    uint64_t digest = world_digest(&w);
    int files = world_files_count();
    long long bytes = atomic_load(&w.fault.live_bytes);
    arm(&w, mode, at);
    alcore_status status = the_case->call(&w);
    *met = disarm(&w, mode, at);
    char text[200];
    snprintf(text, sizeof text, "%.199s", *w.error ? w.error : alcore_last_error());
    if (status == ALCORE_E_INTERNAL)
        bad = "an output was touched, or a result is wrong";
    else if (world_temporaries_count() != 0)
        bad = "a temporary file or folder is left";
    else if (!*met && status != ALCORE_OK)
        bad = "it failed without a failing allocation";
    else if (*met && status != ALCORE_OK && status != ALCORE_E_NOMEM && mode != PROCESS)
        bad = "it failed with another status than ALCORE_E_NOMEM";
    else if (status != ALCORE_OK && !*text)
        bad = "it failed without an error text";
    else if (status == ALCORE_E_NOMEM && !strstr(text, "memory"))
        bad = "the error text does not speak of memory";
    else if (status != ALCORE_OK && world_digest(&w) != digest)
        bad = "a failed call changed something";
    else if (status != ALCORE_OK && world_files_count() != files)
        bad = "a failed call left a file behind";
    else if (status != ALCORE_OK && !the_case->keeps && atomic_load(&w.fault.live_bytes) > bytes)
        bad = "a failed call keeps memory";
    else if (status != ALCORE_OK && (status = the_case->call(&w)) != ALCORE_OK) {
        snprintf(text, sizeof text, "%.199s", alcore_last_error());
        bad = "the same call without failures does not succeed afterwards";
    }
    long long live = atomic_load(&w.fault.live_bytes);
    world_end(&w);
    if (!bad && atomic_load(&w.fault.live_bytes) != 0)
        bad = "memory is left when all handles are gone";
    if (!bad) return NULL;
    snprintf(
        detail, sizeof detail,
        "allocation %lld fails (%s): %s (status %s, \"%s\"; live bytes %lld before, %lld after)",
        at, mode_names[mode], bad, alcore_status_name(status), text, bytes, live);
    return detail;
}

/* ---- one function ---- */

static uint64_t seed, draws;

/* Of long sweeps the default tier tries a seeded sample: so many of the first and of the last
 * allocations, and about so many between; a quarter of that in a sanitized build, where each takes
 * several times as long. */
static struct { long long ends, between; } sample = {INTERPOSED ? 8 : 2, INTERPOSED ? 24 : 6};

static bool chosen(long long at, long long count, bool every) {
    if (every || at <= sample.ends || at > count - sample.ends) return true;
    return alcore__rng_derive(seed, draws++, (uint64_t)at, 0) % (uint64_t)count <
           (uint64_t)sample.between;
}

static void sweep(const sweep_case *the_case, bool every) {
    char text[100];
    /* Without failures: how many allocations there are. */
    world w;
    world_begin(&w, the_case->with);
    long long before = atomic_load(&w.fault.calls);
    alcore_status status = the_case->call(&w);
    long long counts[MODES];
    counts[ONCE] = counts[FROM_ON] = atomic_load(&w.fault.calls) - before;
    snprintf(text, sizeof text, "%s \"%.60s\"", alcore_status_name(status), alcore_last_error());
    world_end(&w);
    if (status != ALCORE_OK) {
        report(false, the_case->name, text);
        return;
    }
    if (atomic_load(&w.fault.live_bytes) != 0) {
        report(false, the_case->name, "memory is left after a success");
        return;
    }
    world_begin(&w, the_case->with);
    process_arm(INT64_MAX);
    the_case->call(&w);
    counts[PROCESS] = process_disarm();
    world_end(&w);
    if (!the_case->allocates) {
        snprintf(text, sizeof text, "%lld allocations, should be none",
                 counts[ONCE] + counts[PROCESS]);
        bool none = counts[ONCE] == 0 && counts[PROCESS] == 0;
        report(none, the_case->name, none ? "" : text);
        return;
    }
    long long tried = 0;
    for (int mode = 0; mode < MODES; mode++) {
        bool met = true;
        for (long long at = 1; at <= counts[mode] + 2 && met; at++) {
            if (!chosen(at, counts[mode], every)) continue;
            const char *bad = try_one(the_case, mode, at, &met);
            tried++;
            if (bad) {
                report(false, the_case->name, bad);
                return;
            }
        }
    }
    if (counts[ONCE] + counts[PROCESS] == 0) {
        report(!INTERPOSED, the_case->name, "never allocates: say so with NEVER()");
        return;
    }
    snprintf(text, sizeof text, "%lld allocations, %lld of malloc, %lld tried", counts[ONCE],
             counts[PROCESS], tried);
    report(true, the_case->name, text);
}

/* From the command line: the cases asked for, NULL for all; whether every allocation is tried. */
static char **asked;
static bool full;

static bool is_asked(const char *name) {
    for (char **word = asked; word && *word; word++)
        if (strcmp(*word, name) == 0) return true;
    return !asked;
}

static void run_if_asked(const sweep_case *the_case) {
    if (is_asked(the_case->name)) sweep(the_case, full || asked);
}

/* Of the whole selections a sanitized build tries a sample in the full tier too. */
static void run_selection(const sweep_case *the_case) {
    if (is_asked(the_case->name)) sweep(the_case, (full && INTERPOSED) || asked);
}

static const sweep_case *find(const char *name) {
    for (const sweep_case *c = cases; c; c = c->next)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

int main(int argc, char **argv) {
    const char *given = getenv("ALCORE_TEST_SEED"), *tier = getenv("ALCORE_TEST_FULL");
    full = tier && *tier == '1';
    seed = given ? strtoull(given, NULL, 10) : 1;
    printf("# %s sweep, seed %llu (repeat with ALCORE_TEST_SEED)\n", full ? "full" : "thinned",
           (unsigned long long)seed);
    if (argc < 2) return 2;
    world_files_write();
    asked = argc > 2 ? argv + 2 : NULL;
    FILE *map = fopen(argv[1], "r");
    if (!map) return 2;
    char line[200];
    while (fgets(line, sizeof line, map)) {
        char name[200];
        if (sscanf(line, " %199[a-z0-9_];", name) != 1 || strncmp(name, "alcore_", 7) != 0)
            continue;
        const sweep_case *the_case = find(name);
        if (the_case)
            run_if_asked(the_case);
        else
            report(false, name, "an exported function without a case in tests/fault/sweep_*.c");
    }
    fclose(map);
    sample.ends = INTERPOSED ? 2 : 1; /* of three times as many cases as there are strategies */
    sample.between = INTERPOSED ? 8 : 2;
    sweep_selections(run_selection);
    world_files_remove();
    printf("1..%d\n", lines);
    return wrong ? 1 : 0;
}
