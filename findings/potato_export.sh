#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# potato-annotation 2.12.1: what is saved within a minute of an export is not in it, and never comes in where nobody saves again.
#
# With export_annotation_format the server writes exports/jsonl/annotations.jsonl. Expected: that it has every annotation that was saved, if only
# after a while, or once the server has ended. Seen: an export is written by a save alone, and none within auto_export_interval (60 s) of the last
# one, so that the last annotations of a day are missing. With auto_export_interval: 0 every save writes it.
. "$(dirname "$0")/venv.sh"
venv potato-annotation==2.12.1 requests==2.34.2
cd "$folder"
printf '%s\n' '{"id": "1", "text": "one"}' '{"id": "2", "text": "two"}' >items.jsonl
cat >config.yaml <<'YAML'
annotation_task_name: two items
task_dir: .
data_files: [items.jsonl]
item_properties: {id_key: id, text_key: text}
output_annotation_dir: output
export_annotation_format: jsonl
require_password: false
user_config: {allow_all_users: true, users: []}
annotation_schemes:
  - {annotation_type: text, name: translation, description: Translation}
YAML
"$python" - <<'PYTHON'
import json, pathlib, socket, subprocess, sys, time
import requests

with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    port = one.getsockname()[1]
address = "http://127.0.0.1:%d" % port
server = subprocess.Popen([sys.executable, "-m", "potato", "start", "config.yaml", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    person = requests.Session()
    for _ in range(240):
        try:
            person.post(address + "/register", data={"email": "anna", "pass": "x", "action": "signup"}, timeout=30)
            break
        except requests.ConnectionError:
            time.sleep(0.5)
    person.get(address + "/annotate", timeout=30)
    for item, text in (("1", "eins"), ("2", "zwei")):
        saved = person.post(address + "/updateinstance", json={"instance_id": item, "annotations": {"translation:text_box": text}}, timeout=30)
        assert saved.json()["status"] == "success"
    time.sleep(70)
finally:
    server.terminate()
    server.wait()
export = [json.loads(line)["instance_id"] for line in open("output/exports/jsonl/annotations.jsonl")]
kept = pathlib.Path("output/anna/user_state.json").read_text()
print("saved: 1 and 2; 70 s later and after the end the export has", export, "while the state of the user has both:", "eins" in kept and "zwei" in kept)
assert export == ["1"] and "eins" in kept and "zwei" in kept
PYTHON
