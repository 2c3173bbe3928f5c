# SPDX-License-Identifier: Apache-2.0
"""translate-toolkit: what it makes of the files of translators that the library writes (tests/unit/extra/tool/files) when some units are
translated in it, as Weblate, Virtaal and Pootle do. tests/unit/extra/tool/test_tool_translators.c reads it."""
import pathlib

PACKAGES = ["translate-toolkit==3.20.4"]
KEPT = {"toolkit.xlf": "tests/unit/extra/tool/files/translators.toolkit.xlf",
        "toolkit2.xlf": "tests/unit/extra/tool/files/translators2.toolkit.xlf",
        "toolkit.po": "tests/unit/extra/tool/files/translators.toolkit.po",
        "toolkit.tmx": "tests/unit/extra/tool/files/translators.toolkit.tmx"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"
RED, TWO, NOTE = 'Das <b>rote</b> Haus & "mehr"', "Zwei\nneue Zeilen", "bitte prüfen"


def main(folder):
    from translate.storage import pypo, tmx, xliff, xliff2

    folder = pathlib.Path(folder)

    # The first unit is translated and has a note, the draft of the second is corrected, that of
    # the third accepted, the fourth is the same in both languages, the others stay as they are.
    store = xliff.xlifffile.parsefile(str(FILES / "translators.xlf"))
    units = store.units
    units[0].target, units[1].target, units[3].target = RED, TWO, "Paris"
    units[0].addnote(NOTE, origin="translator")
    units[2].markapproved(True)
    store.savefile(str(folder / "toolkit.xlf"))

    store = xliff2.Xliff2File.parsefile(str(FILES / "translators2.xlf"))
    units = store.units
    units[0].target, units[1].target, units[3].target = RED, TWO, "Paris"
    units[2].markfuzzy(False)
    units[3].markfuzzy(False)
    store.savefile(str(folder / "toolkit2.xlf"))

    store = pypo.pofile.parsefile(str(FILES / "translators.po"))
    units = store.units[1:]
    units[0].target, units[1].target, units[3].target = RED, TWO, "Paris"
    units[0].addnote(NOTE, origin="translator")
    units[1].markfuzzy(False)
    units[2].markfuzzy(False)
    store.savefile(str(folder / "toolkit.po"))

    store = tmx.tmxfile.parsefile(str(FILES / "translators.tmx"))
    units = store.units
    for number, text in (0, RED), (1, TWO), (3, "Paris"):
        units[number].settarget(text, "de")
    store.savefile(str(folder / "toolkit.tmx"))


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
