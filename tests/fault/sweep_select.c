/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: a whole selection with files, for every registered strategy.
 *
 * One case is what the command does: pools, columns and lists of rows are read from files, the
 * strategy selects, and the selection and its report are written, each in every format. The driver
 * lets each allocation of that fail. After a failure an output file is absent or whole: an output
 * that is there has the bytes of the run without failures. The driver then sees that no temporary
 * file and no memory is left, and that the same call succeeds.
 *
 * The strategies come from the registry, each with three settings of its parameters. A new strategy
 * is met by its row in the registry alone; when it needs a column that these files lack, its case
 * fails and says so. */
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "sweep.h"

/* Candidates, components of an embedding, classes, rows of the labeled pool and of the target. */
enum { ROWS = 40, DIMS = 4, CLASSES = 3, LABELED = 6, TARGETS = 9 };

static const char *const OUTPUTS[] = {"picks.tsv",   "picks.csv",   "picks.jsonl", "picks.txt",
                                      "report.json", "report.html", "report.md"};
enum { SELECTIONS = 4, OUTPUT_COUNT = sizeof OUTPUTS / sizeof OUTPUTS[0] };

/* Parameters at their defaults; choices and integers, with options of the request, away from them;
 * flags and integers away from them. Choices and flags apart: not every one goes with every other.
 * distances=needed, which goes with few of them, is a setting of its own. */
enum { DEFAULTS, CHOICES, FLAGS, NEEDED, SETTINGS };
static const char *const SETTING_NAMES[] = {"", ", other choices", ", other flags",
                                            ", needed distances"};

/* What the present case runs; strategies run one after the other. */
static struct {
    const char *strategy;
    int setting; /* DEFAULTS, CHOICES, FLAGS or NEEDED */
    uint64_t
        expected[OUTPUT_COUNT]; /* hash of each output of a run without failures; 0: not run yet */
} now;

/* ---- the files ---- */

static void write_text(const char *name, const char *text) {
    world_file_write(name, text, strlen(text));
}

/* Files of two arrays of float32: [rows, columns], drawn uniformly; each row of probs adds up to 1.
 */
static void write_matrix(const char *name, alcore__rng *rng, int rows, int columns, bool probs) {
    float values[ROWS * DIMS];
    char shape[32];
    for (int i = 0; i < rows; i++) {
        float total = 0;
        for (int j = 0; j < columns; j++) {
            values[i * columns + j] = (float)(alcore__rng_f64(rng) + 0.05);
            total += values[i * columns + j];
        }
        for (int j = 0; probs && j < columns; j++) values[i * columns + j] /= total;
    }
    snprintf(shape, sizeof shape, "%d, %d", rows, columns);
    world_file_write_npy(name, "<f4", shape, values, (size_t)(rows * columns) * sizeof *values);
}

/* Two samples [2, rows, 2]. */
static void write_samples(alcore__rng *rng) {
    float values[2 * ROWS * 2];
    char shape[32];
    for (int i = 0; i < 2 * ROWS; i++) {
        values[2 * i] = (float)alcore__rng_f64(rng);
        values[2 * i + 1] = 1 - values[2 * i];
    }
    snprintf(shape, sizeof shape, "2, %d, 2", ROWS);
    world_file_write_npy("select-samples.npy", "<f4", shape, values, sizeof values);
}

static void write_files(void) {
    char pool[8000] = "", scores[2000] = "", logprobs[4000] = "", losses[4000] = "",
         labeled[1000] = "", answers[4000] = "", windows[2000] = "";
    char target[2000] = "text\tlang\n";
    alcore__rng rng;
    alcore__rng_seed(&rng, 31);
    for (int i = 0; i < ROWS; i++) {
        char *end = pool + strlen(pool);
        sprintf(
            end,
            "{\"id\": \"r%d\", \"text\": \"sentence %d of article %d on data\", \"cost\": %d}\n", i,
            i, i % 7, i % 4 + 1);
        sprintf(scores + strlen(scores), "r%d\t%.6f\n", i, alcore__rng_f64(&rng));
        sprintf(logprobs + strlen(logprobs), "r%d\t-%.4f -%.4f\n", i, alcore__rng_f64(&rng),
                alcore__rng_f64(&rng));
    }
    for (int i = 0; i < ROWS; i++)
        sprintf(losses + strlen(losses), "r%d\t%d %d\n", i, i % 5, i % 3 + 1);
    for (int i = 0; i < ROWS; i++) { /* one window of two positions */
        const double first = alcore__rng_f64(&rng);
        sprintf(answers + strlen(answers), "r%d\t%.6f %.6f\n", i, first, 1 - first);
        sprintf(windows + strlen(windows), "r%d\t2\n", i);
    }
    for (int i = 0; i < LABELED; i++) sprintf(labeled + strlen(labeled), "labeled text %d\n", i);
    for (int i = 0; i < TARGETS; i++)
        sprintf(target + strlen(target), "target %d\t%s\n", i, i % 3 ? "de" : "fr");
    write_text("select-pool.jsonl", pool);
    write_text("select-labeled.txt", labeled);
    write_text("select-target.tsv", target);
    write_text("select-scores.tsv", scores);
    write_text("select-logprobs.lp", logprobs);
    write_text("select-losses.lp", losses);
    write_text("select-answers.lp", answers);
    write_text("select-windows.lp", windows);
    write_text("select-known.txt", "r3\nr11\n");
    write_text("select-excluded.txt", "r5\n");
    write_matrix("select-embeddings.npy", &rng, ROWS, DIMS, false);
    write_matrix("select-labeled.npy", &rng, LABELED, DIMS, false);
    write_matrix("select-target.npy", &rng, TARGETS, DIMS, false);
    write_matrix("select-probs.npy", &rng, ROWS, CLASSES, true);
    write_samples(&rng);
    write_matrix("select-labeled-probs.npy", &rng, LABELED, CLASSES, true);
}

/* ---- one selection ---- */

static alcore_status read_column(alcore_pool *pool, const char *name, const char *file) {
    return alcore_pool_read_column(pool, name, world_file(file), NULL);
}

/* A pool from a file, in its role; pools[role] is the case's to release. */
static alcore_status read_pool(world *w, alcore_request *request, int32_t role, const char *file,
                               alcore_pool **out) {
    alcore_status status = alcore_pool_new(w->ctx, NULL, out);
    if (status == ALCORE_OK) status = alcore_pool_read(*out, world_file(file), NULL);
    return status == ALCORE_OK ? alcore_request_set_pool(request, role, *out) : status;
}

/* Whether the case turns what is measured of class probabilities, in a strategy that could take
 * given scores in their place: it refuses that where scores are there. */
static bool measures_classes(void) {
    const char *need = alcore_strategy_builtin_needs(now.strategy, ALCORE_ROLE_CANDIDATES, 0);
    return now.setting == CHOICES && need && strstr(need, "|probs|");
}

/* Whether the first need of the strategy is a column. */
static bool is_needed(const char *column) {
    const char *need = alcore_strategy_builtin_needs(now.strategy, ALCORE_ROLE_CANDIDATES, 0);
    return need && !strcmp(need, column);
}

/* Every round trip is the text of the row before. */
static alcore_status give_round_trips(alcore_pool *pool) {
    const char *back[ROWS];
    for (int i = 0; i < ROWS; i++) back[i] = alcore_pool_text(pool, i ? i - 1 : 0, NULL);
    return alcore_pool_set_text_column(pool, "roundtrip", back, NULL, ROWS, NULL);
}

static bool has_param(const char *strategy, const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    for (int64_t i = 0; alcore_strategy_builtin_param(strategy, i, &info) == ALCORE_OK; i++)
        if (!strcmp(info.name, name)) return true;
    return false;
}

/* Whether the case reads answers to questions: the flag windows of an uncertainty is set. */
static bool measures_answers(void) {
    return now.setting == FLAGS && has_param(now.strategy, "windows");
}

static alcore_status read_answers(alcore_pool *pool) {
    alcore_status status = read_column(pool, "qa_start", "select-answers.lp");
    if (status == ALCORE_OK) status = read_column(pool, "qa_end", "select-answers.lp");
    return status == ALCORE_OK ? read_column(pool, "qa_windows", "select-windows.lp") : status;
}

static alcore_status read_inputs(world *w, alcore_request *request, alcore_pool *pools[4]) {
    alcore_pool **candidates = &pools[ALCORE_ROLE_CANDIDATES - ALCORE_ROLE_CANDIDATES];
    alcore_status status =
        read_pool(w, request, ALCORE_ROLE_CANDIDATES, "select-pool.jsonl", candidates);
    if (status == ALCORE_OK && !measures_classes())
        status = read_column(*candidates, "scores", "select-scores.tsv");
    if (status == ALCORE_OK && !measures_classes())
        status = read_column(*candidates, "logprobs", "select-logprobs.lp");
    if (status == ALCORE_OK && is_needed("mlm_losses"))
        status = read_column(*candidates, "mlm_losses", "select-losses.lp");
    if (status == ALCORE_OK && is_needed("sample_probs"))
        status = read_column(*candidates, "sample_probs", "select-samples.npy");
    if (status == ALCORE_OK && is_needed("roundtrip")) status = give_round_trips(*candidates);
    if (status == ALCORE_OK && measures_answers()) status = read_answers(*candidates);
    if (status == ALCORE_OK) status = read_column(*candidates, "probs", "select-probs.npy");
    if (status == ALCORE_OK)
        status = read_column(*candidates, "embeddings", "select-embeddings.npy");
    if (status == ALCORE_OK)
        status = read_pool(w, request, ALCORE_ROLE_LABELED, "select-labeled.txt",
                           &pools[ALCORE_ROLE_LABELED - ALCORE_ROLE_CANDIDATES]);
    if (status == ALCORE_OK)
        status = read_column(pools[ALCORE_ROLE_LABELED - ALCORE_ROLE_CANDIDATES], "embeddings",
                             "select-labeled.npy");
    const char *of_labeled = alcore_strategy_builtin_needs(now.strategy, ALCORE_ROLE_LABELED, 0);
    if (status == ALCORE_OK && of_labeled && !strcmp(of_labeled, "probs"))
        status = read_column(pools[ALCORE_ROLE_LABELED - ALCORE_ROLE_CANDIDATES], "probs",
                             "select-labeled-probs.npy");
    bool reads_target = alcore_strategy_builtin_needs(now.strategy, ALCORE_ROLE_TARGET, 0);
    if (status == ALCORE_OK && reads_target)
        status = read_pool(w, request, ALCORE_ROLE_TARGET, "select-target.tsv",
                           &pools[ALCORE_ROLE_TARGET - ALCORE_ROLE_CANDIDATES]);
    if (status == ALCORE_OK && reads_target)
        status = read_column(pools[ALCORE_ROLE_TARGET - ALCORE_ROLE_CANDIDATES], "embeddings",
                             "select-target.npy");
    if (status == ALCORE_OK)
        status =
            alcore_request_read_rows(request, ALCORE_ROWS_LABELED, world_file("select-known.txt"));
    if (status == ALCORE_OK && now.setting == FLAGS && !strcmp(now.strategy, "same-ratio"))
        status =
            alcore_request_read_rows(request, ALCORE_ROWS_LIKE, world_file("select-known.txt"));
    if (status == ALCORE_OK)
        status = alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED,
                                          world_file("select-excluded.txt"));
    return status;
}

/* A choice takes its last alternative, a flag its other value, an integer 5; 30 rows are drawn. The
 * rounds of plan stay 1: more of them need a list of counts, which is a text. Labels stay as they
 * are: the classes here exclude each other. */
static alcore_status turn_params(alcore_strategy *strategy) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    alcore_status status = ALCORE_OK;
    for (int32_t i = 0;
         status == ALCORE_OK && alcore_strategy_builtin_param(now.strategy, i, &info) == ALCORE_OK;
         i++) {
        const char *last = info.choices ? strrchr(info.choices, '|') : NULL;
        if (!strcmp(info.name, "candidates"))
            status = alcore_strategy_set_int(strategy, info.name, 30);
        else if (info.type == ALCORE_PARAM_INTEGER && strcmp(info.name, "rounds") != 0)
            status = alcore_strategy_set_int(strategy, info.name, 5);
        else if (info.type == ALCORE_PARAM_FLAG && now.setting == FLAGS)
            status = alcore_strategy_set_int(strategy, info.name, *info.initial == '0');
        else if (info.type == ALCORE_PARAM_CHOICE && last && now.setting == CHOICES &&
                 strcmp(info.name, "distances") != 0 && strcmp(info.name, "labels") != 0)
            status = alcore_strategy_set(strategy, info.name, last + 1);
    }
    return status;
}

/* Sets the parameters of the setting NEEDED; with so little diversity some rows are left out. */
static alcore_status turn_distances(alcore_strategy *strategy) {
    alcore_status status = alcore_strategy_set(strategy, "distances", "needed");
    return status == ALCORE_OK ? alcore_strategy_set_number(strategy, "lambda", 0.1) : status;
}

/* Agrees to the n-gram model, by which phrases have embeddings, which max_similarity reads. */
static alcore_status agree(world *w, alcore_request *request, alcore_pool *labeled) {
    alcore_model *model = NULL;
    alcore_status status = alcore_model_new_ngram(w->ctx, labeled, NULL, &model);
    if (status == ALCORE_OK) status = alcore_request_set_model(request, model);
    alcore_model_unref(model);
    return status;
}

static alcore_status turn_options(alcore_request *request) {
    static const char *const options[][2] = {
        {"budget", "3u,9u,5u"}, {"price", "0.5EUR/u"}, {"max_similarity", "0.999"},
        {"tie", "random"},      {"fill", "skip"},      {"nan", "exclude"},
        {"keep_phrases", "1"},  {"fuzzy_match", "95"}};
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < sizeof options / sizeof options[0] && status == ALCORE_OK; i++)
        status = alcore_request_set(request, options[i][0], options[i][1]);
    return status;
}

static alcore_status write_outputs(const alcore_selection *selection) {
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < OUTPUT_COUNT && status == ALCORE_OK; i++)
        status = i < SELECTIONS ? alcore_selection_write(selection, world_file(OUTPUTS[i]), NULL)
                                : alcore_selection_report(selection, world_file(OUTPUTS[i]), NULL);
    return status;
}

/* Removes the outputs. Whether each was absent or whole; after a success (all) none may be absent.
 */
static bool outputs_are_whole(bool all) {
    static char bytes[1 << 18];
    bool good = true;
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        const char *path = world_file(OUTPUTS[i]);
        FILE *file = fopen(path, "rb");
        if (!file) {
            good &= !all;
            continue;
        }
        size_t length = fread(bytes, 1, sizeof bytes, file);
        uint64_t hash = alcore__hash64(bytes, length) | 1;
        fclose(file);
        unlink(path);
        if (now.expected[i] == 0) now.expected[i] = hash;
        good &= length < sizeof bytes && hash == now.expected[i];
    }
    return good;
}

static alcore_status select_with_files(world *w) {
    alcore_pool *pools[4] = {NULL};
    alcore_request *request = NULL;
    alcore_strategy *strategy = NULL;
    alcore_selection *selection = NULL;
    alcore_status status = alcore_request_new(w->ctx, &request);
    if (status == ALCORE_OK) status = read_inputs(w, request, pools);
    if (status == ALCORE_OK) status = alcore_strategy_new(w->ctx, now.strategy, &strategy);
    if (status == ALCORE_OK && now.setting == NEEDED)
        status = turn_distances(strategy);
    else if (status == ALCORE_OK && now.setting != DEFAULTS)
        status = turn_params(strategy);
    if (status == ALCORE_OK) status = alcore_request_set_strategy(request, strategy);
    if (status == ALCORE_OK) status = alcore_request_set(request, "budget", "12u");
    if (status == ALCORE_OK && now.setting == CHOICES) status = turn_options(request);
    if (status == ALCORE_OK && now.setting == CHOICES)
        status = agree(w, request, pools[ALCORE_ROLE_LABELED - ALCORE_ROLE_CANDIDATES]);
    if (status == ALCORE_OK) status = alcore_select(request, &selection);
    if ((status == ALCORE_OK && !selection) || (status != ALCORE_OK && selection))
        status = ALCORE_E_INTERNAL;
    if (status == ALCORE_OK) status = write_outputs(selection);
    sweep_keep_error(w);
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    for (int i = 0; i < 4; i++) alcore_pool_unref(pools[i]);
    sweep_pause(w);
    if (!outputs_are_whole(status == ALCORE_OK)) status = ALCORE_E_INTERNAL;
    sweep_resume(w);
    return status;
}

void sweep_selections(void (*run)(const sweep_case *)) {
    char name[100];
    sweep_case the_case = {name, 0, true, false, select_with_files, NULL};
    write_files();
    for (int32_t i = 0; (now.strategy = alcore_strategy_builtin_name(i)); i++) {
        for (now.setting = DEFAULTS; now.setting < SETTINGS; now.setting++) {
            if (now.setting == NEEDED && !has_param(now.strategy, "distances")) continue;
            memset(now.expected, 0, sizeof now.expected);
            snprintf(name, sizeof name, "select %s with files%s", now.strategy,
                     SETTING_NAMES[now.setting]);
            run(&the_case);
        }
    }
}
