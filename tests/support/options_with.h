/* SPDX-License-Identifier: Apache-2.0 */
/* Options of one call, as an argument: OPTIONS_WITH(alcore_labels_options, .words = 1). */
#ifndef OPTIONS_WITH_H
#define OPTIONS_WITH_H

#define OPTIONS_WITH(type, ...) (&(const type){.size = sizeof(type), __VA_ARGS__})

#endif
