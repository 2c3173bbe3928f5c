# SPDX-License-Identifier: Apache-2.0
"""The other commands, help, the man page and completion."""
import glob
import json
import re
import math
import os
import shutil
import subprocess

from harness import Skip, case, contains, equal, main, rows_of, vector


@case
def version_and_help(box):
    contains(box.run("--version").out, "alcore 1.")
    contains(box.run("--help").out, "select", "candidates", "score", "strategies", "scorers", "doctor", "lm", "phrases", "align", "oracle", "mix", "eval")
    for command in ("select", "candidates", "score", "strategies", "scorers", "doctor", "lm", "phrases", "align", "oracle", "mix", "eval"):
        contains(box.run(command, "--help").out, "usage: alcore " + command)
        contains(box.run(command, "-h").out, "--help")
    box.run(expect=2)


@case
def a_file_of_a_language_model_is_a_model(box):
    """--model FILE.arpa scores a pool as the log-probabilities that `lm score` writes with that file, not as the built-in model."""
    box.file("train.txt", "the law applies\nthe law of the land\nthe officer applies the law\n" * 3)
    box.file("pool.txt", "the law\nan officer of the land\nthe officer\nwords never seen before\nthe law applies\n")
    box.run("lm", "train", "train.txt", "--order", "3", "--out", "m.arpa", "-q")
    box.run("lm", "score", "pool.txt", "--lm", "m.arpa", "--out", "pool.lp", "-q")
    args = ["select", "pool.txt", "--strategy", "nnll", "--budget", "5", "-q"]

    def scores(*more):
        lines = [line.split("\t") for line in box.run(*args, *more).out.splitlines()]
        return {line[lines[0].index("index")]: float(line[lines[0].index("score")]) for line in lines[1:]}

    wanted, found, builtin = scores("--logprobs", "pool.lp"), scores("--model", "m.arpa"), scores()
    equal(len(found), 5)
    for row, score in wanted.items():
        assert abs(found[row] - score) < 1e-5, (row, found[row], score)
    assert any(abs(found[row] - score) > 1e-3 for row, score in builtin.items()), builtin
    contains(box.run(*args, "--model", "absent.arpa", expect=4).err, "absent.arpa")


@case
def a_model_made_by_lmplz_scores_as_kenlm_does(box):
    """tests/unit/extra/lm/lmplz: an ARPA file of KenLM's lmplz and what KenLM says of eleven texts with it, in float32."""
    made = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "extra", "lm", "lmplz")

    def farthest(model, scores):
        """The largest difference of log10 of a probability by the model from what KenLM says."""
        with open(os.path.join(made, scores), encoding="utf-8") as file:
            wanted = [line.rstrip("\n").split("\t") for line in file]
        box.file("texts.txt", "".join(text + "\n" for text, _ in wanted))
        box.run("lm", "score", "texts.txt", "--lm", model, "--out", "found.lp")
        found = [line.split("\t")[1].split() for line in box.read("found.lp").decode().splitlines()]
        equal([len(line) for line in found], [len(text.split()) + 1 for text, _ in wanted])
        return max(abs(float(one) / math.log(10) - float(other))
                   for (_, scores), line in zip(wanted, found) for one, other in zip(line, scores.split()))

    assert farthest(os.path.join(made, "lmplz.arpa"), "scores.tsv") < 2e-6
    # With a repeated sentence at the end lmplz has estimates of its own; with them, in six digits,
    # the models agree.
    with open(os.path.join(made, "corpus.txt"), encoding="utf-8") as file:
        box.file("repeated.txt", file.read() + 2 * "quite new words here\n")
    train = ["lm", "train", "repeated.txt", "--order", "3", "--out", "ours.arpa"]
    box.run(*train)
    assert farthest("ours.arpa", "repeated.tsv") > 1e-2
    box.run(*train, "--discounts", "0.82199,1.27472,1.02723,0.950877,1.59248,3,0.5,1,1.5")
    assert farthest("ours.arpa", "repeated.tsv") < 1e-5
    for wrong, said in (("1,2", "2 discounts; 3 are needed"), ("2,1,1", "D(1), is 2; 0 to 1")):
        contains(box.run(*train, "--discounts", wrong, expect=2).err, said)
    for wrong in ("a", "1,,2", "1;2", ",".join("1" * 19)):
        contains(box.run(*train, "--discounts", wrong, expect=2).err, "--discounts " + wrong)
    contains(box.run("lm", "score", "texts.txt", "--lm", "ours.arpa", "--discounts", "1,1,1", expect=2).err, "takes no --discounts")


@case
def strategies_are_listed_with_their_parameters(box):
    names = [line.split()[0] for line in box.run("strategies").out.splitlines()]
    for name in ("huds", "random", "nsp", "nnll", "diversity", "diversity-global", "idds", "kcenter", "lc",
                 "entropy", "margin", "uncertainty", "average-dist", "badge"):
        assert name in names, name
    text = box.run("strategies", "huds").out
    contains(text, "lambda=0.5", "n_strata=10", "rescale", "none|minmax|zscore|rank", "embeddings", "min_stratum",
             "k_clusters", "unit", "strata", "candidates", "sticky")
    all_of = {entry["name"]: entry for entry in json.loads(box.run("strategies", "--json").out)}
    equal(sorted(all_of), sorted(names))
    one = json.loads(box.run("strategies", "idds", "--json").out)
    equal(one, all_of["idds"])
    recommended = [name for name, entry in all_of.items() if entry["recommended"]]
    equal([line.split()[0] for line in box.run("strategies").out.splitlines() if line.endswith(" (recommended)")], recommended)
    equal(len(recommended), 1)
    equal("recommended" in json.loads(box.run("scorers", "--json").out)[0], False)
    box.file("pool.txt", "one two\nthree four five\nsix\n")
    select = ["select", "pool.txt", "--budget", "2"]
    unnamed = box.run(*select)
    contains(unnamed.err, "recommended strategy %s (may change in a minor release), round 1" % recommended[0])
    equal(box.run(*select, "--strategy", "recommended").err, unnamed.err)
    named = box.run(*select, "--strategy", recommended[0], "--masks", "all")
    contains(named.err, "strategy %s, round 1" % recommended[0])
    equal(("recommended" in named.err, named.out), (False, unnamed.out))
    equal({p["name"] for p in one["parameters"]} >= {"alpha", "self", "mode", "sim", "candidates"}, True)
    contains(box.run("strategies", "hud", expect=2).err, "huds")


@case
def scorers_are_listed(box):
    names = [line.split()[0] for line in box.run("scorers").out.splitlines()]
    for name in ("nnll", "nsp", "lc", "entropy", "margin"):
        assert name in names, name
    equal([entry["name"] for entry in json.loads(box.run("scorers", "--json").out)], names)
    contains(box.run("scorers", "nnl", expect=2).err, "nnll")


@case
def doctor_says_what_is_there(box):
    done = box.run("doctor")
    contains(done.out, "ABI 1", "device cpu: usable", "device cuda: not usable", "libalcore-cuda.so")
    facts = json.loads(box.run("doctor", "--json").out)
    equal(facts["abi"], 1)
    devices = {device["device"]: device for device in facts["devices"]}
    equal((devices["cpu"]["usable"], devices["cuda"]["usable"]), (True, False))


def make_library(box, path, code, *options):
    """A shared library of a few lines of C, such as stand for a release of libtorch and its engine."""
    os.makedirs(os.path.dirname(os.path.join(box.path, path)), exist_ok=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", path, "-", *options], input=code.encode(), cwd=box.path, check=True)


def make_torch(box, prefix, major, minor, name="python3.11/site-packages"):
    """A package torch of that release below a prefix; its folder of libraries."""
    folder = "%s/lib/%s/torch" % (prefix, name)
    make_library(box, folder + "/lib/libc10.so", "int libc10_of_the_test;")
    make_library(box, folder + "/lib/libtorch_cpu.so",
                 "unsigned long aoti_torch_abi_version(void) { return %dUL << 56 | %dUL << 48; }" % (major, minor))
    box.file(folder + "/version.py", "__version__ = '%d.%d.0+cpu'\ndebug = False\n" % (major, minor))
    return os.path.realpath(os.path.join(box.path, folder, "lib"))


def torch_world(box):
    """An engine for torch 2.11 and an environment in which nothing else is found: engines of the build stand beside its library, so
    that a copy of it is used."""
    os.mkdir(box.path + "/library")
    for library in glob.glob(os.path.join(os.path.dirname(os.environ["ALCORE"]), "..", "..", "lib", "libalcore.so.*")):
        if os.path.isfile(library):
            shutil.copy(library, box.path + "/library")
    make_library(box, "modules/libalcore-torch-2.11.so",
                 "static int table; int alcore_torch_entry(unsigned abi, void *host, const void **out) { *out = &table; return 0; }")
    return {"XDG_CONFIG_HOME": box.path + "/config", "ALCORE_MODULE_DIR": box.path + "/modules", "HOME": box.path, "PATH": "/nowhere/bin",
            "VIRTUAL_ENV": "", "CONDA_PREFIX": "", "ALCORE_TORCH_LIBDIR": "", "LD_LIBRARY_PATH": box.path + "/library"}


@case
def doctor_finds_torch(box):
    """In the environments that a user may have, the first one that models run on; others are listed with the reason."""
    own = torch_world(box)
    contains(box.run("doctor", "--torch", expect=6, env=own).err, "no torch is in the virtual environment", "--torch DIR")
    for number, (prefix, name, env) in enumerate((("venv", "python3.11/site-packages", {"VIRTUAL_ENV": box.path + "/venv"}),
                                                  ("conda", "python3.9/site-packages", {"CONDA_PREFIX": box.path + "/conda"}),
                                                  ("usr", "python3/dist-packages", {"PATH": "/bin:%s/usr/bin/:relative" % box.path}),
                                                  (".local", "python3.12/site-packages", {}))):
        folder = make_torch(box, prefix, 2, 11, name)
        done = box.run("doctor", "--torch", env=dict(own, **env))
        contains(done.out, "torch 2.11.0+cpu in %s: usable" % folder, "Hugging Face models: usable", "with --write later runs")
        shutil.rmtree(os.path.join(box.path, prefix))
    assert not os.path.exists(box.path + "/config")
    old, right, late = (make_torch(box, prefix, 2, minor) for prefix, minor in (("old", 9), ("right", 11), ("late", 11)))
    own["PATH"] = ":".join("%s/%s/bin" % (box.path, prefix) for prefix in ("old", "right", "late"))
    facts = json.loads(box.run("doctor", "--torch", "--json", env=own).out)
    equal([(copy["folder"], copy["version"], copy["usable"]) for copy in facts["torch"]],
          [(old, "2.9.0+cpu", False), (right, "2.11.0+cpu", True)])
    contains(facts["torch"][0]["detail"], "2.9")
    equal(json.loads(box.run("doctor", "--json", env=own).out)["torch"], [])
    own["PATH"] = box.path + "/old/bin"
    done = box.run("doctor", "--torch", "--write", expect=6, env=own)
    contains(done.out, "torch 2.9.0+cpu in %s: not usable: " % old)
    contains(done.err, "models cannot run on this torch")
    assert not os.path.exists(box.path + "/config")


@case
def the_step_that_is_missing_for_models_is_named(box):
    """No engine; an engine without torch; a torch without an engine: the message names what to install, by its release."""
    own = torch_world(box)
    box.file("pool.txt", "a\nb\n")
    os.mkdir(box.path + "/model")
    box.file("model/config.json", '{"model_type": "bert"}')
    run = ["model", "embed", "model", "pool.txt", "--out", "e.npy"]
    contains(box.run(*run, expect=6, env=dict(own, ALCORE_MODULE_DIR="/nowhere")).err, "this libalcore has none",
             "/nowhere/libalcore-torch-2.11.so: not there", "pip install alcore[torch]")
    installed = "`alcore doctor --torch --write`, after `pip install 'torch==2.11.*'` where that release is not installed, lets models run"
    for minor in (9, 12):
        folder = make_torch(box, "venv", 2, minor)
        done = box.run(*run, expect=6, env=dict(own, ALCORE_TORCH_LIBDIR=folder))
        contains(done.err, "torch 2.%d" % minor, installed)
    # An engine that is linked to a torch which is not there. Debian's has another name.
    make_library(box, "gone/libtorch_cpu.so", "int libtorch_of_the_test;", "-Wl,-soname,libtorch_cpu.so.gone")
    make_library(box, "modules/libalcore-torch-2.11.so",
                 "static int table; int alcore_torch_entry(unsigned abi, void *host, const void **out) { *out = &table; return 0; }",
                 "-Wl,--no-as-needed", "-Lgone", "-ltorch_cpu")
    contains(box.run(*run, expect=6, env=own).err, "models need torch 2.11 to 2.15 (PyPI's), and no libtorch is in this process", "libtorch_cpu.so", installed)
    contains(box.run("doctor", env=own).out, "not usable: models need torch", installed)


@case
def a_torch_that_is_installed_is_named(box):
    """As on Debian after `pip install alcore[torch]` in an environment: the library has no engine, the wheel beside torch has."""
    own = dict(torch_world(box), ALCORE_MODULE_DIR="/nowhere")
    box.file("pool.txt", "a\nb\n")
    os.mkdir(box.path + "/model")
    box.file("model/config.json", '{"model_type": "bert"}')
    run = ["model", "embed", "model", "pool.txt", "--out", "e.npy"]
    step = "`alcore doctor --torch --write` lets "
    contains(box.run(*run, expect=6, env=own).err, "this libalcore has none", "in an environment that is not active", "--torch ~/models/lib/")
    folder = make_torch(box, "venv", 2, 11)
    wheel = "venv/lib/python3.11/site-packages/.alcore.mesonpy.libs"
    # torch without the wheel of alcore: that is what to install, and no other step is named.
    said = box.run(*run, expect=6, env=dict(own, VIRTUAL_ENV=box.path + "/venv")).err
    contains(said, "pip install alcore[torch]")
    assert step not in said, said
    os.makedirs(os.path.join(box.path, wheel))
    shutil.copy(box.path + "/modules/libalcore-torch-2.11.so", os.path.join(box.path, wheel))
    for found in ({"VIRTUAL_ENV": box.path + "/venv"}, {"PATH": box.path + "/venv/bin"}, {"CONDA_PREFIX": box.path + "/venv"}):
        said = box.run(*run, expect=6, env=dict(own, **found)).err
        contains(said, "torch 2.11.0+cpu is in %s; " % folder, step)
        assert "pip install" not in said, said
        contains(box.run("doctor", env=dict(own, **found)).out, "not usable: models need a torch", step)
    # The step is taken: what is missing then is something else.
    here = dict(own, VIRTUAL_ENV=box.path + "/venv")
    box.run("doctor", "--torch", "--write", env=here)
    said = box.run(*run, expect=6, env=own).err
    contains(said, "libalcore-torch-2.11.so is of ABI")  # the engine of the test is empty
    assert step not in said and "models need" not in said, said
    # The torch that is kept is gone, another one is there.
    os.rename(os.path.join(box.path, "venv"), os.path.join(box.path, "moved"))
    said = box.run(*run, expect=6, env=dict(own, VIRTUAL_ENV=box.path + "/moved")).err
    contains(said, "torch_dir: ", "is in %s: " % folder.replace("/venv/", "/moved/"), step)
    # The variable goes before what is kept: the folder that it should name is said.
    package = box.path + "/moved/lib/python3.11/site-packages/torch"
    os.mkdir(package + "/bin")
    for named in (package, os.path.dirname(package), package + "/bin"):
        contains(box.run(*run, expect=6, env=dict(own, ALCORE_TORCH_LIBDIR=named)).err, "ALCORE_TORCH_LIBDIR: ",
                 "set ALCORE_TORCH_LIBDIR to that folder", "libtorch is in %s: " % os.path.realpath(package + "/lib"))


@case
def doctor_keeps_the_folder_of_torch(box):
    """What cannot be used is not kept; what is kept is what later runs take, until --torch none."""
    own = torch_world(box)
    contains(box.run("doctor", "--torch", box.path, expect=2, env=own).err, "no libtorch_cpu.so is there; give the folder of the package")
    os.makedirs(os.path.join(box.path, "site", "torch", "lib"))
    box.file("site/torch/lib/libtorch_cpu.so", "no library")
    contains(box.run("doctor", "--torch", "site/torch", "--write", expect=6, env=own).out, "torch_dir: ", "site/torch/lib/libc10.so")
    assert not os.path.exists(box.path + "/config")
    folder = make_torch(box, "venv", 2, 11)
    done = box.run("doctor", "--torch", "--write", env=dict(own, VIRTUAL_ENV=box.path + "/venv"))
    contains(done.out, "later runs use it too: kept in %s/config/alcore/torch" % box.path)
    equal(box.read("config/alcore/torch").decode(), folder + "\n")
    contains(box.run("doctor", env=own).out, "Hugging Face models: usable")
    contains(box.run("doctor", env=dict(own, ALCORE_TORCH_LIBDIR="/named")).out, "ALCORE_TORCH_LIBDIR: /named/libc10.so")
    contains(box.run("doctor", "--torch", folder, "--write", env=dict(own, ALCORE_TORCH_LIBDIR="/named")).out, "goes before it")
    contains(box.run("doctor", "--torch", "none", expect=2, env=own).err, "--torch none needs --write")
    contains(box.run("doctor", "--write", expect=2, env=own).err, "--write needs --torch")
    box.run("doctor", "--torch", "none", "--write", env=own)
    assert not os.path.exists(box.path + "/config/alcore/torch")


@case
def phrases_are_listed(box):
    box.file("pool.txt", "the patient has severe headache\nthe patient has severe nausea\n"
             "severe headache was reported\nthe patient was treated\nheadache was reported\nthe patient has fever\n")
    box.file("labeled.txt", "the patient was late\nit was reported today\n")
    known = ["phrases", "pool.txt", "--labeled", "labeled.txt"]
    header, *rows = [line.split("\t") for line in box.run(*known).out.splitlines()]
    equal(header, ["phrase", "occ", "length", "first_index", "first_position", "in_labeled", "semi_maximal"])
    equal(len(rows), 35)
    equal(rows[0], ["the patient", "4", "2", "0", "0", "1", "0"])
    equal(rows[3], ["the patient has", "3", "3", "0", "0", "0", "0"])
    keys = [(-int(row[1]), -int(row[2]), int(row[3]), int(row[4])) for row in rows]
    equal(keys, sorted(keys))
    equal(len(box.run(*known, "--min-count", "2").out.splitlines()), 18)
    maximal = known + ["--semi-maximal", "-p", "exclude_labeled=1"]
    best = ["the patient has severe", "headache was reported", "severe headache"]
    equal([line.split("\t")[0] for line in box.run(*maximal).out.splitlines()[1:4]], best)
    equal(len(box.run(*maximal).out.splitlines()), 9)
    equal(len(box.run(*maximal, "-p", "smp_limit=inf").out.splitlines()), 7)
    equal(len(box.run(*known, "-p", "max_n=1", "--threads", "3").out.splitlines()), 11)
    box.run(*maximal, "-p", "max_n=inf", "--out", "phrases.tsv")
    contains(box.read("phrases.tsv").decode(), "the patient has fever\t1\t4\t5\t0\t0\t1\n")
    for wrong, said in ((["-p", "max_n=inf"], "--semi-maximal"), (["-p", "max_n=0"], "1 to 64"),
                        (["-p", "max_n=65"], "1 to 64"), (["-p", "n=3"], "max_n"), (["-p", "letters=2"], "0 or 1"),
                        (["-p", "smp_limit=3"], "N or inf"), (["-p", "letters"], "NAME=VALUE"),
                        (["--min-count", "0"], "from 1"), (["--out", "phrases.npy"], ".tsv")):
        contains(box.run(*known, *wrong, expect=2).err, said)


def texts_of_pairs(box):
    """The sentence pairs of TV-ALIGN as two files of lines and as a table."""
    known = vector("aligner", "TV-ALIGN", "default")
    pairs = list(zip(known["sources"], known["targets"]))
    box.file("source.txt", "".join(source + "\n" for source, _ in pairs))
    box.file("target.txt", "".join(target + "\n" for _, target in pairs))
    box.file("pairs.tsv", "source\ttarget\n" + "".join("%s\t%s\n" % pair for pair in pairs))
    box.file("pairs.jsonl", "".join(json.dumps({"source": source, "target": target}) + "\n" for source, target in pairs))
    return known


@case
def words_are_aligned(box):
    known = texts_of_pairs(box)
    align = ["align", "source.txt", "target.txt"]
    done = box.run(*align, "--symmetrize", "forward")
    equal(done.out.splitlines(), known["links"])
    contains(done.err, "5 sentence pairs, ", "(forward)", "log-likelihood forward: -")
    assert "reverse:" not in done.err
    both = box.run(*align)
    contains(both.err, "(grow-diag-final-and)", "log-likelihood reverse: -")
    for other in (["pairs.tsv"], ["pairs.jsonl"], ["pairs.tsv", "--threads", "3"], ["pairs.tsv", "--quiet"]):
        equal(box.run("align", *other).out, both.out)
    equal(box.run("align", "pairs.tsv", "--quiet").err, "")
    summary = json.loads(box.run(*align, "--json", "--out", "links.txt").out)
    equal(box.read("links.txt").decode(), both.out)
    equal((summary["pairs"], summary["links"], summary["symmetrization"]), (5, len(both.out.split()), "grow-diag-final-and"))
    equal(summary["parameters"], {"iterations": 5, "model": "diagonal", "vb": "1", "tension": "off", "p0": 0.08, "lambda": 4.0,
                                  "alpha": 0.01})
    equal({side: len(values) for side, values in summary["log_likelihoods"].items()}, {"forward": 5, "reverse": 5})
    for found, wanted in zip(summary["log_likelihoods"]["forward"], known["log_likelihoods"]):
        assert abs(found - wanted) < 1e-9 * abs(wanted)


@case
def parameters_of_an_alignment(box):
    texts_of_pairs(box)

    def run(*more):
        done = box.run("align", "pairs.tsv", "--json", "--out", "links.txt", *more)
        return json.loads(done.out)["log_likelihoods"]["forward"]
    usual = run()
    for given, name in ((["-p", "model=ibm1"], "model 1, bayes"), (["-p", "tension=gradient"], "tension=gradient"),
                        (["-p", "tension=public"], "tension=public"), (["-p", "p0=0.2", "-p", "lambda=2"], "p0 0.2, lambda 2"),
                        (["-p", "vb=0"], "diagonal"), (["-p", "model=ibm1", "-p", "vb=0"], "model 1")):
        if name != "model 1, bayes":
            known = vector("aligner", "TV-ALIGN", name)["log_likelihoods"]
            assert all(abs(a - b) < 1e-9 * abs(b) for a, b in zip(run(*given), known)), name
        assert run(*given) != usual
    equal(run("-p", "iterations=3"), usual[:3])
    assert run("-p", "alpha=1") != usual
    for wrong, said in ((["-p", "model=ibm2"], "diagonal, ibm1"), (["-p", "vb=2"], "1, 0"), (["-p", "tension=on"], "gradient"),
                        (["-p", "iterations=0"], "1 to 1000"), (["-p", "p0=-0.1"], "from 0"), (["-p", "p0=1"], "below 1"),
                        (["-p", "beam=4"], "iterations, model"), (["-p", "model"], "NAME=VALUE"),
                        (["-p", "model=ibm1", "-p", "tension=public"], "diagonal model"),
                        (["--symmetrize", "grow-dag"], "'grow-diag'"), (["--json"], "--out FILE")):
        contains(box.run("align", "pairs.tsv", *wrong, expect=2).err, said)


@case
def aligners_are_saved_and_used(box):
    """What --save wrote links the same pairs in the same way, also after other pairs were linked; wrong files are named."""
    texts_of_pairs(box)
    for name in ("grow-diag-final-and", "forward", "reverse", "union"):
        saved = box.run("align", "pairs.tsv", "--symmetrize", name, "--save", "m-" + name)
        equal(saved.out, box.run("align", "pairs.tsv", "--symmetrize", name).out)
        equal(saved.err.count("log-likelihood"), 1 if name in ("forward", "reverse") else 2)
        loaded = box.run("align", "pairs.tsv", "--symmetrize", name, "--model", "m-" + name)
        equal(loaded.out, saved.out)
        assert "log-likelihood" not in loaded.err
    summary = json.loads(box.run("align", "pairs.tsv", "--model", "m-union", "--json", "--out", "links.txt").out)
    equal((summary["model"], summary["log_likelihoods"], "parameters" in summary), ("m-union", {}, False))
    contains(box.run("align", "pairs.tsv", "--model", "m-forward", expect=4).err, "m-forward.reverse")
    contains(box.run("align", "pairs.tsv", "--model", "m-union", "-p", "p0=0.1", expect=2).err, "belong to a training")
    contains(box.run("align", "pairs.tsv", "--model", "m-union", "--save", "other", expect=2).err, "belong to a training")
    contains(box.run("align", "pairs.tsv", "--save", "x", "--symmetrize", "grow-dag", expect=2).err, "'grow-diag'")
    forward = box.read("m-union.forward")
    box.file("swapped.forward", box.read("m-union.reverse"))
    box.file("swapped.reverse", forward)
    contains(box.run("align", "pairs.tsv", "--model", "swapped", expect=3).err, "swapped.forward", "other direction")
    box.file("cut.forward", forward[:-1])
    contains(box.run("align", "pairs.tsv", "--model", "cut", "--symmetrize", "forward", expect=3).err, "cut.forward", "length")


@case
def pairs_that_cannot_be_aligned(box):
    texts_of_pairs(box)
    box.file("short.txt", "the house\n")
    box.file("one.tsv", "source\tother\na\tb\n")
    contains(box.run("align", "source.txt", "short.txt", expect=3).err, "source.txt has 5 lines and short.txt has 1")
    contains(box.run("align", "source.txt", expect=2).err, "align SOURCE TARGET")
    contains(box.run("align", "-", "-", expect=2).err, "standard input")
    contains(box.run("align", "one.tsv", expect=3).err, "target")
    contains(box.run("align", "source.txt", "nowhere.txt", expect=4).err, "nowhere.txt")
    equal(box.run("align", "source.txt", "-", input=box.read("target.txt")).out, box.run("align", "pairs.tsv").out)
    box.file("empty.txt", "")
    equal(box.run("align", "empty.txt", "empty.txt").out, "")


@case
def phrases_are_selected(box):
    box.file("pool.txt", "the patient has severe headache\nthe patient has severe nausea\n"
             "severe headache was reported\nthe patient was treated\nheadache was reported\nthe patient has fever\n")
    box.file("labeled.txt", "the patient was late\nit was reported today\n")
    known = ["select", "pool.txt", "--labeled", "labeled.txt", "--strategy"]
    done = box.run(*known, "ngf-smp", "--budget", "7w", "--price", "0.2EUR/w")
    header, *rows = [line.split("\t") for line in done.out.splitlines()]
    equal(header, ["rank", "index", "id", "score", "cost", "occ", "first_position", "length", "reason", "text"])
    equal(rows[0], ["1", "0", "1:0+4", "2", "4", "2", "0", "4", "occurs 2 times, in 33 % of the pool", "the patient has severe"])
    equal(rows[1][:8], ["2", "2", "3:1+3", "2", "3", "2", "1", "3"])
    contains(done.err, "rows read: 6\nphrases of 6 rows: 8\n", "selected 2 phrases: 7 words", "price: 1.40 EUR")
    box.run(*known, "ngf", "--budget", "3w,9w", "-p", "max_n=3", "--out", "sel-{budget}.jsonl")
    small, large = ([json.loads(line) for line in box.read("sel-%s.jsonl" % budget).decode().splitlines()] for budget in ("3w", "9w"))
    equal([item["source"] for item in small], ["the patient has"])
    equal([item["index"] for item in small[0]["contexts"]], [0, 1, 5])
    equal([item["source"] for item in large[:1]], ["the patient has"])
    box.run(*known, "ngf", "--budget", "3w", "--out", "bought.tsv")
    again = box.run(*known, "ngf", "--labeled", "bought.tsv", "--budget", "2w").out.splitlines()
    equal(again[1].split("\t")[-1], "severe")
    drawn = box.run(*known, "random-phrase", "--budget", "7w", "--seed", "42").out.splitlines()[1:]
    equal([line.split("\t")[-1] for line in drawn], ["severe nausea", "severe headache was reported", "patient was treated"])
    for wrong, said in ((["-p", "max_n=inf"], "max_n"), (["-p", "smp_limit=inf"], "no parameter"), (["-p", "letters=2"], "letters")):
        contains(box.run(*known, "ngf", "--budget", "3w", *wrong, expect=2).err, said)


@case
def phrases_of_a_hypothesis_with_links(box):
    box.file("pool.txt", "severe headache today\nsevere headache\nsevere headache again\n")
    box.npy("e.npy", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    box.file("tokens.lp", "1\t-1 -2 -4 -8\n2\t-0.5 -1.5\n3\t-3\n")
    box.file("links.txt", "0-1 0-2 1-1\n0-1 1-0\n\n")
    box.file("words.lp", "1\t-3 -2 -3.75\n2\t-1.5 -0.5\n3\t-3 -3 -3\n")
    select = ["select", "pool.txt", "--strategy", "huds-phrase", "--budget", "9w", "--embeddings", "e.npy", "--logprobs"]
    linked = box.run(*select, "tokens.lp", "--links", "links.txt", "--quiet").out
    equal(linked, box.run(*select, "words.lp", "--quiet").out)
    contains(linked, "severe headache")
    assert linked != box.run(*select, "tokens.lp", "--quiet").out
    box.file("long.txt", "0-1 0-2 1-1\n0-1 2-0\n\n")
    contains(box.run(*select, "tokens.lp", "--links", "long.txt", expect=3).err, "row 1: link 2-0")
    box.file("short.txt", "0-1\n")
    contains(box.run(*select, "tokens.lp", "--links", "short.txt", expect=3).err, "short.txt")
    contains(box.run(*select[:-1], "--links", "links.txt", expect=2).err, "--links needs --logprobs")


@case
def hybrids_are_selected(box):
    box.file("pool.txt", "the patient has severe headache\nthe patient has severe nausea\n"
             "severe headache was reported\nthe patient was treated\nheadache was reported\nthe patient has fever\n")
    box.file("labeled.txt", "the patient was late\nit was reported today\n")
    box.file("scores.txt", "0.1\n0.2\n0.9\n0.3\n0.8\n0.4\n")
    hybrid = ["select", "pool.txt", "--labeled", "labeled.txt", "--scores", "scores.txt", "--strategy", "hybrid", "-p", "sentences=nnll",
              "-p", "phrases=ngf-smp", "-p", "ratio=0.5", "--budget", "10w"]
    done = box.run(*hybrid)
    header, *rows = [line.split("\t") for line in done.out.splitlines()]
    equal([row[header.index("kind")] for row in rows[:3]], ["sentence", "sentence", "phrase"])
    equal([row[header.index("index")] for row in rows[:2]], ["2", "4"])
    equal(rows[2][header.index("text")], "the patient has severe")
    contains(done.err, "sentences: strategy nnll", "phrases: strategy ngf-smp", "both: selected")
    covered = [json.loads(line) for line in box.run(*hybrid, "-p", "cover=1", "--out", "h.jsonl", "--quiet") and box.read("h.jsonl").splitlines()]
    equal(covered[0]["al"]["kind"], "sentence")
    contains(box.run(*hybrid, "-p", "phrases=huds", expect=2).err, "buys phrases, which huds does not")
    contains(box.run(*hybrid, "-p", "sentences.n_strata=3", expect=2).err, "strategy nnll")


@case
def scores_go_to_tsv_and_npy(box):
    box.file("pool.txt", "a\nb b\na\n")
    box.file("x.lp", "1\t-0.6931471805599453 -1.3862943611198906\n2\t0\n3\t0\n")
    args = ["score", "pool.txt", "--logprobs", "x.lp", "--scorer"]
    lines = box.run(*args, "nnll").out.split("\n")
    values = dict(line.split("\t") for line in lines if line and not line.startswith("id\t"))
    equal(sorted(values), ["1", "2"])
    assert abs(float(values["1"]) - 1.0397207) < 1e-6
    equal(float(values["2"]), 0.0)
    values = dict(line.split("\t") for line in box.run(*args, "nsp").out.split("\n") if line and not line.startswith("id\t"))
    assert abs(float(values["1"]) - 0.646447) < 1e-6
    box.run(*args, "nnll", "--out", "s.npy")
    assert box.read("s.npy").startswith(b"\x93NUMPY")
    done = box.run("select", "pool.txt", "--strategy", "nnll", "--scores", "s.npy", "--budget", "2")
    equal([row["index"] for row in rows_of(done.out)], ["0", "1"])
    contains(box.run("score", "pool.txt", expect=2).err, "--scorer")
    contains(box.run(*args, "nnl", expect=2).err, "nnll")


@case
def candidates_are_drawn_and_sorted(box):
    box.file("pool.txt", "".join("line %d\n" % i for i in range(10)))
    done = box.run("candidates", "pool.txt", "--count", "4", "--seed", "42")
    equal([int(row["index"]) for row in rows_of(done.out)], vector("random", "TV-DRAW", "candidates")["picks"])
    equal(len(rows_of(box.run("candidates", "pool.txt", "--count", "99").out)), 10)
    box.run("candidates", "pool.txt", "--count", "4", "--seed", "42", "--out", "c.jsonl")
    equal([json.loads(line)["source"] for line in box.read("c.jsonl").splitlines()],
          [row["text"] for row in rows_of(done.out)])
    contains(box.run("candidates", "pool.txt", "--count", "4", "--out", "c.xlsx", expect=2).err, ".tsv|.csv|.jsonl|.txt")
    contains(box.run("candidates", "pool.txt", expect=2).err, "--count")
    box.run("candidates", "pool.txt", "--count", "0", expect=2)


@case
def the_language_model_by_itself(box):
    box.file("u.txt", "the patient has severe headache\nthe patient has severe nausea\nsevere headache was reported\n"
             "the patient was treated\nheadache was reported\nthe patient has fever\n")
    box.run("lm", "train", "u.txt", "--order", "4", "--out", "u.arpa")
    contains(box.read("u.arpa").decode(), "\\data\\", "ngram 4=", "\\end\\")
    box.file("q.txt", "fever\n")
    done = box.run("lm", "score", "q.txt", "--lm", "u.arpa")
    name, values = done.out.strip().split("\t")
    equal(name, "1")
    total = sum(map(float, values.split())) / 2.302585092994046
    known = vector("language-model", "TV-LM", "order 4")
    assert abs(total - known["totals"][known["queries"].index("fever")]) < 1e-5, total
    box.run("lm", "score", "q.txt", "--lm", "u.arpa", "--out", "q.lp")
    equal(box.read("q.lp"), done.stdout)
    box.run("select", "q.txt", "--strategy", "nnll", "--logprobs", "q.lp", "--budget", "1")
    contains(box.run("lm", "score", "q.txt", expect=2).err, "--lm")
    contains(box.run("lm", "guess", "q.txt", expect=2).err, "train")
    box.run("lm", "train", "u.txt", "--order", "7", expect=2)
    box.run("lm", "train", "nowhere.txt", expect=4)


@case
def the_man_pages_follow_the_tables(box):
    """Each command has a page with every option of its help, alcore(1) leads to it, and its example has no mistake in it."""
    def page_of(name):
        path = os.path.join(os.path.dirname(os.environ["ALCORE"]), name + ".1")
        if shutil.which("mandoc"):
            said = subprocess.run(["mandoc", "-Tlint", path], capture_output=True, text=True).stdout
            equal(said, "", name)
        with open(path, encoding="utf-8") as file:
            return file.read().replace("\\-", "-")

    own = {"XDG_CONFIG_HOME": box.path, "VIRTUAL_ENV": "", "CONDA_PREFIX": "", "PATH": "/nowhere", "HOME": box.path}
    overview = page_of("alcore")
    contains(overview, "EXIT STATUS", "ALCORE_TORCH_LIBDIR")
    commands = re.findall(r"^  (\w+) .*$", box.run("--help").out.split("commands:")[1].split("\n\n")[0], re.M)
    assert len(commands) > 15, commands
    for command in commands:
        page = page_of("alcore-" + command)
        contains(overview, ".B alcore-%s(1)" % command)
        options = re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", box.run(command, "--help").out, re.M)
        assert len(options) > 1, options
        contains(page, *("\\fB%s\\fR" % option for option in options))
        example = re.search(r"^\.SH EXAMPLE\n\.nf\nalcore (.*)\n\.fi$", page, re.M).group(1)
        done = box.run(*example.split(), expect=None, env=own)
        assert done.returncode != 2, (example, done.err)
    contains(page_of("alcore-select"), ".SH STRATEGIES", ".B huds")


@case
def completion_follows_the_tables(box):
    build = os.path.dirname(os.environ["ALCORE"])
    script = os.path.join(build, "completion", "alcore")
    code = ("source %s; COMP_WORDS=(alcore select --bud); COMP_CWORD=2; _alcore; echo ${COMPREPLY[@]};"
            "COMP_WORDS=(alcore select --strategy hu); COMP_CWORD=3; _alcore; echo ${COMPREPLY[@]};"
            "COMP_WORDS=(alcore can); COMP_CWORD=1; _alcore; echo ${COMPREPLY[@]}" % script)
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    equal(done.stdout.split(), ["--budget", "huds", "huds-phrase", "candidates"])


@case
def the_help_of_a_strategy_shows_the_allowed_values(box):
    text = box.run("strategies", "huds").out
    contains(text, "1 .. 2^53 or all", "none|minmax|zscore|rank", "number 0 .. 1 or same", "one for each round",
             "integer 1 .. 1000000", "0 or 1")


@case
def options_of_other_commands_are_refused(box):
    box.file("pool.txt", "a\nb\n")
    box.file("u.txt", "1\n2\n")
    for args in (["score", "pool.txt", "--scorer", "nnll", "--device", "cpu"], ["score", "pool.txt", "--scorer", "nnll", "--seed", "1"],
                 ["score", "pool.txt", "--scorer", "nnll", "--round", "2"],
                 ["candidates", "pool.txt", "--count", "1", "--margins", "u.txt"],
                 ["candidates", "pool.txt", "--count", "1", "--scores", "u.txt"]):
        contains(box.run(*args, expect=2).err, "has no option")
    # Every option of the whole table: a command refuses what its own help does not name.
    commands = {"select": ["pool.txt"], "candidates": ["pool.txt"], "score": ["pool.txt"], "doctor": [], "strategies": []}
    named = {command: set(re.findall(r"--([a-z-]+)", box.run(command, "--help").out)) for command in commands}
    known = set().union(*named.values())
    for command, operands in commands.items():
        for option in sorted(known - named[command]):
            contains(box.run(command, *operands, "--" + option, expect=2).err, "has no option '--%s'" % option)


@case
def counts_of_results_as_json(box):
    box.file("pool.txt", "a b\na b\nc\n\n")  # a repeated row and an empty one have no score
    box.file("x.lp", "1\t-1\n3\t-2\n")
    box.file("runs.tsv", "strategy\twords\tmetric\nx\t10\t1\nx\t20\t2\ny\t10\t3\n")
    for args, wanted in ((["score", "pool.txt", "--scorer", "nnll", "--logprobs", "x.lp"], {"scorer": "nnll", "rows": 4, "scored": 2}),
                         (["phrases", "pool.txt"], {"rows": 4, "phrases": 4}),
                         (["candidates", "pool.txt", "--count", "9"], {"rows": 4, "candidates": 2}),
                         (["plot", "curves", "runs.tsv"], {"plot": "curves", "series": 2, "observations": 3}),
                         (["lm", "train", "pool.txt", "--order", "2"],
                          # Of one word <s>, <unk>, </s>, a, b, c; of two <s> a, a b, b </s>,
                          # <s> c, c </s>, <s> </s>.
                          {"sentences": 4, "order": 2, "ngrams": [6, 6]})):
        found = json.loads(box.run(*args, "--out", "out." + ("arpa" if args[0] == "lm" else "tsv"), "--json").out)
        assert found.pop("version")
        equal(found, wanted)
        contains(box.run(*args, "--json", expect=2).err, "--json needs --out FILE")
    box.file("texts.txt", "a b\nc\n")
    scored = json.loads(box.run("lm", "score", "texts.txt", "--lm", "out.arpa", "--out", "lm.lp", "--json").out)
    values = [float(value) for line in box.read("lm.lp").decode().splitlines() for value in line.split("\t")[1].split(" ")]
    equal((scored["rows"], scored["tokens"], len(values)), (2, 5, 5))
    assert abs(scored["logprob"] - sum(values)) < 1e-5, (scored, sum(values))


if __name__ == "__main__":
    raise SystemExit(main())
