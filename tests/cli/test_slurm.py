# SPDX-License-Identifier: Apache-2.0
"""examples/shards_slurm.sh on a cluster of Slurm with one node, which this program starts and ends: the picks are those of one file, also
where tasks run in any order and twice, are cancelled, killed or queued again, and where a daemon dies; otherwise there is an error."""
import atexit
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import ALCORE, case, contains, equal, main, Skip

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "shards_slurm.sh")
TEXTS = ["the file %d could not be %s by user %d" % (row // 2 if row % 5 else row, ("opened", "saved", "read again")[row % 3], row % 7) for row in range(120)]
CUTS = [0, 50, 51, 120]
LIMIT = 240  # seconds in which every run has ended
SETTINGS = """
ClusterName=alcore
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A task that is queued again waits until its credential has expired, by default for two minutes.
AuthInfo=cred_expire=5,socket={0}/munge.socket
CredType=cred/munge
SlurmctldPort={1}
SlurmdPort={2}
StateSaveLocation={0}/state
SlurmdSpoolDir={0}/spool
SlurmctldPidFile={0}/slurmctld.pid
SlurmdPidFile={0}/slurmd.pid
SlurmctldLogFile={0}/slurmctld.log
SlurmdLogFile={0}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
# The command in PATH of a task: what the file `act` says happens first. `once` is true once, and
# `once "$@"` once for each step of a part.
COMMAND = """#!/bin/sh
once() {{ mkdir "tried-$(printf %s "$*" | cksum | tr -c '0-9\\n' -)" 2>/dev/null; }}
task=${{SLURM_ARRAY_TASK_ID-}} array=${{SLURM_ARRAY_JOB_ID-}}
case "$*" in *--shard*) [ ! -e act ] || . ./act ;; esac
exec "{alcore}" "$@"
"""


class Cluster:
    """munged, slurmctld and slurmd in a folder of their own."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="alcore-slurm-")
        self.pids = {}
        for name in ("state", "spool", "bin"):
            os.mkdir(os.path.join(self.path, name))
        with socket.socket() as one, socket.socket() as other:
            for free in (one, other):
                free.bind(("127.0.0.1", 0))
            ports = [free.getsockname()[1] for free in (one, other)]
        self.write("slurm.conf", SETTINGS.format(self.path, *ports))
        self.write("bin/alcore", COMMAND.format(alcore=ALCORE))
        os.chmod(os.path.join(self.path, "bin/alcore"), 0o755)
        self.write("munge.key", os.urandom(128))
        os.chmod(os.path.join(self.path, "munge.key"), 0o600)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
        self.environment.update(SLURM_CONF=os.path.join(self.path, "slurm.conf"), PATH=os.path.join(self.path, "bin") + ":" + os.environ["PATH"])
        atexit.register(self.stop)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # where a test run takes too long
        self.start("munged", "--force", *["--%s=%s/munge.%s" % (option, self.path, name) for option, name in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))])
        self.start("slurmctld")
        self.start("slurmd", "-N", "localhost")
        self.wait("a node that is idle", lambda: self.ask("sinfo", "--noheader", "--format=%t").strip() == "idle")

    def write(self, name, data):
        with open(os.path.join(self.path, name), "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode())

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout

    def start(self, name, *options):
        done = subprocess.run([name, *options], env=self.environment, capture_output=True, text=True, timeout=60)
        equal((done.returncode, name), (0, name), done.stdout + done.stderr)
        pid = os.path.join(self.path, {"munged": "munge"}.get(name, name) + ".pid")
        self.wait("the number of " + name, lambda: os.path.exists(pid) and open(pid).read().strip())
        self.pids[name] = int(open(pid).read())

    def kill(self, name):
        os.kill(self.pids[name], signal.SIGKILL)
        self.wait("the end of " + name, lambda: not is_running(self.pids[name]))
        os.remove(os.path.join(self.path, name + ".pid"))

    def wait(self, what, is_there):
        end = time.monotonic() + 60
        while not is_there():
            if time.monotonic() > end:
                raise AssertionError("%s does not come: %s" % (what, self.ask("scontrol", "show", "node") + self.log()))
            time.sleep(.1)

    def log(self):
        return "".join(open(os.path.join(self.path, name), errors="replace").read()[-3000:] for name in ("slurmctld.log", "slurmd.log")
                       if os.path.exists(os.path.join(self.path, name)))

    def is_empty(self):
        return self.ask("squeue", "--noheader") == ""

    def stop(self):
        self.ask("scancel", "--user=root")
        end = time.monotonic() + 30
        while not self.is_empty() and time.monotonic() < end:
            time.sleep(.2)
        for name in reversed(list(self.pids)):
            try:
                os.kill(self.pids[name], signal.SIGTERM)
            except ProcessLookupError:
                continue
            end = time.monotonic() + 20
            while is_running(self.pids[name]) and time.monotonic() < end:
                time.sleep(.1)
            if is_running(self.pids[name]):
                os.kill(self.pids[name], signal.SIGKILL)
        shutil.rmtree(self.path, ignore_errors=True)


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@functools.cache
def cluster():
    lacking = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]
    if lacking or os.getuid() != 0:
        raise Skip("no " + lacking[0] if lacking else "only root may start daemons of Slurm")
    return Cluster()


def files(box, act=None):
    """The parts, and what happens to their steps."""
    box.file("all.txt", "".join(text + "\n" for text in TEXTS))
    box.npy("all.npy", [row * 37 % 101 / 8 for row in range(len(TEXTS))], "<f8")
    for number, (first, end) in enumerate(zip(CUTS, CUTS[1:])):
        box.file("part-%d" % number, "\n".join(TEXTS[first:end]) + "\n" * (number < 2))  # the last line has no line end
        box.npy("part-%d.npy" % number, [row * 37 % 101 / 8 for row in range(first, end)], "<f8")
    if act:
        box.file("act", act)


def begin(box, *options, command=("sh", SCRIPT), **environment):
    return subprocess.Popen([*command, *options], cwd=box.path, env=dict(cluster().environment, **environment), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)


def end(started, expect=0):
    try:
        out, err = started.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        raise AssertionError("it hangs: " + cluster().ask("scontrol", "show", "job") + cluster().log())
    equal(started.returncode, expect, out + err)
    return err


def run(box, *options, expect=0, **more):
    return end(begin(box, *options, **more), expect)


def check(box, *options):
    """The picks are those of one file."""
    lines = [line.split("\t") for line in box.run("select", "all.txt", *[option.replace("{part}", "all") for option in options], "--quiet").out.splitlines()]
    columns = [lines[0].index(name) for name in ("rank", "index", "score", "cost")] if "ngf-smp" not in options else range(len(lines[0]))
    equal(box.read("shards.tsv").decode().splitlines(), ["\t".join(line[column] for column in columns) for line in lines])


SCORED = ("--budget", "30w", "--strategy", "nnll", "--scores", "{part}.npy", "--dedup", "none")  # one exchange
RECOMMENDED = ("--budget", "60w")


@case
def an_array_has_the_picks_of_one_file(box):
    """Also where the options are others than before, and then those of before again; and nothing is left to do."""
    cluster()
    files(box)
    for options in (RECOMMENDED, ("--budget", "30w", "--strategy", "ngf-smp"), SCORED):
        run(box, *options)
        check(box, *options)
    run(box, *RECOMMENDED, SBATCH_PARTITION="no such partition")
    check(box, *RECOMMENDED)
    box.file("part-0", "".join("other words of line %d\n" % row for row in range(CUTS[1])))
    box.file("all.txt", box.read("part-0") + b"".join(text.encode() + b"\n" for text in TEXTS[CUTS[1]:]))
    run(box, *SCORED)
    check(box, *SCORED)


@case
def the_script_may_be_a_job_itself(box):
    cluster()
    files(box)
    run(box, "--wait", "--output=log", SCRIPT, *SCORED, command=("sbatch",))
    check(box, *SCORED)


@case
def tasks_in_any_order_and_twice(box):
    cluster()
    files(box, "sleep 0.$((($$ * 7 + task * 5) %% 10))\n\"%s\" \"$@\" & sleep 0.0$(($$ %% 5))\n" % ALCORE)
    run(box, *RECOMMENDED)
    check(box, *RECOMMENDED)


@case
def a_task_that_is_killed_is_an_error(box):
    """In each exchange, and in that of the picks; started again, the script goes on."""
    cluster()
    files(box, "if [ $task = 1 ] && once \"$@\"; then \"%s\" \"$@\" & sleep 0.00$(($$ %% 9)); kill -9 $! $$; fi\n" % ALCORE)
    options, tries = ("--budget", "12", *SCORED[2:-2]), 0
    while not box.exists("shards.tsv"):
        started = begin(box, *options)
        err = started.communicate(timeout=LIMIT)[1]
        tries += 1
        if started.returncode:
            contains(err, "exchange %d: no message of task 1 (sbatch: " % tries)
    check(box, *options)
    equal(tries, 3)  # of the two exchanges one each; the picks are those of the other tasks


@case
def a_task_that_fails_says_why(box):
    cluster()
    files(box)
    os.remove(os.path.join(box.path, "part-1.npy"))
    err = run(box, *SCORED, expect=1)
    contains(err, "exchange 1: no message of task 1 (sbatch: 4)", "part-1.npy")
    equal(box.exists("shards.tsv"), False)
    files(box)
    run(box, *SCORED)
    check(box, *SCORED)


@case
def a_task_that_is_cancelled_is_an_error(box):
    """While it runs; and before it runs, where sbatch tells of no failure."""
    cluster()
    for act, task, code in (("[ $task != 1 ] || ! once || { scancel ${array}_1; sleep 60; }\n", 1, "[1-9][0-9]*"),
                            ("if [ $task = 0 ] && once; then scancel ${array}_2; touch gone; fi\nwhile [ ! -e gone ]; do sleep 0.1; done\n", 2, "0")):
        shutil.rmtree(box.path)
        os.mkdir(box.path)
        files(box, act)
        err = run(box, *SCORED, expect=1)
        assert re.search(r"exchange 1: no message of task %d \(sbatch: %s\)" % (task, code), err), err
        equal(box.exists("shards.tsv"), False)
        run(box, *SCORED)
        check(box, *SCORED)


@case
def a_task_that_is_queued_again_has_the_same_picks(box):
    cluster()
    files(box, "echo task $task restart ${SLURM_RESTART_COUNT-0} >>starts\n[ $task != 1 ] || ! once || { \"%s\" \"$@\"; scontrol requeue ${array}_1; sleep 60; }\n" % ALCORE)
    run(box, *SCORED)
    check(box, *SCORED)
    contains(box.read("starts").decode(), "task 1 restart 0\n", "task 1 restart 1\n")


@case
def an_array_that_never_runs_is_cancelled(box):
    cluster()
    files(box)
    cluster().ask("scontrol", "update", "NodeName=localhost", "State=DRAIN", "Reason=test")
    try:
        err = run(box, *SCORED, expect=1, LIMIT="6")
        contains(err, "exchange 1: the array has not ended after 6, and is cancelled", "PENDING")
        cluster().wait("an empty queue", cluster().is_empty)
    finally:
        cluster().ask("scontrol", "update", "NodeName=localhost", "State=RESUME")
    run(box, *SCORED)
    check(box, *SCORED)


@case
def daemons_that_die_and_come_back(box):
    """slurmctld may have forgotten the array, of which sbatch tells as of no failure; its next array then has the same number, and where a task of the
    forgotten one still runs, Slurm drains the node and holds the new one."""
    cluster()
    files(box, "[ $task != 1 ] || ! once || { touch running; sleep 5; }\n")
    for daemon, options in (("slurmctld", ()), ("slurmd", ("-N", "localhost"))):
        for name in box.names():
            if name.startswith(("tried-", "run-", "shards", "running")):
                subprocess.run(["rm", "-r", name], cwd=box.path, check=True)
        started = begin(box, *SCORED, LIMIT="25")
        cluster().wait("the task", lambda: box.exists("running"))
        cluster().kill(daemon)
        time.sleep(1)
        cluster().start(daemon, *options)
        for tries in range(6):
            said = started.communicate(timeout=LIMIT)
            if started.returncode == 0:
                break
            equal((started.returncode, box.exists("shards.tsv")), (1, False), said)
            assert re.search("exchange [12]: (no message of task|the array has not ended)", said[1]), said
            cluster().ask("scontrol", "update", "NodeName=localhost", "State=RESUME")
            started = begin(box, *SCORED, LIMIT="25")
        check(box, *SCORED)


@case
def a_script_that_is_killed_goes_on(box):
    """Its array still runs when the next one asks for the same, or for other picks."""
    cluster()
    other = ("--budget", "9", *SCORED[2:])
    for options in (SCORED, other):
        shutil.rmtree(box.path)
        os.mkdir(box.path)
        files(box, "touch running; sleep 3\n")
        started = begin(box, *SCORED)
        cluster().wait("a task", lambda: box.exists("running"))
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        run(box, *options)
        cluster().wait("an empty queue", cluster().is_empty)
        check(box, *options)


@case
def no_part_is_an_error(box):
    cluster()
    contains(run(box, *SCORED, expect=2), "no file part-0")


main()
