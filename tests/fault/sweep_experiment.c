/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: experiments. Each call begins a small one from nothing, in a folder in memory where that
 * can be, as every file is brought to the disk. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "test_folder.h"

/* The folder of this process. */
static char bed[TEST_PATH_BYTES];

static const char *in_bed(const char *name) {
    static char path[3][TEST_PATH_BYTES + 32];
    static int next;
    next = (next + 1) % 3;
    snprintf(path[next], sizeof path[next], "%s/%s", bed, name);
    return path[next];
}

static void remove_bed(void) {
    test_folder_remove(bed);
}

static void put(const char *name, const char *text) {
    FILE *file = fopen(in_bed(name), "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

/* A round before the first one, which is shared, and one that selects with its model. Commands are
 * not among it: to start a program for each allocation takes minutes. */
static void make_bed(void) {
    snprintf(bed, sizeof bed, "/dev/shm/alcore-sweep-experiment-XXXXXX");
    if (!mkdtemp(bed)) test_folder_make(bed, "sweep-experiment");
    atexit(remove_bed);
    put("pool.tsv", "id\ttext\treference\na\tone two\tx y\nb\ttwo three\ty z\nc\tone\tx\n");
    put("test.tsv", "id\ttext\nt\tone six\nu\ttwo\n");
    put("experiment.json",
        "{\"schema\": \"alcore-experiment-1\", \"domains\": [{\"name\": \"d\", \"pool\": "
        "{\"path\": \"pool.tsv\", \"records\": [1, 3]}, \"labeled\": \"test.tsv\", \"test\": "
        "\"test.tsv\"}], \"strategies\": [{\"name\": \"n\", \"strategy\": \"nnll\", "
        "\"parameters\": "
        "{\"candidates\": 2}}], \"models\": {\"logprobs\": \"trained\"}, \"options\": {\"masks\": "
        "\"none\"}, \"zero\": true, \"seeds\": [1], \"budgets\": [1], \"rounds\": 1, \"train\": "
        "{\"ngram\": {\"order\": 1}}}\n");
}

static alcore_status count_event(void *user, const char *line) {
    ++*(int *)user;
    return line ? ALCORE_OK : ALCORE_E_INTERNAL;
}

ALLOCATES(alcore_experiment_run, 0) {
    alcore_experiment_options options = ALCORE_EXPERIMENT_OPTIONS_INIT;
    alcore_experiment_result result = ALCORE_EXPERIMENT_RESULT_INIT;
    int events = 0;
    options.event = count_event;
    options.event_user = &events;
    if (!*bed) make_bed();
    sweep_pause(w); /* nftw() takes memory too */
    if (access(in_bed("out"), F_OK) == 0) test_folder_remove(in_bed("out"));
    sweep_resume(w);
    const alcore_status status =
        alcore_experiment_run(w->ctx, in_bed("experiment.json"), in_bed("out"), &options, &result);
    if (status != ALCORE_OK) return status;
    return result.runs == 1 && result.rounds == 2 && events > 8 ? ALCORE_OK : ALCORE_E_INTERNAL;
}
