# SPDX-License-Identifier: Apache-2.0
"""alcore compare: the table against runs of select and eval overlap, the document, the page, and what is refused."""
import html.parser
import json
import os
import re

from harness import case, contains, equal, main, rows_of

TEXTS = ["a b c", "a b", "d e f g", "a", "h 1", "h 2", "b c d", "x y z <v & w"]
VOID = {"meta", "br"}


def files(box):
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS))
    box.file("test.txt", "a h q\nq r\n")
    box.npy("scores.npy", [9, 1, 2, 3, 8, 7, 4, 5], "<f8")
    box.npy("margins.npy", [.1, .9, .8, .3, .7, .6, .2, .5], "<f8")


GIVEN = ["compare", "pool.txt", "--budget", "3", "--scores", "scores.npy", "--margins", "margins.npy", "--strategy", "nnll,margin"]


@case
def a_line_for_each_strategy(box):
    files(box)
    done = box.run(*GIVEN, "--test", "test.txt", "--price", "2EUR/i")
    table = {row["strategy"]: row for row in rows_of(done.out)}
    equal(list(table), ["nnll", "margin", "random"])
    nnll, margin = table["nnll"], table["margin"]
    for name, wanted in (("items", 3), ("words", 7), ("spent", 3), ("amount", 6), ("words_median", 2), ("words_q3", 2.5), ("pool_words", 600 / 16),
                         ("pool_tokens", 1200 / 23), ("test_words", 50), ("test_tokens", 40), ("repeated_words", 100 / 7),
                         ("near_duplicates", 100 / 3), ("languages", 1), ("shared_picks_nnll", 3), ("shared_picks_margin", 1),
                         ("shared_words_nnll", 6), ("shared_words_margin", 3)):
        assert abs(float(nnll[name]) - wanted) < 1e-9, (name, nnll[name])
    equal((margin["shared_picks_nnll"], margin["shared_words_margin"], nnll["phrases"]), ("1", "4", ""))
    contains(done.err, "random (added: the floor): 3 items")
    contains(done.err, "nnll: 3 items, 7 words\n  1. a b c\n  2. h 1\n  3. h 2\n")
    quiet = box.run(*GIVEN, "-q")
    equal(quiet.err, "")
    equal([row["test_words"] for row in rows_of(quiet.out)], ["", "", ""])


@case
def lines_are_those_of_single_runs(box):
    box.file("pool.txt", "".join("text %d of %d words and %d\n" % (row, row % 7, row % 40) for row in range(200)))
    box.file("known.txt", "text of words\n")
    box.file("test.txt", "text 3 and 5 of 6\nunknown\n")
    box.npy("e.npy", [[row % 31 - 15.0, row * 5 % 17 - 8.0] for row in range(200)])
    box.npy("u.npy", [row * 7919 % 211 / 211 for row in range(200)], "<f8")
    common = ["pool.txt", "--labeled", "known.txt", "--budget", "60w", "--scores", "u.npy", "--masks", "templates", "--seed", "4", "--min-words", "2"]
    specs = {"huds:lambda=0.9,0.7:n_strata=3": ["huds", "-p", "lambda=0.9,0.7", "-p", "n_strata=3", "--embeddings", "e.npy"],
             "nnll": ["nnll"], "random": ["random"]}
    picks = {}
    table = rows_of(box.run("compare", *common, "--embeddings", "e.npy", "--strategy", ",".join(specs), "--test", "test.txt").out)
    equal([row["strategy"] for row in table], list(specs))
    for row, spec in zip(table, specs.values()):
        given = common if spec[0] != "random" else [*common[:5], *common[7:]]  # select refuses what random does not read
        box.run("select", *given, "--strategy", *spec, "--out", "one.tsv", "-q")
        alone = rows_of(box.read("one.tsv").decode())
        picks[row["strategy"]] = {one["index"] for one in alone}
        equal((int(row["items"]), int(row["words"])), (len(alone), sum(int(one["cost"]) for one in alone)))
        box.file("picked.txt", "".join(one["text"] + "\n" for one in alone))
        for texts, prefix in (("pool.txt", "pool"), ("test.txt", "test")):
            for unit, names in (("types", ["words", "2grams", "3grams"]), ("tokens", ["tokens", "2gram_tokens", "3gram_tokens"])):
                found = json.loads(box.run("eval", "overlap", texts, "--selected", "picked.txt", "-n", "1-3", "--unit", unit, "--json", "-q").out)
                for order, name in enumerate(names, 1):
                    assert abs(float(row[prefix + "_" + name]) - found["selected_%d" % order]) < 1e-9, (prefix, name)
    for row in table:
        for other in specs:
            equal(int(row["shared_picks_" + other]), len(picks[row["strategy"]] & picks[other]))


@case
def the_document_has_what_the_table_has(box):
    files(box)
    box.file("lang.tsv", "text\tlang\n" + "".join("%s\t%s\n" % (text, "xx" if row % 2 else "yy") for row, text in enumerate(TEXTS)))
    document = json.loads(box.run("compare", "lang.tsv", *GIVEN[2:], "--json", "-q").out)
    equal(document["schema"], "alcore-comparison-1")
    nnll = document["strategies"][0]
    equal(nnll["languages"], [{"name": "yy", "count": 2, "share": 2 / 3}, {"name": "xx", "count": 1, "share": 1 / 3}])
    equal([(one["rank"], one["text"]) for one in nnll["samples"]], [(1, "a b c"), (2, "h 1"), (3, "h 2")])
    equal([one["added"] for one in document["strategies"]], [False, False, True])
    priced = [*GIVEN, "--test", "test.txt", "--price", "2EUR/i", "-q"]
    table = rows_of(box.run(*priced).out)
    for row, one in zip(table, json.loads(box.run(*priced, "--json").out)["strategies"], strict=True):
        orders = ("words", "tokens"), ("2grams", "2gram_tokens"), ("3grams", "3gram_tokens")
        said = {name: one[name] for name in ("items", "words", "characters", "spent", "amount", "near_duplicates")}
        said |= {column: one["lengths"][name] for column, name in (("words_mean", "mean"), ("words_q1", "first_quartile"), ("words_median", "median"),
                                                                    ("words_q3", "third_quartile"))}
        for n, (types, tokens) in enumerate(orders):
            said |= {"%s_%s" % (texts, name): one[texts][key][n] for texts in ("pool", "test") for name, key in ((types, "types"), (tokens, "tokens"))
                     if texts + "_" + name in row}
            said |= {"distinct_" + types: one["distinct"][n], "repeated_" + types: one["repeated"][n]}
        equal({name: float(row[name]) for name in said if row[name]}, {name: float(value) for name, value in said.items() if value is not None})
    equal(table[0]["amount"], "6")
    box.run(*GIVEN, "--out", "c.json", "-q")
    equal([one["name"] for one in json.loads(box.read("c.json"))["strategies"]], ["nnll", "margin", "random"])
    box.run(*GIVEN, "--out", "c.csv", "-q")
    contains(box.read("c.csv").decode(), "strategy,items,phrases,")


class Page(html.parser.HTMLParser):
    """Checks that elements close as they open, and collects the text of each kind of element."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.attributes = [], {}, []
        self.feed(text)
        self.close()
        equal(self.open, [])

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += attrs

    def handle_endtag(self, tag):
        equal(self.open.pop(), tag)

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@case
def the_page_is_whole(box):
    files(box)
    box.run(*GIVEN, "--test", "test.txt", "--html", "page.html", "-q")
    text = box.read("page.html").decode()
    page = Page(text)
    for title in ("Strategies compared", "Shared picks", "Shared words", "Samples, with their ranks"):
        assert title in page.texts["h1"] + page.texts["h2"], title
    assert "Languages" not in page.texts["h2"] and "money" not in page.texts["th"]  # no row has a tag, and there is no price
    assert len(re.findall("<svg ", text)) == 9  # six of coverage, two of repeats, the lengths
    contains("".join(page.texts["td"]), "a b c")
    # It loads nothing: the one address is the name of SVG's namespace.
    equal({value for name, value in page.attributes if value and "//" in value}, {"http://www.w3.org/2000/svg"})
    equal([name for name, _ in page.attributes if name in ("src", "href", "xlink:href")], [])
    assert not re.search(r"url\((?!#)|@import|<script", text)
    box.run(*GIVEN[:-1], "random", "--budget", "8", "--html", "page.html", "-q", expect=2)  # the columns are not read
    box.run("compare", "pool.txt", "--budget", "8", "--strategy", "random", "--html", "page.html", "-q")
    contains(box.read("page.html").decode(), "x y z &lt;v &amp; w")


def cells_of(box, *arguments):
    """The page of a comparison, and its first table: the cells of each strategy by their heads."""
    box.run("compare", *arguments, "--html", "page.html", "-q")
    text = box.read("page.html").decode()
    lines = [re.findall(r"<t[dh]>(.*?)</t[dh]>", line) for line in re.findall("<tr>.*?</tr>", text.split("</table>")[0])]
    return text, {line[0]: dict(zip(lines[0], line, strict=True)) for line in lines[1:]}


@case
def the_page_says_money_masks_and_languages(box):
    texts = ["a b c d e", "A b c d e!", "%s: 12", "f g h i j", "k l m n o", "p q r s t"]
    box.file("lang.tsv", "text\tlang\n" + "".join("%s\t%s\n" % (text, "xx" if row % 2 else "yy") for row, text in enumerate(texts)))
    given = ["lang.tsv", "--budget", "3", "--strategy", "recommended,random", "--price", "400EUR/i"]
    text, cells = cells_of(box, *given)
    equal([cells[name]["money"] for name in ("recommended", "random")], ["1,200.00 EUR"] * 2)
    equal([cells[name]["texts left out by masks"] for name in ("recommended", "random")], ["2", "0"])
    contains(text, "were not left out for all strategies alike")
    assert "<h2>Languages</h2>" in text and "xx" in text
    text, cells = cells_of(box, *given, "--masks", "all")
    equal([cells[name]["texts left out by masks"] for name in ("recommended", "random")], ["2", "2"])
    assert "alike" not in text


@case
def pictures_have_the_numbers_of_the_table(box):
    files(box)
    table = rows_of(box.run(*GIVEN, "--test", "test.txt", "--html", "page.html", "-q").out)
    pictures = re.findall(r"<svg .*?</svg>", box.read("page.html").decode(), re.S)
    bars = ("pool_words", "pool_tokens", "pool_2gram_tokens", "test_words", "test_tokens", "test_2gram_tokens", "repeated_2grams", "near_duplicates")
    for picture, column in zip(pictures, bars):
        values = [float(row[column]) for row in table]
        equal(re.findall(r">([\d.]+) %<", picture), ["%.2f" % value for value in values])
        widths = [float(width) for width in re.findall(r'<rect x="170" y="\d+" width="([\d.]+)"', picture)]
        equal(widths, [round(360 * value / max(values), 1) if max(values) else 0 for value in values])
    box = pictures[len(bars)]
    equal(re.findall(r"median [\d.]+, mean [\d.]+", box), ["median %.1f, mean %.1f" % (float(row["words_median"]), float(row["words_mean"])) for row in table])
    end = max(float(row[name]) for row in table for name in ("words_q3", "words_mean"))
    marks = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)".*?<path d="M([\d.]+) \d+v.*?<path d="M([\d.]+) ', box)
    for row, (low, width, middle, mean) in zip(table, marks, strict=True):
        wanted = [170 + float(row[name]) * 360 / end for name in ("words_q1", "words_q3", "words_median", "words_mean")]
        for found, place in zip((float(low), float(low) + float(width), float(middle), float(mean) + 3), wanted):
            assert abs(found - place) < 0.11, (row["strategy"], found, place)


@case
def what_is_refused(box):
    files(box)
    contains(box.run("compare", "pool.txt", expect=2).err, "compare needs --budget")
    contains(box.run("compare", "pool.txt", "--budget", "1,2", expect=2).err, "compare takes one budget, not '1,2'")
    contains(box.run("ablate", "pool.txt", "--budget", "1,2", "--strategy", "huds", expect=2).err, "ablate takes one budget, not '1,2'")
    contains(box.run(*GIVEN[:-1], "nnll,nsq", expect=2).err, "nsq")
    contains(box.run(*GIVEN[:-1], "nnll:lamda=1", expect=2).err, "lamda")
    contains(box.run(*GIVEN[:-1], "nnll:3", expect=2).err, "--strategy nnll:3: PARAM=VALUE is needed")
    contains(box.run(*GIVEN[:-1], "nnll,nnll", expect=2).err, "two of the strategies are called 'nnll'")
    contains(box.run(*GIVEN[:-1], "nnll,kcenter", expect=3).err, "strategy kcenter: the column 'embeddings'")
    contains(box.run("compare", "pool.txt", "--budget", "3", "--strategy", "badge", "--scores", "scores.npy", expect=3).err, "strategy badge: ")
    box.file("empty.txt", "")
    contains(box.run("compare", "empty.txt", "--budget", "3", expect=3).err, "no row to select from")
    box.file("blank.txt", " \n")
    contains(box.run(*GIVEN, "--test", "blank.txt", expect=2).err, "the test set has no words")
    contains(box.run(*GIVEN, "--html", "page.txt", expect=2).err, "--html page.txt")
    os.mkfifo(os.path.join(box.path, "never.txt"))  # a command that read it would wait
    contains(box.run("compare", "never.txt", "--budget", "3", "--html", "none/page.html", expect=4).err, "none/page.html")
    contains(box.run("compare", "never.txt", "--budget", "3", "--out", "none/table.tsv", expect=4).err, "none/table.tsv")
    contains(box.run("compare", "never.txt", "--budget", "3", "--out", "table.xls", expect=2).err, "--out table.xls")
    contains(box.run(*GIVEN, "--out", "pool.txt", expect=2).err, "pool.txt")
    box.file("page.html", "a text\n")
    contains(box.run("compare", "page.html", "--budget", "3", "--format", "text", "--html", "page.html", expect=2).err, "would be lost")


main()
