# SPDX-License-Identifier: Apache-2.0
"""doccano: what its export makes of examples that were imported from the files of the library (tests/unit/extra/tool/files). The server is
not installed: this does what backend/data_export of doccano 1.8.5 does, {"id", text, **meta}, then labels and Comments as its formatters
order them, through the to_json() of pandas. tests/unit/extra/tool/test_tool_back.c reads it."""
import json
import pathlib

PACKAGES = ["pandas==3.1.1"]
KEPT = {"translation.back.jsonl": "tests/unit/extra/tool/files/doccano-translation.back.jsonl",
        "classes.back.jsonl": "tests/unit/extra/tool/files/doccano-classes.back.jsonl",
        "spans.back.jsonl": "tests/unit/extra/tool/files/doccano-spans.back.jsonl",
        "relations.back.jsonl": "tests/unit/extra/tool/files/doccano-relations.back.jsonl",
        "tags.back.jsonl": "tests/unit/extra/tool/files/doccano-tags.back.jsonl"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"
# labels of the three examples, and comments of the first one
WORK = {"translation": [["\U0001F600 Anna Li lebt in Paris"], [], ["𝕏𝕏 Cologne"]], "classes": [["PER"], ['LOC & "GPE"', "PER"], []],
        "spans": [[(19, 24, 'LOC & "GPE"'), (2, 9, "PER")], [], [(0, 2, "PER")]], "tags": [[(2, 9, "PER"), (19, 24, "LOC")], [], []]}


def main(folder):
    import pandas

    folder = pathlib.Path(folder)

    def export(name, task, column, labels):
        rows = []
        for number, line in enumerate((FILES / f"doccano-{task}.jsonl").read_text().splitlines()):
            example = json.loads(line)
            assert example.pop("label") == []
            rows.append({"id": number + 11, "text": example.pop("text"), **example, column: labels[number], "Comments": ["sure?"] if number == 0 else []})
        pandas.DataFrame(rows).to_json(folder / f"{name}.back.jsonl", orient="records", force_ascii=False, lines=True)

    for task, labels in WORK.items():
        export(task, task, "label", [sorted(one) for one in labels])
    export("relations", "spans", "entities",
           [[{"id": 7, "label": label, "start_offset": begin, "end_offset": end} for begin, end, label in one] for one in WORK["spans"]])


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
