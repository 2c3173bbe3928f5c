/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are not worth a translator's time, by the option "masks" of a request. */
#ifndef ALCORE__TEXT_MASKS_H
#define ALCORE__TEXT_MASKS_H

#include "request/request_internal.h"

/* Clears the candidates that the option leaves out and counts them by cause. Called when all other
 * masks are made, with the pools locked for reading. recommended, keeps_tokens: as in
 * alcore__masks_new(). ALCORE_E_PARAM for a name that is none. */
alcore_status alcore__text_masks_apply(const alcore_request *request, bool recommended,
                                       bool keeps_tokens, alcore__masks *out);
/* The name of the mask that counts texts for a cause, ALCORE__CAUSE_WORDLESS or one behind it;
 * static. */
const char *alcore__text_mask_name(int32_t cause);

#endif
