/* SPDX-License-Identifier: Apache-2.0 */
/* The first values of the structs of alcore/extra.h, by their names. */
#ifndef ALCORE__EXTRA_STRUCT_IMAGES_H
#define ALCORE__EXTRA_STRUCT_IMAGES_H

#include "base/base.h"

extern const alcore__struct_image alcore__extra_struct_images[];

#endif
