# SPDX-License-Identifier: Apache-2.0
"""The public names of packages for active learning and for measures, which have to lead somewhere here (lib/base/hints.c): what
tests/bindings/python/test_hints.py reads. Names are read from the sources of the packages, which are installed without what they
need, as some want torch; so their versions are those of INSTALLED also where the newest ones are asked for."""
import ast
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ["sacrebleu==2.6.0"]
KEPT = {"package_names.tsv": "tests/bindings/python/package_names.tsv"}
INSTALLED = ["small-text==1.4.1", "scikit-activeml==1.0.1", "modAL-python==0.4.2.1", "baal==2.1.0", "seqeval==1.2.2"]
# Files of the packages whose public classes and functions are names of strategies, and of measures.
STRATEGIES = ["skactiveml/pool/_*.py", "skactiveml/stream/_*.py", "modAL/uncertainty.py", "modAL/disagreement.py", "modAL/batch.py",
              "modAL/density.py", "modAL/expected_error.py", "modAL/multilabel.py", "modAL/models/learners.py"]
LISTS = ["small_text/query_strategies/__init__.py"]  # those in __all__
HEURISTICS = ["baal/active/heuristics/heuristics.py", "baal/active/heuristics/stochastics.py"]
METRICS = ["seqeval/metrics/sequence_labeling.py", "sacrebleu/compat.py"]
# What is no strategy and no measure: types, errors, helpers of their authors.
LEFT_OUT = {"constraints", "ClassificationType", "EmptyPoolException", "QueryException", "PoolExhaustedException", "QueryStrategy",
            "smacof_p", "MDSP", "singlepass", "requireprobs", "require_single_item", "gather_expand", "end_of_chunk", "start_of_chunk",
            "unique_labels", "check_consistent_length"}


def defined(path):
    """Public classes and functions of a source file."""
    return [node.name for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")]


def listed(path):
    """The names in __all__ of a source file."""
    return [text.value for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__all__"
            for text in ast.walk(node.value) if isinstance(text, ast.Constant)]


def main(folder):
    import sacrebleu
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", place,
                        *INSTALLED], check=True)
        roots = [pathlib.Path(place), pathlib.Path(sacrebleu.__file__).parent.parent]
        found = set()
        for kind, patterns, names_of in (("strategy", STRATEGIES + HEURISTICS, defined), ("strategy", LISTS, listed), ("metric", METRICS, defined)):
            for pattern in patterns:
                files = [path for root in roots for path in root.glob(pattern)]
                assert files, "%s is in no package" % pattern
                found |= {(kind, path.relative_to(root).parts[0], name) for root in roots for path in root.glob(pattern) for name in names_of(path)}
    with open(pathlib.Path(folder) / "package_names.tsv", "w", encoding="utf-8") as file:
        file.writelines("%s\t%s\t%s\n" % row for row in sorted(found) if row[2] not in LEFT_OUT)


if __name__ == "__main__":
    main(sys.argv[1])
