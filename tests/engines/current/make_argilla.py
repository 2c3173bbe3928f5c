# SPDX-License-Identifier: Apache-2.0
"""Argilla: its own package reads the records and the settings that the library writes (tests/unit/extra/tool/files), and writes what
people answered in its two forms, nested and flat. tests/unit/extra/tool/test_tool_back.c reads these exports. No server runs: what one
would answer to the client is left out."""
import json
import pathlib
import uuid

# argilla 2.8.0 imports requests and does not ask for it
PACKAGES = ["argilla==2.8.0", "requests==2.34.2"]
KEPT = {"translation.nested.json": "tests/unit/extra/tool/files/argilla-translation.nested.json",
        "translation.flat.json": "tests/unit/extra/tool/files/argilla-translation.flat.json",
        "classes.nested.json": "tests/unit/extra/tool/files/argilla-classes.nested.json",
        "classes.flat.json": "tests/unit/extra/tool/files/argilla-classes.flat.json",
        "spans.nested.json": "tests/unit/extra/tool/files/argilla-spans.nested.json",
        "spans.flat.json": "tests/unit/extra/tool/files/argilla-spans.flat.json",
        "tags.nested.json": "tests/unit/extra/tool/files/argilla-tags.nested.json",
        "tags.flat.json": "tests/unit/extra/tool/files/argilla-tags.flat.json"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"
USERS = [uuid.UUID(int=1), uuid.UUID(int=2)]


def span(begin, end, label):
    return {"start": begin, "end": end, "label": label}


# (record from 0, user from 0, status, value); offsets count UTF-16 code units, as the browser does
WORK = {"translation": [(0, 0, "submitted", "\U0001F600 Anna Li lebt in Paris"), (0, 1, "draft", "\U0001F600 Anna"), (1, 0, "discarded", None),
                        (2, 1, "draft", "Köln")],
        "classes": [(0, 0, "submitted", ["PER"]), (1, 0, "submitted", ['LOC & "GPE"', "PER"]), (2, 0, "discarded", ["PER"])],
        "spans": [(0, 0, "submitted", [span(20, 25, 'LOC & "GPE"'), span(3, 10, "PER")]), (1, 0, "submitted", []), (2, 1, "submitted", [span(0, 4, "PER")])],
        "tags": [(0, 0, "submitted", [span(3, 10, "PER"), span(20, 25, "LOC")])]}


def main(folder):
    from unittest import mock

    import argilla
    from argilla.records._io import GenericIO, JsonIO

    folder = pathlib.Path(folder)
    with mock.patch.object(argilla.Argilla, "_get_default", classmethod(lambda cls: mock.MagicMock())):
        for task, work in WORK.items():
            settings = argilla.Settings.from_json(FILES / f"argilla-{task}.settings.json")
            name, = [question.name for question in settings.questions]
            kind = {"translation": "text", "classes": "multi_label_selection"}.get(task, "span")
            assert settings.questions[name].type == kind, settings.questions[name].type
            settings.validate()
            records = JsonIO._records_from_json(FILES / f"argilla-{task}.json")
            for record in records:
                assert record.metadata["al_id"] == record.id and set(record.fields) <= {field.name for field in settings.fields}
                assert all(suggestion.question_name == name for suggestion in record.suggestions)
            for number, user, status, value in work:
                # of one that is discarded without a value the client makes a value of None
                records[number].responses.add(argilla.Response(name, value, USERS[user], status))
            for number, record in enumerate(records):
                done = any(one[0] == number and one[2] == "submitted" for one in work)
                record._model.status = "completed" if done else "pending"
            JsonIO.to_json(records, folder / f"{task}.nested.json")
            with open(folder / f"{task}.flat.json", "w") as file:
                json.dump(GenericIO.to_list(records, flatten=True), file)


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
