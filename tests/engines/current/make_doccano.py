# SPDX-License-Identifier: Apache-2.0
"""doccano: its server, on loopback, with its database in SQLite, imports the files that the library writes (tests/unit/extra/tool/files);
what its page sends when a person works is sent, and what it exports is kept. tests/unit/extra/tool/test_tool_back.c reads it. A batch of
which some lines lack a member has once been refused as a whole (meta with NaN)."""
import io
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import zipfile

# Beside it versions of what it does not pin, with newer ones of which it does not start.
PACKAGES = ["doccano==1.8.4", "marshmallow==3.26.1", "numpy==1.26.4", "setuptools==80.9.0"]
KEPT = {"translation.back.jsonl": "tests/unit/extra/tool/files/doccano-translation.back.jsonl",
        "classes.back.jsonl": "tests/unit/extra/tool/files/doccano-classes.back.jsonl",
        "spans.back.jsonl": "tests/unit/extra/tool/files/doccano-spans.back.jsonl",
        "relations.back.jsonl": "tests/unit/extra/tool/files/doccano-relations.back.jsonl",
        "tags.back.jsonl": "tests/unit/extra/tool/files/doccano-tags.back.jsonl"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"
PASSWORD = "of-this-test-only"
PROJECTS = {"translation": ("Seq2seq", "Seq2seqProject"), "classes": ("DocumentClassification", "TextClassificationProject"),
            "spans": ("SequenceLabeling", "SequenceLabelingProject"), "tags": ("SequenceLabeling", "SequenceLabelingProject"),
            "relations": ("SequenceLabeling", "SequenceLabelingProject")}
PLACE = 'LOC & "GPE"'
# Labels of the three examples; offsets count UTF-16 code units, as the selection of a browser does.
WORK = {"translation": [["\U0001F600 Anna Li lebt in Paris"], [], ["𝕏𝕏 Cologne"]], "classes": [["PER"], [PLACE, "PER"], []],
        "spans": [[(20, 25, PLACE), (3, 10, "PER")], [], [(0, 4, "PER")]], "tags": [[(3, 10, "PER"), (20, 25, "LOC")], [], []]}
WORK["relations"] = WORK["spans"]


class Server:
    """The web server and the worker of its queue, in a folder of their own."""

    def __init__(self, folder):
        import backend
        code = os.path.dirname(backend.__file__)
        env = {**os.environ, "DOCCANO_HOME": folder, "STANDALONE": "True", "DJANGO_SETTINGS_MODULE": "config.settings.production",
               "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "MEDIA_ROOT": f"{folder}/media"}
        command = os.path.join(os.path.dirname(sys.executable), "doccano")
        for words in (["init"], ["createuser", "--username", "anna", "--password", PASSWORD, "--email", "anna@example.org"]):
            subprocess.run([command, *words], env=env, check=True, capture_output=True)
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.log = open(os.path.join(folder, "log"), "wb")
        # `doccano webserver` would listen on every address of the machine.
        programs = (["gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "2", "--chdir", code, "config.wsgi"],
                    ["celery", "--app=config", f"--workdir={code}", "worker", "--pool=solo"])
        self.running = [subprocess.Popen([sys.executable, "-m", *words], cwd=code, env=env, stdout=self.log, stderr=self.log)
                        for words in programs]

    def __enter__(self):
        import requests
        self.session = requests.Session()
        for _ in range(240):
            try:
                self.call("POST", "/auth/login/", {"username": "anna", "password": PASSWORD})
                return self
            except requests.ConnectionError:
                assert all(one.poll() is None for one in self.running), open(self.log.name, encoding="utf-8").read()
                time.sleep(0.5)
        raise TimeoutError("doccano does not answer")

    def __exit__(self, *error):
        for one in self.running:
            one.terminate()
            one.wait()
        self.log.close()

    def call(self, method, path, body=None, **more):
        headers = {"Referer": self.address, "X-CSRFToken": self.session.cookies.get("csrftoken", "")}
        answer = self.session.request(method, self.address + "/v1" + path, json=body, headers=headers, timeout=60, **more)
        assert answer.status_code < 300, answer.text
        return answer

    def wait(self, task):
        """The end of a task of the queue."""
        for _ in range(240):
            status = self.call("GET", f"/tasks/status/{task}").json()
            if status["ready"]:
                assert not status["error"], status
                return status["result"]
            time.sleep(0.5)
        raise TimeoutError(task)


def import_batch(server, task, shared=True):
    """A project with the batch of a task: its path, and the numbers of its examples."""
    name, kind = PROJECTS[task]
    made = server.call("POST", "/projects", {
        "name": task, "description": task, "project_type": name, "resourcetype": kind, "collaborative_annotation": shared, "guideline": "",
        "random_order": False, "single_class_classification": False, "allow_overlapping": False, "grapheme_mode": False,
        "use_relation": task == "relations", "tags": []}).json()
    project = f"/projects/{made['id']}"
    with open(FILES / f"doccano-{'spans' if task == 'relations' else task}.jsonl", "rb") as batch:
        upload = server.call("POST", "/fp/process/", files={"filepond": ("batch.jsonl", batch)}).text
    wrong = server.wait(server.call("POST", project + "/upload", {
        "format": "JSONL", "task": name, "uploadIds": [upload], "column_data": "text", "column_label": "label", "encoding": "utf_8"}).json()["task_id"])
    assert wrong == {"error": []}, wrong
    examples = server.call("GET", project + "/examples?limit=10&offset=0").json()["results"]
    assert [example["meta"]["al_rank"] for example in examples] == [1, 2, 3], "the best comes first"
    assert examples[0]["meta"]["context"].startswith("She said:") and examples[0]["meta"]["draft"], "context and draft are shown"
    return project, [example["id"] for example in examples]


def answer(server, task, project, examples):
    """What the page sends while a person works."""
    numbers = {}
    for example, labels in zip(examples, WORK[task]):
        for label in labels:
            name = label if isinstance(label, str) else label[2]
            if task == "translation":
                server.call("POST", f"{project}/examples/{example}/texts", {"text": label})
                continue
            kind = "category" if task == "classes" else "span"
            if name not in numbers:
                numbers[name] = server.call("POST", f"{project}/{kind}-types", {
                    "text": name, "prefixKey": None, "suffixKey": None, "backgroundColor": "#2196F3", "textColor": "#ffffff"}).json()["id"]
            if kind == "category":
                server.call("POST", f"{project}/examples/{example}/categories", {"label": numbers[name]})
            else:
                server.call("POST", f"{project}/examples/{example}/spans",
                            {"label": numbers[name], "start_offset": label[0], "end_offset": label[1]})
    server.call("POST", f"{project}/comments?example={examples[0]}", {"text": "sure?"})


def export(server, project):
    """The members of the archive that it exports."""
    made = server.call("POST", project + "/download", {"format": "JSONL", "exportApproved": False}).json()["task_id"]
    server.wait(made)
    with zipfile.ZipFile(io.BytesIO(server.call("GET", f"{project}/download?taskId={made}").content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main(folder):
    with tempfile.TemporaryDirectory() as place, Server(place) as server:
        for task in WORK:
            project, examples = import_batch(server, task)
            answer(server, task, project, examples)
            exported = export(server, project)
            assert list(exported) == ["all.jsonl"], list(exported)
            (pathlib.Path(folder) / f"{task}.back.jsonl").write_bytes(exported["all.jsonl"])
        project, examples = import_batch(server, "translation", shared=False)
        answer(server, "translation", project, examples)
        assert list(export(server, project)) == ["anna.jsonl"], "a file for each person"


if __name__ == "__main__":
    main(sys.argv[1])
