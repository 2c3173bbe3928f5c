/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement of annotators (docs/projects.md; docs/spec/analyses.md 8.12). The final answers come by
 * item, so that one pass compares each two of an item; memory is that of the pairs of annotators
 * and of the distinct labels of each.
 *
 * An answer that says that there is none (skip, reject, untranslatable) is no label: it is equal to
 * another such answer, and missing where chance is counted. */
#include "extra/project/project_agreement.h"

#include <math.h>
#include <string.h>

#include "extra/metric/chrf_count.h"
#include "extra/metric/label_agreement.h"
#include "extra/project/project_exchange.h"

enum { POLL_ITEMS = 1024 };

/* A final answer to the present item. */
typedef struct given_answer {
    uint32_t person;      /* its number among `people` */
    bool ok;              /* it has a value */
    size_t begin, length; /* of the value, in `values` */
} given_answer;

/* What two of the people answered, beside what alcore__label_pair counts. */
typedef struct pair_counts {
    int64_t items, agreeing;
    int64_t chrf[ALCORE__CHRF_WIDTH];
} pair_counts;

typedef struct comparison {
    alcore_ctx *ctx;
    alcore__compared compared;
    alcore__vocabulary people; /* annotators of the database, by the bytes of their numbers */
    pair_counts *pairs;        /* [pair_count] owned: beside agreement.pairs */
    size_t pair_count;
    given_answer *answers;       /* [count] owned: of the present item */
    alcore__given_label *labels; /* workspace */
    const char **words;          /* workspace: where each annotator's next word begins */
    alcore__buffer values;
    alcore__metric_workspace work;
    alcore__label_agreement agreement;
    int64_t chrf[ALCORE__CHRF_WIDTH];
    size_t pair_capacity, answer_capacity, label_capacity, word_capacity, count;
    alcore_project_agreement *all;
} comparison;

static const char *value_of(const comparison *self, const given_answer *answer) {
    return answer->length > 0 ? self->values.data + answer->begin : "";
}

static bool is_same(const comparison *self, const given_answer *a, const given_answer *b) {
    return a->ok == b->ok && a->length == b->length &&
           memcmp(value_of(self, a), value_of(self, b), a->length) == 0;
}

/* ---- pairs ---- */

static alcore_status find_pair(comparison *self, uint32_t a, uint32_t b, pair_counts **out) {
    uint32_t number;
    ALCORE__TRY(alcore__label_agreement_pair(&self->agreement, a, b, &number));
    ALCORE__TRY(alcore__grow(self->ctx, &self->pairs, &self->pair_capacity, (size_t)number + 1,
                             sizeof *self->pairs));
    if (number == self->pair_count) self->pairs[self->pair_count++] = (pair_counts){0};
    *out = &self->pairs[number];
    return ALCORE_OK;
}

static alcore_status compare(comparison *self, const given_answer *a, const given_answer *b) {
    const char *const texts[2] = {value_of(self, a), value_of(self, b)};
    const size_t lengths[2] = {a->length, b->length};
    int64_t sums[ALCORE__CHRF_WIDTH] = {0};
    pair_counts *pair;
    ALCORE__TRY(find_pair(self, a->person, b->person, &pair));
    pair->items++;
    pair->agreeing += is_same(self, a, b);
    if (self->compared != ALCORE__COMPARED_TEXTS || !a->ok || !b->ok) return ALCORE_OK;
    ALCORE__TRY(alcore__chrf_add_both(&self->work, texts, lengths, sums));
    for (int i = 0; i < ALCORE__CHRF_WIDTH; i++) {
        pair->chrf[i] += sums[i];
        self->chrf[i] += sums[i];
    }
    return ALCORE_OK;
}

/* ---- labels ---- */

/* Gathers the labels of the item; *out: how many. */
static alcore_status gather_labels(comparison *self, size_t *out) {
    *out = 0;
    ALCORE__TRY(alcore__grow(self->ctx, &self->labels, &self->label_capacity, self->count,
                             sizeof *self->labels));
    for (size_t i = 0; i < self->count; i++) {
        const given_answer *answer = &self->answers[i];
        if (answer->ok)
            self->labels[(*out)++] = (alcore__given_label){
                .annotator = answer->person, .text = value_of(self, answer), answer->length};
    }
    return ALCORE_OK;
}

/* Moves each label to the next word; false: some of them, or all, have no more. */
static bool next_words(comparison *self, size_t count, bool *even) {
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        const char *begin = self->words[i] + strspn(self->words[i], " ");
        self->labels[i].text = begin;
        self->labels[i].length = strcspn(begin, " ");
        self->words[i] = begin + self->labels[i].length;
        ended += self->labels[i].length == 0;
    }
    *even = ended == 0 || ended == count;
    return ended == 0;
}

/* Adds the words of an item to which all gave as many tags; others cannot be laid beside each
 * other. */
static alcore_status add_words(comparison *self, size_t count) {
    bool even;
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->words, &self->word_capacity, count, sizeof *self->words));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0, k = 0; i < self->count; i++)
            if (self->answers[i].ok) self->words[k++] = value_of(self, &self->answers[i]);
        while (next_words(self, count, &even))
            if (pass == 1)
                ALCORE__TRY(alcore__label_agreement_add(&self->agreement, self->labels, count));
        if (!even) {
            self->all->uneven++;
            return ALCORE_OK;
        }
    }
    return ALCORE_OK;
}

static alcore_status add_labels(comparison *self) {
    size_t count;
    ALCORE__TRY(gather_labels(self, &count));
    if (count < 2) return ALCORE_OK;
    return self->compared == ALCORE__COMPARED_WORDS
               ? add_words(self, count)
               : alcore__label_agreement_add(&self->agreement, self->labels, count);
}

/* ---- items ---- */

/* Compares the answers of the present item, and forgets them. */
static alcore_status end_item(comparison *self) {
    bool same = true;
    alcore_status status = ALCORE_OK;
    for (size_t i = 1; i < self->count && status == ALCORE_OK; i++) {
        same = same && is_same(self, &self->answers[0], &self->answers[i]);
        for (size_t k = 0; k < i && status == ALCORE_OK; k++)
            status = compare(self, &self->answers[k], &self->answers[i]);
    }
    if (self->count > 1) {
        self->all->items++;
        self->all->agreeing += same;
    }
    if (status == ALCORE_OK && self->count > 1 && self->compared >= ALCORE__COMPARED_ITEMS)
        status = add_labels(self);
    self->count = 0;
    self->values.length = 0;
    return status;
}

static alcore_status add_answer(comparison *self, sqlite3_stmt *row) {
    const int64_t annotator = sqlite3_column_int64(row, 1);
    const char *value = alcore__store_text(row, 3);
    given_answer answer = {.ok = strcmp(alcore__store_text(row, 2), "ok") == 0,
                           .begin = self->values.length,
                           .length = strlen(value)};
    ALCORE__TRY(alcore__grow(self->ctx, &self->answers, &self->answer_capacity, self->count + 1,
                             sizeof *self->answers));
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->people, (const char *)&annotator,
                                       sizeof annotator, &answer.person));
    /* With its NUL, as words are looked for in it. */
    ALCORE__TRY(alcore__buffer_append(self->ctx, &self->values, value, answer.length + 1));
    self->answers[self->count++] = answer;
    return ALCORE_OK;
}

static alcore_status read_answers(comparison *self, alcore__store *store, bool polls) {
    sqlite3_stmt *rows;
    bool row;
    int64_t item = -1, done = 0;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        store, &rows,
        "SELECT latest.item, latest.annotator, status, value FROM latest "
        "JOIN answers USING (answer) WHERE status != 'draft' ORDER BY latest.item",
        ""));
    while ((status = alcore__store_step(store, rows, &row)) == ALCORE_OK && row) {
        if (sqlite3_column_int64(rows, 0) != item) {
            item = sqlite3_column_int64(rows, 0);
            status = end_item(self);
            if (status == ALCORE_OK && polls && done++ % POLL_ITEMS == 0)
                status = alcore__tick(self->ctx, "comparing annotators", done, -1);
        }
        if (status == ALCORE_OK) status = add_answer(self, rows);
        if (status != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status == ALCORE_OK ? end_item(self) : status;
}

/* ---- results ---- */

static alcore_status read_name(const comparison *self, alcore__store *store, sqlite3_stmt *find,
                               uint32_t person, alcore__arena *names, const char **out) {
    int64_t annotator;
    size_t length;
    bool row;
    memcpy(&annotator, alcore__vocabulary_word(&self->people, person, &length), sizeof annotator);
    ALCORE__TRY(alcore__store_bind(store, find, "i", annotator));
    ALCORE__TRY(alcore__store_step(store, find, &row));
    const char *name = row ? alcore__store_text(find, 0) : "";
    return alcore__arena_text(self->ctx, names, name, strlen(name), out);
}

static int by_names(const void *a, const void *b) {
    const alcore__project_pair *one = a, *other = b;
    const int order = strcmp(one->one, other->one);
    return order ? order : strcmp(one->other, other->other);
}

/* chrF of sums; NaN: no text of them had two translations. */
static double chrf_of(const int64_t *sums) {
    int64_t any = 0;
    for (int i = 0; i < ALCORE__CHRF_WIDTH; i++) any |= sums[i];
    return any ? alcore__chrf_of(sums) : (double)NAN;
}

static alcore_status put_pairs(const comparison *self, alcore__store *store, sqlite3_stmt *find,
                               alcore__project_agreement *out) {
    const char **names;
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->people.count + 1, sizeof *names, &names));
    for (uint32_t i = 0; i < self->people.count && status == ALCORE_OK; i++)
        status = read_name(self, store, find, i, &out->names, &names[i]);
    for (size_t i = 0; i < self->pair_count && status == ALCORE_OK; i++) {
        const pair_counts *pair = &self->pairs[i];
        const alcore__label_pair *labels = &self->agreement.pairs[i];
        const char *one = names[labels->one], *other = names[labels->other];
        const bool swapped = strcmp(one, other) > 0;
        out->pairs[out->count++] = (alcore__project_pair){.one = swapped ? other : one,
                                                          .other = swapped ? one : other,
                                                          .items = pair->items,
                                                          .agreeing = pair->agreeing,
                                                          .units = labels->units,
                                                          .kappa = labels->kappa,
                                                          .chrf = chrf_of(pair->chrf)};
    }
    alcore__free(self->ctx, names);
    return status;
}

static alcore_status make_pairs(const comparison *self, alcore__store *store,
                                alcore__project_agreement *out) {
    sqlite3_stmt *find;
    ALCORE__TRY(
        alcore__new_array(self->ctx, self->pair_count + 1, sizeof *out->pairs, &out->pairs));
    ALCORE__TRY(alcore__store_prepare(
        store, &find, "SELECT name FROM annotators WHERE annotator = ?", "i", (int64_t)0));
    const alcore_status status = put_pairs(self, store, find, out);
    sqlite3_finalize(find);
    if (status != ALCORE_OK) return status;
    return alcore__sort(self->ctx, out->pairs, out->count, sizeof *out->pairs, by_names);
}

/* How many people share an item with another. */
static alcore_status count_annotators(const comparison *self, int64_t *out) {
    bool *shares;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->people.count + 1, sizeof *shares, &shares));
    for (size_t i = 0; i < self->pair_count; i++)
        shares[self->agreement.pairs[i].one] = shares[self->agreement.pairs[i].other] = true;
    for (uint32_t i = 0; i < self->people.count; i++) *out += shares[i];
    alcore__free(self->ctx, shares);
    return ALCORE_OK;
}

static alcore_status sum_up(comparison *self, alcore__store *store,
                            alcore__project_agreement *out) {
    alcore_project_agreement *all = &out->all;
    ALCORE__TRY(alcore__label_agreement_end(&self->agreement));
    ALCORE__TRY(make_pairs(self, store, out));
    ALCORE__TRY(count_annotators(self, &all->annotators));
    all->units = self->agreement.units;
    all->labels = self->agreement.labels;
    for (uint32_t i = 0; i < self->agreement.classes.count; i++)
        all->classes += self->agreement.class_counts[i] > 0;
    all->alpha = alcore__label_agreement_alpha(&self->agreement);
    all->kappa = out->count == 1 ? out->pairs[0].kappa : (double)NAN;
    all->chrf = chrf_of(self->chrf);
    return ALCORE_OK;
}

static void clear(comparison *self) {
    alcore__vocabulary_clear(self->ctx, &self->people);
    alcore__free(self->ctx, self->pairs);
    alcore__free(self->ctx, self->answers);
    alcore__free(self->ctx, self->labels);
    alcore__free(self->ctx, self->words);
    alcore__buffer_clear(self->ctx, &self->values);
    alcore__ngram_counter_clear(&self->work.counter);
    alcore__token_lines_clear(&self->work.lines);
    alcore__label_agreement_clear(&self->agreement);
}

/* What the setting task compares. */
static alcore_status read_compared(alcore_project *project, alcore__compared *out) {
    alcore__project_settings settings;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    const int32_t task = alcore__project_task(&settings);
    *out = task == ALCORE_TASK_SPANS     ? ALCORE__COMPARED_SPANS
           : task == ALCORE_TASK_CLASSES ? ALCORE__COMPARED_ITEMS
           : task == ALCORE_TASK_TAGS    ? ALCORE__COMPARED_WORDS
                                         : ALCORE__COMPARED_TEXTS;
    alcore__project_settings_clear(project, &settings);
    return ALCORE_OK;
}

alcore_status alcore__project_agreement_read(alcore_project *project, bool polls,
                                             alcore__project_agreement *out) {
    alcore_ctx *ctx = project->object.ctx;
    *out = (alcore__project_agreement){.all = ALCORE_PROJECT_AGREEMENT_INIT};
    comparison self = {.ctx = ctx, .agreement = {.ctx = ctx}, .all = &out->all};
    self.work.counter.ctx = self.work.lines.ctx = ctx;
    ALCORE__TRY(read_compared(project, &out->compared));
    self.compared = out->compared;
    alcore_status status = read_answers(&self, &project->store, polls);
    if (status == ALCORE_OK) status = sum_up(&self, &project->store, out);
    clear(&self);
    if (status != ALCORE_OK) alcore__project_agreement_clear(project, out);
    return status;
}

void alcore__project_agreement_clear(alcore_project *project, alcore__project_agreement *self) {
    alcore__free(project->object.ctx, self->pairs);
    alcore__arena_clear(project->object.ctx, &self->names);
    *self = (alcore__project_agreement){.count = 0};
}

const char *alcore__compared_name(alcore__compared compared) {
    static const char *const names[] = {"texts", "spans", "items", "words"};
    return names[compared];
}

/* ---- the call ---- */

/* out is not touched before everything has worked. */
static alcore_status get_agreement(alcore_project *project, alcore_project_agreement *out) {
    alcore__project_agreement ours = {.count = 0};
    ALCORE__TRY(alcore__store_begin_reading(&project->store));
    alcore_status status =
        alcore__store_end(&project->store, alcore__project_agreement_read(project, true, &ours));
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &ours.all, sizeof ours.all,
                                      ALCORE__FIRST_SIZE(alcore_project_agreement, chrf),
                                      "alcore_project_agreement");
    alcore__project_agreement_clear(project, &ours);
    return status;
}

alcore_status alcore_project_get_agreement(alcore_project *project, alcore_project_agreement *out) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_get_agreement", CALL_LONG));
    if (!out)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_get_agreement: out is needed"));
    return alcore__project_leave(project, get_agreement(project, out));
}
