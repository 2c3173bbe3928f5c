# SPDX-License-Identifier: Apache-2.0
"""alcore oracle and alcore mix: from a selection to a training set, and what they refuse."""
import gzip
import json

from harness import Skip, case, contains, equal, main, rows_of

POOL = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported", "the patient was treated",
        "headache was reported", "the patient has fever"]
GERMAN = ["der Patient hat starke Kopfschmerzen", "der Patient hat starke Uebelkeit", "starke Kopfschmerzen wurden gemeldet",
          "der Patient wurde behandelt", "Kopfschmerzen wurden gemeldet", "der Patient hat Fieber"]
LABELED = [("the contract has serious flaws today", "der Vertrag hat heute ernste Fehler"), ("it was late", "es war spaet"),
           ("the report was clear", "der Bericht war klar")]
SELECTION = "rank\tindex\tid\tscore\tcost\tkind\treason\ttext\n1\t3\t4\t1\t4\tsentence\tr\tthe patient was treated\n" \
            "2\t0\t1\t2\t2\tphrase\tr\tsevere headache\n3\t5\t2\t1\t1\tphrase\tr\tfever\n4\t0\t3\t1\t1\tphrase\tr\tunseen\n"


def files(box):
    box.file("pool.txt", "".join(text + "\n" for text in POOL))
    box.file("pool.de", "".join(text + "\n" for text in GERMAN))
    box.file("labeled.tsv", "source\ttarget\n" + "".join("%s\t%s\n" % pair for pair in LABELED))
    box.file("selection.tsv", SELECTION)


def answered(box):
    files(box)
    box.file("answers.tsv", "id\ttext\ttranslation\n4\tthe patient was treated\tder Patient wurde behandelt\n"
             "1\tsevere headache\tstarke Kopfschmerzen\n2\tfever\tFieber\n")


@case
def a_simulated_oracle(box):
    files(box)
    done = box.run("oracle", "pool.txt", "--selection", "selection.tsv", "--references", "pool.de", "--out", "answers.tsv")
    rows = rows_of(box.read("answers.tsv").decode())
    equal([row["id"] for row in rows], ["4", "1", "2", "3"])
    equal(rows[0]["translation"], "der Patient wurde behandelt")
    equal((rows[3]["translation"], rows[3]["flags"]), ("", "untranslatable"))
    contains(done.err, "items: 4; translated 3", "untranslatable 1", "refunded for untranslatable items: 1")
    given = ["oracle", "pool.txt", "--selection", "selection.tsv", "--references", "pool.de"]
    found = json.loads(box.run(*given, "--out", "again.tsv", "--json", "-q").out)
    contains(done.err, "cost: %g;" % found["cost"])
    del found["version"], found["cost"]
    equal(found, {"items": 4, "ok": 3, "loose": 0, "untranslatable": 1, "open": 0, "refunded": 1})
    equal(json.loads(box.run(*given[:4], "--requests", "--out", "again.tsv", "--json").out)["open"], 4)
    contains(box.run(*given, "--json", expect=2).err, "--json needs --out FILE")
    # Links that are given: the fever of row 5 stands at its last word.
    box.file("links.txt", "\n" * 5 + "3-3\n")
    box.run("oracle", "pool.txt", "--selection", "selection.tsv", "--references", "pool.de", "--links", "links.txt", "--quiet",
            "--out", "linked.tsv")
    linked = {row["text"]: row for row in rows_of(box.read("linked.tsv").decode())}
    equal(linked["fever"]["translation"], "Fieber")
    equal(linked["severe headache"]["flags"], "untranslatable")
    box.file("links.txt", "\n" * 5 + "3-9\n")
    contains(box.run("oracle", "pool.txt", "--selection", "selection.tsv", "--references", "pool.de", "--links", "links.txt",
                     expect=3).err, "links.txt:6: row 5: link 3-9")


@case
def a_translation_memory_as_labeled_data(box):
    """A .tmx is read as a TSV of its pairs is: by pools, --labeled, --target and what reads references."""
    pairs = LABELED + list(zip(POOL[:4], GERMAN))
    units = "".join("<tu tuid='t%d'><tuv xml:lang='de-DE'><seg>%s</seg></tuv><tuv xml:lang='en-US'><seg>%s</seg></tuv>"
                    "<tuv xml:lang='fr'><seg>non</seg></tuv></tu>\n" % (i, de, en) for i, (en, de) in enumerate(pairs))
    memory = "<?xml version='1.0'?>\n<!DOCTYPE tmx SYSTEM 'tmx14.dtd'>\n<tmx version='1.4'><header srclang='en'/><body>\n%s</body></tmx>\n"
    files(box)
    box.file("memory.tmx", memory % units)
    box.file("pairs.tsv", "id\tsource\ttarget\n" + "".join("t%d\t%s\t%s\n" % (i, en, de) for i, (en, de) in enumerate(pairs)))
    if "built without expat" in box.run("mix", "--labeled", "memory.tmx", "--kind", "random", expect=None).err:
        raise Skip("this build has no expat")
    for name in ("memory.tmx", "pairs.tsv"):
        box.run("mix", "--labeled", name, "--kind", "random", "--count", "7", "--out", name + ".train.tsv", "-q")
        box.run("select", "pool.txt", "--labeled", name, "--target", name, "--budget", "1i", "--strategy", "average-dist", "--out", name + ".picks.tsv", "-q")
        box.run("candidates", name, "--count", "2", "--out", name + ".candidates.tsv", "-q")
    equal(box.read("memory.tmx.train.tsv"), box.read("pairs.tsv.train.tsv"))
    equal([row["text"] for row in rows_of(box.read("memory.tmx.picks.tsv").decode())], [row["text"] for row in rows_of(box.read("pairs.tsv.picks.tsv").decode())])
    contains(box.read("memory.tmx.train.tsv").decode(), "der Patient wurde behandelt")
    box.run("mix", "--labeled", "memory.tmx", "--text-column", "de", "--reference-column", "en", "--kind", "random", "--count", "7", "--out", "turned.tsv", "-q")
    turned = rows_of(box.read("turned.tsv").decode())
    equal(sorted((row["src"], row["tgt"]) for row in turned), sorted((de, en) for en, de in pairs))
    box.file("broken.tmx", memory % (units + "<tu>"))
    contains(box.run("mix", "--labeled", "broken.tmx", "--kind", "random", "--out", "x.tsv", expect=3).err, "broken.tmx:11: this is no well-formed XML: mismatched tag")


@case
def an_oracle_that_aligns_labeled_pairs_too(box):
    """One crossed pair is linked along the diagonal; labeled pairs of the same words say which word is which."""
    box.file("pool.tsv", "source\treference\nhaus rot\tred house\n")
    box.file("selection.tsv", "index\tid\tcost\tkind\ttext\n0\t1\t1\tphrase\trot\n")
    box.file("labeled.tsv", "source\ttarget\nrot\tred\nrot rot\tred red\nhaus\thouse\n")
    box.file("labeled.de", "rot\nrot rot\nhaus\n")
    box.file("labeled.en", "red\nred red\nhouse\n")
    oracle = ["oracle", "pool.tsv", "--selection", "selection.tsv", "-q"]
    equal(rows_of(box.run(*oracle).out)[0]["translation"], "house")
    for labeled in (["--labeled", "labeled.tsv"], ["--labeled", "labeled.de", "--labeled-references", "labeled.en"]):
        equal(rows_of(box.run(*oracle, *labeled).out)[0]["translation"], "red")
    box.file("links.txt", "0-0\n")
    contains(box.run(*oracle, "--labeled", "labeled.tsv", "--links", "links.txt", expect=2).err, "one of --links and --labeled")
    contains(box.run(*oracle, "--labeled", "labeled.tsv", "--requests", expect=2).err, "one of --references, --dict and --requests")
    contains(box.run(*oracle, "--labeled", "labeled.de", expect=3).err, "the labeled pool has no pair")


@case
def references_in_the_pool_itself(box):
    box.file("pool.tsv", "source\treference\n" + "".join("%s\t%s\n" % pair for pair in zip(POOL, GERMAN)))
    box.file("selection.tsv", SELECTION)
    rows = rows_of(box.run("oracle", "pool.tsv", "--selection", "selection.tsv", "-q").out)
    equal(rows[0]["translation"], GERMAN[3])


@case
def references_by_the_name_of_their_column(box):
    """A corpus as TSV with a column for each language, and as Hugging Face writes it."""
    box.file("pool.tsv", "id\tde\ten\n" + "".join("%d\t%s\t%s\n" % (row, german, text)
                                               for row, (text, german) in enumerate(zip(POOL, GERMAN), 1)))
    box.file("pool.jsonl", "".join(json.dumps({"translation": {"de": german, "en": text}}) + "\n" for text, german in zip(POOL, GERMAN)))
    box.file("selection.tsv", SELECTION)
    for pool in ("pool.tsv", "pool.jsonl"):
        oracle = ["oracle", pool, "--selection", "selection.tsv", "-q"]
        rows = rows_of(box.run(*oracle, "--text-column", "en", "--reference-column", "de").out)
        equal(rows[0]["translation"], GERMAN[3], pool)
        contains(box.run(*oracle, "--text-column", "en", "--reference-column", "fr", expect=3).err, pool + ":1: ", '"fr"')
        contains(box.run(*oracle, "--text-column", "en", "--reference-column", "en", expect=2).err, "cannot be text and reference")
    contains(box.run("oracle", "pool.jsonl", "--selection", "selection.tsv", expect=3).err,
             '"translation" has "de", "en"', "--text-column LANGUAGE names the language of the texts")


@case
def line_aligned_files(box):
    """Both files of a parallel corpus, compressed or not, do what one file with both columns does."""
    answered(box)
    box.file("labeled.en", "".join(text + "\n" for text, _ in LABELED))
    box.file("labeled.de.gz", gzip.compress("".join(text + "\n" for _, text in LABELED).encode()))
    mix = ["mix", "--pool", "pool.txt", "--selection", "selection.tsv", "--answers", "answers.tsv", "--kind", "retrieved", "--count", "3",
           "-q"]
    one = box.run(*mix, "--labeled", "labeled.tsv").out
    equal(box.run(*mix, "--labeled", "labeled.en", "--labeled-references", "labeled.de.gz").out, one)
    contains(one, LABELED[0][1])
    equal(box.run(*mix, "--labeled", "labeled.tsv", "--reference-column", "target").out, one)
    contains(box.run(*mix, "--labeled", "labeled.en", "--labeled", "labeled.en", "--labeled-references", "labeled.de.gz", expect=2).err,
             "--labeled-references is given once for each --labeled")
    contains(box.run(*mix, "--labeled-references", "labeled.de.gz", expect=2).err, "given once for each --labeled")
    box.file("short.de", "x\ny\n")
    contains(box.run(*mix, "--labeled", "labeled.en", "--labeled-references", "short.de", expect=3).err,
             "labeled.en has 3 records and short.de has 2: record i of one")
    rows = rows_of(box.run("candidates", "pool.txt", "--references", "pool.de", "--count", "2").out)
    equal([row["reference"] for row in rows], [GERMAN[int(row["index"])] for row in rows])
    for side, texts in (("src", POOL), ("ref", GERMAN)):  # a test set of WMT
        box.file(side + ".sgm", "<%sset>\n<doc docid=\"d\">\n%s</doc>\n" % (side, "".join(
            '<seg id="%d"> %s </seg>\n' % pair for pair in enumerate(texts, 1))))
    rows = rows_of(box.run("candidates", "src.sgm", "--references", "ref.sgm", "--count", "6").out)
    equal([(row["text"], row["reference"], row["group"]) for row in rows],
          [(POOL[int(row["index"])], GERMAN[int(row["index"])], "d") for row in rows])
    # align reads a column for each side.
    box.file("pairs.tsv", "en\tde\n" + "".join("%s\t%s\n" % pair for pair in zip(POOL, GERMAN)))
    equal(box.run("align", "pairs.tsv", "--text-column", "en", "--reference-column", "de").out, box.run("align", "pool.txt", "pool.de").out)


@case
def a_dictionary_and_requests(box):
    files(box)
    box.file("dict.tsv", "fever\tFieber\nsevere headache\tstarke Kopfschmerzen\n")
    rows = rows_of(box.run("oracle", "pool.txt", "--selection", "selection.tsv", "--dict", "dict.tsv", "-q").out)
    equal([row["flags"] for row in rows], ["untranslatable", "", "", "untranslatable"])
    rows = rows_of(box.run("oracle", "pool.txt", "--selection", "selection.tsv", "--requests").out)
    equal(rows[1]["context"], "the patient has severe headache | severe headache was reported")
    equal((rows[0]["kind"], rows[1]["kind"], rows[1]["cost"]), ("sent", "phrase", "2"))


@case
def a_training_set(box):
    answered(box)
    done = box.run("mix", "--kind", "retrieved+contextualized", "--labeled", "labeled.tsv", "--pool", "pool.txt", "--selection",
                   "selection.tsv", "--answers", "answers.tsv", "--count", "2", "--out", "train.tsv", "--parallel", "train",
                   "--json")
    rows = rows_of(box.read("train.tsv").decode())
    equal([row["kind"] for row in rows], ["sent", "phrase", "phrase", "retrieved", "retrieved", "contextualized", "contextualized"])
    equal(rows[1]["provenance"], "pool_row=0 item=1")
    assert rows[3]["provenance"].startswith("labeled_row="), rows[3]
    equal(box.read("train.src").decode().splitlines(), [row["src"] for row in rows])
    equal(box.read("train.tgt").decode().splitlines(), [row["tgt"] for row in rows])
    contains(done.err, "training set: 7 pairs: 1 sent, 2 phrase, 2 retrieved, 2 contextualized",
             "1 annotated items are left out: they have no answer", "embeddings: the n-gram model")
    equal(json.loads(done.out)["kinds"]["retrieved"], {"pairs": 2, "missing": 0})


@case
def given_parts_and_parameters(box):
    """Links, a language model and embeddings from files are used; the summary says so."""
    answered(box)
    box.file("links.txt", "0-0 1-1 2-2 3-4 4-5 5-3\n0-0 1-1 2-2\n0-0 1-1 2-2 3-3\n")
    box.npy("pool.npy", [[1, 0]] * 6)
    box.npy("labeled.npy", [[1, 0], [0, 1], [0, 1]])
    box.run("lm", "train", "pool.txt", "--out", "pool.arpa", "-q")
    args = ["mix", "--kind", "switched", "--labeled", "labeled.tsv", "--pool", "pool.txt", "--selection", "selection.tsv",
            "--answers", "answers.tsv", "--links", "links.txt", "--lm", "pool.arpa", "--embeddings", "pool.npy",
            "--labeled-embeddings", "labeled.npy", "--count", "9", "--out", "train.tsv"]
    done = box.run(*args)
    contains(done.err, "embeddings: given; language model: given; links: given", "switched: 3 of 9 pairs")
    rows = [row for row in rows_of(box.read("train.tsv").decode()) if row["kind"] == "switched"]
    # TV-SWITCH: where four of the positions are consistent.
    contains(rows[0]["src"], "severe headache today")
    equal(rows[0]["tgt"], "der Vertrag hat heute starke Kopfschmerzen")
    contains(rows[0]["provenance"], "labeled_row=0 pool_row=0 item=1 word=3 target_first=4 target_end=6 score=-7.37847")
    box.run(*args, "-p", "span=minmax", "-q")
    contains(box.read("train.tsv").decode(), "the contract has serious severe headache\tder Vertrag hat starke Kopfschmerzen")
    box.run(*args, "-q", "-p", "upsample_phrase=3", "-p", "k=1", "-p", "subset=1", "-p", "unique=1", "-p", "norm=1")
    equal(box.read("train.tsv").decode().count("\nphrase\t"), 6)
    equal(box.run(*args, "-q", "--strict", expect=1).err, "")


@case
def each_parameter_changes_the_pairs(box):
    """k, subset, unique and norm with a value that is not the default, one at a time."""
    box.file("pool.txt", "".join(text + "\n" for text in POOL))
    box.file("labeled.tsv", "source\ttarget\nit was late\tes war spaet\nit was late\tes war zu spaet\n"
             "the report was clear\tder Bericht war klar\nthe patient was late today\tder Patient kam heute spaet\n")
    box.file("selection.tsv", "rank\tindex\tid\tkind\ttext\n1\t0\t1\tphrase\thas\n2\t0\t2\tphrase\tthe patient has severe\n")
    box.file("answers.tsv", "id\ttext\ttranslation\n1\thas\that\n2\tthe patient has severe\tder Patient hat starke\n")

    def pairs(kind, *parameter):
        done = box.run("mix", "--kind", kind, "--count", "4", "--labeled", "labeled.tsv", "--pool", "pool.txt", "--selection",
                       "selection.tsv", "--answers", "answers.tsv", "-q", *parameter)
        return [(row["src"], row["tgt"]) for row in rows_of(done.out) if row["kind"] == kind]

    late, too_late = ("it was late", "es war spaet"), ("it was late", "es war zu spaet")
    clear, patient = ("the report was clear", "der Bericht war klar"), ("the patient was late today", "der Patient kam heute spaet")
    equal(pairs("retrieved"), [patient, clear, late, too_late])
    equal(pairs("retrieved", "-p", "k=4"), [patient, clear, late, too_late])
    # With one neighbor on each side two pairs have a ratio of exactly 1; the lower row comes first.
    equal(pairs("retrieved", "-p", "k=1"), [clear, patient, late, too_late])
    equal(pairs("retrieved", "-p", "unique=1"), [patient, clear, late])
    equal(len(pairs("random")), 4)
    equal(len(pairs("random", "-p", "subset=3")), 3)
    # The total log-probability prefers short phrases, that of a word does not.
    equal(pairs("contextualized", "-p", "norm=0")[0][0], "the patient was late today has")
    equal(pairs("contextualized", "-p", "norm=1")[0][0], "the patient was late today the patient has severe")


@case
def the_number_of_pairs_follows_from_the_words(box):
    answered(box)
    done = box.run("mix", "--kind", "random", "--labeled", "labeled.tsv", "--pool", "pool.txt", "--selection", "selection.tsv",
                   "--answers", "answers.tsv")
    contains(done.err, "pairs of each kind: as many as the phrases that ngf-smp selects for 8 words")
    equal(done.out.count("\nrandom\t"), 3)


@case
def the_same_seed_the_same_pairs(box):
    files(box)
    args = ["mix", "--kind", "random", "--labeled", "labeled.tsv", "--count", "2", "-q", "--seed"]
    first = box.run(*args, "3").out
    equal(box.run(*args, "3").out, first)
    assert any(box.run(*args, str(seed)).out != first for seed in range(4, 9))


@case
def answers_forgive(box):
    """A sheet that is filled in little by little, as a spreadsheet saves it, and what a second file corrects."""
    files(box)
    mix = ["mix", "--pool", "pool.txt", "--selection", "selection.tsv", "--out", "train.tsv"]
    box.file("sheet.csv", b"\xef\xbb\xbfid;kind;text;translation;status\r\n4;sent;the patient was treated;der Patient \\ wurde;ok\r\n"
             b"1;phrase;severe headache;;\r\n2;phrase;fever;Feber;\r\n3;phrase;unseen;x;maybe\r\n9;phrase;cough;Husten;\r\n")
    done = box.run(*mix, "--answers", "sheet.csv")
    contains(done.err, "sheet.csv: 2 answered, 1 unanswered, 2 lines not usable", 'sheet.csv:5: "maybe" is no status that is known',
             'sheet.csv:6: no selected item has the id "9"')
    equal([row["tgt"] for row in rows_of(box.read("train.tsv").decode())], ["der Patient \\\\ wurde", "Feber"])
    box.file("second.jsonl", '{"id": "2", "translation": "Fieber"}\n{"id": "4", "translation": "schlecht", "answer": "reject"}\n')
    done = box.run(*mix, "--answers", "sheet.csv", "--answers", "second.jsonl")
    contains(done.err, "second.jsonl: 1 answered, 2 corrected, 1 rejected", '"Fieber" was "Feber"')
    equal([row["tgt"] for row in rows_of(box.read("train.tsv").decode())], ["Fieber"])
    equal("answered" in box.run(*mix, "--answers", "sheet.csv", "-q").err, False)


@case
def what_is_refused(box):
    answered(box)
    mix = ["mix", "--labeled", "labeled.tsv", "--pool", "pool.txt", "--selection", "selection.tsv", "--answers", "answers.tsv"]
    oracle = ["oracle", "pool.txt", "--selection", "selection.tsv"]
    contains(box.run(*mix, "--kind", "swiched", expect=2).err, 'did you mean "switched"')
    contains(box.run("mix", "--kind", "random", expect=2).err, "labeled is NULL")
    contains(box.run(*mix, "-p", "width=3", expect=2).err, "mix has no parameter 'width'")
    contains(box.run(*mix, "-p", "unique=2", expect=2).err, "expected 0 or 1")
    contains(box.run(*mix, "-p", "k", expect=2).err, "NAME=VALUE")
    contains(box.run(*mix, "--count", "-1", expect=2).err, "--count -1")
    contains(box.run(*mix, "--json", expect=2).err, "--json needs --out")
    contains(box.run(*mix, "--out", "train.doc", expect=2).err, ".tsv")
    contains(box.run("mix", "--selection", "selection.tsv", expect=2).err, "--selection needs --pool")
    contains(box.run("mix", "--pool", "pool.txt", "--answers", "answers.tsv", expect=2).err, "--answers needs --selection")
    box.file("bad.tsv", "id\ttext\ttranslation\n1\tsevere headache\n")
    contains(box.run(*mix[:-1], "bad.tsv", expect=3).err, "bad.tsv:2: 2 fields")
    box.file("bad.tsv", "id\ttext\ttranslation\n8\tsevere headache\tx\n")
    contains(box.run(*mix[:-1], "bad.tsv", expect=3).err, 'bad.tsv:2: no selected item has the id "8"')
    box.file("links.txt", "0-0\n")
    contains(box.run(*mix, "--kind", "switched", "--links", "links.txt", expect=3).err, "links.txt")
    box.file("links.txt", "0-9\n\n\n")
    contains(box.run(*mix, "--kind", "switched", "--count", "2", "--links", "links.txt", "--out", "train.tsv", expect=3).err,
             "links.txt:1: row 0 of the labeled pool: link 0-9")
    assert not box.exists("train.tsv")
    contains(box.run(*oracle, "--dict", "d", "--requests", expect=2).err, "oracle takes one of")
    contains(box.run("oracle", "pool.txt", "--dict", "d", expect=2).err, "oracle needs --selection")
    contains(box.run(*oracle, "--dict", "absent.tsv", expect=4).err, "absent.tsv")
    contains(box.run(*oracle, expect=3).err, "no references")
    box.file("short.de", "x\n")
    contains(box.run(*oracle, "--references", "short.de", expect=3).err, "pool.txt has 6 records and short.de has 1")


main()
