# SPDX-License-Identifier: Apache-2.0
"""Annotators' tools: for each one the pair of commands in its section of docs/tools.md, of which half of the answers come back first and
then all, and every row of its table of states. What a person does in the tool is done here to its file."""
import csv
import html
import io
import json
import os
import re
import zipfile
from xml.etree import ElementTree

from harness import case, contains, equal, main, rows_of

PAGE = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "tools.md"), encoding="utf-8").read()
SECTIONS = dict(re.findall(r"^## `([\w-]+)`: [^\n]*\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
TEXTS = {"a": "the patient has severe headache \U0001F600", "b": 'fever & <chills> "x"', "phrase:severe headache": "severe headache", "phrase:patient": "patient"}
IDS = list(TEXTS)
POOL = "id\ttext\tlang\tgroup\na\t%(a)s\ten\td1\nc\tsevere headache of a patient\ten\td1\nb\t%(b)s\ten\td2\nd\tthe patient was treated\ten\td2\n" % TEXTS
PICKED = "rank\tindex\tid\tscore\tcost\tkind\treason\ttext\n1\t0\ta\t0.9\t6\tsentence\tlikely\t%(a)s\n2\t2\tb\t0.8\t3\tsentence\tr\t%(b)s\n" \
         "3\t0\t1\t0.7\t2\tphrase\tr\tsevere headache\n4\t0\t2\t0.6\t1\tphrase\tr\tpatient\n" % TEXTS
DRAFT = "ein Entwurf"


def files(box):
    box.file("pool.tsv", POOL)
    box.file("picked.tsv", PICKED)
    box.file("drafts.tsv", "text\ttranslation\n%s\t%s\n" % (TEXTS["b"], DRAFT))


def states_of(tool):
    """The rows of the table of states of a section: what stands in the file, what it means."""
    return [(state.strip(), meaning) for state, meaning in re.findall(r"^\| (.*?) \| (answer|open|skip|reject|untranslatable) \|$", SECTIONS[tool], re.M)]


def commands_of(tool):
    out, back = re.search(r"```sh\n(alcore oracle [^\n]*)\n(alcore mix [^\n]*)\n```", SECTIONS[tool]).groups()
    return out.split()[1:], back.split()[1:]


def values_of(tool):
    """An answer to each item, other ones the second time; of tags one for each word."""
    if tool in ("conll", "inception"):
        return [{name: " ".join([tag] + ["O"] * (len(text.split()) - 1)) for name, text in TEXTS.items()} for tag in ("B-PER", "B-LOC")]
    if tool == "squad":
        return [{name: "patient" if name != "b" else word for name in TEXTS} for word in ("fever", "treated")]
    return [{name: "%s %s \U0001F600 <&>" % (word, text) for name, text in TEXTS.items()} for word in ("Antwort", "Besseres")]


# ---- what a person does, {id: (state, value)}, to a batch in each tool's form ----


def in_units(batch, unit, name, change):
    """Changes the units of a text file, one by one; change(id, unit) gives its new text."""
    return re.sub(unit, lambda found: change(html.unescape(re.search(name, found[0], re.S)[1]), found[0]), batch, flags=re.S)


def in_xliff(batch, given):
    def change(name, unit):
        if name not in given:
            return unit
        state, value = given[name]
        if state.startswith("a target that is still"):
            return unit
        if state.startswith("another target"):
            return re.sub(r"(<target [^>]*>)[^<]*(</target>)", lambda old: old[1] + html.escape(value) + old[2], unit, count=1)
        word = state.strip("`")
        mark = "" if state == "no state" or "=" in word else ' state="%s"' % word
        unit = re.sub(r"<target [^>]*>[^<]*</target>", lambda old: "<target%s>%s</target>" % (mark, html.escape(value)), unit, count=1)
        return unit.replace("<trans-unit ", '<trans-unit approved="yes" ', 1) if "=" in word else unit
    return in_units(batch, r"<trans-unit .*?</trans-unit>", r' id="([^"]*)"', change)


def in_xliff2(batch, given):
    def change(name, unit):
        if name not in given:
            return unit
        state, value = given[name]
        mark = "" if state == "no state" else ' state="%s"' % state.strip("`")
        unit = re.sub(r"<target .*?</target>\n", "", unit, flags=re.S)
        unit = re.sub(r"<segment[^>]*>", "<segment%s>" % mark, unit)
        return unit.replace("</source>", "</source><target>%s</target>" % html.escape(value), 1)
    return in_units(batch, r"<unit .*?</unit>", r' name="([^"]*)"', change)


def in_po(batch, given):
    def change(entry):
        name = re.search(r'^msgctxt "(.*)"$', entry, re.M)
        if not name or name[1] not in given:
            return entry
        state, value = given[name[1]]
        entry = entry.replace("#, fuzzy\n", "")
        if "fuzzy" in state:
            entry = "#, fuzzy\n" + entry
        return re.sub(r"^msgstr .*$", lambda _: "msgstr " + json.dumps("" if "empty" in state else value, ensure_ascii=False), entry, flags=re.M)
    return "\n\n".join(change(entry) for entry in batch.rstrip("\n").split("\n\n")) + "\n"


def in_tmx(batch, given):
    def change(name, unit):
        if name not in given:
            return unit
        state, value = given[name]
        unit = re.sub(r'<tuv xml:lang="de">.*?</tuv>\n', "", unit)
        if state == "no target":
            return unit
        if state.startswith("the draft"):
            unit = unit.replace("<tuv", '<prop type="x-alcore-draft">%s</prop><tuv' % html.escape(value), 1)
        return unit.replace("</tu>", '<tuv xml:lang="de"><seg>%s</seg></tuv></tu>' % html.escape(value))
    return in_units(batch, r"<tu .*?</tu>", r' tuid="([^"]*)"', change)


def in_csv(batch, given):
    names, *lines = csv.reader(io.StringIO(batch.lstrip("\ufeff"), newline=""))
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(names)
    for line in lines:
        if line[0] in given:
            state, value = given[line[0]]
            status = "" if state == "empty" else state.strip("`")
            line[names.index("translation")], line[names.index("status")] = "" if status == "untranslatable" else value, status
        table.writerow(line)
    return out.getvalue()


def cells_of(workbook):
    """The rows of the first sheet of a workbook."""
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    archive = zipfile.ZipFile(io.BytesIO(workbook))

    def text(node):
        return "".join(part.text or "" for part in node.iter(main + "t"))

    shared = [text(node) for node in ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))] if "xl/sharedStrings.xml" in archive.namelist() else []
    rows = []
    for row in ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml")).iter(main + "row"):
        cells = {}
        for cell in row:
            value = cell.find(main + "v")
            found = text(cell) if cell.get("t") == "inlineStr" else "" if value is None else shared[int(value.text)] if cell.get("t") == "s" else value.text
            cells[re.match("[A-Z]+", cell.get("r"))[0]] = found
        rows.append([cells.get(chr(ord("A") + at), "") for at in range(13)])
    return rows


def in_xlsx(batch, given):
    """The workbook with the cells that in_csv() fills, as strings in their cells."""
    table = io.StringIO(newline="")
    csv.writer(table).writerows(cells_of(batch))
    rows = csv.reader(io.StringIO(in_csv(table.getvalue(), given), newline=""))
    sheet = "".join('<row r="%d">%s</row>' % (number, "".join('<c r="%s%d" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>' % (
        chr(ord("A") + at), number, html.escape(cell)) for at, cell in enumerate(row))) for number, row in enumerate(rows, 1))
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(batch))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = re.sub(rb"<sheetData>.*</sheetData>", lambda _: b"<sheetData>%s</sheetData>" % sheet.encode(), data, flags=re.S)
            new.writestr(name, data)
    return out.getvalue()


def in_label_studio(batch, given):
    tasks = json.loads(batch)
    for task in tasks:
        if task["data"]["al_id"] not in given:
            continue
        state, value = given[task["data"]["al_id"]]
        result = [{"from_name": "translation", "to_name": "text", "type": "textarea", "value": {"text": [value]}}]
        if state.startswith("a prediction"):
            task["predictions"] = [{"result": result}]
        else:
            task["drafts" if state.startswith("a draft") else "annotations"] = [
                {"completed_by": 1, "user": 1, "was_cancelled": "was_cancelled" in state, "result": [] if "was_cancelled" in state else result, "lead_time": 2.5}]
    return json.dumps(tasks)


def lines_of(change):
    """A filler of a file of JSON lines, whose objects are changed where one is given."""
    def fill(batch, given):
        rows = [json.loads(line) for line in batch.splitlines()]
        return "".join(json.dumps(change(row, *given[row["al_id"]]) if row["al_id"] in given else row) + "\n" for row in rows)
    return fill


def in_argilla(batch, given):
    records = []
    for record in json.loads(batch):
        name = record["metadata"]["al_id"]
        flat = {"id": record["id"], "text": record["fields"]["text"], **record["metadata"]}
        if name in given:
            state, value = given[name]
            flat.update({"translation.responses": [value], "translation.responses.users": ["u"], "translation.responses.status": [state.strip("`")]})
        records.append(flat)
    return json.dumps(records)


def in_prodigy(row, state, value):
    return row if state == "no `answer`" else dict(row, translation=value, answer=state.strip("`"), _session_id="d-anna")


def in_potato(batch, given):
    return "".join(json.dumps({"instance_id": json.loads(line)["al_id"], "user_id": "anna", "spans": {}, "labels": {
        "translation": {"text_box": "" if state.startswith("nothing") else value}}}) + "\n"
        for line in batch.splitlines() for state, value in [given.get(json.loads(line)["al_id"], ("nothing", ""))])


def in_squad(batch, given):
    document = json.loads(batch)
    for article in document["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                if question["id"] not in given:
                    continue
                state, value = given[question["id"]]
                question["is_impossible"] = "is_impossible" in state
                if state == "an answer":
                    question["answers"] = [{"text": value, "answer_start": paragraph["context"].index(value)}]
    return json.dumps(document)


def in_translations(row, state, value):
    return dict(row, translation=dict(row["translation"], de=None if state == "`null`" else value))


def in_conll(batch, given):
    def change(sentence):
        name = re.search(r"^# id = (.*)$", sentence, re.M)[1]
        if name not in given:
            return sentence
        state, value = given[name]
        tags = iter(value.split() if state == "tags" else ["_"] * 99)
        return "\n".join(line if line.startswith("# ") else line.split("\t")[0] + "\t" + next(tags) for line in sentence.split("\n"))
    return "\n\n".join(change(sentence) for sentence in batch.rstrip("\n").split("\n\n")) + "\n\n"


def in_inception(batch, given):
    def change(sentence):
        name = re.match("\n?#Sentence.id=(.*)\n", sentence)
        if not name or name[1] not in given:
            return sentence
        state, value = given[name[1]]
        tags = iter(value.split() if state == "tags" else ["_"] * 99)
        return re.sub(r"^(\d+-\d+\t\d+-\d+\t[^\t\n]*\t)_", lambda found: found[1] + next(tags), sentence, flags=re.M)
    return "\n\n".join(map(change, batch.split("\n\n")))


def in_page(batch, given):
    answers = [{"id": name, "text": TEXTS[name], "status": json.loads("{%s}" % state.strip("`"))["status"], "value": value, "time": "2026-11-29T12:00:00Z",
                "seconds": 3, "annotator": "anna", "comment": ""} for name, (state, value) in given.items()]
    for answer in answers:
        if answer["status"] not in ("ok", "draft"):
            del answer["value"]
    return json.dumps({"schema": "alcore-page-1", "batch": "alcore", "digest": "0" * 32, "task": "translation", "annotator": "anna",
                       "saved": "2026-11-29T12:00:00Z", "answers": answers})


FILLERS = {"page": in_page, "xliff": in_xliff, "xliff2": in_xliff2, "po": in_po, "tmx": in_tmx, "csv": in_csv, "xlsx": in_xlsx, "label-studio": in_label_studio,
           "doccano": lines_of(lambda row, state, value: dict(row, label=[] if state == "no label" else [value])), "argilla": in_argilla,
           "prodigy": lines_of(in_prodigy), "potato": in_potato, "squad": in_squad, "translations": lines_of(in_translations), "conll": in_conll, "inception": in_inception}


# ---- cases ----


def usable(box):
    """The tools that this build has, as `alcore tools --json` lists them."""
    return [tool for tool in json.loads(box.run("tools", "--json").out) if not tool["lacks"]]


def fill(box, tool, command, given, name):
    """Fills what the command wrote in for some items, into a file of that name."""
    batch = box.read(command[command.index("--out") + 1])
    box.file(name, FILLERS[tool](batch if tool == "xlsx" else batch.decode(), given))
    return name


def pairs_of(box):
    return {row["src"]: row["tgt"].replace("\\t", "\t") for row in rows_of(box.read("train.tsv").decode())}


def train(box, back, *earlier):
    """The command that takes answers back, behind those of earlier files; its pairs and what it said."""
    at = back.index("--answers")
    done = box.run(*back[:at], *[word for name in earlier for word in ("--answers", name)], *back[at:])
    return pairs_of(box), done


@case
def the_page_has_every_tool(box):
    known = json.loads(box.run("tools", "--json").out)
    equal(sorted(SECTIONS), sorted(tool["name"] for tool in known))
    equal(sorted(FILLERS), sorted(tool["name"] for tool in known))
    rows = {name: (suffix, tasks, unit) for name, suffix, tasks, unit in re.findall(r"^\| \[`([\w-]+)`\]\(#[^)]*\) \| `([^`]*)` \| ([a-z ]*) \| (?:`([\w-]+)` )?\|$", PAGE, re.M)}
    equal(rows, {tool["name"]: (tool["suffix"], " ".join(tool["tasks"]), tool["span_unit"] or "") for tool in known})
    listed = box.run("tools").out
    for tool in known:
        contains(listed, tool["name"], tool["title"])
        contains(box.run("tools", tool["name"]).out, "tasks " + " ".join(tool["tasks"]))
        equal(json.loads(box.run("tools", tool["name"], "--json").out), tool)
        if tool["span_unit"]:
            contains(SECTIONS[tool["name"]] if tool["name"] != "conll" else PAGE, {"code-points": "code points", "utf16": "UTF-16"}[tool["span_unit"]])
            assert f'`{tool["span_unit"]}`' in re.search(r"^\| `--span-unit` .*$", PAGE, re.M)[0], tool
    contains(box.run("tools", "xlif", expect=2).err, "did you mean xliff?")
    # Every word of these tools that the library knows is in their tables.
    words = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "extra", "annotation", "answer_words.c"), encoding="utf-8").read()
    for name, mark in (("xliff", "XLIFF 1.2"), ("xliff2", r"XLIFF (?:1\.2 and )?2"), ("prodigy", "Prodigy")):
        known = set(re.findall(r'\{"([a-z0-9-]+)", ALCORE__MEANS_[A-Z]+, "%s[^0-9.][^"]*"\}' % mark.replace("1.2", r"1\.2"), words)) | set(
            re.findall(r'\{"([a-z0-9-]+)", ALCORE__MEANS_[A-Z]+, "%s"\}' % mark, words))
        assert len(known) >= 3, name
        equal({state.strip("`") for state, _ in states_of(name)} & known, known, name)


@case
def every_tool_out_and_back(box):
    """Half of the answers, then the others with a correction, by the commands of the page; the same file again changes nothing."""
    for tool in usable(box):
        files(box)
        name = tool["name"]
        out, back = commands_of(name)
        answer, (first, second) = states_of(name)[0][0], values_of(name)
        box.run(*out)
        half = fill(box, name, out, {item: (answer, first[item]) for item in IDS[:2]}, "half" + os.path.splitext(back[back.index("--answers") + 1])[1])
        fill(box, name, out, {item: (answer, first[item]) for item in IDS[:2]}, back[back.index("--answers") + 1])
        pairs, done = train(box, back)
        equal(pairs, {TEXTS[item]: first[item] for item in IDS[:2]}, name)
        contains(done.err, ": 2 answered")
        fill(box, name, out, {item: (answer, second[item]) for item in IDS[1:]}, back[back.index("--answers") + 1])
        pairs, done = train(box, back, half)
        equal(pairs, {TEXTS[item]: (first if item == "a" else second)[item] for item in IDS}, name)
        contains(done.err, "3 answered, 1 corrected")
        equal(train(box, back, half, back[back.index("--answers") + 1])[0], pairs, name)


@case
def every_tool_through_a_project(box):
    """The two commands of a project: half of the answers, then all of them, and the same file again."""
    if "libsqlite3 was missing" in box.run("project", "init", "probe", expect=None).err:
        return  # this build has no projects
    for tool in usable(box):
        name, folder = tool["name"], tool["name"]
        tags = name in ("conll", "inception")
        files(box)
        box.run("project", "init", folder, "strategy=random", "budget=4", "source_language=en", "target_language=de",
                *(["task=tags", "labels=PER,LOC"] if tags else []), "-q")
        box.run("project", "add", folder, "pool.tsv", "-q")
        box.run("project", "next", folder, "-q")
        batch = "batch" + tool["suffix"]
        box.run("project", "export", folder, "--tool", name, "--out", batch, "-q")
        answer, value = states_of(name)[0][0], {"a": "patient", "b": "patient"} if name == "squad" else values_of(name)[0]
        back = "back" + (".json" if name == "page" else tool["suffix"])
        for items, said in (("a", "1 answers, 1 of them new"), ("ab", "2 answers, 1 of them new, 1 known before"), ("ab", "2 answers, 0 of them new, 2 known before")):
            fill(box, name, ["--out", batch], {item: (answer, value[item]) for item in items}, back)
            contains(box.run("project", "import", folder, back, "--tool", name).err, "%s: %s" % (back, said))
        pairs = rows_of(box.run("project", "labeled", folder).out)
        equal({row["text"]: row["reference"] for row in pairs}, {TEXTS[item]: value[item] for item in "ab"}, name)


@case
def every_state_means_what_the_page_says(box):
    for tool in usable(box):
        name = tool["name"]
        out, back = commands_of(name)
        value = values_of(name)[0]
        files(box)
        box.run(*out)
        states = states_of(name)
        assert len(states) >= 2 and states[0][1] == "answer", name
        for state, meaning in states:
            fill(box, name, out, {"a": (state, value["a"])}, back[back.index("--answers") + 1])
            pairs, done = train(box, back)
            equal(pairs, {TEXTS["a"]: value["a"]} if meaning == "answer" else {}, "%s: %s" % (name, state))
            word = {"answer": "1 answered", "open": "0 answered", "skip": "1 skipped", "reject": "1 rejected", "untranslatable": "1 untranslatable"}[meaning]
            contains(done.err, word)


@case
def a_draft_that_nobody_looked_at_is_no_answer(box):
    """What went out comes back as it is."""
    for tool in usable(box):
        name = tool["name"]
        out, back = commands_of(name)
        files(box)
        box.run(*out)
        batch = box.read(out[out.index("--out") + 1])
        if name == "page":  # its file that comes back is another one
            continue
        if name == "potato":
            batch = b""
        elif name == "argilla":
            batch = in_argilla(batch.decode(), {}).encode()
        box.file(back[back.index("--answers") + 1], batch)
        pairs, done = train(box, back)
        equal(pairs, {}, name)
        contains(done.err, ": 0 answered")
        if name == "xlsx":
            batch = repr(cells_of(batch)).encode()
        assert "--drafts" not in out or DRAFT.encode() in (batch if name == "xlsx" else box.read(out[out.index("--out") + 1])), name


@case
def labels_as_answers(box):
    """Classes and spans become the translations of their items."""
    files(box)
    out = ["oracle", "pool.tsv", "--selection", "picked.tsv", "--requests", "--tool", "prodigy", "--labels", "pain, other ", "--out", "batch.jsonl"]
    back = ["mix", "--pool", "pool.tsv", "--selection", "picked.tsv", "--answers", "back.jsonl", "--tool", "prodigy", "--out", "train.tsv"]
    box.run(*out, "--task", "classes")
    rows = [json.loads(line) for line in box.read("batch.jsonl").decode().splitlines()]
    equal([option["id"] for option in rows[0]["options"]], ["pain", "other"])
    box.file("back.jsonl", json.dumps(dict(rows[0], answer="accept", accept=["pain", "other"])) + "\n")
    equal(train(box, back + ["--task", "classes"])[0], {TEXTS["a"]: "other\tpain"})
    box.run(*out, "--task", "spans")
    for unit, begin in (("code-points", 32), ("utf16", 32), ("bytes", 32)):
        end = {"code-points": 33, "utf16": 34, "bytes": 36}[unit]
        box.file("back.jsonl", json.dumps(dict(rows[0], answer="accept", spans=[{"start": begin, "end": end, "label": "pain"}])) + "\n")
        equal(train(box, back + ["--task", "spans", "--span-unit", unit])[0], {TEXTS["a"]: '[[32,33,"pain"]]'})


@case
def what_is_refused(box):
    files(box)
    oracle = ["oracle", "pool.tsv", "--selection", "picked.tsv"]
    mix = ["mix", "--pool", "pool.tsv", "--selection", "picked.tsv", "--out", "train.tsv"]
    contains(box.run(*oracle, "--requests", "--out", "b.xlf", expect=2).err, "--tool xliff or --tool xliff2")
    contains(box.run(*oracle, "--requests", "--out", "b.po", expect=2).err, "this is the file of a tool: --tool po")
    contains(box.run(*oracle, "--tool", "po", "--out", "b.po", expect=2).err, "--tool is read with --requests only")
    contains(box.run(*oracle, "--requests", "--drafts", "drafts.tsv", expect=2).err, "--drafts is read with --tool only")
    contains(box.run(*oracle, "--requests", "--tool", "pox", expect=2).err, 'no tool "pox"', "did you mean po?")
    contains(box.run(*oracle, "--requests", "--tool", "po", "--task", "spans", expect=2).err, "po does not take the task spans")
    contains(box.run(*oracle, "--requests", "--tool", "label-studio", "--task", "classes", expect=2).err, "labels")
    contains(box.run(*oracle, "--requests", "--tool", "po", "--task", "translate", expect=2).err, "translation|classes|spans|tags")
    contains(box.run(*mix, "--answers", "back.po", expect=2).err, "--answers back.po: this is the file of a tool: --tool po")
    contains(box.run(*mix, "--tool", "po", expect=2).err, "--tool is read with --answers only")
    contains(box.run(*mix, "--answers", "none.po", "--tool", "po", expect=4).err, "none.po")
    box.file("back.po", 'msgctxt "a"\nmsgid "x"\nmsgstr "y\n')
    contains(box.run(*mix, "--answers", "back.po", "--tool", "po", expect=3).err, "back.po:3")
    for tool, name in (("label-studio", "back.json"), ("argilla", "back.json"), ("page", "back.json")):
        box.file(name, "")
        contains(box.run(*mix, "--answers", name, "--tool", tool, expect=3).err, "empty")
    box.file("back.jsonl", "")
    contains(box.run(*mix, "--answers", "back.jsonl", "--tool", "prodigy").err, "back.jsonl is empty: it has no record", "0 answered")
    box.file("short.txt", "eins\n")
    contains(box.run(*oracle, "--requests", "--tool", "po", "--drafts", "short.txt", "--out", "b.po", expect=3).err, "short.txt has 1 lines, the pool has 4 rows")
    contains(box.run(*oracle, "--requests", "--tool", "po", "--out", "drafts.tsv", "--drafts", "drafts.tsv", expect=2).err, "drafts.tsv", "would be lost")


if __name__ == "__main__":
    raise SystemExit(main())
