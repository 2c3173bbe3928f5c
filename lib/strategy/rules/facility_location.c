/* SPDX-License-Identifier: Apache-2.0 */
/* Facility location (spec 4.13): greedily the candidate that makes the candidates most similar, in
 * sum, to their nearest labeled row or pick, for its cost (similarity_cover.h). s is the cosine, 0
 * where it is negative, or exp(-gamma ||x - y||^2) of the unit vectors. */
#include "strategy/rules/similarity_cover.h"
#include "strategy/strategies.h"

typedef struct facility_state {
    alcore__cover cover; /* first, see similarity_cover.h */
    int64_t similarity;  /* the parameters; ALCORE__COVER_COSINE or _RBF */
    double gamma;
} facility_state;

static alcore_status begin(alcore__run *run) {
    facility_state *state = run->state;
    state->cover.kind = state->similarity;
    state->cover.x = state->gamma;
    return alcore__cover_begin(run);
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, facility_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("similarity", CHOICE, "cosine", 0, 0, "cosine|rbf",
                  "the cosine, or exp(-gamma d^2) of the distance d of the unit vectors",
                  STATE(similarity)),
    ALCORE__PARAM("gamma", NUMBER, "1", 0, 1e9, NULL, "gamma of similarity=rbf", STATE(gamma)),
    ALCORE__COVER_NEIGHBORS_PARAM,
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"similarity=rbf gamma=4", "neighbors=3", NULL};

const alcore__strategy_def alcore__strategy_facility_location = {
    .name = "facility-location",
    .summary = "Rows to whose nearest one all candidates are most similar, beside labeled rows, "
               "for their cost (a submodular cover)",
    .examples = EXAMPLES,
    .reason = "like rows that no labeled and no chosen row is like",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .by_passes = true,
    .state_bytes = sizeof(facility_state),
    .begin = begin,
    .passes = alcore__cover_passes,
    .finish = alcore__cover_finish,
};
