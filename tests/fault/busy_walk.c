/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that uses a handle says so when another call is in its way: for each case of the sweep
 * (sweep.h) and for k = 1, 2, ..., the k-th handle that the case begins to use answers
 * ALCORE_E_BUSY. The call then returns that with an error text, leaves no memory behind and, where
 * it was the first handle, changed nothing that the caller can see.
 *
 * Linked with --wrap, so that the library's alcore__read_begin() and alcore__write_begin() are
 * those below. Prints TAP, and "# busy NAME" for every function that answered; busy_walk.py
 * compares these with the headers.
 *
 * usage: busy_walk MAP-FILE */
#include <string.h>

#include "base/base.h"
#include "sweep.h"

static sweep_case *cases;
static int lines, wrong;

void sweep_register(sweep_case *new_case) {
    new_case->next = cases;
    cases = new_case;
}

/* ---- handles that are in use ---- */

static int begun, busy_at; /* handles begun so far; the one that is in use, 0: none */
static bool armed, paused;

alcore_status __real_alcore__read_begin(const void *object, const char *noun);
alcore_status __real_alcore__write_begin(void *object, const char *noun);
alcore_status __wrap_alcore__read_begin(const void *object, const char *noun);
alcore_status __wrap_alcore__write_begin(void *object, const char *noun);

static bool is_busy(const void *object) {
    return object && armed && !paused && ++begun == busy_at;
}

alcore_status __wrap_alcore__read_begin(const void *object, const char *noun) {
    if (is_busy(object)) return alcore__fail(ALCORE_E_BUSY, "the %s is in use", noun);
    return __real_alcore__read_begin(object, noun);
}

alcore_status __wrap_alcore__write_begin(void *object, const char *noun) {
    if (is_busy(object)) return alcore__fail(ALCORE_E_BUSY, "the %s is in use", noun);
    return __real_alcore__write_begin(object, noun);
}

void sweep_pause(world *w) {
    (void)w;
    paused = true;
}

void sweep_resume(world *w) {
    (void)w;
    paused = false;
}

void sweep_keep_error(world *w) {
    snprintf(w->error, sizeof w->error, "%.199s", alcore_last_error());
}

/* ---- one case ---- */

static char found[120]; /* status and text of the last call */

/* Makes handle `at` of a case busy; *met: there was one. NULL, or what was wrong. */
static const char *try_one(const sweep_case *the_case, int at, bool *met, bool *answered) {
    const char *bad = NULL;
    world w;
    world_begin(&w, the_case->with);
    const uint64_t digest = world_digest(&w);
    begun = 0;
    busy_at = at;
    armed = true;
    const alcore_status status = the_case->call(&w);
    armed = paused = false;
    *met = begun >= at;
    const char *text = *w.error ? w.error : alcore_last_error();
    /* A case that looks at what its function did says ALCORE_E_INTERNAL. */
    const bool told = strstr(text, "is in use") != NULL;
    *answered = *met && told && (status == ALCORE_E_BUSY || status == ALCORE_E_INTERNAL);
    snprintf(found, sizeof found, "%s \"%.60s\"", alcore_status_name(status), text);
    if (!*met && status != ALCORE_OK)
        bad = "it failed although no handle was in use";
    else if (status == ALCORE_E_BUSY && !told)
        bad = "the error text does not name what is in use";
    else if (*answered && at == 1 && world_digest(&w) != digest)
        bad = "a refused call changed something";
    world_end(&w);
    if (!bad && atomic_load(&w.fault.live_bytes) != 0)
        bad = "memory is left when all handles are gone";
    return bad;
}

static void walk(const sweep_case *the_case) {
    const char *bad = NULL;
    bool met = true, answered, any = false;
    int at = 0;
    while (met && !bad) {
        bad = try_one(the_case, ++at, &met, &answered);
        any = any || answered;
    }
    printf("%s %d - %s: ", bad ? "not ok" : "ok", ++lines, the_case->name);
    if (bad)
        printf("handle %d of the call: %s (%s)\n", at, bad, found);
    else
        printf("%d handles\n", at - 1);
    if (any) printf("# busy %s\n", the_case->name);
    fflush(stdout);
    wrong += bad != NULL;
}

static const sweep_case *find(const char *name) {
    for (const sweep_case *c = cases; c; c = c->next)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

int main(int argc, char **argv) {
    char line[200], name[200];
    FILE *map = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!map) return 2;
    world_files_write();
    while (fgets(line, sizeof line, map)) {
        if (sscanf(line, " %199[a-z0-9_];", name) != 1 || strncmp(name, "alcore_", 7) != 0)
            continue;
        const sweep_case *the_case = find(name);
        if (the_case) walk(the_case);
    }
    fclose(map);
    world_files_remove();
    printf("1..%d\n", lines);
    return wrong ? 1 : 0;
}
