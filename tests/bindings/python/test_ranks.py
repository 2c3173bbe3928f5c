# SPDX-License-Identifier: Apache-2.0
"""Jobs over shards by ranks, with the lines of docs/distributed.md: those of mpi4py under mpirun, those of torch.distributed over gloo. The
picks are those of one process; where a rank is killed between two exchanges, hangs, or is cut off, the others end with an error within the
time limit."""
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
from trained_rounds import one_machine, ROUNDS

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
            exec(os.environ.get("ACT", "os.kill(os.getpid(), signal.SIGKILL)"))
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
                 "torch.distributed.init_process_group('gloo', timeout=datetime.timedelta(seconds=int(os.environ.get('TIMEOUT', 20))))\n"
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


def run_ranks(root, folder, name, under=lambda rank: [], limit=LIMIT, options=(), **environment):
    """Runs a rank for each shard: the exit status of each, of mpirun one for all; and what all have written to stderr. under: the beginning of
    the command of a rank; options: of mpirun."""
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if (name == "mpi") == ("mpi4py" in block) and ".run(" in block)
    if name == "mpi":
        block = block.replace("timeout=600", "timeout=%s" % environment.get("TIMEOUT", 600))
    program = PROGRAM.replace("START\n", START[name]).replace("PAGE", block.replace("\n", "\n    ").rstrip())
    return run_program(folder, name, "CUTS, STRATEGIES = %r, %r\n" % (CUTS, STRATEGIES) + program, len(CUTS) - 1, under, limit, options, **environment)


def run_program(folder, name, program, ranks, under=lambda rank: [], limit=LIMIT, options=(), **environment):
    """Runs a program in so many ranks; as run_ranks()."""
    (folder / "rank.py").write_text(program, encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(alcore.__file__)), **environment)
    command = [interpreter(name), "rank.py"]
    if name == "mpi":
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader,tcp", *options, "-np", str(ranks), *command]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    started = [subprocess.Popen(under(rank) + command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=dict({"MASTER_ADDR": "127.0.0.1"}, **environment, RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_PORT=port))
               for rank in range(1 if name == "mpi" else ranks)]
    end = time.monotonic() + limit
    try:
        said = [rank.communicate(timeout=max(1, end - time.monotonic()))[0] for rank in started]
    finally:
        for rank in started:
            rank.kill()
    return [rank.returncode for rank in started], "".join(said)


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


PHRASED = {"id": ["row-%d" % row for row in range(120)],
           "text": ["the file %d could not be %s by user %d" % (row // 3 % 20, ("opened", "saved", "read")[row % 3], row % 7) for row in range(120)],
           "scores": [row * 37 % 101 / 10 for row in range(120)], "embeddings": [[row * 37 % 101 / 10, row % 7 + .5] for row in range(120)]}
TARGET = {name: PHRASED[name][30:60] for name in ("id", "text")}
WHOLE = [("ngf", "40w", {}), ("ngf-smp", ["9w", "40w"], {}), ("random-phrase", "20w", {"seed": 3}), ("hybrid", ["19w", "40w"], {}),
         ("gold", "40w", {"targets": TARGET, "seed": 3}), ("nnll", "60w", {"max_similarity": .9}), ("huds", 5, {})]
EMPTY = {"the first": [0, 0, 50, 120], "the last": [0, 50, 120, 120], "all but one": [0, 0, 120, 120]}

# Each rank has the picks of all strategies, then those of two rounds of a request that it keeps.
WHOLE_PROGRAM = """
import datetime, json, os
import alcore, alcore.ranks
START
first, end = CUTS[rank:rank + 2]
table = {name: values[first:end] for name, values in TABLE.items()}
found = [alcore.ranks.select(table, budget, strategy, gather=GATHER, **named) for strategy, budget, named in WHOLE]
with alcore.Pool(table if end > first else []) as pool:
    request = alcore.Request(pool, strategy=alcore.Strategy("huds", candidates=30, sticky=1), budget="5", seed=3)
    for number in (1, 2):
        request.set(round=number)
        found.append(alcore.Job(request, first_row=first, rows=CUTS[-1]).run(GATHER).rows)
json.dump(found, open("%d.json" % rank, "w"))
"""
GATHER = {"mpi": "alcore.ranks.mpi(MPI.COMM_WORLD, timeout=60)", "gloo": "alcore.ranks.torch()"}


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("name", PACKAGES)
def test_picks_that_are_no_rows_of_ranks_and_ranks_without_rows(tmp_path, name, empty):
    need(name)
    program = WHOLE_PROGRAM.replace("START\n", START[name]).replace("GATHER", GATHER[name])
    statuses, said = run_program(tmp_path, name, "TABLE, CUTS, WHOLE = %r\n" % ((PHRASED, EMPTY[empty], WHOLE),) + program, 3)
    assert set(statuses) == {0}, said
    whole = []
    for strategy, budget, named in WHOLE:
        picks = alcore.select(PHRASED, budget, strategy, **named)
        each = [[one.indices, one.ids, one.texts, one.scores, one.costs, one.spent, one.short, None if strategy in ("nnll", "huds") else one.records]
                for one in (picks if isinstance(budget, list) else [picks])]
        whole.append(each if isinstance(budget, list) else each[0])
    request = alcore.Request(alcore.Pool(PHRASED), strategy=alcore.Strategy("huds", candidates=30, sticky=1), budget="5", seed=3)
    for number in (1, 2):
        request.set(round=number)
        whole.append(request.select().indices)
    for rank in range(3):
        assert json.loads((tmp_path / ("%d.json" % rank)).read_text()) == whole


@pytest.mark.parametrize("step", [1, 2, 4])
@pytest.mark.parametrize("name", PACKAGES)
def test_a_rank_that_is_killed_ends_all(root, tmp_path, name, step):
    need(name)
    statuses, said = run_ranks(root, tmp_path, name, VICTIM=str(step))
    assert 0 not in statuses, said
    assert not (tmp_path / "kcenter-0.json").exists()
    assert re.search("signal 9|Killed" if name == "mpi" else "messages of the other ranks have not come", said), said


@pytest.mark.parametrize("name", PACKAGES)
def test_a_rank_that_hangs_ends_all(root, tmp_path, name):
    need(name)
    statuses, said = run_ranks(root, tmp_path, name, VICTIM="2", TIMEOUT="5", ACT="import time; time.sleep(60); os._exit(3)")
    assert 0 not in statuses, said
    assert re.search("TimeoutError: rank 0: the other ranks sent nothing within 5 s" if name == "mpi" else "rank 0: the messages of the other ranks "
                     "have not come: .*5000ms", said), said


@pytest.mark.parametrize("name", PACKAGES)
def test_a_rank_that_fails_tells_the_others(root, tmp_path, name):
    need(name)
    statuses, said = run_ranks(root, tmp_path, name, VICTIM="3", ACT="raise MemoryError('of rank 1')")
    assert 0 not in statuses, said
    assert len(re.findall(r"^alcore\S*\.Error: rank 1 \(.*process \d+\): MemoryError: of rank 1$", said, re.M)) >= (1 if name == "mpi" else len(CUTS) - 1), said


@pytest.mark.parametrize("act", ["sys.exit('no more rows')", "raise KeyboardInterrupt"])
@pytest.mark.parametrize("name", PACKAGES)
def test_a_rank_whose_program_ends_tells_the_others(root, tmp_path, name, act):
    need(name)
    begun = time.monotonic()
    statuses, said = run_ranks(root, tmp_path, name, VICTIM="3", ACT=act, TIMEOUT="60")
    assert 0 not in statuses and time.monotonic() - begun < 60, said
    ending = "SystemExit: no more rows" if "exit" in act else "KeyboardInterrupt"
    assert len(re.findall(r"^alcore\S*\.Error: rank 1 \(.*process \d+\): %s$" % ending, said, re.M)) >= (1 if name == "mpi" else len(CUTS) - 2), said
    assert re.search(r"^(?:no more rows|KeyboardInterrupt)$", said, re.M), said


def test_the_program_of_the_page(root, tmp_path):
    need("mpi")
    page = (root / "docs" / "distributed.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "alcore.ranks.select(" in block)
    texts = (root / "examples" / "data" / "pool.txt").read_text(encoding="utf-8").splitlines()[:60]
    alcore.LanguageModel(texts[40:], order=2).write(tmp_path / "known.arpa")
    for rank, (first, end) in enumerate(((0, 17), (17, 18), (18, 40))):
        (tmp_path / ("part-%d.txt" % rank)).write_text("".join(text + "\n" for text in texts[first:end]), encoding="utf-8")
    (tmp_path / "program.py").write_text(block + "import json\njson.dump(picks, open('%d.json' % MPI.COMM_WORLD.rank, 'w'))\n", encoding="utf-8")
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader,tcp", "-np", "3", interpreter("mpi"), "-m", "mpi4py", "program.py"]
    run = functools.partial(subprocess.run, command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT,
                            env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(alcore.__file__))))
    done = run()
    assert done.returncode == 0, done.stderr
    one = alcore.select(texts[:40], "60w", "nnll", model=alcore.LanguageModel.read(tmp_path / "known.arpa"))
    for rank in range(3):
        rows, ids, found, scores = json.loads((tmp_path / ("%d.json" % rank)).read_text())[:4]
        assert (rows, ids, found, scores) == (list(one.indices), list(one.ids), list(one.texts), list(one.scores))
    (tmp_path / "part-1.txt").unlink()
    done = run()
    assert done.returncode != 0 and re.search(r"rank 1 \(.*: FileNotFoundError: .*part-1.txt", done.stderr), done.stderr


# Each rank selects twice with the model of a folder, and counts how often one was opened.
FOLDER_PROGRAM = """
import datetime, json, os
import alcore, alcore.ranks
plain, opened = alcore.Model.open, []
alcore.Model.open = lambda *arguments, **named: opened.append(arguments) or plain(*arguments, **named)
START
first, end = CUTS[rank:rank + 2]
found = [alcore.ranks.select(TEXTS[first:end], 5, strategy, model=FOLDER, gather=GATHER)[:4] for strategy in STRATEGIES]
json.dump([len(opened), found], open("%d.json" % rank, "w"))
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_a_folder_of_a_model_is_read_once_in_each_rank(root, tmp_path, name):
    need(name)
    texts, strategies, folder = PHRASED["text"], ["kcenter", "diversity-global"], str(root / "tests" / "static" / "fixtures" / "plain")
    program = FOLDER_PROGRAM.replace("START\n", START[name]).replace("GATHER", GATHER[name])
    statuses, said = run_program(tmp_path, name, "TEXTS, CUTS, STRATEGIES, FOLDER = %r\n" % ((texts, [0, 50, 51, 120], strategies, folder),) + program, 3)
    assert set(statuses) == {0}, said
    one = [alcore.select(texts, 5, strategy, model=folder) for strategy in strategies]
    for rank in range(3):
        opened, found = json.loads((tmp_path / ("%d.json" % rank)).read_text())
        assert opened == 1 and found == [[list(picks.indices), list(picks.ids), list(picks.texts), list(picks.scores)] for picks in one]


# Each rank makes the rounds of all strategies.
ROUNDS_PROGRAM = """
import datetime, json, os, pathlib, sys
import alcore, alcore.ranks
sys.path.append(TESTS)
import trained_rounds
START
rows = slice(*CUTS[rank:rank + 2])
table, gather = {name: TABLE[name][rows] for name in ("id", "text")}, GATHER
def select(*arguments, **named):
    return alcore.ranks.select(table, *arguments, gather=gather, **named)
found = {}
for strategy in trained_rounds.ROUNDS:
    found[strategy] = trained_rounds.picks_of_rounds(strategy, pathlib.Path("."), select)[0]
json.dump(found, open("%d.json" % rank, "w"))
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_rounds_use_the_scores_of_earlier_ones(tmp_path, name):
    need(name)
    table = {"id": PHRASED["id"], "text": ["text %d" % row for row in range(120)]}
    program = ROUNDS_PROGRAM.replace("START\n", START[name]).replace("GATHER", GATHER[name])
    statuses, said = run_program(tmp_path, name, "TESTS, TABLE, CUTS = %r\n" % ((os.path.dirname(__file__), table, [0, 50, 51, 120]),) + program, 3)
    assert set(statuses) == {0}, said
    (tmp_path / "one").mkdir()
    for strategy in ROUNDS:
        picks, asked = one_machine(strategy, tmp_path / "one", table)
        assert [json.loads((tmp_path / ("%d.json" % rank)).read_text())[strategy] for rank in range(3)] == [picks] * 3
        assert sorted(set((tmp_path / (strategy + ".asked")).read_text().splitlines())) == asked


# The memory of rank 1 runs out in its step, behind an exchange (fold), or when messages come.
MEMORY_PROGRAM = """
import array, datetime, os, resource, sys, threading
import alcore, alcore.ranks
START
def limit(left):
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + left,) * 2)
rows, dims = 20000, 64
class Short(alcore.Job):
    def step(self):
        if rank == 1 and WHERE == "step":
            limit(1 << 20)
        return super().step()
plain = GATHER
def gather(message):
    if rank == 1 and WHERE == "gather" and len(message) > 1 << 20:
        limit(1 << 20)
    found = plain(message)
    if rank == 1 and WHERE == "fold" and len(message) > 1 << 20:
        limit(1 << 20)
    return found
gather.rank = rank
pool = alcore.Pool(["text %d" % (rank * rows + row) for row in range(rows)], context=alcore.Context(threads=1))
values = array.array("f", ((row * 37 + d) % 101 for row in range(rows) for d in range(dims)))
pool.set_column("embeddings", memoryview(values).cast("B").cast("f", [rows, dims]))
request = alcore.Request(pool, strategy="kcenter", budget="5", max_similarity=.9)
Short(request, first_row=rank * rows, rows=3 * rows, dataset="x").run(gather)
print("rank", rank, "has its picks")
"""


@pytest.mark.parametrize("where", ["step", "fold", "gather"])
@pytest.mark.parametrize("name", PACKAGES)
def test_memory_that_runs_out_in_a_rank(tmp_path, name, where):
    need(name)
    program = MEMORY_PROGRAM.replace("START\n", START[name]).replace("GATHER", GATHER[name])
    statuses, said = run_program(tmp_path, name, "WHERE = %r\n" % where + program, 3)
    assert 0 not in statuses and "has its picks" not in said, said
    if name == "gloo" and where != "fold":  # torch gathers with memory of its own
        assert re.search("rank 1\\b.*(?:out of|no|allocate) memory", said), said
        assert "rank 2: the messages of the other ranks have not come" in said, said
    elif where == "gather":
        assert re.search("MemoryError: rank 1: no memory for the messages of all ranks, which have [0-9]{8} bytes", said), said
    else:
        told = re.findall(r"^\S*Error: rank 1 \(.*process \d+\): .*(?:out of memory|MemoryError)", said, re.M)
        assert len(told) >= (1 if name == "mpi" else 3), said


@pytest.fixture
def hosts():
    """Network namespaces, one for each rank, on one bridge: their names and the command before that of a rank."""
    def ip(*words):
        return subprocess.run(["ip", *words], capture_output=True, text=True)
    names = ["alcore-%d-%d" % (os.getpid(), rank) for rank in range(len(CUTS) - 1)]
    if shutil.which("ip") is None or ip("netns", "add", names[0]).returncode != 0:
        pytest.skip("no network namespaces: they need iproute2 and root")
    try:
        for name in names[1:]:
            assert ip("netns", "add", name).returncode == 0
        inside = ["-n", names[0]]
        made = [ip(*inside, "link", "add", "bridge", "type", "bridge"), ip(*inside, "link", "set", "bridge", "up"),
                ip(*inside, "addr", "add", "10.77.0.1/24", "dev", "bridge"), ip(*inside, "link", "set", "lo", "up")]
        for rank, name in enumerate(names[1:], 1):
            made += [ip(*inside, "link", "add", "port%d" % rank, "type", "veth", "peer", "name", "host", "netns", name),
                     ip(*inside, "link", "set", "port%d" % rank, "master", "bridge", "up"), ip("-n", name, "link", "set", "host", "up"),
                     ip("-n", name, "link", "set", "lo", "up"), ip("-n", name, "addr", "add", "10.77.0.%d/24" % (rank + 1), "dev", "host")]
        made += [ip("netns", "exec", name, "sysctl", "-qw", "net.ipv4.tcp_retries2=4") for name in names]  # mpirun waits until TCP gives up a host
        wrong = [step.stderr for step in made if step.returncode != 0]
        if wrong:
            pytest.skip("no network namespaces: %s" % wrong[0].strip())
        yield names
    finally:
        for name in names:
            for process in ip("netns", "pids", name).stdout.split():  # such as the daemon of Open MPI behind a link that was cut
                subprocess.run(["kill", "-9", process], capture_output=True)
            ip("netns", "del", name)


def test_hosts_of_mpi_whose_link_is_cut(root, tmp_path, hosts):
    """Each has a name of its own: those of one name are one machine for Open MPI. What starts the ranks on a host is no ssh, but enters its namespace."""
    need("mpi")
    agent = tmp_path / "agent"
    agent.write_text('#!/bin/sh\nhost=$1\nshift\nnumber=${host##*.}\n'
                     'exec ip netns exec %s$((number - 1)) unshare --uts sh -c "hostname host-$number; $*"\n' % hosts[0][:-1], encoding="utf-8")
    agent.chmod(0o755)
    settings = {"plm_rsh_agent": str(agent), "btl_tcp_if_include": "10.77.0.0/24", "oob_tcp_if_include": "10.77.0.0/24",
                "oob_tcp_keepalive_time": "5", "oob_tcp_keepalive_intvl": "2", "oob_tcp_keepalive_probes": "3"}
    options = [word for name, value in settings.items() for word in ("--mca", name, value)]
    options += ["--host", ",".join("10.77.0.%d" % (rank + 1) for rank in range(len(hosts)))]

    def under(rank):
        return ["ip", "netns", "exec", hosts[0], "unshare", "--uts", "sh", "-c", 'hostname host-1; exec "$@"', "sh"]
    whole = tmp_path / "whole"
    whole.mkdir()
    statuses, said = run_ranks(root, whole, "mpi", under, options=options)
    assert set(statuses) == {0}, said
    assert json.loads((whole / "kcenter-2.json").read_text()) == expected("kcenter")
    statuses, said = run_ranks(root, tmp_path, "mpi", under, options=options, VICTIM="3", TIMEOUT="10", ACT="os.system('ip link set host down')")
    assert 0 not in statuses, said
    assert not (tmp_path / "kcenter-0.json").exists()
    assert "TimeoutError: rank 0: the other ranks sent nothing within 10 s" in said, said


def test_hosts_whose_link_is_cut(root, tmp_path, hosts):
    need("gloo")

    def under(rank):
        return ["ip", "netns", "exec", hosts[rank], "env", "GLOO_SOCKET_IFNAME=" + ("host" if rank else "bridge")]
    whole = tmp_path / "whole"
    whole.mkdir()
    statuses, said = run_ranks(root, whole, "gloo", under, MASTER_ADDR="10.77.0.1")
    assert set(statuses) == {0}, said
    assert json.loads((whole / "kcenter-0.json").read_text()) == expected("kcenter")
    begun = time.monotonic()
    statuses, said = run_ranks(root, tmp_path, "gloo", under, MASTER_ADDR="10.77.0.1", VICTIM="3", TIMEOUT="10",
                               ACT="os.system('ip link set host down')")
    assert 0 not in statuses, said
    assert not (tmp_path / "kcenter-0.json").exists()
    for rank in range(len(CUTS) - 1):
        assert "ConnectionError: rank %d: the messages of the other ranks have not come" % rank in said, said
    assert time.monotonic() - begun < LIMIT
