#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# doccano 1.8.4: one number that only some lines of a JSONL file have makes the import of the whole file fail.
#
# What a line has beside text and label becomes the metadata of its example, which is meant for whatever members there are. Expected: a line without
# a member is an example without it. Seen: lines are made a table of pandas first, in which what a line lacks is NaN; NaN goes into the metadata, which
# the database refuses as no JSON, and no example is there. With "" or a number in its place both are.
. "$(dirname "$0")/venv.sh"
venv doccano==1.8.4 marshmallow==3.26.1 numpy==1.26.4 setuptools==80.9.0
export DOCCANO_HOME=$folder/home STANDALONE=True DJANGO_SETTINGS_MODULE=config.settings.production
export DATABASE_URL=sqlite:///$folder/home/db.sqlite3 MEDIA_ROOT=$folder/home/media
"$folder/venv/bin/doccano" init >"$folder/log" 2>&1 || { tail -5 "$folder/log"; exit 1; }
"$python" - "$folder" 2>"$folder/log" <<'PYTHON' || { tail -5 "$folder/log"; exit 1; }
import os
import sys

import backend

sys.path.insert(0, os.path.dirname(backend.__file__))
import django

django.setup()
from django.contrib.auth.models import User
from django.db import IntegrityError

from data_import.datasets import load_dataset
from data_import.pipeline.catalog import create_file_format
from data_import.pipeline.readers import FileName
from examples.models import Example
from projects.models import Seq2seqProject

user = User.objects.create_user("anna")
seen = []
for second in ("", ', "score": ""', ', "score": 0.25'):
    path = os.path.join(sys.argv[1], "batch.jsonl")
    with open(path, "w") as file:
        file.write('{"text": "a", "label": [], "score": 0.5}\n{"text": "b", "label": []%s}\n' % second)
    project = Seq2seqProject.objects.create(name="x", description="x", project_type="Seq2seq", created_by=user)
    dataset = load_dataset("Seq2seq", create_file_format("JSONL"), [FileName(path, "batch.jsonl", "batch.jsonl")], project,
                           column_data="text", column_label="label", encoding="utf_8")
    try:
        dataset.save(user)
        error = "none"
    except IntegrityError as wrong:
        error = str(wrong)
    seen.append((error.split(":")[0], Example.objects.filter(project=project).count()))
    print(f"the second line has {second[2:] or 'no score'}: error {error}, {seen[-1][1]} examples")
assert seen == [("CHECK constraint failed", 0), ("none", 2), ("none", 2)], seen
PYTHON
