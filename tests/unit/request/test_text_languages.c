/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "language": texts in another script than most of their language. */
#include "request_test.h"

typedef struct tagged {
    const char *text, *language; /* language NULL: none */
    bool stays;
} tagged;

enum { MOST = 12 };

/* Each pool ends with a text NULL. */
static const tagged pools[][MOST] = {
    /* English: names inside a text stay, texts of another script go. */
    {{"Open the file", NULL, true},
     {"Copy the file to Москва", NULL, true},
     {"Find the letter я", NULL, true},
     {"Save it", NULL, true},
     {"Move it to the end", NULL, true},
     {"Close the window", NULL, true},
     {"Откройте файл", NULL, false},
     {"12 %s ...", NULL, true},
     {"เปิดไฟล์ใหม่", NULL, false}},
    /* Thai: commands and names in Latin inside a text stay, and Latin alone goes. */
    {{"เปิดไฟล์", NULL, true},
     {"ปิดหน้าต่าง", NULL, true},
     {"กด Ctrl+Alt+Delete", NULL, true},
     {"บันทึกไฟล์ %s", NULL, true},
     {"ลบไฟล์นี้", NULL, true},
     {"Save the file", NULL, false}},
    /* Japanese: Han and Kana are one. */
    {{"ファイル", NULL, true},
     {"開く", NULL, true},
     {"ファイルを開く", NULL, true},
     {"保存", NULL, true},
     {"열기", NULL, false}},
    /* Korean: Han belongs to it; a variable of source code has Latin letters. */
    {{"파일 열기", NULL, true},
     {"저장", NULL, true},
     {"창 닫기", NULL, true},
     {"大韓民國", NULL, true},
     {"삭제", NULL, true},
     {"ファイル 開く は です", NULL, true},
     {"닫기", NULL, true},
     {"Откройте", NULL, false},
     {"$(NAME)", NULL, false}},
    /* Several languages without tags: none has three quarters. */
    {{"Open the file", NULL, true},
     {"Save it", NULL, true},
     {"Откройте файл", NULL, true},
     {"Сохранить", NULL, true}},
    /* With tags each has its own script, and rows without one are a language too. */
    {{"Open the file", "en", true},
     {"Save it", "en", true},
     {"Close it", "en", true},
     {"Сохранить", "en", false},
     {"Откройте файл", "ru", true},
     {"Сохранить всё", "ru", true},
     {"Закрыть", "ru", true},
     {"Close the window", "ru", false},
     {"一二三四", NULL, true},
     {"五六七", NULL, true}},
};

START_TEST(texts_of_another_script_are_masked) {
    const tagged *rows = pools[_i];
    uint8_t left[MOST] = {0};
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_selection *selection;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; rows[i].text; i++) {
        alcore_records records = ALCORE_RECORDS_INIT;
        const char *const language = rows[i].language ? rows[i].language : "";
        records.texts = &rows[i].text;
        records.languages = &language;
        records.count = 1;
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    }
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set(request, "masks", "language"));
    ck_assert_ok(alcore_select(request, &selection));
    for (int64_t i = 0; i < alcore_selection_count(selection); i++)
        left[alcore_selection_rows(selection)[i]] = 1;
    for (int i = 0; rows[i].text; i++) ck_assert_msg(left[i] == rows[i].stays, "%s", rows[i].text);
    const bool masks = strstr(alcore_selection_summary(selection), "in another script than most");
    ck_assert_int_eq(masks, _i != 4);
    /* of a pool without tags it says why that may be wrong */
    const bool untagged =
        strstr(alcore_selection_summary(selection),
               "\nnote: no row has a language tag, so that texts in another script than most were "
               "left out (");
    ck_assert_int_eq(untagged, _i < 4);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("text_languages");
    tcase_add_loop_test(cases, texts_of_another_script_are_masked, 0, sizeof pools / sizeof *pools);
    return check_suite_run("request/text_languages", cases);
}
