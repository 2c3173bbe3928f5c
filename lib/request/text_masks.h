/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are not worth a translator's time, by the option "masks" of a request. */
#ifndef ALCORE__TEXT_MASKS_H
#define ALCORE__TEXT_MASKS_H

#include "request/request_internal.h"

/* Bits of the masks that a request has. */
enum {
    ALCORE__MASK_WORDLESS = 1,
    ALCORE__MASK_LENGTHS = 2,
    ALCORE__MASK_TEMPLATES = 4,
    ALCORE__MASKS_ALL = 7
};

/* Reads "all", "none" or names with commas between: *out, bits ALCORE__MASK_*. ALCORE_E_PARAM says
 * what is allowed. */
alcore_status alcore__text_masks_parse(const char *text, uint32_t *out);

/* Clears the candidates that the masks leave out and counts them by cause. Called when all other
 * masks are made, with the pools locked for reading. */
alcore_status alcore__text_masks_apply(const alcore_request *request, uint32_t masks,
                                       alcore__masks *out);

#endif
