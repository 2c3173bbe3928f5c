#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The torch module as a file: what it exports, what it needs, who includes torch's headers, and how large the fixtures are. In TAP.
usage: test_module.py PROJECT MODULE NM"""
import glob
import os
import re
import subprocess
import sys

PROJECT, MODULE, NM = sys.argv[1:]
sys.path.insert(0, os.path.join(PROJECT, "tests", "tools"))
from tap import Tap  # noqa: E402


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def includers():
    """Files outside of lib/engines/torch that include a header of torch. Examples that are programs of LibTorch do, the device and the
    failures that tests add to torch, and the tests of what is kept of tensors and of the loops over torch's threads."""
    for folder in ("include", "lib", "bindings", "tests"):
        for path in glob.glob(os.path.join(PROJECT, folder, "**", "*"), recursive=True):
            own = path.startswith(os.path.join(PROJECT, "lib", "engines", "torch", "")) or os.path.basename(path) in ("other_device.cpp", "failing.cpp", "test_kept.cpp", "test_parallel.cpp")
            if own or not re.search(r"\.(c|cc|cpp|cu|h|hpp|inc)$", path):
                continue
            with open(path, encoding="utf-8") as file:
                if re.search(r'^\s*#\s*include\s*[<"](ATen|c10|torch)/', file.read(), re.M):
                    yield os.path.relpath(path, PROJECT)


tap = Tap()
exported = [line.split()[-1].split("@")[0] for line in output(NM, "-D", "--defined-only", MODULE).splitlines() if line.split()[-2] != "A"]
tap.check(exported == ["alcore_torch_entry"], "one symbol is exported", exported)
needed = set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", MODULE)))
strange = sorted(name for name in needed if not re.match(r"(libtorch_cpu|libc10|libjansson|libstdc\+\+|libm|libgcc_s|libc|ld-linux.*)\.so", name))
tap.check({"libtorch_cpu.so", "libc10.so"} <= needed and not strange,
          "of torch it needs the CPU part alone, and of others no library that torch brings along", sorted(needed))
found = sorted(includers())
tap.check(not found, "only lib/engines/torch includes headers of torch", "\n".join(found))
loops = [os.path.basename(path) for path in glob.glob(os.path.join(PROJECT, "lib", "engines", "torch", "*.cpp"))
         if "at::parallel_" in open(path, encoding="utf-8").read() and os.path.basename(path) != "torch_parallel.cpp"]
tap.check(not loops, "no file has a loop of torch's headers, which has no threads here", loops)
size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(PROJECT, "tests", "torch", "fixtures", "**"), recursive=True) if os.path.isfile(path))
tap.check(0 < size < 6 << 20, "the fixtures are smaller than 6 MiB", size)
tap.finish()
