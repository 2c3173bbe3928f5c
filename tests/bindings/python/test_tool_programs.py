# SPDX-License-Identifier: Apache-2.0
"""Batches go to the real programs of translators and come back: translate-toolkit and openpyxl at the versions that meson.build pins,
gettext, OmegaT and LibreOffice of Debian. Items of every kind: markup, several lines, beyond the BMP, drafts, and one that is the same in
both languages. What the programs wrote once is kept in tests/unit/extra/tool/files for the tests that always run."""
import os
import shutil
import subprocess
from xml.sax.saxutils import escape

import pytest

import alcore

SMILE = "\U0001F600 \U0001D54F smile"
TEXTS = {"doc:1": 'The <b>red</b> house & "more"', "b 2": "Two\nlines\\n", "c": SMILE, "d": "Paris", "e": "left open", "f": "left as a draft"}
DRAFTS = {"b 2": "Zwei\nZeilen", "c": "\U0001F600 Lächeln", "f": "blieb Entwurf"}
DONE = {"doc:1": 'Das <b>rote</b> Haus & "mehr"', "b 2": "Zwei\nneue Zeilen\\n", "c": DRAFTS["c"], "d": "Paris"}
OMEGAT = "/usr/share/omegat/OmegaT.jar"


def write(tool, path, drafts=True):
    alcore.write_tool(tool, path, list(TEXTS), list(TEXTS.values()), drafts=[DRAFTS.get(id) for id in TEXTS] if drafts else None,
                      reasons=["far from the others"] + 5 * [None], contexts=["what stands before"] + 5 * [None],
                      groups=["a b.txt"] + 5 * [None], scores=[0.5, 0.25, 0, -1, 1e-300, float("nan")], costs=6 * [1.5],
                      source_language="en", target_language="de", batch="round-3")


def answers(tool, path):
    """{id: value} of answers that count, and of drafts."""
    read = alcore.read_tool(tool, path)
    assert read.messages == []
    assert read.batch == (None if tool == "csv" else "round-3")
    return tuple({answer.id: answer.value for answer in read if answer.status == status} for status in ("ok", "draft"))


def check(tool, path):
    assert answers(tool, path) == (DONE, {"f": DRAFTS["f"]})


def needs(path):
    if not (os.path.exists(path) or shutil.which(path)):
        pytest.skip(f"{path} is not installed")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


# ---- translate-toolkit ----


def translate(units):
    for unit, id in zip(units, TEXTS):
        if id in DONE:
            unit.target = DONE[id]


def test_toolkit_xliff(tmp_path):
    from translate.storage import xliff
    write("xliff", tmp_path / "x.xlf")
    store = xliff.xlifffile.parsefile(str(tmp_path / "x.xlf"))
    assert [(unit.source, unit.getid()) for unit in store.units] == [(text, f"round-3\x04{id}") for id, text in TEXTS.items()]
    assert not any(unit.istranslated() for unit in store.units)
    translate(store.units)
    store.units[2].markapproved(True)  # its text stays the draft
    store.savefile(str(tmp_path / "y.xlf"))
    check("xliff", tmp_path / "y.xlf")


def test_toolkit_xliff2(tmp_path):
    from translate.storage import xliff2
    write("xliff2", tmp_path / "x.xlf")
    store = xliff2.Xliff2File.parsefile(str(tmp_path / "x.xlf"))
    assert [unit.source for unit in store.units] == list(TEXTS.values())
    assert not any(unit.istranslated() for unit in store.units)
    translate(store.units)
    for unit in store.units[:4]:
        unit.markfuzzy(False)
    store.savefile(str(tmp_path / "y.xlf"))
    check("xliff2", tmp_path / "y.xlf")


def test_toolkit_po(tmp_path):
    from translate.storage import pypo
    write("po", tmp_path / "x.po")
    store = pypo.pofile.parsefile(str(tmp_path / "x.po"))
    units = store.units[1:]
    assert [unit.source for unit in units] == list(TEXTS.values())
    assert not any(unit.istranslated() for unit in units)
    translate(units)
    for unit in units[:4]:
        unit.markfuzzy(False)
    store.savefile(str(tmp_path / "y.po"))
    check("po", tmp_path / "y.po")


def test_toolkit_tmx(tmp_path):
    """A memory has no states: a draft that is accepted as it is stays one."""
    from translate.storage import tmx
    write("tmx", tmp_path / "x.tmx")
    store = tmx.tmxfile.parsefile(str(tmp_path / "x.tmx"))
    assert [unit.source for unit in store.units] == list(TEXTS.values())
    for unit, id in zip(store.units, TEXTS):
        if id in DONE:
            unit.settarget(DONE[id], "de")
    store.savefile(str(tmp_path / "y.tmx"))
    assert answers("tmx", tmp_path / "y.tmx") == ({id: text for id, text in DONE.items() if id != "c"},
                                                  {id: DRAFTS[id] for id in ("c", "f")})


# ---- gettext ----


def test_gettext(tmp_path):
    """msgfmt accepts the catalog; what msgcat and msgattrib make of it comes back, in any width and order."""
    needs("msgfmt")
    write("po", tmp_path / "x.po")
    run("msgfmt", "--check-format", "-o", os.devnull, str(tmp_path / "x.po"))
    entries = "".join('msgctxt "%s"\nmsgid "%s"\nmsgstr "%s"\n\n' % tuple(
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for text in (id, TEXTS[id], done)) for id, done in DONE.items())
    (tmp_path / "done.po").write_text('msgid ""\nmsgstr "Project-Id-Version: round-3\\nContent-Type: text/plain; charset=UTF-8\\n"\n\n'
                                      + entries)
    run("msgcat", "--use-first", str(tmp_path / "done.po"), str(tmp_path / "x.po"), "-o", str(tmp_path / "y.po"))
    check("po", tmp_path / "y.po")
    run("msgattrib", "--width=20", "--sort-output", str(tmp_path / "y.po"), "-o", str(tmp_path / "z.po"))
    check("po", tmp_path / "z.po")
    run("msgconv", "-t", "GB18030", str(tmp_path / "z.po"), "-o", str(tmp_path / "w.po"))
    with pytest.raises(alcore.DataError, match="GB18030: convert the file with msgconv -t UTF-8"):
        alcore.read_tool("po", tmp_path / "w.po")


# ---- OmegaT ----


def omegat(tmp_path, name):
    """The file as OmegaT translates it with a memory of what is done."""
    project = tmp_path / "project"
    for folder in "source", "target", "omegat", "tm", "glossary", "dictionary":
        (project / folder).mkdir(parents=True)
    shutil.copy(tmp_path / name, project / "source" / name)
    (project / "omegat.project").write_text(
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><omegat><project version="1.0">'
        + "".join(f"<{part}_dir>__DEFAULT__</{part}_dir>" for part in ("source", "target", "tm", "glossary", "dictionary"))
        + "<glossary_file>__DEFAULT__</glossary_file><source_lang>en</source_lang><target_lang>de</target_lang><sentence_seg>false"
        "</sentence_seg><support_default_translations>true</support_default_translations><remove_tags>false</remove_tags></project></omegat>")
    units = "".join(f'<tu><tuv xml:lang="en"><seg>{escape(TEXTS[id])}</seg></tuv><tuv xml:lang="de"><seg>{escape(done)}</seg></tuv></tu>'
                    for id, done in DONE.items())
    (project / "omegat" / "project_save.tmx").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><tmx version="1.1"><header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" '
        f'datatype="plaintext" creationtoolversion="3.6.0" segtype="paragraph" srclang="en"/><body>{units}</body></tmx>', "utf-8")
    run("java", "-Djava.awt.headless=true", f"-Duser.home={tmp_path}", "-jar", OMEGAT, str(project), "--mode=console-translate",
        f"--config-dir={tmp_path / 'config'}", "--disable-project-locking")
    return project / "target" / name


def test_omegat_xliff(tmp_path):
    """It fills the copies of the source. It does not say that a text is the same in both languages."""
    needs(OMEGAT)
    write("xliff", tmp_path / "x.xlf", drafts=False)
    assert answers("xliff", omegat(tmp_path, "x.xlf")) == ({id: text for id, text in DONE.items() if id != "d"}, {})


def test_omegat_drafts(tmp_path):
    """Targets that are no copies it takes for sources, and leaves them: drafts of XLIFF stay drafts."""
    needs(OMEGAT)
    write("xliff", tmp_path / "x.xlf")
    assert answers("xliff", omegat(tmp_path, "x.xlf")) == ({"doc:1": DONE["doc:1"]}, DRAFTS)


def test_omegat_po(tmp_path):
    """Drafts that nobody accepts go, and their entries are open."""
    needs(OMEGAT)
    write("po", tmp_path / "x.po")
    assert answers("po", omegat(tmp_path, "x.po")) == (DONE, {})


# ---- spreadsheets ----


def fill_in(path, out):
    import openpyxl
    book = openpyxl.load_workbook(path)
    sheet = book.active
    names = [cell.value for cell in sheet[1]]
    for row, id in enumerate(TEXTS, 2):
        assert sheet.cell(row, 1).value == id and sheet.cell(row, 2).value == TEXTS[id]
        if id in DONE:
            sheet.cell(row, 1 + names.index("translation")).value = DONE[id]
    sheet.cell(4, 1 + names.index("status")).value = "OK"
    book.save(out)


def soffice(tmp_path, path, to, *more):
    """A file as LibreOffice saves it."""
    needs("soffice")
    out = tmp_path / "saved"
    run("soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", *more, "--convert-to", to, "--outdir", str(out), str(path))
    return out / f"{path.stem}.{to.partition(':')[0]}"


def test_openpyxl(tmp_path):
    write("xlsx", tmp_path / "x.xlsx")
    fill_in(tmp_path / "x.xlsx", tmp_path / "y.xlsx")
    check("xlsx", tmp_path / "y.xlsx")


def test_libreoffice_xlsx(tmp_path):
    needs("soffice")
    write("xlsx", tmp_path / "x.xlsx")
    fill_in(tmp_path / "x.xlsx", tmp_path / "y.xlsx")
    check("xlsx", soffice(tmp_path, tmp_path / "y.xlsx", "xlsx"))
    check("csv", soffice(tmp_path, tmp_path / "y.xlsx", "csv:Text - txt - csv (StarCalc):44,34,76,1"))
    check("csv", soffice(tmp_path, tmp_path / "y.xlsx", "csv:Text - txt - csv (StarCalc):59,34,76,1"))


def test_libreoffice_csv(tmp_path):
    """A CSV of ours, opened with its columns as texts, filled in, and saved."""
    needs("soffice")
    write("csv", tmp_path / "x.csv")
    texts = "/".join(f"{column}/2" for column in range(1, 14))
    fill_in(soffice(tmp_path, tmp_path / "x.csv", "xlsx", f"--infilter=CSV:44,34,76,1,{texts}"), tmp_path / "y.xlsx")
    check("csv", soffice(tmp_path, tmp_path / "y.xlsx", "csv:Text - txt - csv (StarCalc):44,34,76,1"))
