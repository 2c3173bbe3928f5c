# SPDX-License-Identifier: Apache-2.0
"""The types that the package promises are those that run, and a strict reader is content with them."""
import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import textwrap
import typing
from pathlib import Path

import pytest

import alcore

pytest.importorskip("mypy")
PACKAGE = Path(alcore.__file__).parent


@pytest.fixture(scope="module")
def configured(tmp_path_factory):
    """(folder, configuration): what the package keeps to itself has no types; the signatures of what is public do."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-alcore.*]\nignore_errors = True\n")
    return folder, folder / "mypy.ini"


def mypy(configured, *arguments):
    folder, config = configured
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(config), *map(str, arguments)], cwd=folder,
                          capture_output=True, text=True, env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)))
    return done.returncode, done.stdout + done.stderr


def definitions():
    """{(module, qualified name): nodes of the functions}, of which several are overloads and what they stand for."""
    found = {}
    for path in PACKAGE.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for each in [node] + (node.body if isinstance(node, ast.ClassDef) else []):
                if isinstance(each, ast.FunctionDef):
                    name = each.name if each is node else "%s.%s" % (node.name, each.name)
                    found.setdefault(("alcore." + path.stem if path.stem != "__init__" else "alcore", name), []).append(each)
    return found


def public_functions():
    """(function, whether it is a method) of every public name."""
    values = [getattr(alcore, name) for name in alcore.__all__]
    for module in map(importlib.import_module, ("alcore.metrics", "alcore.analysis", "alcore.stop", "alcore.plots", "alcore.trackers", "alcore.served", "alcore.ranks",
                                                        "alcore.spark", "alcore.ray", "alcore.dask")):
        values += [value for name, value in vars(module).items()
                   if not name.startswith("_") and getattr(value, "__module__", "") in (module.__name__, "alcore._results")]
    for value in values:
        if inspect.isfunction(value):
            yield inspect.unwrap(value), False
        for name, member in vars(value).items() if inspect.isclass(value) else ():
            function = inspect.unwrap(getattr(member, "fget", getattr(member, "__func__", member)))
            if "<locals>" in getattr(function, "__qualname__", ""):
                continue  # a getter, which says its type where it is made
            if inspect.isfunction(function) and (not name.startswith("_") or name in SPECIAL) and function.__module__.startswith("alcore"):
                yield function, not isinstance(member, staticmethod)


SPECIAL = ("__init__", "__len__", "__iter__", "__getitem__", "__call__", "__enter__", "__exit__", "__arrow_c_stream__")


def test_every_public_name_has_a_type():
    known, seen = definitions(), 0
    for function, is_method in public_functions():
        nodes = known[function.__module__, function.__qualname__]
        for node in nodes[:-1] or nodes:
            seen += 1
            given = (node.args.posonlyargs + node.args.args)[is_method:] + node.args.kwonlyargs
            typing.get_type_hints(function)  # they are there at run time too
            assert node.returns is not None and all(argument.annotation is not None for argument in given), function.__qualname__
    assert seen > 250


PROGRAM = """
    from typing import Any
    from pathlib import Path
    import alcore
    from alcore import plots

    picked = alcore.select(["a b", "c d"], "5w", "random", seed=3, probs=[[0.5, 0.5], [0.1, 0.9]], tie="random")
    reveal_type(picked)
    reveal_type(picked.indices)
    reveal_type(picked.records)
    plots.learning_curve({"random": [(100, [0.5, 0.6]), (200, 0.7)]}, axes=plots.terms(picked))

    class Letters:
        def embed(self, texts: alcore.Batch) -> list[list[float]]:
            return [[float(row)] for row in texts.rows]

    @alcore.strategy(needs=("probs",))
    def own(view: alcore.View) -> list[float]:
        return [1.0] * len(view)

    @alcore.scorer
    def plain(view: alcore.View) -> Any:
        return view.probs

    reveal_type(own)
    reveal_type(alcore.Context().threads)
    reveal_type(alcore.Model.ngram().name)
    with alcore.Pool(["a"], ids=["x"]) as pool:
        pool.mark_labeled(pool.select(1, own, model=Letters()))
        reveal_type(pool[0])
        reveal_type(pool[0:1])
        pool.set_column("mine", Path("column.npy"), meaning="confidence")
        with pool.column("mine") as writer:
            writer.put([0], [1.0])
        pool.score(plain)
    try:
        alcore.select(["a"], labeled=["b"], exclude=[1], eligible=picked)
    except alcore.ParamError as error:
        reveal_type(error.name)
"""
SAID = ["alcore._selection.Selection", "list[int]", "list[dict[str, Any]]",
        "alcore._parts.OwnStrategy[[view: alcore._hosts.View], list[float]]", "int", "str", "str",
        "list[str]", "str"]
WRONG = {'alcore.select(["a"], ids=5)': "arg-type", 'alcore.select(["a"]).indicies': "attr-defined",
         'alcore.Pool(["a"]).mark("labeled")': "call-arg", "alcore.Model(object())": "arg-type",
         'alcore.select(["a"], round="first")': "arg-type", "alcore.Context(threads=None)": "arg-type"}


def test_a_strict_program_passes(configured):
    program = configured[0] / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    status, said = mypy(configured, program)
    assert status == 0, said
    assert re.findall(r'Revealed type is "(.*?)"', said.replace("builtins.", "")) == SAID


def test_a_wrong_program_is_told(configured):
    program = configured[0] / "wrong.py"
    program.write_text("import alcore\n" + "\n".join(WRONG) + "\n")
    status, said = mypy(configured, program)
    found = dict(re.findall(r"wrong\.py:(\d+): error: .*\[([\w-]+)\]", said))
    assert [found.get(str(number)) for number in range(2, len(WRONG) + 2)] == list(WRONG.values()), said
