# SPDX-License-Identifier: Apache-2.0
"""alcore.trackers with the real packages: what each keeps is read back with its own reader."""
import csv
import json
from pathlib import Path

import pytest
from test_experiments import config  # noqa: F401

import alcore
from alcore import trackers


@pytest.fixture
def metrics(config, request):  # noqa: F811
    """An experiment, and its measures by run and name: a list of rounds and values."""
    config.update(strategies=["random", "nnll"], seeds=[1])
    tracker = request.getfixturevalue("tracker")
    with tracker:
        alcore.experiment(config, "out", event=tracker)
    found = {}
    with open("out/metrics.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for name in ("items", "words", "cost", "coverage", "perplexity"):
                found.setdefault(("pets/3/seed-1/" + row["strategy"], name), []).append((int(row["round"]), float(row[name])))
    return found


class TestTensorBoard:
    @pytest.fixture
    def tracker(self):
        return trackers.tensorboard("board")

    def test_event_files(self, metrics):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        for (run, name), values in metrics.items():
            board = EventAccumulator(str(Path("board", run)))
            board.Reload()
            assert [one.step for one in board.Scalars(name)] == [step for step, _ in values]
            assert [one.value for one in board.Scalars(name)] == pytest.approx([value for _, value in values], rel=1e-6)  # float32
            assert "train/seconds" in board.Tags()["scalars"]


class TestMLflow:
    @pytest.fixture
    def tracker(self, tmp_path):
        return trackers.mlflow("pets", tracking_uri="sqlite:///%s/ml.db" % tmp_path)

    def test_runs_of_the_store(self, metrics, tmp_path):
        from mlflow import MlflowClient
        uri = "sqlite:///%s/ml.db" % tmp_path
        client = MlflowClient(tracking_uri=uri)
        kept = client.search_runs([client.get_experiment_by_name("pets").experiment_id])
        runs = {run.data.tags["mlflow.runName"]: run for run in kept}
        assert {run.info.status for run in kept} == {"FINISHED"} and len(kept) == 2
        assert runs["pets/3/seed-1/nnll"].data.params == {"domain": "pets", "budget": "3", "seed": "1", "strategy": "nnll"}
        for (run, name), values in metrics.items():
            history = client.get_metric_history(runs[run].info.run_id, name)
            assert sorted((one.step, one.value) for one in history) == values
        # A second process goes on with the runs of the first one.
        with trackers.mlflow("pets", tracking_uri=uri) as again:
            trackers.replay("out", again)
        assert len(client.search_runs([kept[0].info.experiment_id])) == 2


def records_of(file):
    """The records of a file of W&B: a log of LevelDB (blocks of 32 KiB; checksum, length and kind before each part of a record) behind
    seven bytes of its own. The package has no reader of it any more."""
    at, record = 7, b""
    while at + 7 <= len(file):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        length, kind = int.from_bytes(file[at + 4:at + 6], "little"), file[at + 6]
        record += file[at + 7:at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield record
            record = b""


class TestWandb:
    @pytest.fixture
    def tracker(self, tmp_path, monkeypatch):
        monkeypatch.setenv("WANDB_SILENT", "true")
        return trackers.wandb("pets", mode="offline", dir=str(tmp_path))

    def test_files_of_offline_runs(self, metrics, tmp_path):
        import wandb
        from wandb.proto import wandb_internal_pb2
        wandb.teardown()  # finish() does not wait until the file is written
        found = {}
        for path in tmp_path.glob("wandb/offline-run-*/run-*.wandb"):
            name = None
            for data in records_of(path.read_bytes()):
                record = wandb_internal_pb2.Record()
                record.ParseFromString(data)
                if record.WhichOneof("record_type") == "run":
                    name = record.run.display_name
                elif record.WhichOneof("record_type") == "history":
                    row = {item.key or ".".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
                    for key, value in row.items():
                        if key[0] != "_" and key != "round":
                            found.setdefault((name, key), []).append((row["round"], value))
        for key, values in metrics.items():
            assert found[key] == values, key
