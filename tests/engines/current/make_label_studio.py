# SPDX-License-Identifier: Apache-2.0
"""Label Studio: its own package reads the tasks and the configurations of interfaces that the library writes (tests/unit/extra/tool/files),
and its converter writes what people did as JSON and JSON_MIN. tests/unit/extra/tool/test_tool_back.c reads these exports."""
import json
import pathlib

PACKAGES = ["label-studio-sdk==2.1.2"]
KEPT = {"translation.full.json": "tests/unit/extra/tool/files/label-studio-translation.full.json",
        "translation.min.json": "tests/unit/extra/tool/files/label-studio-translation.min.json",
        "classes.full.json": "tests/unit/extra/tool/files/label-studio-classes.full.json",
        "classes.min.json": "tests/unit/extra/tool/files/label-studio-classes.min.json",
        "spans.full.json": "tests/unit/extra/tool/files/label-studio-spans.full.json",
        "spans.min.json": "tests/unit/extra/tool/files/label-studio-spans.min.json",
        "tags.full.json": "tests/unit/extra/tool/files/label-studio-tags.full.json",
        "tags.min.json": "tests/unit/extra/tool/files/label-studio-tags.min.json"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"

# Who said what: (task from 0, user, seconds, skipped, values), a value as the task has it.
WORK = {"translation": [(0, 1, 12.5, False, ["\U0001F600 Anna Li lebt in Paris"]), (0, 2, 30.0, False, ["\U0001F600 Anna Li wohnt in „Paris\""]),
                        (1, 1, 3.25, True, ["half a"])],
        "classes": [(0, 1, 2.5, False, [["PER"]]), (1, 1, 4.0, False, [["LOC & \"GPE\"", "PER"]]), (2, 2, 1.0, True, [])],
        "spans": [(0, 1, 9.0, False, [(19, 24, 'LOC & "GPE"'), (2, 9, "PER")]), (1, 1, 2.0, False, []), (2, 1, 3.0, False, [(0, 2, "PER")])],
        "tags": [(0, 1, 9.0, False, [(2, 9, "PER"), (19, 24, "LOC")]), (1, 2, 2.0, False, [])]}


def results(task, values, text):
    """Results of the control, as the interface makes them."""
    for number, value in enumerate(values):
        one = {"id": f"r{number}", "to_name": "text", "origin": "manual"}
        if task == "translation":
            yield {**one, "from_name": "translation", "type": "textarea", "value": {"text": [value]}}
        elif task == "classes":
            yield {**one, "from_name": "label", "type": "choices", "value": {"choices": value}}
        else:
            begin, end, label = value
            yield {**one, "from_name": "label", "type": "labels",
                   "value": {"start": begin, "end": end, "text": text[begin:end], "labels": [label]}}


def export(task):
    """The export of a server: the tasks that were imported, with the annotations of two people, and a draft."""
    tasks = json.loads((FILES / f"label-studio-{task}.json").read_text())
    for number, one in enumerate(tasks):
        predictions = one.pop("predictions", [])
        done = [work for work in WORK[task] if work[0] == number]
        one.update(id=101 + number, inner_id=number + 1, project=7, predictions=[101 + number] if predictions else [], drafts=[], meta={},
                   created_at="2026-11-02T09:00:00.000000Z", updated_at="2026-11-02T10:00:00.000000Z", total_annotations=len(done),
                   cancelled_annotations=sum(work[3] for work in done))
        one["annotations"] = [{"id": 1000 + 10 * number + user, "completed_by": {"id": user, "email": f"annotator{user}@example.org"} if user == 2 else user,
                               "result": list(results(task, values, one["data"]["text"])), "was_cancelled": skipped, "ground_truth": False,
                               "created_at": f"2026-11-02T09:1{user}:00.000000Z", "updated_at": f"2026-11-02T09:2{user}:00.000000Z",
                               "lead_time": seconds, "prediction": {}, "result_count": len(values), "task": 101 + number}
                              for _, user, seconds, skipped, values in done]
        if task == "translation" and number == 2:
            one["drafts"] = [{"id": 5, "user": "annotator1@example.org", "result": list(results(task, ["Köln?"], one["data"]["text"])), "lead_time": 2.5,
                              "created_at": "2026-11-02T09:30:00.000000Z", "updated_at": "2026-11-02T09:31:00.000000Z"}]
    return tasks


def main(folder):
    from label_studio_sdk.converter import Converter
    from label_studio_sdk.label_interface import LabelInterface

    folder = pathlib.Path(folder)
    for task in WORK:
        config = (FILES / f"label-studio-{task}.config.xml").read_text()
        interface = LabelInterface(config)
        interface.validate()
        for one in json.loads((FILES / f"label-studio-{task}.json").read_text()):
            assert interface.validate_task({"data": one["data"]}), one
            for prediction in one.get("predictions", []):
                assert not interface.validate_prediction(prediction, return_errors=True), interface.validate_prediction(prediction, return_errors=True)
        full = folder / f"{task}.full.json"
        full.write_text(json.dumps(export(task)))
        converter = Converter(config=config, project_dir=None)
        converter.convert_to_json_min(str(full), str(folder / task), is_dir=False)
        (folder / task / "result.json").rename(folder / f"{task}.min.json")
        (folder / task).rmdir()


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
