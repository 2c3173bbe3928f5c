/* SPDX-License-Identifier: Apache-2.0 */
/* What people did in tools of JSON comes back as answers: exports that the tools' packages wrote
 * of the files of test_tool_json.c (tests/engines/current). */
#include "check_suite.h"

#include "tool_listing.h"

#define ANNOTATOR_1 "00000000-0000-0000-0000-000000000001"
#define ANNOTATOR_2 "00000000-0000-0000-0000-000000000002"

/* Spans and tags as both exports of Label Studio and of Argilla, doccano and potato have them: the
 * first text has a character beyond the basic plane before the names, the third two. */
#define SPANS_1 "[[2,9,\"PER\"],[19,24,\"LOC & \\\"GPE\\\"\"]]"
#define BOTH "LOC & \"GPE\"\tPER"

START_TEST(test_label_studio) {
    static const char *const exports[] = {"full", "min"};
    static const char skipped[] = "s:3 skip - / 2, 1 s\n";
    char name[64], wanted[256];
    ck_assert_str_eq(answers_of("label-studio", kept("label-studio-translation.full.json"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / 1, 12.5 s\n"
                     "s:1 ok " FACE " Anna Li wohnt in \xE2\x80\x9EParis\" / 2, 30 s\n"
                     "s:2 skip - / 1, 3.25 s\n"
                     "s:3 draft K\xC3\xB6ln? / annotator1@example.org, 2.5 s\n");
    /* A snapshot has numbers in place of drafts. */
    ck_assert_str_eq(
        answers_of("label-studio", kept("label-studio-translation.snapshot.json"), NULL),
        "s:1 ok " FACE " Anna Li lebt in Paris / 1, 12.5 s\n"
        "s:1 ok " FACE " Anna Li wohnt in \xE2\x80\x9EParis\" / 2, 30 s\n"
        "s:2 skip - / 1, 3.25 s\n");
    ck_assert_str_eq(
        answers_of("label-studio",
                   put("who.json",
                       "[{\"data\":{\"al_id\":\"a\"},\"annotations\":[{\"completed_by\":{"
                       "\"id\":7,\"email\":\"x@example.org\"},\"result\":[{\"value\":{"
                       "\"text\":[\"b\"]}}]},{\"completed_by\":{\"id\":8},\"result\":[{"
                       "\"value\":{\"text\":[\"c\"]}}]}]}]"),
                   NULL),
        "a ok b / x@example.org\na ok c / 8\n");
    ck_assert_str_eq(answers_of("label-studio", kept("label-studio-translation.min.json"), NULL),
                     "s:1 ok " FACE " Anna Li wohnt in \xE2\x80\x9EParis\" / 2, 30 s\n"
                     "s:1 ok " FACE " Anna Li lebt in Paris / 1, 12.5 s\n");
    for (int i = 0; i < 2; i++) { /* JSON_MIN leaves out what is skipped */
        snprintf(name, sizeof name, "label-studio-classes.%s.json", exports[i]);
        snprintf(wanted, sizeof wanted, "s:1 ok PER / 1, 2.5 s\ns:2 ok " BOTH " / 1, 4 s\n%s",
                 i == 0 ? skipped : "");
        ck_assert_str_eq(answers_of("label-studio", kept(name), CLASSES), wanted);
        snprintf(name, sizeof name, "label-studio-spans.%s.json", exports[i]);
        ck_assert_str_eq(answers_of("label-studio", kept(name), SPANS),
                         "s:1 ok " SPANS_1 " / 1, 9 s\ns:2 ok [] / 1, 2 s\n"
                         "s:3 ok [[0,2,\"PER\"]] / 1, 3 s\n");
        snprintf(name, sizeof name, "label-studio-tags.%s.json", exports[i]);
        ck_assert_str_eq(answers_of("label-studio", kept(name), TAGS),
                         "s:1 ok O PER PER O O LOC / 1, 9 s\n"
                         "s:2 ok O O O O / 2, 2 s\n");
    }
}
END_TEST

/* An example without a label may be one that nobody looked at. */
START_TEST(test_doccano) {
    /* Labels of another task are no spans. */
    ck_assert_str_eq(
        answers_of("doccano",
                   put("x.jsonl", "{\"al_id\":\"a\",\"text\":\"x\",\"label\":[\"PER\"]}\n"), SPANS),
        "1: item a: part 1 is beyond the text, cuts a character, is empty or has no label\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-translation.back.jsonl"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / -, sure?\n"
                     "s:3 ok \xF0\x9D\x95\x8F\xF0\x9D\x95\x8F Cologne / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-classes.back.jsonl"), CLASSES),
                     "s:1 ok PER / -, sure?\ns:2 ok " BOTH " / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-spans.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / -, sure?\ns:3 ok [[0,2,\"PER\"]] / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-relations.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / -, sure?\ns:3 ok [[0,2,\"PER\"]] / -\n");
    ck_assert_str_eq(answers_of("doccano", kept("doccano-tags.back.jsonl"), TAGS),
                     "s:1 ok O PER PER O O LOC / -, sure?\n");
    ck_assert_str_eq(answers_of("doccano",
                                put("c.jsonl", "{\"al_id\":\"a\",\"label\":[\"x\"],\"Comments\":["
                                               "\"one\",{\"id\":1,\"comment\":\"two\"},{}]}\n"),
                                NULL),
                     "a ok x / -, one\ntwo\n");
    /* Two people translated it in a project that they share; a draft that came back is none. */
    ck_assert_str_eq(answers_of("doccano",
                                put("d.jsonl", "{\"al_id\":\"a\",\"label\":[\"x\",\"y\"]}\n\n"
                                               "{\"al_id\":\"b\",\"label\":[],\"draft\":\"z\"}\n"),
                                NULL),
                     "a ok x / 1\na ok y / 2\n");
}
END_TEST

START_TEST(test_argilla) {
    /* A question of another name. */
    ck_assert_str_eq(
        answers_of("argilla",
                   put("x.json", "[{\"al_id\":\"a\",\"x.responses\":[\"y\"]},"
                                 "{\"al_id\":\"b\",\"x.responses\":[]},"
                                 "{\"al_id\":\"c\",\"responses\":{\"x\":[{\"value\":\"y\"}]}},"
                                 "{\"al_id\":\"d\",\"responses\":{}}]"),
                   NULL),
        "1: item a has responses, and none to the question \"translation\"\n"
        "1: item c has responses, and none to the question \"translation\"\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-translation.flat.json"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / " ANNOTATOR_1 "\n"
                     "s:1 draft " FACE " Anna / " ANNOTATOR_2 "\n"
                     "s:2 skip - / " ANNOTATOR_1 "\n"
                     "s:3 draft K\xC3\xB6ln / " ANNOTATOR_2 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-translation.nested.json"), NULL),
                     "s:3 draft K\xC3\xB6ln / " ANNOTATOR_2 "\n"
                     "1: item s:1 has several responses, and which of them are drafts is not said: "
                     "export to_list(flatten=True)\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-classes.flat.json"), CLASSES),
                     "s:1 ok PER / " ANNOTATOR_1 "\ns:2 ok " BOTH " / " ANNOTATOR_1
                     "\ns:3 skip - / " ANNOTATOR_1 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-classes.nested.json"), CLASSES),
                     "s:1 ok PER / " ANNOTATOR_1 "\ns:2 ok " BOTH " / " ANNOTATOR_1
                     "\ns:3 draft PER / " ANNOTATOR_1 "\n");
    static const char *const exports[] = {"argilla-spans.flat.json", "argilla-spans.nested.json"};
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(answers_of("argilla", kept(exports[i]), SPANS),
                         "s:1 ok " SPANS_1 " / " ANNOTATOR_1 "\ns:2 ok [] / " ANNOTATOR_1
                         "\ns:3 ok [[0,2,\"PER\"]] / " ANNOTATOR_2 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-tags.flat.json"), TAGS),
                     "s:1 ok O PER PER O O LOC / " ANNOTATOR_1 "\n");
    ck_assert_str_eq(answers_of("argilla", kept("argilla-tags.nested.json"), TAGS),
                     "s:1 ok O PER PER O O LOC / " ANNOTATOR_1 "\n");
}
END_TEST

START_TEST(test_potato) {
    ck_assert_str_eq(answers_of("potato", kept("potato-translation.back.jsonl"), NULL),
                     "s:1 ok " FACE " Anna Li lebt in Paris / anna\n"
                     "s:1 ok " FACE " Anna Li wohnt in Paris / ben\n");
    ck_assert_str_eq(answers_of("potato", kept("potato-classes.back.jsonl"), CLASSES),
                     "s:1 ok PER / anna\ns:2 ok LOC & \"GPE\" / anna\n");
    ck_assert_str_eq(answers_of("potato", kept("potato-spans.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / anna\ns:3 ok [[0,2,\"PER\"]] / anna\n");
}
END_TEST

/* Tasks as the documentation of Prodigy shows them; it cannot be installed without a license. */
START_TEST(test_prodigy) {
    ck_assert_str_eq(answers_of("prodigy", kept("prodigy-spans.back.jsonl"), SPANS),
                     "s:1 ok " SPANS_1 " / names-anna\ns:3 reject - / names-ben\n"
                     "s:2 ok [] / 2026-11-02_09-00-00\n");
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    ck_assert_ok(alcore_tool_read(ctx, "prodigy", path, SPANS, &answers));
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.time, "2026-11-02T09:00:00Z");
    ck_assert_str_eq(answer.text, FACE " Anna Li lives in Paris");
    ck_assert_int_eq(answer.span_count, 2);
    ck_assert_int_eq(answer.spans[1].begin, 19);
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "round 3");
    alcore_tool_answers_unref(answers);
    ck_assert_str_eq(
        answers_of(
            "prodigy",
            put("p.jsonl",
                "{\"al_id\":\"a\",\"text\":\"x\",\"translation\":\"y\",\"answer\":\"accept\"}\n"
                "{\"al_id\":\"b\",\"text\":\"x\",\"user_input\":\"z\",\"answer\":\"accept\","
                "\"comment\":\"hm\"}\n"
                "{\"al_id\":\"c\",\"text\":\"x\",\"translation\":\"y\",\"answer\":\"ignore\"}\n"
                "{\"al_id\":\"d\",\"text\":\"x\",\"translation\":\"draft\"}\n"
                "{\"al_id\":\"e\",\"text\":\"x\",\"answer\":\"accept\"}\n"
                "{\"al_id\":\"f\",\"text\":\"x\",\"answer\":\"maybe\"}\n"),
            NULL),
        "a ok y / -\nb ok z / -, hm\nc skip - / -\n"
        "5: item e: it is said to be answered, and has no translation\n"
        "6: item f: \"maybe\" is no answer; accept, reject and ignore are\n");
    ck_assert_str_eq(
        answers_of("prodigy",
                   put("c.jsonl",
                       "{\"al_id\":\"a\",\"accept\":[\"q\",\"p\"],\"answer\":\"accept\"}\n"
                       "{\"al_id\":\"b\",\"label\":\"p\",\"answer\":\"accept\"}\n"
                       "{\"al_id\":\"c\",\"label\":\"p\",\"answer\":\"reject\"}\n"
                       "{\"al_id\":\"d\",\"accept\":[],\"answer\":\"accept\"}\n"),
                   CLASSES),
        "a ok p\tq / -\nb ok p / -\nc reject - / -\nd ok  / -\n");
}
END_TEST

START_TEST(test_squad) {
    ck_assert_str_eq(answers_of("squad", kept("squad-translation.back.json"), NULL),
                     "s:1 ok Paris / 1\ns:1 ok in Paris / 2\ns:2 untranslatable - / -\n");
    ck_assert_str_eq(answers_of("squad", kept("squad-translation.json"), NULL), "");
    ck_assert_str_eq(
        answers_of("squad",
                   put("q.json", "{\"data\":[{\"paragraphs\":[{\"context\":\"\\ud83d\\ude00 a b\","
                                 "\"qas\":[{\"id\":\"1\",\"question\":\"?\",\"answers\":[{"
                                 "\"text\":\"b\",\"answer_start\":4}]},{\"id\":\"2\","
                                 "\"question\":\"?\",\"answers\":[{\"text\":\"b\","
                                 "\"answer_start\":5}]},{\"question\":\"?\"}]}]},{}],\"x\":[]}"),
                   NULL),
        "1 ok b / -\n"
        "1: question 2: \"b\" does not stand at answer_start of its context\n"
        "1: a question has no id\n1: the article has no paragraphs\n");
}
END_TEST

START_TEST(test_translations) {
    const alcore_tool_options *pair = OPTIONS(.source_language = "en", .target_language = "de");
    const alcore_tool_options *from = OPTIONS(.source_language = "en");
    static const char wanted[] = "s:1 ok " FACE " Anna Li lebt in Paris / -\n"
                                 "s:3 ok \xF0\x9D\x95\x8F\xF0\x9D\x95\x8F K\xC3\xB6ln / -\n";
    const char *file = kept("translations-translation.back.jsonl");
    ck_assert_str_eq(answers_of("translations", file, pair), wanted);
    ck_assert_str_eq(answers_of("translations", file, from), wanted);
    ck_assert_str_eq(answers_of("translations", kept("translations-translation.jsonl"), pair), "");
    ck_assert_str_eq(
        answers_of("translations",
                   put("t.jsonl", "{\"id\":1,\"translation\":{\"en\":\"a\",\"de\":\"b\"}}\n"
                                  "{\"id\":\"2\",\"translation\":{\"en\":\"a\",\"de\":\"b\","
                                  "\"fr\":\"c\"}}\n{\"translation\":{}}\n{\"id\":3}\n"),
                   from),
        "1 ok b / -\n"
        "2: item 2: which language is the translation is not said: target_language\n"
        "3: the row has no id\n4: item 3: the row has no translation\n");
}
END_TEST

START_TEST(test_conll) {
    static const char sentences[] =
        "# id = a\n# text = " FACE " Anna Li, Paris\n# annotator = eva\n" FACE
        "\tO\nAnna\tB-PER\nLi\tI-PER\n,\t_\nParis\tB-LOC\n\n\n"
        "# sent_id = b\nx\tI-A\ny\tI-A\ny\tB-A\nz\tE-A\nw\tS-B\n\n"
        "# id = c\n# text = u\nu\t_\n\n# id = d\n# status = skip\nu\t_\n\n"
        "no\tO\n\n# id = e\n# text = one\ntwo\tO\n\n"
        "# id = f\nv\tNOUN\n\n# id = g\nv NNP B-X\nw NNP O\n# g I-X";
    static const char tags[] =
        "# id = a\n# text = go home\n# comment = sure\ngo\tVERB\nhome\tNOUN\n\n"
        "# id = b\n# text = go home\ngo\tVERB\nhome\t_\n\n"
        "# id = c\n# text = go home\ngo\tVERB\n\n"
        "# id = d\n# status = what\ngo\tVERB\n";
    static const char universal[] =
        "# sent_id = u\n# text = vámonos al mar\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n2\tmar\tmar\tNOUN\t_\t_\t1\tobj\t_\t_\n"
        "2.1\tx\t_\tX\t_\t_\t_\t_\t_\t_\n\n"
        "# sent_id = v\n1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n2\t!\t!\t_\t.\t_\t1\tpunct\t_\t_\n";
    ck_assert_str_eq(answers_of("conll", put("u.conllu", universal), TAGS),
                     "v draft VERB _ / -\n1: item u: its words are not those of its text\n");
    ck_assert_str_eq(answers_of("conll", put("s.conll", sentences), SPANS),
                     "a ok [[2,9,\"PER\"],[11,16,\"LOC\"]] / eva\n"
                     "b ok [[0,3,\"A\"],[4,7,\"A\"],[8,9,\"B\"]] / -\n"
                     "d skip - / -\n"
                     "g ok [[0,1,\"X\"],[4,5,\"X\"]] / -\n"
                     "26: the sentence has no \"# id = ...\"\n"
                     "28: item e: word 1, two, is not next in the text, or its tag O is neither O "
                     "nor B- and I- of a label\n"
                     "32: item f: word 1, v, is not next in the text, or its tag NOUN is neither O "
                     "nor B- and I- of a label\n");
    ck_assert_str_eq(answers_of("conll", put("t.conll", tags), TAGS),
                     "a ok VERB NOUN / -, sure\nb draft VERB _ / -\n"
                     "12: item c: its words are not those of its text\n"
                     "16: item d: \"what\" is no status that is known\n");
    /* What went out is open, whatever its drafts are. */
    ck_assert_str_eq(answers_of("conll", kept("conll-spans.conll"), SPANS), "");
    ck_assert_str_eq(answers_of("conll", kept("conll-tags.conll"), TAGS), "");
    /* A sentence that ends before its text, as in a file that was cut, is no answer. */
    ck_assert_str_eq(
        answers_of("conll", put("cut.conll", "# id = a\n# text = go on.\ngo\tO\non\tO"), SPANS),
        "1: item a: its words are not those of its text\n");
    alcore_tool_answers *answers;
    static const char *const blanks[] = {"", "\n \n", "# id = a\n"};
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        ck_assert_fails(alcore_tool_read(ctx, "conll", put("x.conll", blanks[i]), TAGS, &answers),
                        ALCORE_E_DATA, "x.conll has no word: it is no CoNLL");
}
END_TEST

/* WebAnno TSV 3.3 as INCEpTION's guide and the tests of its own writer have it: stacked
 * annotations, those of several words, parts of words, escapes, other layers before and behind. */
START_TEST(test_inception) {
    static const char entities[] =
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|"
        "PosValue\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n"
        "#T_RL=webanno.custom.Rel|value|BT_webanno.custom.Span\n\n\n"
        "#Sentence.id=a\n#Text=" FACE " Ms. Haag\n#Text=plays\\tElianti\\\\.\n"
        "1-1\t0-2\t" FACE
        "\t_\t_\t_\t_\t_\t\n1-2\t3-6\tMs.\tNNP\t*[1]|*[2]\tPER[1]|X\\_\\|\\[1\\][2]\t_"
        "\t_\t\n1-3\t7-11\tHaag\tNNP\t*[1]\tPER[1]\t_\t_\t\n1-4\t12-17\tplays\tVBD\t_\t_\t_\t_\t\n"
        "1-4.1\t12-16\tplay\t_\t*\tROOT\t_\t_\t\n1-5\t18-25\tElianti\tNNP\t*[3]\tWORK[3]\t_\t_\t\n"
        "1-5.1\t25-26\t\\\t_\t*[3]\tWORK[3]\t_\t_\t\n1-6\t26-27\t.\t.\t_\t_\t_\t_\t\n\n"
        "#Sentence.id=b\n#Text=Hm "
        ".\n2-1\t28-30\tHm\tUH\t_\t_\t_\t_\t\n2-2\t31-32\t.\t.\t_\t_\t_\t_\t\n\n"
        "#Sentence.id=c d\n#Text=go\n3-1\t33-35\tgo\tVB\t*\tPER\t_\t_\t\n\n"
        "#Text=no\n4-1\t36-38\tno\t_\t*\tPER\t_\t_\t\n\n"
        "#Sentence.id=e\n#Text=x\n5-1\t39-45\tx\t_\t*\tPER\t_\t_\t\n\n"
        "#Sentence.id=f\n#Text=x y\n6-1\tx\tx\t_\t*\tPER\t_\t_\t\n"
        "6-2\t48-49\ty\t_\t*\tPER\t_\t_\t\n\n"
        "#Sentence.id=g\n#Text=x\n7-1\t50--9223372036854775808\tx\t_\t*\tPER\t_\t_\t\n";
    static const char custom[] = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Span|note|value\n"
                                 "#T_CH=webanno.custom.Link|referenceType|referenceRelation\n\n\n"
                                 "#Sentence.id=a\n#Text=go\n1-1\t5-7\tgo\tn\tV\tpr[1]\tc->1-1\t\n";
    const char *file = put("i.tsv", entities);
    ck_assert_str_eq(
        answers_of("inception", file, SPANS),
        "a ok [[2,5,\"X_|[1]\"],[2,10,\"PER\"],[11,15,\"ROOT\"],[17,25,\"WORK\"]] / -\n"
        "c d ok [[0,2,\"PER\"]] / -\n"
        "28: the sentence has no #Sentence.id\n"
        "31: item e: part 1 is beyond the text, cuts a character, is empty or has no "
        "label\n35: a word has no offsets: x\n40: item g: part 1 is beyond the text, cuts a "
        "character, is empty or has no label\n");
    ck_assert_str_eq(answers_of("inception", file, TAGS),
                     "b ok UH . / -\nc d ok VB / -\n"
                     "7: item a: its words are not those of its text\n"
                     "28: the sentence has no #Sentence.id\n35: a word has no offsets: x\n");
    ck_assert_str_eq(answers_of("inception", put("c.tsv", custom), SPANS),
                     "a ok [[0,2,\"V\"]] / -\n");
    /* Some tags are a draft; a sentence that ends before its text, as in a file that was cut, is
     * none. */
    static const char some[] =
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|"
        "PosValue\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n"
        "\n\n#Sentence.id=a\n#Text=" FACE " go on \n1-1\t0-2\t" FACE
        "\tX\t_\t_\t\n1-2\t3-5\tgo\t_\t*\tPER\t\n";
    char whole[640];
    ck_assert_str_eq(answers_of("inception", put("cut.tsv", some), TAGS),
                     "6: item a: its words are not those of its text\n");
    ck_assert_str_eq(answers_of("inception", put("cut.tsv", some), SPANS),
                     "6: item a: its words are not those of its text\n");
    snprintf(whole, sizeof whole, "%s1-3\t6-8\ton\t_\t_\t_\t\n", some);
    ck_assert_str_eq(answers_of("inception", put("some.tsv", whole), TAGS), "a draft X _ _ / -\n");
    ck_assert_str_eq(answers_of("inception", put("some.tsv", whole), SPANS),
                     "a ok [[2,4,\"PER\"]] / -\n");
    ck_assert_str_eq(answers_of("inception", kept("inception-spans.tsv"), SPANS), "");
    ck_assert_str_eq(answers_of("inception", kept("inception-tags.tsv"), TAGS), "");
    alcore_tool_answers *answers;
    ck_assert_fails(alcore_tool_read(ctx, "inception", put("x.tsv", ""), SPANS, &answers),
                    ALCORE_E_DATA, "x.tsv is empty: it is no WebAnno TSV");
    ck_assert_fails(alcore_tool_read(ctx, "inception", put("x.tsv", "id\ttext\n"), SPANS, &answers),
                    ALCORE_E_DATA, "x.tsv:1: WebAnno TSV 3 begins with #FORMAT=WebAnno TSV 3.3");
    /* As dkpro-cassis 0.12.0 and zip begin their files. */
    static const char *const others[][2] = {
        {"<?xml version='1.0' encoding='UTF-8'?>\n<xmi:XMI", "it is XML, as a UIMA CAS in XMI is;"},
        {"{\"%TYPES\": {\"de.tudarmstadt", "it is JSON, as a UIMA CAS in JSON is;"},
        {"PK\003\004\024", "it is a ZIP archive"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_fails(
            alcore_tool_read(ctx, "inception", put("x.tsv", others[i][0]), SPANS, &answers),
            ALCORE_E_DATA, others[i][1]);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "exports as \"WebAnno TSV v3.3\""));
    }
}
END_TEST

CHECK_SUITE_WITH("tool_back", setup, teardown, test_label_studio, test_doccano, test_argilla,
                 test_potato, test_prodigy, test_squad, test_translations, test_conll,
                 test_inception);
