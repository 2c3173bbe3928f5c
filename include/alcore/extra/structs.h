/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Beginning the structs of alcore/extra.h in languages without macros. */
#ifndef ALCORE_EXTRA_STRUCTS_H
#define ALCORE_EXTRA_STRUCTS_H

#include "alcore/status.h"

ALCORE_BEGIN

/** Begins a size-first struct of alcore/extra.h, or of alcore/alcore.h, as its _INIT macro does
 * (alcore_struct_begin()).
 * @param[out] any_struct the struct, size bytes
 * @param[in] size sizeof the struct in the caller's headers: 8 to 4096
 * @param[in] name borrowed: of the struct, such as "alcore_train_options"
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL), ALCORE_E_NOT_FOUND (no struct has that name),
 *   ALCORE_E_STRUCT_SIZE
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_extra_struct_begin(void *any_struct, size_t size, const char *name);

ALCORE_END

#endif
