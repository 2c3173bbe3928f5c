/* SPDX-License-Identifier: Apache-2.0 */
/* The option "masks" where candidates lie in shards (lib/extra/job). */
#ifndef ALCORE__TEXT_MASKS_SHARDS_H
#define ALCORE__TEXT_MASKS_SHARDS_H

#include "request/request_internal.h"

/* Whether the option leaves out any texts: *out. */
alcore_status alcore__text_masks_asked(const alcore_request *request, bool recommended, bool *out);
/* Appends what the masks of all shards need of the candidates and bought rows of this one. own: its
 * masks without those by text, which stay as they are; the pools are locked for reading. */
alcore_status alcore__text_masks_write(const alcore_request *request, bool recommended,
                                       alcore__masks *own, alcore__buffer *out);
/* Makes the masks of all shards from what they have written: left_out [own->rows], zeros before,
 * becomes 1 for the candidates of this one that are left out; *all: the counts of all shards, and
 * no array. ALCORE_E_CORRUPT for a part that is none. */
alcore_status alcore__text_masks_read(const alcore_request *request, bool recommended,
                                      const alcore__masks *own, const alcore__shard_parts *parts,
                                      alcore__masks *all, uint8_t *left_out);

#endif
