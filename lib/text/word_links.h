/* SPDX-License-Identifier: Apache-2.0 */
/* Word alignments of many sentence pairs, and the symmetrization of two of them
 * (docs/spec/aligner.md).
 *
 * A link joins word `source` of the source sentence with word `target` of the target sentence, both
 * counted from 0. The links of pair r are link[begin[r] .. begin[r + 1]), sorted by (source,
 * target), each at most once. Memory: 8 bytes a link and 8 bytes a pair. */
#ifndef ALCORE__WORD_LINKS_H
#define ALCORE__WORD_LINKS_H

#include "base/base.h"

/* Positions are below this bound, so that flags of the words of a sentence stay within 16 MiB. */
#define ALCORE__LINK_POSITIONS (UINT32_C(1) << 24)

typedef struct alcore__link {
    uint32_t source, target; /* word positions from 0 */
} alcore__link;

/* The links of many sentence pairs; it owns its arrays. A struct of zeros has no pairs. */
typedef struct alcore__links {
    int64_t pairs;
    int64_t *begin;     /* [pairs + 1] index in link of the first link of each pair */
    alcore__link *link; /* [begin[pairs]] sorted by (source, target) within each pair */
    char *path;         /* of the file they were read from, a line a pair; owned; NULL: of none */
    int64_t before;     /* lines of that file before that of pair 0: 0 unless it is read in parts */
} alcore__links;

/* Frees what *links owns and sets it to zeros: no pairs. */
void alcore__links_clear(alcore_ctx *ctx, alcore__links *links);
/* A link of a pair, from 0, is wrong, as the error text of `status` says: puts the file and the
 * line before it where the links were read from a file. Returns status. */
alcore_status alcore__links_fail(const alcore__links *links, int64_t pair, alcore_status status);
/* The same for a link that names a word which the texts of its pair do not have: puts what may have
 * caused it behind the error text, positions that count from 1, or spaces in the texts at which
 * other tools split. */
alcore_status alcore__links_fail_range(const alcore__links *links, int64_t pair,
                                       alcore_status status, const char *source,
                                       size_t source_length, const char *target,
                                       size_t target_length);

typedef enum alcore__symmetrization {
    ALCORE__SYMMETRIZE_INTERSECTION,
    ALCORE__SYMMETRIZE_UNION,
    ALCORE__SYMMETRIZE_GROW_DIAG,
    ALCORE__SYMMETRIZE_GROW_DIAG_FINAL,
    ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND,
    ALCORE__SYMMETRIZE_FORWARD, /* the forward links alone */
    ALCORE__SYMMETRIZE_REVERSE, /* the reverse links alone */
    ALCORE__SYMMETRIZE_METHODS  /* the number of methods */
} alcore__symmetrization;

/* The name of a method ("grow-diag-final-and"), and the method of a name: ALCORE_E_PARAM with the
 * nearest name for an unknown one. */
const char *alcore__symmetrization_name(alcore__symmetrization method);
alcore_status alcore__symmetrization_find(const char *name, alcore__symmetrization *out);

/* Combines the links of the two directions pair by pair. Both hold (source, target) in the
 * orientation of the forward model (for the reverse model: alcore__aligner_links() with swap). The
 * caller clears *out. ALCORE_E_SHAPE when they have different numbers of pairs. */
alcore_status alcore__links_symmetrize(alcore_ctx *ctx, const alcore__links *forward,
                                       const alcore__links *reverse, alcore__symmetrization method,
                                       alcore__links *out);

#endif
