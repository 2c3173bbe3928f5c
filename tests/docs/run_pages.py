# SPDX-License-Identifier: Apache-2.0
"""Every fenced block of README.md and docs/ runs, or is in the list EXCEPTIONS with the reason; in TAP.

  run_pages.py [PAGE...]

The blocks of a page run in their order in one folder, with the files of page_files.py. sh: every command succeeds, and every
file of --out is there, with as many rows as --budget or --count asks for. console: a command prints what stands behind it; one that
shows nothing prints nothing on standard output. After `$ cat FILE` stands an input, from which FILE is made. python and lua:
what `# ->` and `-->` say is printed. c: the block compiles, and a command in its first comment builds a program.
Of an exception the syntax is checked, and that the scripts and options of the build that it names exist.
Commands in sentences and tables are not run, but have no unknown action or option."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from page_files import GIVEN, PREPARE, ROOT

BUILD = os.environ["ALCORE_BUILD"]
LUA = os.environ.get("ALCORE_LUA", "").split()  # a Lua, and the pattern of its module
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"(?:\n|\A)    ((?:\$ |alcore |tests/|examples/|build/|meson |ninja |pip |python3 |from \w+ import |model\.)[^\n]*)")
BUILDS = "it compiles the library, as every test run does; test consumers installs it and builds programs against it"
NETWORK = "it needs a network"
BARE = "it installs packages and compiles; test bare runs it on a bare system"
# (page, language, how the block begins, reason). Every entry has a block, else it fails.
EXCEPTIONS = [
    ("README.md", "sh", "examples/quickstart.sh", BARE),
    ("README.md", "sh", "examples/rounds.sh", "tests rounds_sh and phrases_sh run the scripts; run.sh runs this"),
    ("README.md", "sh", "apt-get install", BARE),
    ("docs/start-c.md", "sh", "apt-get install", BARE),
    ("docs/start-command.md", "sh", "apt-get install", BARE),
    ("docs/results/classification.md", "sh", "S=", "it takes half an hour and a model; test_what_a_classifier_learns_from runs the script"),
    ("docs/results/classification.md", "sh", "python3 tests/bench/bench_badge_modes.py", "it takes minutes; "
     "test_what_a_classifier_learns_from runs the script"),
    ("docs/results/classification.md", "sh", "T=", "it takes minutes and a model; test torch_classify_tuned runs the script"),
    ("docs/results/worth.md", "sh", "export ALCORE_SHARED_DATA", "it takes an hour and the corpora; test worth_sh runs the script"),
    ("docs/results/worth.md", "sh", "C=catalogues", "it takes minutes and the corpora; test worth_cover runs the script"),
    ("docs/results/papers.md", "sh", "export ALCORE_SHARED_DATA", "it takes hours, the corpora and a model; test papers_sh runs the script"),
    ("docs/results/tagging.md", "sh", "python3 examples", "it takes a quarter of an hour, the corpora and a model; test tagging_py runs the script"),
    ("docs/results/static.md", "sh", "python3 examples", "it takes minutes, the corpora and a model; test static_words runs the script"),
    ("docs/start-command.md", "sh", "alcore doctor --torch", "it needs a torch; test bare runs a model"),
    ("docs/start-lua.md", "sh", "apt-get install", BARE),
    ("docs/start-python.md", "sh", "apt-get install", BARE),
    ("docs/building.md", "sh", "meson setup build-aarch64", "it needs the libraries of another machine"),
    ("docs/building.md", "sh", "meson setup build", BUILDS),
    ("docs/building.md", "ini", "# aarch64.ini", "a file; a compiler for aarch64 is needed to use it"),
    ("docs/building.md", "sh", "meson test -C build ", "the tests themselves"),
    ("docs/building.md", "sh", "CC=clang meson setup build-fuzz", "it compiles the library; tests/run.sh does the same in the build "
     "libfuzzer"),
    ("docs/gpu.md", "sh", "tests/gpu/pack.sh", "it needs nvcc and a device; test gpu_dry_run runs the folder without one"),
    ("docs/install.md", "sh", "pip install alcore ", NETWORK + "; tests/release.sh installs each on a bare system"),
    ("docs/install.md", "sh", "apt install", "as the first block of the page"),
    ("docs/install.md", "sh", "python3 -m venv ~/models", "as the first block of the page"),
    ("docs/install.md", "sh", "luarocks install", "as the first block of the page"),
    ("docs/tools.md", "sh", "alcore oracle", "between the two commands a person works in the tool; test cli-tools runs every pair of them so"),
    ("docs/lua.md", "lua", "", "the tests lua*_docs run these blocks, in every Lua (tests/bindings/lua/run_snippets.lua)"),
    ("docs/distributed.md", "sh", "split --number=l/3 --numeric-suffixes pool.txt part-\nsh ", "it needs a cluster; test cli-slurm runs the script"),
    ("docs/distributed.md", "sh", "split --number=l/3 --numeric-suffixes pool.txt part-\nmake ", "make is no need of the build; test cli-shards runs the file"),
    ("docs/distributed.md", "python", "with_dask", "it needs a cluster; test python_clusters runs the line of each engine"),
    ("docs/distributed.md", "python", "import alcore.spark", "it needs a cluster; test python_clusters runs the program of each engine"),
    ("docs/distributed.md", "python", "import alcore.ray", "as above"),
    ("docs/distributed.md", "python", "import alcore.dask", "as above"),
    ("docs/distributed.md", "python", "import alcore.ranks", "it needs a launcher of ranks; test python_ranks runs these lines"),
    ("docs/models.md", "sh", "python3 -m venv build/torch-venv", NETWORK),
    ("docs/models.md", "sh", "python3 tests/torch/make_fixtures.py", "it needs transformers, and writes the folders that are committed"),
    ("docs/models.md", "python", "outputs = model.translate(", "its model stands for others; tests/torch/test_neural.py makes such passes"),
    ("docs/projects.md", "sh", "alcore project train work --model", "its model stands for others; tests/torch/test_project_rounds.py trains so"),
    ("docs/models.md", "sh", "alcore model merge ADAPTER-FOLDER", "its folder stands for one of peft; tests/torch/test_lora_merged.py runs the block"),
    ("docs/models.md", "python", "import alcore\n\nmodel = alcore.Model.open(\"ADAPTER-FOLDER\"", "its folder stands for one of peft; tests/torch/test_lora_merged.py runs the block"),
    ("docs/models.md", "python", "import alcore\n\npairs = alcore.Pool(sources, references=translations)", "its folders and texts stand for others; tests/torch/test_language.py trains so"),
    ("docs/models.md", "python", "model.train(", "its model and pools stand for others; tests/torch/test_answer_training.py trains so"),
    ("docs/models.md", "python", "model = alcore.Model.open(\"NER-FOLDER\")", "as above; tests/torch/test_span_training.py trains so"),
    ("docs/own-model.md", "python ctranslate2", "", "it needs the package and a converted model"),
    ("docs/own-model.md", "python transformers", "", "it needs the package and a model"),
    ("docs/served.md", "python served", "", "it needs a server; tests of the bindings have one"),
    ("docs/own-model.md", "python host-model", "", "its model stands for one of the reader's; a test of the bindings has such models"),
    ("docs/python.md", "python", "", "test python_docs runs these blocks (tests/bindings/python/test_docs.py)"),
    ("docs/python.md", "python numpy", "", "as the others of the page"),
    ("docs/python.md", "sh", "pip install .", NETWORK + ", and compiles the library; test python_wheel builds and installs a wheel"),
    ("docs/python.md", "sh", "make -C utf8proc", "it needs archives from a network"),
    ("docs/python.md", "sh", "python3 -m venv ~/alcore", "as the first block of the page"),
    ("docs/releasing.md", "sh", "tests/release.sh", "it takes hours, and packages from a network"),
    ("docs/results/full.md", "", "build      suite", "a report, not a command"),
    ("docs/results/release.md", "", "alcore-", "as above"),
    ("docs/tokenizers.md", "sh", "alcore model vocabulary", "it needs spm_train of sentencepiece; test train_vocabulary calls it"),
]
cases = failures = 0


def report(good, name, *why):
    global cases, failures
    cases += 1
    failures += not good
    print("%s %d %s" % ("ok" if good else "not ok", cases, name))
    if not good:
        print("\n".join("# " + line for text in why for line in str(text).splitlines()), flush=True)


def run(command, where, **more):
    return subprocess.run(command, cwd=where, stdout=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=300,
                          **{"stderr": subprocess.PIPE, **more})


def run_sh(page, code, folder):
    done = run(["bash", "-eu", "-o", "pipefail", "-c", code], folder)
    if done.returncode:
        return "exit status %d\n%s" % (done.returncode, done.stderr)
    for words in (shlex.split(line, comments=True) for line in code.replace("\\\n", " ").splitlines()):
        if "--out" not in words:
            continue
        path = os.path.join(folder, words[words.index("--out") + 1])
        if not os.path.exists(path) or not os.path.getsize(path):
            return "%s was not written" % path
        budget = [words[i + 1] for i, word in enumerate(words) if word in ("--budget", "--count")]
        if path.endswith(".tsv") and budget and budget[0].isdigit():
            with open(path, encoding="utf-8") as file, open(os.path.join(folder, words[2]), encoding="utf-8") as pool:
                rows, asked = len(file.read().split("\n")) - 2, min(int(budget[0]), len(pool.read().split("\n")) - 1)
            if rows != asked:
                return "%s has %d rows, not %d" % (path, rows, asked)
    return ""


def run_console(page, code, folder):
    """A command `cd` holds for the later console blocks of the page too."""
    for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.M):
        where = os.path.join(folder, places.get(page, "."))
        if re.fullmatch(r"cat \S+", command):
            with open(os.path.join(where, command[4:]), "w", encoding="utf-8") as out:
                out.write(wanted)
            continue
        if command.startswith("cd "):
            places[page] = os.path.join(places.get(page, "."), command[3:])
            if not os.path.isdir(os.path.join(folder, places[page])):
                return command + ": no such folder"
            continue
        done = run(command, where, shell=True, **({"stderr": subprocess.STDOUT} if wanted else {}))
        if done.returncode or done.stdout != wanted:
            return "$ %s\nexit status %d\n%s%s\nnot\n%s" % (command, done.returncode, done.stdout, done.stderr or "", wanted)
    return ""


def run_script(program):
    def run_code(page, code, folder):
        language = "python" if "python" in program[0] else "lua"
        wanted = re.findall(r"(?:# ->|-->) (.*)$", code, re.M)
        done = run([*program, GIVEN.get((page, language), "") + code], folder)
        if done.returncode:
            return "exit status %d\n%s" % (done.returncode, done.stderr)
        return "" if not wanted or done.stdout.splitlines() == wanted else "printed\n" + done.stdout
    return run_code


def run_cmake(page, code, folder):
    """The file of a project, which a later block builds."""
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as out:
        out.write(code)
    return ""


def run_c(page, code, folder):
    given = GIVEN.get((page, "c"))
    source = code if given is None else "#include <alcore/extra.h>\nvoid block(void);\nvoid block(void) {\n%s%s}\n" % (given, code)
    with open(os.path.join(folder, "block.c"), "w", encoding="utf-8") as out:
        out.write(source)
    named = re.match(r"/\* ([\w.]+\.c); ", code)
    if named:  # later blocks build it under that name
        shutil.copy(os.path.join(folder, "block.c"), os.path.join(folder, named.group(1)))
    build = re.search(r"/\* (?:[\w.]+\.c; )?(cc .*) \*/", code)
    return run_sh(page, "cc -c block.c $(pkg-config --cflags alcore)\n" + (build.group(1) if build else ""), folder)


helps = {}  # action -> what `alcore ACTION --help` prints
places = {}  # page -> the folder in which its next console command runs
RUNNERS = {"sh": run_sh, "console": run_console, "c": run_c, "cmake": run_cmake, "python": run_script([sys.executable, "-c"]),
           "python kenlm": run_script([sys.executable, "-c"])}
if LUA:
    RUNNERS["lua"] = run_script([LUA[0], "-e"])


def problem_of_exception(language, code):
    """What is wrong in a block that does not run."""
    if language.startswith("python"):
        compile(code, "block", "exec")
    if language != "sh" and language:
        return ""
    if language == "sh" and run(["bash", "-nc", code], ROOT).returncode:
        return "syntax"
    for path in re.findall(r"(?<![\w/.-])(?:tests|examples|bindings|docs)/[\w./-]+", code):
        if not os.path.exists(os.path.join(ROOT, path)):
            return path + " does not exist"
    with open(os.path.join(ROOT, "meson_options.txt"), encoding="utf-8") as file:
        options = set(re.findall(r"option\('(\w+)'", file.read())) | {"b_sanitize", "b_lundef", "optimization", "CMAKE_PREFIX_PATH"}
    return "".join("no option " + name for name in re.findall(r"-D(\w+)=", code) if name not in options)


def prepare_prefix(folder):
    """An installation of the build's library, by links: the build's own alcore.pc, with this prefix."""
    with open(os.path.join(BUILD, "meson-private", "alcore.pc"), encoding="utf-8") as file:
        text = re.sub(r"^prefix=.*$", "prefix=" + folder, file.read(), flags=re.M)
    libdir = os.path.join(folder, re.search(r"^libdir=\$\{prefix\}/(.*)$", text, re.M).group(1))
    os.makedirs(os.path.join(libdir, "pkgconfig"))
    with open(os.path.join(libdir, "pkgconfig", "alcore.pc"), "w", encoding="utf-8") as out:
        out.write(text)
    for path in glob.glob(os.path.join(BUILD, "lib", "libalcore.*")):
        if os.path.isfile(path):
            os.symlink(path, os.path.join(libdir, os.path.basename(path)))
    os.makedirs(os.path.join(folder, "include"))
    shutil.copytree(os.path.join(ROOT, "include", "alcore"), os.path.join(folder, "include", "alcore"))
    for path in glob.glob(os.path.join(BUILD, "include", "alcore", "*.h")):
        shutil.copy(path, os.path.join(folder, "include", "alcore"))
    os.environ["PKG_CONFIG_PATH"] = os.path.join(libdir, "pkgconfig")


def problems_of_commands(plain):
    """Commands within sentences and tables have actions and options that `--help` knows."""
    for span in re.findall(r"`(alcore [a-z][^`]*)`", plain):
        action = re.split(r"[ \\|]", span)[1]
        if action not in helps:
            done = run(["alcore", action, "--help"], ROOT)
            helps[action] = "" if done.returncode else done.stdout
        for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", span):
            if not re.search(re.escape(option) + r"(?![\w-])", helps[action]):
                yield "`%s`: %s is unknown" % (span, option)
        if not helps[action]:
            yield "`%s`: no such action" % span


def run_page(page, used):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    plain = FENCE.sub(lambda block: re.sub(r"[^\n]", "", block.group(0)), text)
    for found in COMMAND.finditer(plain):
        report(False, "%s: an indented command" % page, found.group(1), "put it into a fenced block, which is run")
    why = "\n".join(problems_of_commands(plain))
    report(not why, "%s: options of commands in sentences" % page, why)
    with tempfile.TemporaryDirectory() as folder:
        blocks = FENCE.findall(text)
        lines = [text[:found.start()].count("\n") + 1 for found in FENCE.finditer(text)]
        if blocks and page in PREPARE:
            PREPARE[page](folder)
        for (language, code), line in zip(blocks, lines):
            name = "%s %d %s" % (page, line, language)
            entry = next((entry for entry in EXCEPTIONS if entry[:2] == (page, language) and code.startswith(entry[2])), None)
            if entry:
                used.add(entry)
                why = problem_of_exception(language, code)
                report(not why, name + " is written as it must be", why)
            elif language == "lua" and not LUA:
                report(True, name + " # SKIP no Lua has a module here")
            elif language not in RUNNERS:
                report(False, name, "no way to run it, and no entry of EXCEPTIONS")
            else:
                why = RUNNERS[language](page, code, folder)
                report(not why, name + " runs", code, why)


def main():
    pages = sys.argv[1:] or ["README.md"] + sorted(
        os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    os.environ["PATH"] = os.path.join(BUILD, "bindings", "cli") + ":" + os.environ["PATH"]
    if LUA:
        os.environ["LUA_CPATH"] = LUA[1]
    used = set()
    with tempfile.TemporaryDirectory() as prefix:
        prepare_prefix(prefix)
        for page in pages:
            run_page(page, used)
    stale = [entry for entry in EXCEPTIONS if entry not in used and entry[0] in pages]
    report(not stale, "every exception has a block", *stale)
    print("1..%d" % cases)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
