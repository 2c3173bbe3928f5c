/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of training, cross-fitting, reading, writing and embedding fails once: the call
 * says so, leaves its output NULL and loses nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/lm.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "test_folder.h"
#include "text/char_rows.h"
#include "text/lm_trainer.h"

static char path[TEST_PATH_BYTES];
static const char *const texts[] = {"a b c", "a b", "", "b c <s> d", "a b c d e f"};

static alcore_status do_train(alcore_ctx *ctx) {
    alcore_lm *lm = NULL;
    const alcore_status status = alcore_lm_new_trained(ctx, texts, NULL, 5, NULL, &lm);
    ck_assert_int_eq(!lm, status != ALCORE_OK);
    alcore_lm_unref(lm);
    return status;
}

static alcore_status do_cross_fit(alcore_ctx *ctx) {
    alcore__lm_trainer *trainer = NULL;
    alcore_status status = alcore__lm_trainer_new(ctx, 3, ALCORE__LM_FOLDS, 5, &trainer);
    for (int i = 0; i < 5 && status == ALCORE_OK; i++)
        status = alcore__lm_trainer_add(trainer, texts[i], strlen(texts[i]));
    for (int32_t f = -1; f < ALCORE__LM_FOLDS && status == ALCORE_OK; f++) {
        alcore_lm *lm = NULL;
        status = alcore__lm_trainer_model(trainer, f, &lm);
        ck_assert_int_eq(!lm, status != ALCORE_OK);
        alcore_lm_unref(lm);
    }
    alcore__lm_trainer_free(trainer);
    return status;
}

static alcore_status do_read(alcore_ctx *ctx) {
    alcore_lm *lm = NULL;
    const alcore_status status = alcore_lm_open_arpa(ctx, path, &lm);
    ck_assert_int_eq(!lm, status != ALCORE_OK);
    alcore_lm_unref(lm);
    return status;
}

static alcore_status do_write(alcore_ctx *ctx) {
    alcore_lm *lm = NULL;
    alcore_status status = alcore_lm_open_arpa(ctx, path, &lm);
    if (status == ALCORE_OK) status = alcore_lm_write_arpa(lm, path);
    alcore_lm_unref(lm);
    return status;
}

static alcore_status do_embed(alcore_ctx *ctx) {
    alcore__char_embedder *embedder = NULL;
    const alcore_status status = alcore__char_embedder_new(ctx, 8, 1, &embedder);
    ck_assert_int_eq(!embedder, status != ALCORE_OK);
    if (status != ALCORE_OK) return status;
    alcore__char_embedder_finish(embedder);
    alcore__char_rows *rows = NULL;
    const alcore_status made = alcore__char_rows_new(embedder, &rows);
    ck_assert_int_eq(!rows, made != ALCORE_OK);
    alcore__char_rows_free(rows);
    alcore__char_embedder_free(embedder);
    return made;
}

static alcore_status (*const calls[])(alcore_ctx *) = {do_train, do_cross_fit, do_read, do_write,
                                                       do_embed};

START_TEST(every_allocation_fails) {
    static const char arpa[] = "\\data\\\nngram 1=3\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-1\t</s>\n"
                               "-1\ta\n0\t<s>\n\n\\2-grams:\n-1\ta a\n\n\\3-grams:\n-1\t<s> a a\n\n"
                               "\\end\\\n";
    test_file_make(path, "lm", "", arpa);
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 2);
    ck_assert_int_eq(calls[_i](ctx), ALCORE_OK); /* what the context itself keeps is there now */
    const long long before = fault.live_bytes;
    for (int from_on = 0; from_on <= 1; from_on++) {
        for (long long at = 1;; at++) {
            fault_arm(&fault, at, from_on);
            const alcore_status status = calls[_i](ctx);
            ck_assert_int_eq(fault.live_bytes, before);
            if (fault.failures == 0) {
                ck_assert_int_eq(status, ALCORE_OK);
                ck_assert_int_ge(at, 4);
                break;
            }
            /* A growing array that gets no spare room asks again for what it needs. */
            if (from_on || status != ALCORE_OK) ck_assert_int_eq(status, ALCORE_E_NOMEM);
        }
    }
    fault_arm(&fault, 0, 0);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_blocks, 0);
    unlink(path);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("memory");
    tcase_add_loop_test(cases, every_allocation_fails, 0, (int)(sizeof calls / sizeof calls[0]));
    tcase_set_timeout(cases, 60);
    return check_suite_run("text/lm_memory", cases);
}
