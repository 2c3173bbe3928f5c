/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of experiments. Of what is accepted each name can be that of a folder, and nothing
 * is there twice. */
#include <string.h>

#include "extra/experiment/experiment_config.h"
#include "fuzz_target.h"

static void check_name(const char *name) {
    FUZZ_CHECK(*name && *name != '.' && strlen(name) <= 64 && !strpbrk(name, "/\t\n \"'<&"));
}

static void check(const alcore__experiment_config *config) {
    FUZZ_CHECK(config->rounds >= 1 && config->rounds <= 9999);
    FUZZ_CHECK(config->domain_count > 0 && config->strategy_count > 0);
    FUZZ_CHECK(config->seed_count > 0 && config->budget_count > 0);
    for (int64_t i = 0; i < config->domain_count; i++) {
        check_name(config->domains[i].name);
        FUZZ_CHECK(config->domains[i].pool.path);
    }
    for (int64_t i = 0; i < config->budget_count; i++) check_name(config->budgets[i]);
    for (int64_t i = 0; i < config->strategy_count; i++) {
        check_name(config->strategies[i].name);
        for (int64_t k = 0; k < i; k++)
            FUZZ_CHECK(strcmp(config->strategies[i].name, config->strategies[k].name) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    alcore__experiment_config config;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore_status status = alcore__enter_long(host.ctx);
    if (status == ALCORE_OK) {
        status = alcore__experiment_config_read(host.ctx, "f.json", &config);
        if (status == ALCORE_OK) {
            check(&config);
            alcore__experiment_config_clear(&config);
        }
        alcore__leave(host.ctx, status);
    }
    fuzz_finish(&host, bytes, status);
    return 0;
}
