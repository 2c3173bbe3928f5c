/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the functions of an Arrow C stream that a caller gave. */
#ifndef ALCORE__ARROW_STREAM_H
#define ALCORE__ARROW_STREAM_H

#include "alcore/arrow.h"
#include "base/base.h"

/* ALCORE_E_INVALID for a stream that is NULL or released. */
alcore_status alcore__arrow_stream_check(const struct ArrowArrayStream *stream);
/* Sets *out to the schema; its release is NULL after a failure, ALCORE_E_CALLBACK. */
alcore_status alcore__arrow_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out);
/* Sets *out to the next array, whose release is NULL at the end and after a failure,
 * ALCORE_E_CALLBACK. */
alcore_status alcore__arrow_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out);
void alcore__arrow_stream_release(struct ArrowArrayStream *stream);

#endif
