# SPDX-License-Identifier: Apache-2.0
"""Label Studio: its server, on loopback, with its database in SQLite, imports the tasks and the interfaces that the library writes
(tests/unit/extra/tool/files); what its page sends when two people work is sent, and its exports are kept, with other times and numbers in
place of those of the day. tests/unit/extra/tool/test_tool_back.c reads them."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

PACKAGES = ["label-studio==1.23.2"]
KEPT = {"translation.full.json": "tests/unit/extra/tool/files/label-studio-translation.full.json",
        "translation.min.json": "tests/unit/extra/tool/files/label-studio-translation.min.json",
        "translation.snapshot.json": "tests/unit/extra/tool/files/label-studio-translation.snapshot.json",
        "classes.full.json": "tests/unit/extra/tool/files/label-studio-classes.full.json",
        "classes.min.json": "tests/unit/extra/tool/files/label-studio-classes.min.json",
        "spans.full.json": "tests/unit/extra/tool/files/label-studio-spans.full.json",
        "spans.min.json": "tests/unit/extra/tool/files/label-studio-spans.min.json",
        "tags.full.json": "tests/unit/extra/tool/files/label-studio-tags.full.json",
        "tags.min.json": "tests/unit/extra/tool/files/label-studio-tags.min.json"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"
TOKEN, PASSWORD = "0123456789abcdef" * 2 + "01234567", "of-this-test-only"

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


class Server:
    """The server, in a folder of its own, and the sessions of two people."""

    def __init__(self, folder):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        env = {**os.environ, "COLLECT_ANALYTICS": "False", "LATEST_VERSION_CHECK": "False", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": "",
               "DJANGO_DB": "sqlite", "LABEL_STUDIO_BASE_DATA_DIR": folder}
        self.log = open(os.path.join(folder, "log"), "wb")
        self.server = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "label-studio"), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port",
             str(port), "--data-dir", folder, "--username", "annotator1@example.org", "--password", PASSWORD, "--user-token", TOKEN,
             "--enable-legacy-api-token"], cwd=folder, env=env, stdout=self.log, stderr=self.log)

    def __enter__(self):
        import requests
        self.people = {1: requests.Session(), 2: requests.Session()}
        self.people[1].headers["Authorization"] = "Token " + TOKEN
        for _ in range(1200):
            try:
                self.people[1].get(self.address + "/health", timeout=60)
                break
            except requests.ConnectionError:
                assert self.server.poll() is None, open(self.log.name, encoding="utf-8").read()
                time.sleep(0.5)
        invitation = self.address + self.call("GET", "/api/invite").json()["invite_url"]
        self.people[2].get(invitation, timeout=60)
        self.people[2].post(invitation, timeout=60, headers={"Referer": self.address}, data={
            "csrfmiddlewaretoken": self.people[2].cookies["csrftoken"], "email": "annotator2@example.org", "password": PASSWORD,
            "allow_newsletters": "false"})
        return self

    def __exit__(self, *error):
        self.server.terminate()
        self.server.wait()
        self.log.close()

    def call(self, method, path, body=None, user=1, **more):
        headers = {"Referer": self.address, "X-CSRFToken": self.people[user].cookies.get("csrftoken", "")}
        answer = self.people[user].request(method, self.address + path, json=body, headers=headers, timeout=60, **more)
        assert answer.status_code < 300, answer.text
        return answer


def import_batch(server, task):
    """A project with the interface and the tasks: its number, and the tasks."""
    config = (FILES / f"label-studio-{task}.config.xml").read_text()
    project = server.call("POST", "/api/projects/", {"title": task, "label_config": config, "sampling": "Sequential sampling"}).json()["id"]
    with open(FILES / f"label-studio-{task}.json", "rb") as batch:
        report = server.call("POST", f"/api/projects/{project}/import", files={"file": ("batch.json", batch, "application/json")}).json()
    drafts = sum("predictions" in one for one in json.loads((FILES / f"label-studio-{task}.json").read_text()))
    assert (report["task_count"], report["prediction_count"], report["annotation_count"]) == (3, drafts, 0), report
    first = server.call("GET", f"/api/projects/{project}/next").json()
    assert first["data"]["al_rank"] == 1 and len(first["predictions"]) == 1, "the best comes first, with its draft"
    return project, server.call("GET", f"/api/tasks?project={project}&fields=all").json()["tasks"]


def answer(server, task, project, tasks):
    """What the page sends while people work."""
    for number, user, seconds, skipped, values in WORK[task]:
        server.call("POST", f"/api/tasks/{tasks[number]['id']}/annotations/?project={project}", user=user, body={
            "result": list(results(task, values, tasks[number]["data"]["text"])), "lead_time": seconds, "was_cancelled": skipped})
    if task == "translation":
        server.call("POST", f"/api/tasks/{tasks[2]['id']}/drafts?project={project}", {
            "result": list(results(task, ["Köln?"], tasks[2]["data"]["text"])), "lead_time": 2.5})


def settled(text):
    """An export in which what differs from day to day is replaced: times, random numbers, names of uploads."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "2026-11-02T09:00:00.000000Z", text)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "00000000-0000-0000-0000-000000000000", text)
    return re.sub(r"[0-9a-f]{8}-batch\.json", "00000000-batch.json", re.sub(r'"\d+\u00a0minutes?"', '"now"', text))


def main(folder):
    from label_studio_sdk.label_interface import LabelInterface

    with tempfile.TemporaryDirectory() as place, Server(place) as server:
        for task in WORK:
            interface = LabelInterface((FILES / f"label-studio-{task}.config.xml").read_text())
            interface.validate()
            for one in json.loads((FILES / f"label-studio-{task}.json").read_text()):
                for prediction in one.get("predictions", []):
                    assert not interface.validate_prediction(prediction, return_errors=True), prediction
            project, tasks = import_batch(server, task)
            answer(server, task, project, tasks)
            for name, form in (("full", "JSON"), ("min", "JSON_MIN")):
                exported = server.call("GET", f"/api/projects/{project}/export?exportType={form}&download_all_tasks=true").text
                (pathlib.Path(folder) / f"{task}.{name}.json").write_text(settled(exported))
            if task == "translation":
                made = server.call("POST", f"/api/projects/{project}/exports/", {"title": "x"}).json()["id"]
                while server.call("GET", f"/api/projects/{project}/exports/{made}").json()["status"] != "completed":
                    time.sleep(0.5)
                exported = server.call("GET", f"/api/projects/{project}/exports/{made}/download?exportType=JSON").text
                (pathlib.Path(folder) / "translation.snapshot.json").write_text(settled(exported))


if __name__ == "__main__":
    main(sys.argv[1])
