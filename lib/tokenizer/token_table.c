/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of a tokenizer (token_table.h): the entries are sorted by id, checked, and added
 * to a hash table of words in this order. */
#include "tokenizer/token_table.h"

#include <string.h>

#include "text/radix_sort.h"
#include "text/utf8.h"

#define MAX_ID (((int64_t)1 << 24) - 1) /* the table of ids takes 4 bytes for each id below it */
#define SHOWN 100                       /* bytes of a token that a message shows */

typedef struct build {
    alcore_ctx *ctx;
    const alcore__token_entry *entries; /* [count] */
    size_t count;
    const char *where, *what; /* for messages */
} build;

/* Fails with a message that names the token and its location, and says what is wrong with it. */
static alcore_status fail_entry(const build *state, const alcore__token_entry *entry,
                                const char *problem) {
    return alcore__fail(ALCORE_E_DATA, "%s: the token \"%.*s\" (%s %lld) %s", state->where,
                        (int)(entry->length < SHOWN ? entry->length : SHOWN), entry->text,
                        state->what, (long long)entry->location, problem);
}

/* Fails unless the entry has a text and an id that a table can hold. */
static alcore_status check_entry(const build *state, const alcore__token_entry *entry) {
    if (entry->id < 0 || entry->id > MAX_ID)
        return alcore__fail(
            ALCORE_E_DATA, "%s: the token \"%.*s\" (%s %lld) has the id %lld; ids are 0 to %lld",
            state->where, (int)(entry->length < SHOWN ? entry->length : SHOWN), entry->text,
            state->what, (long long)entry->location, (long long)entry->id, (long long)MAX_ID);
    if (alcore__utf8_check(entry->text, entry->length) != entry->length)
        return alcore__fail(ALCORE_E_DATA, "%s: the token at %s %lld is not UTF-8", state->where,
                            state->what, (long long)entry->location);
    if (entry->length > 0 && memchr(entry->text, 0, entry->length))
        return fail_entry(state, entry, "holds a NUL");
    return ALCORE_OK;
}

/* Checks the entries and sets order [count] to rising ids: key is the id, value the index of the
 * entry. Entries that are in this order already, as in most files, are not sorted. spare [count]:
 * workspace. */
static alcore_status sort_entries(const build *state, alcore__keyed *order, alcore__keyed *spare) {
    bool rising = true;
    for (size_t i = 0; i < state->count; i++) {
        ALCORE__TRY(check_entry(state, &state->entries[i]));
        order[i] = (alcore__keyed){(uint64_t)state->entries[i].id, (uint32_t)i};
        rising = rising && (i == 0 || state->entries[i].id > state->entries[i - 1].id);
    }
    return rising ? ALCORE_OK : alcore__radix_sort(state->ctx, order, spare, state->count);
}

/* Adds the texts to table->words in the order of their ids (`order` [count], sorted), so that the
 * number of a token is its index in `order`. alcore__vocabulary_add() gives a text that is there
 * already its old number, and two equal ids are neighbors in `order`: both are refused. */
static alcore_status add_entries(const build *state, const alcore__keyed *order,
                                 alcore__token_table *table) {
    for (size_t i = 0; i < state->count; i++) {
        const alcore__token_entry *entry = &state->entries[order[i].value];
        if (i > 0 && order[i].key == order[i - 1].key)
            return fail_entry(state, entry, "has an id that another token has");
        uint32_t number;
        ALCORE__TRY(
            alcore__vocabulary_add(state->ctx, &table->words, entry->text, entry->length, &number));
        if (number != i) return fail_entry(state, entry, "stands twice");
        if ((i & 4095) == 0) ALCORE__TRY(alcore__tick(state->ctx, NULL, 0, -1));
    }
    return ALCORE_OK;
}

/* Sets table->size and makes the arrays between ids and numbers, unless the ids have no holes: then
 * the largest, in the last entry of `order`, is count - 1, and ids are numbers. The bytes 0xFF make
 * ALCORE__WORD_NONE. */
static alcore_status map_ids(const build *state, const alcore__keyed *order,
                             alcore__token_table *table) {
    if (state->count == 0) return ALCORE_OK;
    table->size = (int64_t)order[state->count - 1].key + 1;
    if (table->size == (int64_t)state->count) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(state->ctx, state->count, sizeof *table->ids, (void *)&table->ids));
    ALCORE__TRY(alcore__new_array(state->ctx, (size_t)table->size, sizeof *table->numbers,
                                  (void *)&table->numbers));
    memset(table->numbers, 0xFF, (size_t)table->size * sizeof *table->numbers);
    for (size_t i = 0; i < state->count; i++) {
        table->ids[i] = (int32_t)order[i].key;
        table->numbers[order[i].key] = (uint32_t)i;
    }
    return ALCORE_OK;
}

/* Sorts and checks the entries, numbers their texts, and maps ids to numbers and back. */
alcore_status alcore__token_table_build(alcore_ctx *ctx, const alcore__token_entry *entries,
                                        size_t count, const char *where, const char *what,
                                        alcore__token_table *table) {
    const build state = {ctx, entries, count, where, what};
    alcore__keyed *order = NULL, *spare = NULL;
    alcore_status status;
    if (count > (size_t)MAX_ID + 1)
        return alcore__fail(ALCORE_E_DATA, "%s: more than %lld tokens", where,
                            (long long)MAX_ID + 1);
    ALCORE__TRY_GOTO(status, end, alcore__new_array(ctx, count, sizeof *order, &order));
    ALCORE__TRY_GOTO(status, end, alcore__new_array(ctx, count, sizeof *spare, &spare));
    ALCORE__TRY_GOTO(status, end, sort_entries(&state, order, spare));
    ALCORE__TRY_GOTO(status, end, add_entries(&state, order, table));
    status = map_ids(&state, order, table);
end:
    alcore__free(ctx, order);
    alcore__free(ctx, spare);
    return status;
}

void alcore__token_table_clear(alcore_ctx *ctx, alcore__token_table *table) {
    alcore__vocabulary_clear(ctx, &table->words);
    alcore__free(ctx, table->ids);
    alcore__free(ctx, table->numbers);
    *table = (alcore__token_table){0};
}
