/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object without an entry point. */
#include "alcore/export.h"

ALCORE_API extern const int alcore_empty_number;
const int alcore_empty_number = 1;
