/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of links (alcore/extra/aligner.h): making and freeing it, its arrays, and the
 * symmetrization of two. Files of links are read and written in lib/formats/pharaoh.c. */
#include "extra/aligner/links_handle.h"

#include <inttypes.h>
#include <string.h>

#include "base/tensor_view.h"

static const char STAGE[] = "copying links";
/* Pairs between two polls of cancellation. */
enum { POLL_PAIRS = 4096 };

_Static_assert(sizeof(alcore__link) == 2 * sizeof(int32_t),
               "alcore_links_get() shows links as int32 [links, 2]");

/* Frees the arrays when the last reference is dropped. */
static void release_links(void *object) {
    alcore_links *links = object;
    alcore__links_clear(links->object.ctx, &links->links);
}

/* The arrays, which may have grown, without what they do not need. */
static alcore_status trim(alcore_ctx *ctx, alcore__links *links) {
    ALCORE__TRY(alcore__trim(ctx, &links->begin, (size_t)links->pairs + 1, sizeof *links->begin));
    return alcore__trim(ctx, &links->link, (size_t)links->begin[links->pairs], sizeof *links->link);
}

/* The links move into the handle, or are freed after a failure; *links is empty in both cases. */
alcore_status alcore__links_handle_new(alcore_ctx *ctx, alcore__links *links, alcore_links **out) {
    alcore_links *made = NULL;
    alcore_status status = trim(ctx, links);
    if (status == ALCORE_OK) status = alcore__object_new(ctx, sizeof *made, release_links, &made);
    if (status == ALCORE_OK) {
        made->links = *links;
        made->offsets_shape[0] = links->pairs + 1;
        made->links_shape[0] = links->begin[links->pairs];
        made->links_shape[1] = 2;
        *links = (alcore__links){0};
    } else {
        alcore__links_clear(ctx, links);
    }
    *out = made;
    return status;
}

alcore_links *alcore_links_ref(alcore_links *links) {
    return alcore__object_ref(links);
}

void alcore_links_unref(alcore_links *links) {
    alcore__object_unref(links);
}

/* ---- arrays in and out ---- */

/* Whether the link has word positions that a link may have, and stands after the link before it. */
static alcore_status check_link(const int32_t *link, const int32_t *before, int64_t pair) {
    for (int side = 0; side < 2; side++)
        if (link[side] < 0 || (uint32_t)link[side] >= ALCORE__LINK_POSITIONS)
            return alcore__fail(ALCORE_E_DATA,
                                "links: pair %" PRId64 " has the word position %" PRId32
                                ", not from 0 to 2^24 - 1",
                                pair, link[side]);
    if (before && (before[0] > link[0] || (before[0] == link[0] && before[1] >= link[1])))
        return alcore__fail(ALCORE_E_DATA,
                            "links: pair %" PRId64 " has %" PRId32 "-%" PRId32 " before %" PRId32
                            "-%" PRId32 ": sort its links by source word, then by target word, "
                            "and give each once",
                            pair, before[0], before[1], link[0], link[1]);
    return ALCORE_OK;
}

/* Checks the offsets [pairs + 1] and the links [count, 2] of the caller. */
static alcore_status check_links(alcore_ctx *ctx, const int64_t *offsets, int64_t pairs,
                                 const int32_t *links, int64_t count) {
    if (offsets[0] != 0)
        return alcore__fail(ALCORE_E_DATA, "offsets: the first is %" PRId64 ", not 0", offsets[0]);
    for (int64_t pair = 0; pair < pairs; pair++) {
        const int64_t first = offsets[pair], end = offsets[pair + 1];
        if (pair % POLL_PAIRS == 0) ALCORE__TRY(alcore__tick(ctx, STAGE, pair, pairs));
        if (end < first || end > count)
            return alcore__fail(ALCORE_E_DATA,
                                "offsets: pair %" PRId64 " has the links %" PRId64 " to %" PRId64
                                " of %" PRId64,
                                pair, first, end, count);
        for (int64_t i = first; i < end; i++)
            ALCORE__TRY(check_link(links + 2 * i, i > first ? links + 2 * (i - 1) : NULL, pair));
    }
    if (offsets[pairs] != count)
        return alcore__fail(ALCORE_E_SHAPE,
                            "links has %" PRId64 " rows, but the last offset is %" PRId64, count,
                            offsets[pairs]);
    return ALCORE_OK;
}

/* Copies offsets and links that check_links() has accepted. copy has the arrays for both; copying
 * them at once could take longer than a call may go on after it was cancelled. */
static alcore_status copy_links(alcore_ctx *ctx, const int64_t *offsets, const int32_t *links,
                                alcore__links *copy) {
    copy->begin[0] = 0;
    for (int64_t first = 0; first < copy->pairs; first += POLL_PAIRS) {
        int64_t end = copy->pairs - first > POLL_PAIRS ? first + POLL_PAIRS : copy->pairs;
        int64_t start = offsets[first], count = offsets[end] - start;
        ALCORE__TRY(alcore__tick(ctx, STAGE, first, copy->pairs));
        memcpy(copy->begin + first + 1, offsets + first + 1,
               (size_t)(end - first) * sizeof *copy->begin);
        if (count > 0)
            memcpy(copy->link + start, links + 2 * start, (size_t)count * sizeof *copy->link);
    }
    return ALCORE_OK;
}

/* Checks the caller's tensors and copies them to a new handle. */
static alcore_status new_links(alcore_ctx *ctx, const alcore_tensor *offsets,
                               const alcore_tensor *links, alcore_links **out) {
    alcore__array bounds, numbers;
    ALCORE__TRY(alcore__tensor_view(offsets, "offsets", &bounds));
    if (bounds.rows < 1)
        return alcore__fail(ALCORE_E_SHAPE, "offsets is empty: it is to be int64 [pairs + 1]");
    ALCORE__TRY(alcore__tensor_output(offsets, "offsets", ALCORE_INT64, bounds.rows, 1, &bounds));
    ALCORE__TRY(alcore__tensor_view(links, "links", &numbers));
    ALCORE__TRY(alcore__tensor_output(links, "links", ALCORE_INT32, numbers.rows, 2, &numbers));
    ALCORE__TRY(check_links(ctx, bounds.data, bounds.rows - 1, numbers.data, numbers.rows));
    alcore__links copy = {.pairs = bounds.rows - 1};
    alcore_status status =
        alcore__new_array(ctx, (size_t)bounds.rows, sizeof *copy.begin, &copy.begin);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)numbers.rows, sizeof *copy.link, &copy.link);
    if (status == ALCORE_OK) status = copy_links(ctx, bounds.data, numbers.data, &copy);
    if (status != ALCORE_OK) {
        alcore__links_clear(ctx, &copy);
        return status;
    }
    return alcore__links_handle_new(ctx, &copy, out);
}

alcore_status alcore_links_new(alcore_ctx *ctx, const alcore_tensor *offsets,
                               const alcore_tensor *links, alcore_links **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !offsets || !links || !out)
        return alcore__leave(ctx,
                             alcore__fail(ALCORE_E_INVALID, "ctx, offsets, links or out is NULL"));
    return alcore__leave(ctx, new_links(ctx, offsets, links, out));
}

/* The views share the handle's shapes, which live as long as its arrays. */
static alcore_status get_links(const alcore_links *links, alcore_tensor *out_offsets,
                               alcore_tensor *out_links) {
    alcore_links *owner = links->object.self;
    ALCORE__TRY(
        alcore_tensor_init(out_offsets, owner->links.begin, ALCORE_INT64, owner->offsets_shape, 1));
    return alcore_tensor_init(out_links, owner->links.link, ALCORE_INT32, owner->links_shape, 2);
}

alcore_status alcore_links_get(const alcore_links *links, alcore_tensor *out_offsets,
                               alcore_tensor *out_links) {
    alcore_ctx *ctx = !links ? NULL : links->object.ctx;
    if (out_offsets) *out_offsets = (alcore_tensor){0};
    if (out_links) *out_links = (alcore_tensor){0};
    ALCORE__TRY(alcore__enter(ctx));
    if (!links || !out_offsets || !out_links)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "links, out_offsets or out_links is NULL"));
    return alcore__leave(ctx, get_links(links, out_offsets, out_links));
}

/* ---- symmetrization ---- */

alcore_status alcore__symmetrization_of(const char *name, alcore__symmetrization *out) {
    *out = ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND;
    return name ? alcore__symmetrization_find(name, out) : ALCORE_OK;
}

const char *alcore_symmetrization_builtin_name(int64_t index) {
    return index < 0 || index >= ALCORE__SYMMETRIZE_METHODS
               ? NULL
               : alcore__symmetrization_name((alcore__symmetrization)index);
}

/* Combines two handles into a new one; name: the method, NULL for the default. */
static alcore_status symmetrize(const alcore_links *forward, const alcore_links *reverse,
                                const char *name, alcore_links **out) {
    alcore_ctx *ctx = forward->object.ctx;
    alcore__symmetrization method;
    alcore__links combined;
    ALCORE__TRY(alcore__symmetrization_of(name, &method));
    ALCORE__TRY(alcore__links_symmetrize(ctx, &forward->links, &reverse->links, method, &combined));
    return alcore__links_handle_new(ctx, &combined, out);
}

alcore_status alcore_links_symmetrize(const alcore_links *forward, const alcore_links *reverse,
                                      const char *symmetrization, alcore_links **out) {
    alcore_ctx *ctx = !forward ? NULL : forward->object.ctx;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!forward || !reverse || !out)
        return alcore__leave(ctx,
                             alcore__fail(ALCORE_E_INVALID, "forward, reverse or out is NULL"));
    return alcore__leave(ctx, symmetrize(forward, reverse, symmetrization, out));
}
