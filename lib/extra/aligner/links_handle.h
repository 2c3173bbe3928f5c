/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of the links of many sentence pairs (alcore/extra/aligner.h). */
#ifndef ALCORE__LINKS_HANDLE_H
#define ALCORE__LINKS_HANDLE_H

#include "alcore/extra/aligner.h"
#include "text/word_links.h"

/* It does not change once it is made. */
struct alcore_links {
    alcore__object object;
    alcore__links links; /* owned */
    /* The shapes of the views that alcore_links_get() hands out, to which the views point. */
    int64_t offsets_shape[1]; /* {pairs + 1} */
    int64_t links_shape[2];   /* {links, 2} */
};

/* Makes a handle that owns *links, which is empty afterwards, also after a failure. */
alcore_status alcore__links_handle_new(alcore_ctx *ctx, alcore__links *links, alcore_links **out);

/* The method of a name of the caller's; NULL: the default, grow-diag-final-and. */
alcore_status alcore__symmetrization_of(const char *name, alcore__symmetrization *out);

#endif
