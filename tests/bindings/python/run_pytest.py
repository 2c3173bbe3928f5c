#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs pytest on the files given and says the outcome of every case in TAP."""
import os
import re
import sys

import pytest


class Tap:
    def __init__(self):
        self.count = 0
        self.out = os.fdopen(os.dup(1), "w", errors="replace")  # pytest captures the other one

    def say(self, good, name, skip=None, details=""):
        self.count += 1
        print("%s %d - %s%s" % ("ok" if good else "not ok", self.count, name, "" if skip is None else " # SKIP " + skip),
              file=self.out)
        for line in details.splitlines():
            print("# " + line, file=self.out)
        self.out.flush()

    def pytest_runtest_logreport(self, report):
        name = re.sub(r".*?([\w]+)\.py::", r"\1.", report.nodeid).replace("#", " ")
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.say(True, name, reason.replace("Skipped: ", "").replace("\n", " "))
        elif report.failed:
            self.say(False, name + ("" if report.when == "call" else " (%s)" % report.when), details=str(report.longrepr))
        elif report.when == "call":
            self.say(True, name)

    def pytest_collectreport(self, report):
        if report.failed:
            self.say(False, "collecting " + report.nodeid, details=str(report.longrepr))
        elif report.skipped:
            self.say(True, os.path.basename(report.nodeid), report.longrepr[2].replace("\n", " "))


def main():
    tap = Tap()
    status = pytest.main(["-p", "no:terminal", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[tap])
    print("1..%d" % tap.count, file=tap.out, flush=True)
    return 0 if status in (0, 1, 5) and tap.count else 1


if __name__ == "__main__":
    sys.exit(main())
