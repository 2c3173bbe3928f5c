/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting suffixes to the end of their rows, from an array sorted by the first ALCORE__SUFFIX_START
 * words (suffix_array.c calls it for arrays without a limit): prefix doubling on the entries that
 * are still tied (Larsson and Sadakane 2007), then the common prefixes of neighbors in the order of
 * the text (Kasai et al. 2001).
 *
 * The corpus is an array of word symbols, tokens [token_count], with the boundary 0 after each row;
 * array->position [count] are its word positions in the order of their suffixes, and array->lcp
 * [count] the words that each shares with the one before.
 *
 *   rank [token_count]   of every position. A word's rank is `boundaries` + its entry, for tied
 *                        entries + the first entry of their group; the rank of a boundary is its
 *                        number among the boundaries, so boundaries come before all words
 *
 * If the entries of a group agree in h words, the ranks of the positions h words on order them by 2
 * h words. Every boundary has another rank, so suffixes that end together differ there and are
 * ordered by position, which is the order that the array promises for equal suffixes.
 *
 * Few groups are left after the first sort of natural text: copies of sentences. A text of one
 * repeated word is the worst case: log2(length) rounds over all entries. Memory: 4 bytes a word for
 * the ranks, 16 bytes a tied entry. */
#include "phrase/suffix_array.h"
#include "text/radix_sort.h"

static const char STAGE[] = "sorting phrases";
/* Tied entries of one task; a larger group is a task of its own. */
enum { TASK_ENTRIES = 1 << 15 };
/* Entries or tokens between two polls of cancellation. */
enum { POLL_ENTRIES = 1 << 15 };
/* Tokens of one task of the common prefixes; the first suffix of a task is compared from its first
 * word on. */
enum { BLOCK_TOKENS = 1 << 20 };

/* The entries begin .. end - 1 of the array, two or more, which are still tied. */
typedef struct group {
    uint32_t begin, end;
} group;

/* Arrays of one worker; they grow to the largest group that it met. */
typedef struct scratch {
    alcore__keyed *records; /* [records_capacity] rank and position of each entry of a group */
    alcore__keyed *spare;   /* [spare_capacity] second array of the radix sort */
    size_t records_capacity, spare_capacity;
} scratch;

/* The state of one sort; alcore__suffix_array_extend() frees the arrays. */
typedef struct doubling {
    const alcore__corpus *corpus;
    alcore__suffix_array *array;
    uint32_t *rank;      /* [token_count] the rank of every position; see the file head */
    uint32_t boundaries; /* boundaries in the corpus: ranks below this number are theirs */
    uint32_t length;     /* h: the words in which the entries of each group agree in this round */
    group *groups;       /* [group_count] in the order of the array */
    size_t group_count, group_capacity;
    int64_t *tasks; /* [task_count + 1] index in groups of the first group of each task */
    size_t task_count, task_capacity;
    scratch *scratches; /* [threads] */
} doubling;

/* Appends the group of entries begin .. end - 1. */
static alcore_status add_group(doubling *work, uint32_t begin, uint32_t end) {
    ALCORE__TRY(alcore__grow(work->corpus->ctx, &work->groups, &work->group_capacity,
                             work->group_count + 1, sizeof *work->groups));
    work->groups[work->group_count++] = (group){begin, end};
    return ALCORE_OK;
}

/* Fills rank after the sort by ALCORE__SUFFIX_START words, and lists the groups of entries that it
 * left tied: neighbors whose lcp is that many words. */
static alcore_status first_ranks(doubling *work) {
    const alcore__corpus *corpus = work->corpus;
    const alcore__suffix_array *array = work->array;
    for (uint32_t i = 0; i < corpus->token_count; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(corpus->ctx, STAGE, 0, 0));
        if (corpus->tokens[i] == ALCORE__CORPUS_BOUNDARY) work->rank[i] = work->boundaries++;
    }
    for (uint32_t i = 0; i < array->count;) {
        uint32_t end = i + 1;
        for (; end < array->count && array->lcp[end] == ALCORE__SUFFIX_START; end++) {
            if (end % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(corpus->ctx, NULL, 0, 0));
            work->rank[array->position[end]] = work->boundaries + i;
        }
        work->rank[array->position[i]] = work->boundaries + i;
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(corpus->ctx, NULL, 0, 0));
        if (end - i > 1) ALCORE__TRY(add_group(work, i, end));
        i = end;
    }
    return ALCORE_OK;
}

/* Cuts the groups into tasks of about TASK_ENTRIES entries. */
static alcore_status cut_tasks(doubling *work) {
    uint32_t entries = TASK_ENTRIES;
    work->task_count = 0;
    for (size_t i = 0; i <= work->group_count; i++) {
        if (entries >= TASK_ENTRIES || i == work->group_count) {
            ALCORE__TRY(alcore__grow(work->corpus->ctx, &work->tasks, &work->task_capacity,
                                     work->task_count + 1, sizeof *work->tasks));
            work->tasks[work->task_count++] = (int64_t)i;
            entries = 0;
        }
        if (i < work->group_count) entries += work->groups[i].end - work->groups[i].begin;
    }
    work->task_count--;
    return ALCORE_OK;
}

/* Sorts one group by the ranks `length` words on: entries that agree in `length` words have as many
 * in their rows, so that position + length is at most the boundary behind the row. lcp[i] says
 * afterwards whether entry i differs from the one before it (1) or is still tied with it (0); the
 * common prefixes are computed at the end. Tasks only read ranks, which rank_groups() changes
 * between the rounds. */
static alcore_status sort_group(const doubling *work, group tied, scratch *local) {
    alcore_ctx *ctx = work->corpus->ctx;
    const uint32_t count = tied.end - tied.begin;
    uint32_t *position = work->array->position + tied.begin, *lcp = work->array->lcp + tied.begin;
    ALCORE__TRY(alcore__grow(ctx, &local->records, &local->records_capacity, count,
                             sizeof *local->records));
    ALCORE__TRY(
        alcore__grow(ctx, &local->spare, &local->spare_capacity, count, sizeof *local->spare));
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        local->records[i] = (alcore__keyed){work->rank[position[i] + work->length], position[i]};
    }
    ALCORE__TRY(alcore__radix_sort(ctx, local->records, local->spare, count));
    for (uint32_t i = 0; i < count; i++) {
        position[i] = local->records[i].value;
        lcp[i] = i == 0 || local->records[i].key != local->records[i - 1].key;
    }
    return ALCORE_OK;
}

/* The task of some groups (alcore__task). */
static alcore_status sort_task(void *data, int64_t task, int32_t worker) {
    const doubling *work = data;
    for (int64_t i = work->tasks[task]; i < work->tasks[task + 1]; i++)
        ALCORE__TRY(sort_group(work, work->groups[i], &work->scratches[worker]));
    return ALCORE_OK;
}

/* After a round: gives the entries of the sorted groups their new ranks, and replaces the groups by
 * the runs of entries that are still tied. Runs on the calling thread. */
static alcore_status rank_groups(doubling *work) {
    const alcore__suffix_array *array = work->array;
    const size_t groups = work->group_count;
    uint32_t seen = 0;
    alcore__free(work->corpus->ctx, work->tasks); /* the next round cuts new ones */
    work->tasks = NULL;
    work->task_capacity = 0;
    group *left = NULL; /* [left_count] */
    size_t left_count = 0, left_capacity = 0;
    alcore_status status = ALCORE_OK;
    for (size_t g = 0; g < groups && status == ALCORE_OK; g++) {
        const group tied = work->groups[g];
        for (uint32_t i = tied.begin; i < tied.end && status == ALCORE_OK;) {
            uint32_t end = i + 1;
            while (end < tied.end && !array->lcp[end]) end++;
            for (uint32_t j = i; j < end; j++) {
                work->rank[array->position[j]] = work->boundaries + i;
                if (++seen % POLL_ENTRIES == 0 && status == ALCORE_OK)
                    status = alcore__tick(work->corpus->ctx, NULL, 0, 0);
            }
            if (end - i > 1 && status == ALCORE_OK) {
                status = alcore__grow(work->corpus->ctx, &left, &left_capacity, left_count + 1,
                                      sizeof *left);
                if (status == ALCORE_OK) left[left_count++] = (group){i, end};
            }
            i = end;
        }
    }
    alcore__free(work->corpus->ctx, work->groups);
    work->groups = left;
    work->group_count = left_count;
    work->group_capacity = left_capacity;
    return status;
}

/* The rounds of prefix doubling: sort all groups in parallel, then rank them, until no group is
 * left. A row has less than 2^30 words, so length does not overflow. */
static alcore_status sort_ties(doubling *work) {
    ALCORE__TRY(first_ranks(work));
    for (work->length = ALCORE__SUFFIX_START; work->group_count > 0; work->length *= 2) {
        ALCORE__TRY(cut_tasks(work));
        ALCORE__TRY(
            alcore__parallel(work->corpus->ctx, STAGE, (int64_t)work->task_count, sort_task, work));
        ALCORE__TRY(rank_groups(work));
    }
    return ALCORE_OK;
}

/* The task of one block of tokens (alcore__task), after the sort: lcp of the entries of its
 * positions, in the order of the text. If the suffix at p shares l words with the entry before its
 * own, the suffix at p + 1 shares at least l - 1 with the entry before its own; so the number of
 * shared words rarely starts again, and the cost is linear. */
static alcore_status prefix_block(void *data, int64_t block, int32_t worker) {
    const doubling *work = data;
    const alcore__corpus *corpus = work->corpus;
    const uint32_t *tokens = corpus->tokens;
    const int64_t last = (block + 1) * BLOCK_TOKENS;
    const uint32_t end = last < corpus->token_count ? (uint32_t)last : corpus->token_count;
    uint32_t shared = 0, steps = 0;
    (void)worker;
    for (uint32_t i = (uint32_t)(block * BLOCK_TOKENS); i < end; i++) {
        if (++steps % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(corpus->ctx, NULL, 0, 0));
        if (tokens[i] == ALCORE__CORPUS_BOUNDARY) {
            shared = 0;
            continue;
        }
        const uint32_t entry = work->rank[i] - work->boundaries;
        if (entry == 0) {
            work->array->lcp[0] = shared = 0;
            continue;
        }
        const uint32_t other = work->array->position[entry - 1];
        while (tokens[i + shared] == tokens[other + shared] &&
               tokens[i + shared] != ALCORE__CORPUS_BOUNDARY) {
            shared++;
            if (++steps % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(corpus->ctx, NULL, 0, 0));
        }
        work->array->lcp[entry] = shared;
        if (shared > 0) shared--;
    }
    return ALCORE_OK;
}

/* Sorts the ties of the array and computes the common prefixes; frees everything but the array. */
alcore_status alcore__suffix_array_extend(const alcore__corpus *corpus,
                                          alcore__suffix_array *array) {
    alcore_ctx *ctx = corpus->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    const int64_t blocks = ((int64_t)corpus->token_count + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
    doubling work = {.corpus = corpus, .array = array};
    alcore_status status = ALCORE_OK;
    work.rank = alcore__alloc(ctx, (size_t)corpus->token_count * sizeof *work.rank);
    if (!work.rank) return alcore__fail_memory((size_t)corpus->token_count * sizeof *work.rank);
    ALCORE__TRY_GOTO(
        status, done,
        alcore__new_array(ctx, (size_t)threads, sizeof *work.scratches, &work.scratches));
    ALCORE__TRY_GOTO(status, done, sort_ties(&work));
    status = alcore__parallel(ctx, STAGE, blocks, prefix_block, &work);
done:
    for (int32_t i = 0; i < threads && work.scratches; i++) {
        alcore__free(ctx, work.scratches[i].records);
        alcore__free(ctx, work.scratches[i].spare);
    }
    alcore__free(ctx, work.scratches);
    alcore__free(ctx, work.groups);
    alcore__free(ctx, work.tasks);
    alcore__free(ctx, work.rank);
    return status;
}
