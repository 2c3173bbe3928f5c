# SPDX-License-Identifier: Apache-2.0
"""Experiment trackers over the events of alcore.experiment(), each through its own package.

    with alcore.trackers.mlflow("huds") as tracker:
        alcore.experiment("huds.json", "work", event=tracker)

Each function opens a tracker, which takes events as they come; replay() gives it those of an experiment that ran elsewhere, such as by
the command. A measure that is told twice, as events are after a process was killed, is logged once."""
from __future__ import annotations

import json
import os
from typing import Any

from ._lazy import types as t


class Tracker:
    """What takes events: call it with each. It closes its runs at the end of `with`, or by close()."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int, str, str], float] = {}
        self._runs: dict[str, Any] = {}

    def __call__(self, event: t.Mapping[str, Any]) -> None:
        key = (event["run"], event["round"], event["step"], event["name"])
        if event["value"] is None or self._seen.get(key) == event["value"]:
            return
        self._seen[key] = event["value"]
        if event["run"] not in self._runs:
            self._runs[event["run"]] = self._open(event["run"], _labels(event["run"]))
        name = event["name"] if event["step"] == "evaluate" else "%s/%s" % (event["step"], event["name"])
        self._log(self._runs[event["run"]], name, event["value"], event["round"], event["time"])

    def __enter__(self) -> t.Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what was opened; a second call does nothing."""
        while self._runs:
            self._close(self._runs.popitem()[1])

    def _open(self, name: str, labels: dict[str, str]) -> Any:
        """A run of the package."""
        raise NotImplementedError

    def _log(self, run: Any, name: str, value: float, step: int, time: float) -> None:
        raise NotImplementedError

    def _close(self, run: Any) -> None:
        """Ends a run; by default there is nothing to do."""


def _labels(run):
    """What a run is: domain, budget, seed and strategy by its name."""
    domain, budget, seed, strategy = run.split("/")
    return {"domain": domain, "budget": budget, "seed": seed[len("seed-"):], "strategy": strategy}


def _package(import_it, name, extra):
    try:
        return import_it()
    except ImportError as error:
        raise ImportError("alcore.trackers.%s needs the package %s: pip install %s" % (name, extra, extra)) from error


class _TensorBoard(Tracker):
    def __init__(self, folder, writer):
        super().__init__()
        self._folder, self._writer = os.fspath(folder), writer

    def _open(self, name, labels):
        return self._writer(os.path.join(self._folder, *name.split("/")))

    def _log(self, run, name, value, step, time):
        run.add_scalar(name, value, step, walltime=time)

    def _close(self, run):
        run.close()


def tensorboard(folder: t.Path) -> Tracker:
    """Writes event files, a folder for each run, through torch.utils.tensorboard or tensorboardX."""
    def writer():
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            from tensorboardX import SummaryWriter
        return SummaryWriter
    return _TensorBoard(folder, _package(writer, "tensorboard", "tensorboardX"))


class _MLflow(Tracker):
    def __init__(self, client, experiment):
        super().__init__()
        self._client = client
        found = client.get_experiment_by_name(experiment)
        self._experiment = found.experiment_id if found else client.create_experiment(experiment)

    def _open(self, name, labels):
        """The run of that name, which an earlier process may have begun."""
        found = self._client.search_runs([self._experiment], "tags.`mlflow.runName` = '%s'" % name, max_results=1)
        if found:
            return found[0].info.run_id
        made = self._client.create_run(self._experiment, tags={"mlflow.runName": name})
        for label, value in labels.items():
            self._client.log_param(made.info.run_id, label, value)
        return made.info.run_id

    def _log(self, run, name, value, step, time):
        self._client.log_metric(run, name, value, timestamp=int(1000 * time), step=step)

    def _close(self, run):
        self._client.set_terminated(run)


def mlflow(experiment: str, *, tracking_uri: str | None = None) -> Tracker:
    """Logs to MLflow, a run for each run; tracking_uri: where, None: as MLflow is set up, which is a local SQLite file by default.
    A run of the same name is gone on with."""
    def client():
        from mlflow import MlflowClient
        return MlflowClient
    return _MLflow(_package(client, "mlflow", "mlflow")(tracking_uri=tracking_uri), experiment)


class _Wandb(Tracker):
    def __init__(self, init, project, settings):
        super().__init__()
        self._init, self._project, self._settings = init, project, settings

    def _open(self, name, labels):
        return self._init(project=self._project, name=name, id=name.replace("/", "."), config=labels, resume="allow",
                          reinit="create_new", **self._settings)

    def _log(self, run, name, value, step, time):
        # The step of a round is named, as W&B drops values of a step before the last one.
        run.log({name: value, "round": step})

    def _close(self, run):
        run.finish()


def wandb(project: str, **settings: Any) -> Tracker:
    """Logs to Weights & Biases, a run for each run; settings: further arguments of wandb.init(), such as mode="offline"."""
    def init():
        import wandb as package
        return package.init
    return _Wandb(_package(init, "wandb", "wandb"), project, settings)


def replay(folder: t.Path, tracker: t.Callable[[dict[str, Any]], object]) -> int:
    """Gives the events of an experiment's folder to a tracker, in their order; how many there are. A line that a killed process has
    left without its end is passed over."""
    count = 0
    with open(os.path.join(os.fspath(folder), "events.jsonl"), encoding="utf-8") as file:
        for line in file:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            tracker(event)
            count += 1
    return count
