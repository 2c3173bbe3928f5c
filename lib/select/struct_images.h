/* SPDX-License-Identifier: Apache-2.0 */
/* The first values of the structs of alcore/alcore.h, by their names. */
#ifndef ALCORE__STRUCT_IMAGES_H
#define ALCORE__STRUCT_IMAGES_H

#include "base/base.h"

/* A row of such a table, the struct's name and what its _INIT macro makes. */
#define ALCORE__IMAGE(type, initial)                                                               \
    { #type, sizeof(type), &(const type)initial }

extern const alcore__struct_image alcore__struct_images[];

#endif
