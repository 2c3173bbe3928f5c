/* SPDX-License-Identifier: Apache-2.0 */
/* The references of texts that are in a second file, as those of a parallel corpus. */
#ifndef ALCORE__POOL_REFERENCES_H
#define ALCORE__POOL_REFERENCES_H

#include "pool/id_join.h"
#include "pool/pool_add.h"

/* Reads the references of the rows of the addition, one for each, from the file `path` by its own
 * options, joined by their ids or lines (options->by). texts: what is known of the ids of the rows,
 * with the path of their file. */
alcore_status alcore__pool_read_references(alcore__pool_add *add, const alcore__id_use *texts,
                                           const char *path, const alcore_read_options *options);

#endif
