# SPDX-License-Identifier: Apache-2.0
"""The types that the package promises are those that run, and a strict reader is content with them."""
import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import alcore

pytest.importorskip("mypy")
PACKAGE = Path(alcore.__file__).parent


def private_modules(root):
    return sorted(path.stem for path in PACKAGE.glob("_*.py") if path.stem != "__init__")


@pytest.fixture(scope="module")
def configured(root, tmp_path_factory):
    """(folder, configuration): what the package keeps to itself has no types; the stub speaks for it."""
    folder = tmp_path_factory.mktemp("types")
    sections = ["[mypy]\nstrict = True\n"] + ["[mypy-alcore.%s]\nignore_errors = True\n" % name
                                              for name in private_modules(root)]
    (folder / "mypy.ini").write_text("\n".join(sections))
    return folder, folder / "mypy.ini"


def mypy(root, configured, *arguments):
    folder, config = configured
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=folder,
                          capture_output=True, text=True, env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)))
    return done.returncode, done.stdout + done.stderr


def test_stub_is_what_runs(root, configured):
    allowed = configured[0] / "allowed"
    allowed.write_text("\n".join(r"alcore\.%s(\..*)?" % name for name in private_modules(root)) + "\n")
    status, said = mypy(root, configured, "mypy.stubtest", "alcore", "--mypy-config-file", configured[1], "--allowlist",
                        allowed, "--ignore-unused-allowlist", "--concise")
    assert status == 0, said


def test_every_public_name_has_a_type(root):
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    named = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))} | {
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)} | {
        alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
    assert set(alcore.__all__) <= named
    methods = {node for each in tree.body if isinstance(each, ast.ClassDef) for node in each.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = (node.args.posonlyargs + node.args.args)[node in methods:] + node.args.kwonlyargs
            assert node.returns is not None and all(argument.annotation is not None for argument in given), node.name


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
SAID = ["alcore.Selection", "list[int]", "list[dict[str, Any]]", "alcore.OwnStrategy[[view: alcore.View], list[float]]", "str",
        "list[str]", "str"]
WRONG = {'alcore.select(["a"], ids=5)': "arg-type", 'alcore.select(["a"]).indicies': "attr-defined",
         'alcore.Pool(["a"]).mark("labeled")': "call-arg", "alcore.Model(object())": "arg-type",
         'alcore.select(["a"], round="first")': "arg-type", "alcore.Context(threads=None)": "arg-type"}


def test_a_strict_program_passes(root, configured):
    program = configured[0] / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    status, said = mypy(root, configured, "mypy", "--config-file", configured[1], program)
    assert status == 0, said
    assert re.findall(r'Revealed type is "(.*?)"', said.replace("builtins.", "")) == SAID


def test_a_wrong_program_is_told(root, configured):
    program = configured[0] / "wrong.py"
    program.write_text("import alcore\n" + "\n".join(WRONG) + "\n")
    status, said = mypy(root, configured, "mypy", "--config-file", configured[1], program)
    found = dict(re.findall(r"wrong\.py:(\d+): error: .*\[([\w-]+)\]", said))
    assert [found.get(str(number)) for number in range(2, len(WRONG) + 2)] == list(WRONG.values()), said
