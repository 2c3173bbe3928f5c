/* SPDX-License-Identifier: Apache-2.0 */
/* Joining the records of files by their ids (id_join.h). Callers read the files; here are the ids
 * that were seen, the decision between ids and lines, and what is said of ids that have no
 * counterpart. */
#include "pool/id_join.h"

#include <inttypes.h>
#include <string.h>

#include "alcore/remedy.h"

enum {
    NAMED_IDS = 5,   /* ids of a message */
    NAMED_BYTES = 40 /* of each of them, at most */
};

alcore_status alcore__id_list_add(alcore_ctx *ctx, alcore__id_list *list, const char *path,
                                  const alcore__record *record, uint32_t *out) {
    const uint32_t known = list->ids.count;
    ALCORE__TRY(alcore__grow(ctx, &list->lines, &list->lines_capacity, (size_t)known + 1,
                             sizeof *list->lines));
    ALCORE__TRY(alcore__vocabulary_add(ctx, &list->ids, record->id, record->id_length, out));
    if (*out < known)
        return alcore__fail(ALCORE_E_DATA,
                            "%s:%" PRId64 ": the id \"%.*s\" is that of line %" PRId64
                            " too; each id has to stand for one text",
                            path, record->line,
                            (int)(record->id_length < 100 ? record->id_length : 100), record->id,
                            list->lines[*out]);
    list->lines[known] = record->line;
    return ALCORE_OK;
}

void alcore__id_list_clear(alcore_ctx *ctx, alcore__id_list *list) {
    alcore__vocabulary_clear(ctx, &list->ids);
    alcore__free(ctx, list->lines);
    *list = (alcore__id_list){0};
}

void alcore__id_use_note(alcore__id_use *use, const alcore__record *record) {
    if (record->malformed) return;
    const bool has = record->id && record->id_length > 0;
    int64_t *first = has ? &use->first_with : &use->first_without;
    use->with += has;
    if (*first == 0) *first = record->line;
}

/* ALCORE_E_DATA with the message of the caller, which names a file; the remedy is to pair lines. */
static alcore_status offer_lines(alcore_status status) {
    return alcore__fail_remedy(status, ALCORE_REMEDY_OPTION, "by", "line",
                               "pairs the texts line by line, whatever their ids");
}

alcore_status alcore__id_use_check(const alcore__id_use *use) {
    if (use->first_with == 0 || use->first_without == 0) return ALCORE_OK;
    return offer_lines(alcore__fail(ALCORE_E_DATA,
                                    "%s: line %" PRId64 " has an id and line %" PRId64 " has none",
                                    use->path, use->first_with, use->first_without));
}

alcore_status alcore__join_check(int32_t by) {
    if (by == 0 || by == ALCORE_JOIN_LINE || by == ALCORE_JOIN_ID) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "by is %d; expected ALCORE_JOIN_*", (int)by);
}

alcore_status alcore__join_decide(alcore_ctx *ctx, int32_t by, const alcore__id_use *texts,
                                  const alcore__id_use *partners, bool *out_by_id) {
    *out_by_id = false;
    if (by == ALCORE_JOIN_LINE) return ALCORE_OK;
    ALCORE__TRY(alcore__id_use_check(texts));
    ALCORE__TRY(alcore__id_use_check(partners));
    *out_by_id = texts->with > 0 && partners->with > 0;
    const alcore__id_use *without = texts->with == 0 ? texts : partners;
    if (*out_by_id || (texts->with == 0 && partners->with == 0 && by == 0)) return ALCORE_OK;
    if (by == ALCORE_JOIN_ID)
        return alcore__fail(ALCORE_E_DATA, "%s has no ids, by which it is to be joined",
                            without->path);
    alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL,
                "%s has ids and %s has none: line i of one belongs to line i of the other",
                without == texts ? partners->path : texts->path, without->path);
    return ALCORE_OK;
}

void alcore__some_ids_add(alcore__some_ids *some, const char *id, size_t length) {
    const size_t used = strlen(some->first);
    if (some->count++ >= NAMED_IDS) return;
    alcore__format(some->first + used, sizeof some->first - used, "%s\"%.*s\"",
                   used > 0 ? ", " : "", (int)(length < NAMED_BYTES ? length : NAMED_BYTES), id);
}

/* Some ids of a file that another lacks are an error. */
static alcore_status fail_lost(const alcore__some_ids *lost, int64_t joined, const char *texts,
                               const char *partners) {
    return alcore__fail(
        ALCORE_E_DATA, "%" PRId64 " of the %" PRId64 " ids of %s are not in %s: %s%s", lost->count,
        lost->count + joined, texts, partners, lost->first, lost->count > NAMED_IDS ? ", ..." : "");
}

alcore_status alcore__join_end(alcore_ctx *ctx, const alcore__join_tally *tally) {
    const alcore__some_ids *lost = &tally->lost, *spare = &tally->spare;
    if (tally->joined == 0 && lost->count > 0 && spare->count > 0)
        return offer_lines(alcore__fail(ALCORE_E_DATA,
                                        "%s and %s have no id in common: the ids are %s and %s",
                                        tally->texts, tally->partners, lost->first, spare->first));
    if (lost->count > tally->excused)
        return fail_lost(lost, tally->joined, tally->texts, tally->partners);
    if (spare->count > 0 && tally->whole)
        return fail_lost(spare, tally->joined, tally->partners, tally->texts);
    if (lost->count > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL,
                    "%" PRId64 " ids of %s have nothing in %s, of which lines are masked: %s%s",
                    lost->count, tally->texts, tally->partners, lost->first,
                    lost->count > NAMED_IDS ? ", ..." : "");
    if (spare->count > 0)
        alcore__log(ctx, ALCORE_LOG_WARN, "pool", NULL,
                    "%" PRId64 " ids of %s are not in %s and are passed over: %s%s", spare->count,
                    tally->partners, tally->texts, spare->first,
                    spare->count > NAMED_IDS ? ", ..." : "");
    return ALCORE_OK;
}
