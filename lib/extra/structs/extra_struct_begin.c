/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning a struct of either tier by its name. */
#include "alcore/extra/structs.h"
#include "extra/structs/extra_struct_images.h"
#include "select/struct_images.h"

alcore_status alcore_extra_struct_begin(void *any_struct, size_t size, const char *name) {
    const alcore__struct_image *const tables[] = {alcore__extra_struct_images,
                                                  alcore__struct_images};
    return alcore__struct_begin(any_struct, size, name, tables, 2);
}
