#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a script once for each of several last arguments, each in a process of its own, so that what goes wrong on the device,
where an error stays for the life of a process, costs that one alone. Torch, which takes seconds to import, is imported once:
the processes are forked behind that, before anything has used the device.

  each.py [--jobs 1] [--seconds 0] A,B,C SCRIPT ARGUMENT...
  each.py [--jobs 1] [--seconds 0] --parts N SCRIPT ARGUMENT...     last arguments 0/N, 1/N and so on

At most so many at once, each for at most so many seconds (0: no limit). What they print comes line by line. The exit status is 77
where all ended with it, 1 where one ended with another one than 0 and 77."""
import argparse
import os
import runpy
import signal
import sys
import time
import traceback

import torch  # noqa: F401


def run(script, given):
    """The script in a process of its own, a child of this one: its process id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        sys.stdout.reconfigure(line_buffering=True, write_through=False)  # a line is one write, whoever else prints
        sys.argv = [script, *given]
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
        runpy.run_path(script, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush()
        os._exit(status)


def told(status):
    """How a process ended, by its status as of waitpid(); "" for 0 and 77."""
    if os.WIFSIGNALED(status):
        return "DIED of signal %d" % os.WTERMSIG(status)
    return "" if os.WEXITSTATUS(status) in (0, 77) else "FAILED with %d" % os.WEXITSTATUS(status)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--parts", type=int)
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    names = ["%d/%d" % (part, arguments.parts) for part in range(arguments.parts)] if arguments.parts else arguments.rest.pop(0).split(",")
    script, *given = arguments.rest
    waiting, running, statuses, failures = list(names), {}, [], 0
    while waiting or running:
        while waiting and len(running) < arguments.jobs:
            name = waiting.pop(0)
            running[run(script, [*given, name])] = (name, time.monotonic())
        for child, (name, begun) in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            why = told(status) if ended else ""
            if not ended and arguments.seconds and time.monotonic() - begun > arguments.seconds:
                os.kill(child, signal.SIGKILL)
                why = "NOT FINISHED within %g s" % arguments.seconds
            elif not ended:
                continue
            del running[child]  # one that the driver holds is not waited for
            statuses.append(0 if why else os.WEXITSTATUS(status))
            failures += bool(why)
            if why:
                print("%s %s: %s" % (os.path.basename(script), name, why), flush=True)
        time.sleep(0.02)
    print("%d of %d processes failed" % (failures, len(names)), flush=True)
    return 1 if failures else 77 if all(status == 77 for status in statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
