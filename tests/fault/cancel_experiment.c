/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment over the texts of the world, in a folder of its own: a round that is drawn at
 * random, and a language model of what is labeled. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cancel_calls.h"
#include "cancel_parts.h"
#include "test_folder.h"

static char bed[TEST_PATH_BYTES];

static void remove_bed(void) {
    test_folder_remove(bed);
}

/* The texts are their own references. */
static void make_bed(void) {
    char config[TEST_PATH_BYTES + 32];
    test_folder_make(bed, "cancel-experiment");
    atexit(remove_bed);
    snprintf(config, sizeof config, "%s/experiment.json", bed);
    FILE *file = fopen(config, "w");
    if (!file ||
        fputs("{\"schema\": \"alcore-experiment-1\", \"domains\": [{\"name\": \"d\", ", file) < 0 ||
        fprintf(file, "\"pool\": {\"path\": \"%s\", ", in_folder("pool.txt")) < 0 ||
        fprintf(file, "\"references\": \"%s\"}, ", in_folder("pool.txt")) < 0 ||
        fprintf(file, "\"labeled\": \"%s\"}], ", in_folder("pool.txt")) < 0 ||
        fputs("\"strategies\": [\"random\"], \"seeds\": [1], \"budgets\": [10], \"rounds\": 1, "
              "\"train\": {\"ngram\": {\"order\": 2}}}",
              file) < 0 ||
        fclose(file))
        exit(2);
}

alcore_status call_experiment(void) {
    char config[TEST_PATH_BYTES + 32], out[TEST_PATH_BYTES + 32];
    if (!*bed) make_bed();
    snprintf(config, sizeof config, "%s/experiment.json", bed);
    snprintf(out, sizeof out, "%s/out", bed);
    if (access(out, F_OK) == 0) test_folder_remove(out);
    return alcore_experiment_run(ctx, config, out, NULL, NULL);
}
