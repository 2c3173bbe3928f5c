# SPDX-License-Identifier: Apache-2.0
"""potato: its server, on loopback, with the configurations and items that the library writes (tests/unit/extra/tool/files), two people who
answer as its page does, which in a browser counts code points, and the export that it writes. tests/unit/extra/tool/test_tool_back.c reads
these exports."""
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PACKAGES = ["potato-annotation==2.12.1", "requests==2.34.2"]
KEPT = {"translation.back.jsonl": "tests/unit/extra/tool/files/potato-translation.back.jsonl",
        "classes.back.jsonl": "tests/unit/extra/tool/files/potato-classes.back.jsonl",
        "spans.back.jsonl": "tests/unit/extra/tool/files/potato-spans.back.jsonl"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"


def span(begin, end, label):
    return {"schema": "label", "name": label, "title": label, "start": begin, "end": end, "value": "", "target_field": "text"}


# (user, item, annotations, spans), in the order in which they are saved; offsets count code points
WORK = {"translation": [("anna", "s:1", {"translation:text_box": "\U0001F600 Anna"}, []), ("anna", "s:1", {"translation:text_box": "\U0001F600 Anna Li lebt in Paris"}, []),
                        ("ben", "s:1", {"translation:text_box": "\U0001F600 Anna Li wohnt in Paris"}, []), ("ben", "s:2", {"translation:text_box": ""}, [])],
        "classes": [("anna", "s:1", {"label:PER": "PER", 'label:LOC & "GPE"': 'LOC & "GPE"'}, []), ("anna", "s:1", {"label:PER": "PER"}, []),
                    ("anna", "s:2", {'label:LOC & "GPE"': 'LOC & "GPE"'}, [])],
        "spans": [("anna", "s:1", {}, [span(19, 24, 'LOC & "GPE"'), span(2, 9, "PER")]), ("anna", "s:3", {}, [span(0, 2, "PER")])]}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def serve(work, folder, task):
    """Runs the server in a folder, saves the work and returns the export."""
    import requests

    for suffix in (".jsonl", ".yaml"):
        shutil.copy(FILES / f"potato-{task}{suffix}", folder / f"{task}{suffix}")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    log = open(folder / "server.log", "wb")
    server = subprocess.Popen([sys.executable, "-m", "potato", "start", f"{task}.yaml", "-p", str(port)], cwd=folder, stdout=log, stderr=log)
    export = folder / "annotation_output/exports/jsonl/annotations.jsonl"
    try:
        people = {}
        for user, item, annotations, spans in work:
            if user not in people:
                people[user] = requests.Session()
                for _ in range(240):
                    try:
                        people[user].post(address + "/register", data={"email": user, "pass": "x", "action": "signup"}, timeout=30)
                        break
                    except requests.ConnectionError:
                        assert server.poll() is None, (folder / "server.log").read_text()
                        time.sleep(0.5)
                page = people[user].get(address + "/annotate", timeout=30).text
                assert "Anna Li lives in Paris" in page, "the items come in their order"
                assert "She said:" in page, "the context is shown"
            answer = people[user].post(address + "/updateinstance", timeout=30,
                                       json={"instance_id": item, "annotations": annotations, "span_annotations": spans})
            assert answer.json()["status"] == "success", answer.text
        time.sleep(1)
    finally:
        server.terminate()
        server.wait()
        log.close()
    return "".join(sorted(export.read_text().splitlines(keepends=True)))  # it has them in the order of a set


def main(folder):
    for task, work in WORK.items():
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(folder) / f"{task}.back.jsonl").write_text(serve(work, pathlib.Path(place), task))


if __name__ == "__main__":
    main(sys.argv[1])
