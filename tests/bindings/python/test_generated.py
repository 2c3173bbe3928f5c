# SPDX-License-Identifier: Apache-2.0
"""The generated core is that of the headers, and the package knows no strategy and no column by name."""
import ast
import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import alcore
from alcore import _ffi, _statuses

GENERATED = {"_ffi.py"}
PACKAGE = Path(alcore.__file__).parent


def generate(root, *arguments):
    return subprocess.run([sys.executable, str(root / "bindings" / "gen" / "generate.py"), *arguments],
                          capture_output=True, text=True)


def test_structs_have_the_layout_of_c(root, build, tmp_path):
    source, program = tmp_path / "layout.c", tmp_path / "layout"
    source.write_text(generate(root, "--layout").stdout)
    subprocess.run([os.environ.get("CC", "cc"), "-I", root / "include", "-I", build / "include", source, "-o", program],
                   check=True)
    layout = json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    assert len(layout) > 10
    for name, offsets in layout.items():
        struct = getattr(_ffi, name)
        mine = {field: getattr(struct, field).offset for field, *_ in struct._fields_}
        assert dict(mine, **{"": ctypes.sizeof(struct)}) == offsets, name


def test_every_exported_function_has_a_prototype(root):
    text = (root / "lib" / "alcore.map").read_text()
    exported = set(re.findall(r"\b(alcore_\w+);", text))
    assert exported and exported == set(_ffi.FUNCTIONS)


def test_every_function_is_in_the_library():
    for name in _ffi.FUNCTIONS:
        assert getattr(alcore._lib, name) is not None


def nothing(kind):
    """The argument that says nothing: NULL or 0."""
    return None if kind in (ctypes.c_void_p, ctypes.c_char_p) else kind()


def test_every_function_answers_null(root):
    """Every function may be called with NULL and 0 for all arguments: one that returns a status refuses that and says why."""
    api = json.loads(generate(root, "--json").stdout)
    takes_none = {"alcore_error_set"}  # status 0, which clears the text
    refused = 0
    for function in api["functions"]:
        name = function["name"]
        given = [nothing(kind) for kind in _ffi.FUNCTIONS[name][1]]
        answer = getattr(alcore._lib, name)(*given)
        if function["returns"] == "alcore_status" and name not in takes_none:
            refused += 1
            assert answer == _ffi.ALCORE_E_INVALID and alcore._lib.alcore_last_error(), name
        elif name.endswith("_ref"):
            assert answer is None, name
    assert refused > 150


def test_every_status_has_an_exception():
    codes = {value for name, value in vars(_ffi).items() if name.startswith("ALCORE_E_")}
    assert codes == set(_statuses.BY_STATUS)
    for status, found in _statuses.BY_STATUS.items():
        assert issubclass(found, alcore.Error) and found.status == status
        assert alcore._lib.alcore_status_name(status).decode() == found("x").name


def words_of(tree):
    """(line, word) of every string that is no documentation, and of every identifier."""
    docs = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and \
                isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            docs.add(node.body[0].value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and node not in docs:
            text = node.value if isinstance(node.value, str) else node.value.decode()
            yield from ((node.lineno, word) for word in re.split(r"[^\w-]+", text))
        for field in ("id", "attr", "arg", "name"):
            if isinstance(getattr(node, field, None), str):
                yield node.lineno, getattr(node, field)


def test_package_knows_no_strategy_and_no_column(root):
    names = set(alcore.strategies()) | set(alcore.scorers()) | set(_ffi.COLUMNS)
    # Verbs of the C API that share a word: alcore_selection_scores(), alcore_choice_scores(),
    # alcore_view_random(). The scores of a Selection, and of Picks, are the picks' own, not the
    # column; View.random() draws; metrics compare with gold labels; axes explain variance; a
    # selection has the
    # uncertainty that the caller gives to analysis.composition() and stop.uncertainty(). Methods of
    # a model in Python make one column each, whose names they have; an inference server gives
    # log-probabilities. One column alone takes a list of matrices.
    verbs = {"scores": {"_answers.py", "_job.py", "_selection.py", "_tools.py"}, "random": {"_hosts.py"}, "gold": {"metrics.py"}, "uncertainty": {"analysis.py", "stop.py"},
             "variance": {"plots.py"},
             "logprobs": {"_host_models.py", "_topk.py", "served.py"}, "token_probs": {"_host_models.py", "_types.py"},
             "sample_probs": {"_columns.py"}, **{name: {"_host_models.py"} for name in ("embeddings", "probs")}}
    for verb, noun in (("scores", "selection"), ("random", "view")):
        assert "alcore_%s_%s" % (noun, verb) in _ffi.FUNCTIONS
    seen = 0
    for path in sorted(PACKAGE.glob("*.py")):
        if path.name in GENERATED:
            continue
        for line, word in words_of(ast.parse(path.read_text(encoding="utf-8"))):
            seen += 1
            if path.name in verbs.get(word, ()):
                continue
            assert word not in names, "%s:%d knows %r" % (path.name, line, word)
    assert seen > 1000


def test_tensors_outlive_their_calls(root):
    """A tensor that is made within the arguments of a call, Tensor(...).reference, is gone before the library reads its shape."""
    seen = 0
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "reference":
                seen += 1
                assert not isinstance(node.value, ast.Call), "%s:%d" % (path.name, node.lineno)
    assert seen > 5


def test_calls_that_call_back_are_guarded(root):
    """An exception of a callback, or Ctrl-C in one, is only delivered by run() and what calls it: new() and stream_of(), and
    by answer()."""
    seen = set()
    for path in sorted(PACKAGE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # The method _work() of projects hands its call to run_at_once().
        guarded = {argument for call in ast.walk(tree) if isinstance(call, ast.Call) and
                   getattr(call.func, "id", getattr(call.func, "attr", None)) in
                   ("run", "run_at_once", "new", "stream_of", "answer", "filled", "_work") for argument in call.args}
        # _score_one() scores one short text: there is no time for progress, and nothing to log.
        guarded |= {node for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) and function.name == "_score_one"
                    for node in ast.walk(function)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _ffi.FUNCTIONS.get(node.attr, (0, 0, False))[2]:
                assert node in guarded or node.attr.endswith("_unref"), "%s:%d" % (path.name, node.lineno)
                seen.add(node.attr)
    assert len(seen) > 15


def test_scripts_have_the_numbers_of_the_header(root):
    """The benchmarks of kernels hand structs to the library as they are."""
    source = (root / "tests" / "bench" / "kernels" / "kernel_table.py").read_text(encoding="utf-8")
    found = next(node.value for node in ast.parse(source).body if isinstance(node, ast.Assign) and node.targets[0].id == "DTYPES")
    assert ast.literal_eval(found) == {name: getattr(_ffi, "ALCORE_" + name.upper()) for name in ("float16", "bfloat16", "float32", "float64")}
