/* SPDX-License-Identifier: Apache-2.0 */
/* What this library is: version, features, the build. */
#include "alcore/version.h"

#include <string.h>

#include "base/build_info.h"

const char *alcore_version(void) {
    return ALCORE_VERSION;
}

int32_t alcore_abi(void) {
    return ALCORE_ABI;
}

/* 1: this build has the feature, 0: it lacks it, -1: no feature has the name. */
int32_t alcore_feature(const char *name) {
    static const struct {
        const char *name;
        int32_t present;
    } features[] = {ALCORE__FEATURES};
    for (size_t i = 0; name && i < sizeof features / sizeof *features; i++)
        if (strcmp(features[i].name, name) == 0) return features[i].present;
    return -1;
}

const char *alcore_build_info(void) {
    return ALCORE__BUILD_INFO;
}
