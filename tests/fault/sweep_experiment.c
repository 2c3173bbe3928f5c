/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: experiments. Each call begins a small one from nothing. */
#include "sweep.h"
#include "sweep_bed.h"

/* A round before the first one, which is shared, and one that selects with its model. Commands are
 * not among it: to start a program for each allocation takes minutes. */
static void make_experiment(void) {
    make_bed("sweep-experiment");
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
    if (!*bed) make_experiment();
    sweep_pause(w); /* nftw() takes memory too */
    if (access(in_bed("out"), F_OK) == 0) test_folder_remove(in_bed("out"));
    sweep_resume(w);
    const alcore_status status =
        alcore_experiment_run(w->ctx, in_bed("experiment.json"), in_bed("out"), &options, &result);
    if (status != ALCORE_OK) return status;
    return result.runs == 1 && result.rounds == 2 && events > 8 ? ALCORE_OK : ALCORE_E_INTERNAL;
}
