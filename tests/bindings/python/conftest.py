# SPDX-License-Identifier: Apache-2.0
import os
import warnings
from pathlib import Path

import pytest

import alcore
import kept_documents
from alcore._library import lib

ROOT = Path(__file__).resolve().parents[3]


_new_selection = alcore.Selection.__init__


def _keep_selection(self, pointer, pool):
    kept_documents.keep(lib.alcore_selection_provenance(pointer))
    _new_selection(self, pointer, pool)


alcore.Selection.__init__ = _keep_selection


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def texts():
    return (ROOT / "examples" / "data" / "pool.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def pool(texts):
    with alcore.Pool(texts[:200]) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet():
    """Most tests take the built-in model on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", alcore.ImplicitModelWarning)
        yield


@pytest.fixture(scope="session")
def build():
    return Path(os.environ["ALCORE_BUILD"])


@pytest.fixture(scope="session")
def numpy():
    return pytest.importorskip("numpy")
