/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: the word aligner and its links. */
#include "sweep.h"

static const char *const SOURCES[3] = {"das Haus", "das Buch", "ein Buch"};
static const char *const TARGETS[3] = {"the house", "the book", "a book"};

ALLOCATES(alcore_aligner_new_trained, 0) {
    /* The tension has arrays of its own, so both ways are taken. */
    alcore_status status = ALCORE_OK;
    for (int32_t tension = ALCORE_TENSION_OFF; tension <= ALCORE_TENSION_PUBLIC && !status;
         tension++) {
        alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
        alcore_aligner *out = w->aligner;
        options.tension = tension;
        status =
            alcore_aligner_new_trained(w->ctx, SOURCES, NULL, TARGETS, NULL, 3, &options, &out);
        if (status != ALCORE_OK && out) return ALCORE_E_INTERNAL;
        alcore_aligner_unref(out);
    }
    return status;
}
ALLOCATES(alcore_aligner_write, WITH_ALIGNER) {
    return alcore_aligner_write(w->aligner, world_file("written.aligner"));
}
ALLOCATES(alcore_aligner_open, WITH_ALIGNER) {
    alcore_aligner *out = w->aligner;
    alcore_status status = alcore_aligner_open(w->ctx, world_file("aligner"), &out);
    MADE(alcore_aligner_unref, status, out);
}
NEVER(alcore_aligner_direction, WITH_ALIGNER) {
    HOLDS(alcore_aligner_direction(w->aligner) == ALCORE_DIRECTION_FORWARD);
}
NEVER(alcore_aligner_ref, WITH_ALIGNER) {
    alcore_aligner_unref(alcore_aligner_ref(w->aligner));
    HOLDS(!alcore_aligner_ref(NULL));
}
NEVER(alcore_aligner_unref, 0) {
    alcore_aligner_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_aligner_log_likelihoods, WITH_ALIGNER) {
    alcore_tensor out;
    alcore_status status = alcore_aligner_log_likelihoods(w->aligner, &out);
    return status == ALCORE_OK && out.shape[0] != 5 ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_aligner_lambda, WITH_ALIGNER) {
    HOLDS(alcore_aligner_lambda(w->aligner) == 4);
}
NEVER(alcore_aligner_probability, WITH_ALIGNER) {
    double t;
    return alcore_aligner_probability(w->aligner, "data", "data", &t);
}
ALLOCATES(alcore_aligner_links, WITH_ALIGNER) {
    alcore_links *out = w->links;
    alcore_status status = alcore_aligner_links(w->aligner, &out);
    MADE(alcore_links_unref, status, out);
}
ALLOCATES(alcore_aligner_apply, WITH_ALIGNER) {
    alcore_links *out = w->links;
    alcore_status status = alcore_aligner_apply(w->aligner, SOURCES, NULL, TARGETS, NULL, 3, &out);
    MADE(alcore_links_unref, status, out);
}
ALLOCATES(alcore_align, 0) {
    alcore_links *out = w->links;
    alcore_status status =
        alcore_align(w->ctx, SOURCES, NULL, TARGETS, NULL, 3, NULL, NULL, NULL, &out);
    MADE(alcore_links_unref, status, out);
}

ALLOCATES(alcore_links_new, WITH_ALIGNER) {
    alcore_tensor offsets, numbers;
    alcore_links *out = w->links;
    alcore_status status = alcore_links_get(w->links, &offsets, &numbers);
    if (status == ALCORE_OK) status = alcore_links_new(w->ctx, &offsets, &numbers, &out);
    MADE(alcore_links_unref, status, out);
}
ALLOCATES(alcore_links_open, 0) {
    alcore_links *out = w->links;
    alcore_status status = alcore_links_open(w->ctx, world_file("links.txt"), 3, &out);
    MADE(alcore_links_unref, status, out);
}
ALLOCATES(alcore_links_write, WITH_ALIGNER) {
    return alcore_links_write(w->links, world_file("written.links"));
}
NEVER(alcore_links_ref, WITH_ALIGNER) {
    alcore_links_unref(alcore_links_ref(w->links));
    HOLDS(!alcore_links_ref(NULL));
}
NEVER(alcore_links_unref, 0) {
    alcore_links_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_links_get, WITH_ALIGNER) {
    alcore_tensor offsets, numbers;
    alcore_status status = alcore_links_get(w->links, &offsets, &numbers);
    return status == ALCORE_OK && offsets.shape[0] != WORLD_ROWS + 1 ? ALCORE_E_INTERNAL : status;
}
ALLOCATES(alcore_links_symmetrize, WITH_ALIGNER) {
    alcore_links *out = w->links;
    alcore_status status = alcore_links_symmetrize(w->links, w->links, NULL, &out);
    MADE(alcore_links_unref, status, out);
}
NEVER(alcore_symmetrization_builtin_name, 0) {
    HOLDS(alcore_symmetrization_builtin_name(0) && !alcore_symmetrization_builtin_name(99));
}
