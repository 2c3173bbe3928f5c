# SPDX-License-Identifier: Apache-2.0
"""A machine learning backend for Label Studio: what is least like the sentences that have translations comes first, and what a
translation memory has comes with a draft.

usage: label_studio_backend.py MEMORY [PORT]

MEMORY: a file with texts and translations, such as examples/data/labeled.tsv. In Label Studio the project has the tasks and the
interface of `alcore oracle --requests --tool label-studio`, Settings > Model connects http://localhost:9090, and the project samples
tasks by uncertainty, the lowest score first. A translation that is saved there is learned at once where the model's webhook is on."""
import http.server
import json
import pathlib
import sys
import threading

import alcore


class Model:
    """What the backend knows: translations by their sources, and a language model of the sources."""

    def __init__(self, path):
        pool = alcore.Pool(pathlib.Path(path))
        self.memory = {pool[row]: pool.reference(row) for row in range(len(pool)) if pool.reference(row)}
        self.lock = threading.Lock()
        self.train()

    def train(self):
        self.language_model = alcore.LanguageModel(list(self.memory))
        self.version = "alcore %d" % len(self.memory)

    def predict(self, task):
        """A prediction; its score is the mean probability of a word and of the end."""
        text = task["data"]["text"]
        draft = self.memory.get(text)
        result = [{"id": "draft", "from_name": "translation", "to_name": "text", "type": "textarea", "value": {"text": [draft]}}] if draft else []
        return {"model_version": self.version, "score": 10 ** (self.language_model.score(text) / (len(text.split()) + 1)), "result": result}

    def learn(self, event):
        """Takes the translation of an annotation that was saved."""
        if event.get("action") not in ("ANNOTATION_CREATED", "ANNOTATION_UPDATED") or event["annotation"].get("was_cancelled"):
            return
        for one in event["annotation"]["result"]:
            if one["from_name"] == "translation" and one["value"]["text"]:
                self.memory[event["task"]["data"]["text"]] = one["value"]["text"][-1]
                self.train()

    def answer(self, path, request):
        """The answer to a request, or None: there is no such path."""
        with self.lock:
            if path in ("/", "/health"):
                return {"status": "UP", "model_class": "alcore"}
            if path == "/setup":
                return {"model_version": self.version}
            if path == "/predict":
                return {"results": [self.predict(task) for task in request["tasks"]], "model_version": self.version}
            if path in ("/webhook", "/train"):
                self.learn(request)
                return {"model_version": self.version}


def handler(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        def reply(self, request):
            try:
                answer = model.answer(self.path.split("?")[0], request() if request else None)
                status = 404 if answer is None else 200
            except (ValueError, KeyError, TypeError) as error:
                answer, status = {"error": "%s: %s" % (type(error).__name__, error)}, 400
            body = json.dumps(answer if status != 404 else {"error": "no " + self.path}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(None)

        def do_POST(self):
            self.reply(lambda: json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0)))))

        def log_message(self, *_):
            pass

    return Handler


if __name__ == "__main__":
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 9090
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler(Model(sys.argv[1]))) as server:
        print("http://127.0.0.1:%d" % server.server_port, flush=True)
        server.serve_forever()
