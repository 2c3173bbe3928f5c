# SPDX-License-Identifier: Apache-2.0
"""Jobs over shards by ranks, with the lines of docs/distributed.md: those of mpi4py under mpirun, those of torch.distributed over gloo. The
picks are those of one process; where a rank is killed between two exchanges, the others end with an error within the time limit."""
import functools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

import alcore

LIMIT = 120  # seconds in which all ranks have ended, also where one was killed
CUTS = [0, 90, 91, 300]
STRATEGIES = ("nnll", "kcenter")  # a few exchanges, and one for each pick
PACKAGES = {"mpi": "mpi4py", "gloo": "torch"}
USES = {"mpi": "import mpi4py.MPI", "gloo": "import torch; torch.zeros(1).numpy()"}  # which a torch without its NumPy cannot

# A program of one rank: PAGE are the lines of the page. A rank kills itself in step VICTIM.
PROGRAM = """
import datetime, json, os, signal, sys
import alcore
texts = ["text %d" % (row // 2) for row in range(300)]
shards = list(zip(CUTS, CUTS[1:]))
class Mortal(alcore.Job):
    steps = 0
    def step(self):
        self.steps += 1
        if rank == 1 and self.steps == int(os.environ.get("VICTIM", "0")):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step()
def make_job(shard):
    first, end = shard
    pool = alcore.Pool(texts[first:end])
    pool.set_column("scores", [row * 37 % 101 / 10 for row in range(first, end)])
    pool.set_column("embeddings", [[row * 37 % 101 / 10, row % 7] for row in range(first, end)])
    return Mortal(alcore.Request(pool, strategy=strategy, budget="9"), first_row=first, rows=len(texts))
START
for strategy in STRATEGIES:
    PAGE
    json.dump(picks.rows, open("%s-%d.json" % (strategy, rank), "w"))
"""
START = {"mpi": "from mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\n",
         "gloo": "import torch.distributed\n"
                 "torch.distributed.init_process_group('gloo', timeout=datetime.timedelta(seconds=20))\n"
                 "rank = torch.distributed.get_rank()\n"}


@functools.cache
def interpreter(name):
    """A Python that can use the package, or None."""
    for python in (sys.executable, "/usr/bin/python3", os.path.join(os.environ.get("ALCORE_BUILD", ""), "..", "torch-venv", "bin", "python")):
        if os.path.exists(python) and subprocess.run([python, "-c", USES[name]], capture_output=True).returncode == 0:
            return python
    return None


def need(name):
    if interpreter(name) is None or (name == "mpi" and shutil.which("mpirun") is None):
        pytest.skip("no package %s" % PACKAGES[name])


def run_ranks(root, folder, name, **environment):
    """Runs a rank for each shard: the exit status of each, of mpirun one for all; and what all have written to stderr."""
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if (name == "mpi") == ("mpi4py" in block) and ".run(" in block)
    program = PROGRAM.replace("START\n", START[name]).replace("PAGE", block.replace("\n", "\n    ").rstrip())
    (folder / "rank.py").write_text("CUTS, STRATEGIES = %r, %r\n" % (CUTS, STRATEGIES) + program, encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(alcore.__file__)), **environment)
    command = [interpreter(name), "rank.py"]
    if name == "mpi":
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader,tcp", "-np", str(len(CUTS) - 1), *command]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ranks = [subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(environment, RANK=str(rank), WORLD_SIZE=str(len(CUTS) - 1), MASTER_ADDR="127.0.0.1", MASTER_PORT=port))
             for rank in range(1 if name == "mpi" else len(CUTS) - 1)]
    end = time.monotonic() + LIMIT
    try:
        said = [rank.communicate(timeout=max(1, end - time.monotonic()))[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    return [rank.returncode for rank in ranks], "".join(said)


def expected(strategy):
    texts = ["text %d" % (row // 2) for row in range(300)]
    pool = alcore.Pool(texts)
    pool.set_column("scores", [row * 37 % 101 / 10 for row in range(300)])
    pool.set_column("embeddings", [[row * 37 % 101 / 10, row % 7] for row in range(300)])
    return list(alcore.Request(pool, strategy=strategy, budget="9").select().indices)


@pytest.mark.parametrize("name", PACKAGES)
def test_ranks_have_the_picks_of_one_process(root, tmp_path, name):
    need(name)
    statuses, said = run_ranks(root, tmp_path, name)
    assert set(statuses) == {0}, said
    for strategy in STRATEGIES:
        found = [json.loads((tmp_path / ("%s-%d.json" % (strategy, rank))).read_text()) for rank in range(len(CUTS) - 1)]
        assert found == [expected(strategy)] * (len(CUTS) - 1)


@pytest.mark.parametrize("step", [1, 2, 4])
@pytest.mark.parametrize("name", PACKAGES)
def test_a_rank_that_is_killed_ends_all(root, tmp_path, name, step):
    need(name)
    statuses, said = run_ranks(root, tmp_path, name, VICTIM=str(step))
    assert 0 not in statuses, said
    assert not (tmp_path / "kcenter-0.json").exists()
    assert re.search("signal 9|Killed" if name == "mpi" else "closed by peer|reset by peer|Timed out|Connection", said), said
