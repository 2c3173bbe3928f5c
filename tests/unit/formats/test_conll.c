/* SPDX-License-Identifier: Apache-2.0 */
/* Records of CoNLL: the layouts of Universal Dependencies, CoNLL-2003 and PAN-X, and what is wrong
 * with a file. */
#include <stdlib.h>

#include "records_test.h"

static memory_host host;

static alcore_status read_text(const char *data, const char *token, const char *tag,
                               int32_t bad_lines, int64_t longest, gathered *all) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = token;
    options.reference_column = tag;
    options.bad_lines = bad_lines;
    memory_host_file(&host, data, strlen(data));
    host.warnings = 0;
    return alcore__read_records(host.ctx, "p.conll", &options, longest, gather, all);
}

static void expect(const char *data, const char *token, const char *tag, const char *records) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_text(data, token, tag, ALCORE_BAD_LINES_ERROR, 0, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse(const char *data, const char *token, const char *tag, alcore_status status,
                   const char *words) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_text(data, token, tag, ALCORE_BAD_LINES_ERROR, 0, &all), status, words);
    alcore__buffer_clear(NULL, &all.text);
}

#define U "\t_\t_\t_\t_\t_\t_\n" /* columns 5 to 10 of CoNLL-U */

static const char universal[] =
    "# newdoc id = d1\n"
    "# sent_id = s-1\n"
    "# text = vámonos al mar\n"
    "1-2\tvámonos\t_\t_" U "1\tvamos\tir\tVERB" U "2\tnos\tnosotros\tPRON" U "3-4\tal\t_\t_" U
    "3\ta\ta\tADP" U "4\tel\tel\tDET" U "4.1\tnada\tnada\tPRON" U "5\tmar\tmar\tNOUN" U "\n"
    "# sent_id = s-2\n"
    "1\tthành phố\t_\tNOUN" U "\n"
    "# newdoc id = d2\n"
    "#\n"
    "1\t#\t_\tSYM" U "\n";

/* The first column of tags (the MIT corpora), of numbers of sentences, and a line of names: none of
 * them has words. */
START_TEST(first_columns_without_words) {
    const char tags[] = "B-Rating\t2\nI-Rating\tstar\nO\tplaces\n\nO\tx\n";
    refuse(tags, NULL, NULL, ALCORE_E_DATA, "p.conll:1: the first column has tags");
    refuse("O\twhat\nO\tfilms\n", NULL, NULL, ALCORE_E_DATA, "has tags in the first sentence");
    expect(tags, "2", "1", "2 star places|-|B-Rating I-Rating O|-|-|-|1\nx|-|O|-|-|-|5\n");
    expect("I\tPRP\n\nO\tUH\n", NULL, NULL, "I|-|PRP|-|-|-|1\nO|-|UH|-|-|-|3\n");
    refuse("7 1 EU B-ORG\n7 2 left O\n", NULL, NULL, ALCORE_E_DATA, "may have ids or words");
    refuse("1 EU B-ORG\n1 left O\n", NULL, NULL, ALCORE_E_DATA, "the first sentence has \"1\"");
    refuse("0 2 EU B-ORG\n3 7 left O\n", NULL, NULL, ALCORE_E_DATA, "may have ids or words");
    refuse("doc1 EU O\ndoc1 left O\n", NULL, NULL, ALCORE_E_DATA, "may have ids or words");
    expect("ha UH O\nha UH O\n", NULL, NULL, "ha ha|-|O O|-|-|-|1\n");
    refuse("Token POS NER\nEU NNP B-ORG\n", NULL, NULL, ALCORE_E_DATA, "p.conll:1: the line names");
    refuse("ID\tFORM\tHEAD\n1\tEU\t0\n", NULL, NULL, ALCORE_E_DATA, "the line names columns");
    refuse("doc_id sent_id token ner\n7 1 EU B-ORG\n", NULL, NULL, ALCORE_E_DATA, "delete it");
    refuse("word\tlabel\nEU\tB-ORG\n", "1", NULL, ALCORE_E_DATA, "delete it");
    expect("Word NN O\nup IN O\n", NULL, NULL, "Word up|-|O O|-|-|-|1\n");
}
END_TEST

/* One word behind a # between spaces may be a comment or the tag of a token. */
START_TEST(comments_of_one_word) {
    refuse("EU NN\nb NN\n\n# foo\nc NN\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:4: \"# foo\" may be a comment or a token");
    expect("EU NN\n\n# SYM\nc NN\n", NULL, NULL, "EU|-|NN|-|-|-|1\n# c|-|SYM NN|-|-|-|3\n");
    expect("EU\tNN\n\n#\tsym\nc\tNN\n", NULL, NULL, "EU|-|NN|-|-|-|1\n# c|-|sym NN|-|-|-|3\n");
}
END_TEST

START_TEST(universal_dependencies) {
    expect(universal, NULL, NULL,
           "vamos nos a el mar|s-1|VERB PRON ADP DET NOUN|-|d1|-|5\n"
           "thành\xC2\xA0phố|s-2|NOUN|-|d1|-|14\n"
           "#|-|SYM|-|d2|-|18\n");
    expect(universal, "lemma", "form",
           "ir nosotros a el mar|s-1|vamos nos a el mar|-|d1|-|5\n"
           "_|s-2|thành\xC2\xA0phố|-|d1|-|14\n"
           "_|-|#|-|d2|-|18\n");
    /* Labels as texts, for a metric that compares two files of them. */
    expect(universal, "UPOS", "4",
           "VERB PRON ADP DET NOUN|s-1|VERB PRON ADP DET NOUN|-|d1|-|5\n"
           "NOUN|s-2|NOUN|-|d1|-|14\n"
           "SYM|-|SYM|-|d2|-|18\n");
}
END_TEST

START_TEST(columns_between_spaces) {
    const char *english = "-DOCSTART- -X- O O\n\n"
                          "EU NNP I-NP I-ORG\nrejects VBZ I-VP O\n# NN I-NP O\n\n"
                          "-DOCSTART- -X- -X- O\n\n\n"
                          "# a comment\nPeter  NNP\tI-NP I-PER \r\n";
    expect(english, NULL, NULL, "EU rejects #|-|I-ORG O O|-|-|-|3\nPeter|-|I-PER|-|-|-|11\n");
    expect(english, "1", "2", "EU rejects #|-|NNP VBZ NN|-|-|-|3\nPeter|-|NNP|-|-|-|11\n");
    expect("one\ntwo\n \t\nthree\n", NULL, NULL, "one two|-|-|-|-|-|1\nthree|-|-|-|-|-|4\n");
    expect("", NULL, NULL, "");
    expect("\n\n# nothing\n\n", NULL, NULL, "");
}
END_TEST

START_TEST(columns_between_tabs) {
    expect("a\tO\n#\tB-X\n\nb c\tI-X Y\n", NULL, NULL,
           "a #|-|O B-X|-|-|-|1\nb\xC2\xA0"
           "c|-|I-X\xC2\xA0Y|-|-|-|4\n");
    expect("#\tO\na\tO\n", NULL, NULL, "# a|-|O O|-|-|-|1\n");
    expect("a\tx\ty\n", "3", "1", "y|-|a|-|-|-|1\n");
    expect("a\t\tO\n", NULL, NULL, "a|-|O|-|-|-|1\n");
}
END_TEST

/* Comments of data sets that are no "# key = value". */
START_TEST(comments_of_data_sets) {
    /* MultiCoNER: as many columns as a token between spaces, and a TAB. */
    expect("# id 00-1\tdomain=en\nrobert _ _ B-OtherPER\nran _ _ O\n\n"
           "# id 00-2\tdomain=en\nparis _ _ B-HumanSettlement\nwins _ _ O\n",
           NULL, NULL,
           "robert ran|00-1|B-OtherPER O|-|-|-|2\nparis wins|00-2|B-HumanSettlement O|-|-|-|6\n");
    expect("robert _ _ B-OtherPER\nran _ _ O\n\n# id 00-1\tdomain=en\nparis _ _ B-X\n", NULL, NULL,
           "robert ran|-|B-OtherPER O|-|-|-|1\nparis|00-1|B-X|-|-|-|5\n");
    /* A TAB where tokens have none. */
    expect("x _ _ NOUN\n\n# id 3\tsome\ny _ _ VERB\n", NULL, NULL,
           "x|-|NOUN|-|-|-|1\ny|3|VERB|-|-|-|4\n");
    /* GermEval: number, word, outer and inner entities. */
    expect("#\thttp://example.org/x [2009-10-17]\n1\tAufgrund\tO\tO\n2\tBonn\tB-LOC\tO\n\n"
           "#\thttp://example.org/y [2009]\n1\t#\tO\tO\n",
           NULL, NULL, "Aufgrund Bonn|-|O B-LOC|-|-|-|2\n#|-|O|-|-|-|6\n");
    /* A treebank with a TAB behind the #. */
    expect("#\tid='1'-document_id='36'\n1\tn\tn\tADP\t_\t_\t0\troot\t_\t_\n"
           "2\tx\tx\tX\t_\t_\t1\tdep\t_\t_\n\n#sent_id=s 2\n1\ty\ty\tX\t_\t_\t0\troot\t_\t_\n",
           NULL, NULL, "n x|-|ADP X|-|-|-|2\ny|s 2|X|-|-|-|6\n");
    expect("#note\na\tO\n\n#\tnote\tnote\nb\tO\n\n##\nc\tO\n", NULL, NULL,
           "a|-|O|-|-|-|2\nb|-|O|-|-|-|5\nc|-|O|-|-|-|8\n");
    /* Comments before the first sentence, with blank lines behind them. */
    expect("# a b\n\n# sent_id = q\n\n# c d e\na b O\n", NULL, NULL, "a|-|O|-|-|-|6\n");
    expect("# newdoc id = d\n\na b O\n", NULL, NULL, "a|-|O|-|d|-|3\n");
}
END_TEST

/* A # as a word, with the tags of words. */
START_TEST(hashes_as_tokens) {
    expect("# NN O\nx NN O\n\n# NN B-X\n", NULL, NULL, "# x|-|O O|-|-|-|1\n#|-|B-X|-|-|-|4\n");
    expect("#\tO\n\n#tag\tB-X\n", NULL, NULL, "#|-|O|-|-|-|1\n#tag|-|B-X|-|-|-|3\n");
    expect("#\tSYM\nx\tNOUN\n\n#\tSYM\n", NULL, NULL, "# x|-|SYM NOUN|-|-|-|1\n#|-|SYM|-|-|-|4\n");
    expect("#tag\nx\n", NULL, NULL, "#tag x|-|-|-|-|-|1\n");
    expect("#\tSYM\n\nx\tNOUN\n", NULL, NULL, "#|-|SYM|-|-|-|1\nx|-|NOUN|-|-|-|3\n");
    /* Tags of one letter, O being one of them, are not those of IOB. */
    expect("I\tO\nran\tV\n\n#tag\t#\nx\tN\n", NULL, NULL,
           "I ran|-|O V|-|-|-|1\n#tag x|-|# N|-|-|-|4\n");
    /* As many columns as a token, but no tag of the kind that tokens have: a comment. */
    expect("# a note of\nx _ _ O\n", NULL, NULL, "x|-|O|-|-|-|2\n");
    /* Nothing tells whether it is one. */
    refuse("x\tNOUN\n\n#\thttp://example.org\nx\tNOUN\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:3: \"#\thttp://example.org\" may be a comment or a token: it has 2 columns, as "
           "tokens have; delete it if it is a comment");
    refuse("x\tO\n\n# x\tO\n", NULL, NULL, ALCORE_E_DATA, "p.conll:3: \"# x\tO\" may be a comment");
    expect("x\tNOUN\n\n# key\tvalue\ny\tNOUN\n", NULL, NULL,
           "x|-|NOUN|-|-|-|1\ny|-|NOUN|-|-|-|4\n");
    refuse("a\tO\n# note\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:2: 1 columns, line 1 has 2; a comment stands before the first token of a "
           "sentence");
}
END_TEST

START_TEST(universal_plus) {
    const char *plus = "# global.columns = ID FORM UPOS PARSEME:MWE\n# sent_id = a\n"
                       "1-2\tdon't\t_\t*\n1\tdo\tAUX\t*\n2\tn't\tPART\t1:NEG\n\n1\tgo\tVERB\t*\n";
    expect(plus, NULL, NULL, "do n't|a|AUX PART|-|-|-|4\ngo|-|VERB|-|-|-|7\n");
    expect(plus, "form", "parseme:mwe", "do n't|a|* 1:NEG|-|-|-|4\ngo|-|*|-|-|-|7\n");
    expect("# global.columns = ID FORM UPOS\n1 a X\n2 b Y\n", NULL, NULL, "a b|-|X Y|-|-|-|2\n");
    expect("# global.columns = FORM NE\n#\tO\nb c\tB-X\n", NULL, NULL,
           "# b\xC2\xA0"
           "c|-|O B-X|-|-|-|2\n");
    refuse("# global.columns = ID WORD\n1\ta\n", NULL, NULL, ALCORE_E_DATA,
           "global.columns names no column FORM: it has ID WORD");
    expect("# global.columns = ID WORD\n1\ta\n", "word", NULL, "a|-|-|-|-|-|2\n");
    refuse("# global.columns = ID FORM\n1\ta\tX\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:2: 3 columns, line 2 has 2");
    refuse("# global.columns = ID FORM\n1\ta\n", "tag", NULL, ALCORE_E_PARAM,
           "also called ID FORM");
}
END_TEST

/* Ids and numbers of words are never words. */
START_TEST(ids_are_no_words) {
    /* CoNLL-X, between TABs and between spaces. */
    expect("1\tThe\tthe\tD\tDT\t_\t2\tdet\t_\t_\n2\tcat\tcat\tN\tNN\t_\t0\troot\t_\t_\n", NULL,
           NULL, "The cat|-|D N|-|-|-|1\n");
    expect("1  The the D DT _ 2 det _ _\n2  cat cat N NN _ 0 root _ _\n", NULL, NULL,
           "The cat|-|D N|-|-|-|1\n");
    /* CoNLL-2009: sentences with more predicates have more columns. */
    expect("1\tA\ta\ta\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\n2\tcat\tcat\tcat\tNN\tNN\t_\t_"
           "\t0\t0\tR\tR\t_\t_\n"
           "\n1\tGo\tgo\tgo\tVB\tVB\t_\t_\t0\t0\tR\tR\tY\tgo.01\tA1\n",
           NULL, NULL, "A cat|-|DT NN|-|-|-|1\nGo|-|VB|-|-|-|4\n");
    expect("1\tA\ta\ta\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\n", "plemma", "deprel",
           "a|-|NMOD|-|-|-|1\n");
    /* CoNLL-2012. */
    expect("#begin document (bc/x/00); part 000\nbc/x/00   0   0    It   PRP  (S*  - - - Spk  * -\n"
           "bc/x/00   0   1    is   VBZ  *)  be 01 1 Spk  * -\n\n"
           "bc/x/00   0   0    So   RB   *   - - - Spk  * (V*) -\n\n#end document\n",
           NULL, NULL, "It is|-|PRP VBZ|-|bc/x/00|-|2\nSo|-|RB|-|bc/x/00|-|5\n");
    /* Universal NER, and numbers from 0. */
    expect("# sent_id = s\n# text = Where is it\n1\tWhere\tO\t-\t-\n2\tis\tO\t-\t-\n", NULL, NULL,
           "Where is|s|O O|-|-|-|3\n");
    expect("0 a X B-P\n1 b Y O\n\n0 c X O\n", NULL, NULL, "a b|-|B-P O|-|-|-|1\nc|-|O|-|-|-|4\n");
    /* Ids of other kinds are not read as words, unless the options say so. */
    refuse("1-1\t0-2\tIt\tO\n1-2\t3-5\tis\tO\n", NULL, NULL, ALCORE_E_DATA,
           "the first column may have ids or words: the first sentence has \"1-1\" there");
    expect("1-1\t0-2\tIt\tO\n1-2\t3-5\tis\tO\n", "3", NULL, "It is|-|O O|-|-|-|1\n");
    refuse("d7 It P O\nd7 is V O\nd7 a D O\nd7 b N O\n", NULL, NULL, ALCORE_E_DATA,
           "the first sentence has \"d7\" there");
    expect("d7 It P O\nd7 is V O\nd7 a D O\nd7 b N O\n", "2", NULL,
           "It is a b|-|O O O O|-|-|-|1\n");
    expect("ha O\nha O\nha O\nha O\n", NULL, NULL, "ha ha ha ha|-|O O O O|-|-|-|1\n");
    /* Words that are numbers. */
    expect("1 CD O\nmillion CD O\n\n1 CD O\n", NULL, NULL,
           "1 million|-|O O|-|-|-|1\n1|-|O|-|-|-|4\n");
    refuse("1\tHello\tO\n\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:1: the first column may have ids or words: the first sentence has \"1\" there");
    expect("1\tHello\tO\n", "2", NULL, "Hello|-|O|-|-|-|1\n");
    expect("1\tHello\tO\n", "1", NULL, "1|-|O|-|-|-|1\n");
    refuse("1\tNUM\n2\tNUM\n", NULL, NULL, ALCORE_E_DATA, "may have ids or words");
    refuse("0 a X B-P\n1 b Y O\n\nc c X O\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:4: column 1: \"c\" is no id");
}
END_TEST

/* PAN-X: each token begins with its language, which becomes that of the record. */
START_TEST(languages_before_tokens) {
    expect("en:Paris\tB-LOC\nen:a:b\tO\n\nen::\tO\n\nzh-min-nan:x\tO\nzh-min-nan:yz\tO\n", NULL,
           NULL, "Paris a:b|-|B-LOC O|en|-|-|1\n:|-|O|en|-|-|4\nx yz|-|O O|zh-min-nan|-|-|6\n");
    /* One token without a language in the first sentence: none of the file has one. */
    expect("en:Paris\tO\nin\tO\n\nen:x\tO\n", NULL, NULL,
           "en:Paris in|-|O O|-|-|-|1\nen:x|-|O|-|-|-|4\n");
    expect("en:a\tO\nde:b\tO\n", NULL, NULL, "en:a de:b|-|O O|-|-|-|1\n");
    expect("en:a\tO\n", "1", NULL, "en:a|-|O|-|-|-|1\n");
    expect("e:a\tO\n\nEN:a\tO\n\nen:\tO\n", NULL, NULL,
           "e:a|-|O|-|-|-|1\nEN:a|-|O|-|-|-|3\nen:|-|O|-|-|-|5\n");
    refuse(
        "en:a\tO\n\nen:b\tO\nc\tO\n", NULL, NULL, ALCORE_E_DATA,
        "p.conll:4: column 1: \"c\" does not begin with a language and a colon, such as \"en:\"");
    refuse("http://x\tO\n\nyes\tO\n", NULL, NULL, ALCORE_E_DATA, "p.conll:3: column 1: \"yes\"");
}
END_TEST

START_TEST(errors_name_line_and_column) {
    refuse("a\tO\n\nb\n", NULL, NULL, ALCORE_E_DATA, "p.conll:3: 1 columns, line 1 has 2");
    refuse("a\tO\nb\tO\tO\n", NULL, NULL, ALCORE_E_DATA, "p.conll:2: 3 columns, line 1 has 2");
    refuse("a\tO\n\tO\n", NULL, NULL, ALCORE_E_DATA, "p.conll:2: column 1, the token, is empty");
    refuse("a\tx\tO\nb\tx\t\n", NULL, NULL, ALCORE_E_DATA,
           "p.conll:2: column 3, the tag, is empty");
    refuse("1\ta\t_\tX" U "x\tb\t_\tX" U, NULL, NULL, ALCORE_E_DATA,
           "p.conll:2: column 1: \"x\" is no id: 1 of a word, 1-2 of a range of words or 1.1");
    static const char *const ids[] = {"1-", "-1", "1-2-3", "1.", "1.1-2", ""};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char file[100];
        snprintf(file, sizeof file, "1\ta\t_\tX" U "%s\tb\t_\tX" U, ids[i]);
        refuse(file, NULL, NULL, ALCORE_E_DATA, "p.conll:2: column 1: ");
    }
    refuse("\na b O\n", "4", NULL, ALCORE_E_PARAM,
           "p.conll:2: no column is called \"4\"; the line has the columns 1 to 3");
    refuse("a b O\n", NULL, "form", ALCORE_E_PARAM, "no column is called \"form\"");
    refuse("a b O\n", "0", NULL, ALCORE_E_PARAM, "no column is called \"0\"");
    refuse("a b O\n", "2x", NULL, ALCORE_E_PARAM, "no column is called \"2x\"");
    refuse("a b O\n", "", NULL, ALCORE_E_PARAM, "no column is called \"\"");
    refuse("a b O\n", "99999999999999999999", NULL, ALCORE_E_PARAM, "no column is called \"999");
    refuse("1\ta\t_\tX" U, "word", NULL, ALCORE_E_PARAM,
           "which are also called id form lemma upos xpos");
}
END_TEST

/* A treebank does not say its language; PAN-X does. */
START_TEST(language_of_the_file) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.language = "fr";
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    static const char file[] = "a\tO\n\nb\n\nc\tO\n"; /* the last one ends with the file */
    memory_host_file(&host, file, sizeof file - 1);
    ck_works(alcore__read_records(host.ctx, "p.conll", &options, 0, gather, &all));
    static const char prefixed[] = "de:x\tO\n\nen:y\tO\n";
    memory_host_file(&host, prefixed, sizeof prefixed - 1);
    ck_works(alcore__read_records(host.ctx, "p.conll", &options, 0, gather, &all));
    static const char table[] = "text\tlang\nz\t\nw\tsw\n";
    memory_host_file(&host, table, sizeof table - 1);
    ck_works(alcore__read_records(host.ctx, "p.tsv", &options, 0, gather, &all));
    ck_assert_str_eq(all.text.data, "a|-|O|fr|-|-|1\n|-|-|-|-|-|3\nc|-|O|fr|-|-|5\n"
                                    "x|-|O|de|-|-|1\ny|-|O|en|-|-|3\n"
                                    "z|-|-|fr|-|-|2\nw|-|-|sw|-|-|3\n");
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* A line with an error makes its sentence one malformed record, wherever it stands in it. */
START_TEST(bad_lines) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_text("a\tO\n\nb\tO\nc\nd\tO\n\ne\tO\n\nf\n\ng\tO\n\nh\tO\n\ti\n", NULL, NULL,
                       ALCORE_BAD_LINES_MASK, 0, &all));
    ck_assert_str_eq(all.text.data, "a|-|O|-|-|-|1\n|-|-|-|-|-|4\ne|-|O|-|-|-|7\n|-|-|-|-|-|9\n"
                                    "g|-|O|-|-|-|11\n|-|-|-|-|-|14\n");
    ck_assert_int_eq(host.warnings, 1);
    ck_assert(strstr(host.last_log, "3 malformed lines are masked"));
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* Memory is that of one sentence, also over many reads; one without end is refused. */
START_TEST(bounded_memory) {
    enum { SENTENCES = 100000 };
    alcore__buffer file = {0}, expected = {0};
    for (int i = 0; i < SENTENCES; i++) {
        alcore__buffer_format(NULL, &file, "word%d\tT%d\nand\tO\n\n", i, i % 7);
        alcore__buffer_format(NULL, &expected, "word%d and|-|T%d O|-|-|-|%d\n", i, i % 7,
                              3 * i + 1);
    }
    const size_t live = host.live;
    host.peak = live;
    expect(file.data, NULL, NULL, expected.data);
    ck_assert_uint_lt(host.peak - live, (size_t)3 << 20);
    file.length = 0;
    for (int i = 0; i < SENTENCES; i++) alcore__buffer_format(NULL, &file, "word\tO\n");
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_text(file.data, NULL, NULL, ALCORE_BAD_LINES_ERROR, 1000, &all), ALCORE_E_DATA,
             "p.conll:286: the sentence, which begins in line 1, is longer than 1000 bytes");
    ck_assert_int_eq(all.count, 0);
    alcore__buffer_clear(NULL, &file);
    alcore__buffer_clear(NULL, &expected);
}
END_TEST

START_TEST(suffixes) {
    static const char *const paths[] = {"a.conll",   "a.CoNLLU",        "a.bio",   "a.iob",
                                        "a.iob2",    "a.conllup",       "a.cupt",  "a.conllx",
                                        "a.conll09", "a.v4_gold_conll", "a.iobes", "a.bilou"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        gathered all = {{0}, 0, ALCORE_OK};
        memory_host_file(&host, "a O\nb O\n", 8);
        ck_works(alcore__read_records(host.ctx, paths[i], NULL, 0, gather, &all));
        ck_assert_str_eq(all.text.data, "a b|-|O O|-|-|-|1\n");
        alcore__buffer_clear(NULL, &all.text);
    }
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {universal_dependencies,
                                  first_columns_without_words,
                                  comments_of_one_word,
                                  columns_between_spaces,
                                  columns_between_tabs,
                                  comments_of_data_sets,
                                  hashes_as_tokens,
                                  universal_plus,
                                  ids_are_no_words,
                                  language_of_the_file,
                                  languages_before_tokens,
                                  errors_name_line_and_column,
                                  bad_lines,
                                  bounded_memory,
                                  suffixes};
    memory_host_open(&host);
    int failed = run_case("conll", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
