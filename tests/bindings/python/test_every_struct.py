# SPDX-License-Identifier: Apache-2.0
"""Walks the structs of options in the public headers: for every member of every struct that a function takes, and of every struct that
a member points to, a value other than the default changes what the function gives, or its error, in a fixture of struct_*.py. A member
without a fixture fails, and so does one that changes nothing. A member that a function does not read is set too, and must change
nothing."""
import inspect
import re
import shutil
import sys
from pathlib import Path

import pytest

from alcore import _ffi
from alcore._handles import begun

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "bindings" / "gen")]
import headers  # noqa: E402
import struct_world  # noqa: E402
import struct_measures  # noqa: E402, F401
import struct_experiments  # noqa: E402, F401
import struct_models  # noqa: E402, F401
import struct_pools  # noqa: E402, F401
import struct_projects  # noqa: E402, F401
import struct_texts  # noqa: E402, F401
import struct_tools  # noqa: E402, F401
from struct_world import FIXTURES, Refusal, Refused, Unread, When, struct_of  # noqa: E402

# Structs that a caller fills but that are no options: data without settings, functions of the
# caller, and where results go.
NO_OPTIONS = {"alcore_tensor": "an array", "alcore_stop_decision": "a result that alcore_stop_text() puts into words",
              "alcore_token_stats": "where results go", "alcore_logits_writers": "where results go",
              "alcore_model_host": "the caller's functions (tests/unit/model/test_model.c)",
              "alcore_scorer_host": "the caller's functions (tests/unit/scorer)",
              "alcore_strategy_host": "the caller's functions (tests/unit/strategy)"}
API = headers.read_api(ROOT)
STRUCTS = {struct["name"]: [field["name"] for field in struct["fields"]] for struct in API["structs"]}
TYPES = {struct["name"]: {field["name"]: field["type"] for field in struct["fields"]} for struct in API["structs"]}
# (function, parameter) -> name of the struct
TAKEN = {(function["name"], argument["name"]): argument["type"][len("const "):-len(" *")]
         for function in API["functions"] for argument in function["args"]
         if argument["type"][:6] == "const " and argument["type"][len("const "):-len(" *")] in STRUCTS.keys() - NO_OPTIONS}


def add_pointed_at(key, name):
    """Enters the structs that members of a struct point to, unless its fixture says that the call does not read them."""
    for member, kind in TYPES[name].items():
        pointed_at = kind.replace("const ", "").rstrip(" *")
        fixture = FIXTURES.get(key)
        if pointed_at not in STRUCTS.keys() - NO_OPTIONS or fixture and isinstance(fixture.members.get(member), Unread):
            continue
        inner = key[0], key[1] + "." + member
        TAKEN[inner] = pointed_at
        add_pointed_at(inner, pointed_at)


for outer in list(TAKEN.items()):
    add_pointed_at(*outer)
EVERY = [pytest.param(*key, member, id="%s-%s-%s" % (*key, member)) for key, name in TAKEN.items() for member in STRUCTS[name]
         if member not in ("size", "reserved")]


def outcome(key, fields):
    """What the fixture gives with these members, or how the call refuses them."""
    fixture = FIXTURES[key]
    try:
        return fixture.call(struct_of(getattr(_ffi, TAKEN[key]), {**fixture.base, **fields}))
    except Refused as error:
        return error


DEFAULTS = {}  # (function, parameter) -> (members beside, outcome) of those that were made


def default_outcome(key, beside):
    """What the fixture gives without the member that is tried, twice the same."""
    for other, found in DEFAULTS.setdefault(key, []):
        if other.keys() == beside.keys() and all(other[name] is beside[name] for name in other):
            return found
    found = outcome(key, beside)
    assert outcome(key, beside) == found, "the fixture gives something else each time"
    DEFAULTS[key].append((beside, found))
    return found


def test_every_function_with_options_has_a_fixture():
    assert len(TAKEN) > 50
    assert TAKEN.keys() - FIXTURES.keys() == set(), "write fixtures for these"
    assert FIXTURES.keys() - TAKEN.keys() == set(), "the headers have no such functions"
    assert {name for name in STRUCTS if name.endswith("_options")} <= set(TAKEN.values())
    assert ("alcore_ctx_new", "options.allocator") in TAKEN, "the walk enters no struct that a member points to"
    assert ("alcore_metric_read_bleu", "files.options") in TAKEN, "the walk enters one level only"
    assert NO_OPTIONS.keys() <= STRUCTS.keys()


def test_fixtures_name_only_what_there_is():
    for key, fixture in FIXTURES.items():
        assert fixture.members.keys() == set(STRUCTS[TAKEN[key]]) - {"size", "reserved"}, key


def words_of(header):
    """The text of a public header, without the stars and lines of its comments."""
    folder = ROOT / "include" / "alcore"
    text = next(path for path in (folder / (header + ".h"), folder / "extra" / (header + ".h")) if path.exists()).read_text(encoding="utf-8")
    return " ".join(re.sub(r"\n\s*\*", " ", text).split())


@pytest.mark.parametrize("function, parameter, member", EVERY)
def test_member(function, parameter, member):
    key = function, parameter
    assert key in FIXTURES and member in FIXTURES[key].members, "no fixture has this member"
    values = FIXTURES[key].members[member]
    if isinstance(values, Unread):
        assert values.words in words_of(values.header)
        given = values.value() if inspect.isfunction(values.value) else values.value
        default, found = default_outcome(key, values.beside), outcome(key, {**values.beside, member: given})
        assert not isinstance(default, Refused), default
        assert found == default, "%s = %r is read: %s" % (member, given, str(found)[:500])
        return
    for value in values if isinstance(values, list) else [values]:
        value = value if isinstance(value, (When, Refusal)) else When(value)
        given = value.value() if inspect.isfunction(value.value) else value.value
        default = default_outcome(key, value.beside)
        found = outcome(key, {**value.beside, member: given})
        assert found != default, "%s = %r changes nothing: %s" % (member, given, str(default)[:500])
        if value.words:
            assert isinstance(found, Refused) and value.words in str(found)
        else:
            assert not isinstance(found, Refused), found


NUMBERS = {"double", "int32_t", "int64_t"}
SAID = {(struct["name"], field["name"]): field["doc"] for struct in API["structs"] for field in struct["fields"]}


def initial(name, member):
    """What a member of a struct begins with."""
    return getattr(begun(getattr(_ffi, name)), member)


UNSET = [pytest.param(*key, member, id="%s-%s-%s" % (*key, member)) for key, name in TAKEN.items() for member in STRUCTS[name]
         if TYPES[name][member] in NUMBERS and member not in ("size", "reserved") and initial(name, member) != 0]


def test_what_begins_unset_says_so():
    """A member begins with another value than 0 exactly where its comment tells that it is unset, or what it is."""
    names = sorted({(name, member) for name in set(TAKEN.values()) for member in STRUCTS[name] if TYPES[name][member] in NUMBERS})
    assert len(names) > 100
    for name, member in names:
        said = SAID[name, member]
        assert (initial(name, member) != 0) == (member != "size" and ("unset" in said or "_INIT has it" in said)), (name, member, said)
    assert len(UNSET) >= 15


@pytest.mark.parametrize("function, parameter, member", UNSET)
def test_zero_that_is_given_is_zero(function, parameter, member):
    """Where a member begins with another value than 0, a 0 is not the default: it changes what the call gives, or is refused by
    name."""
    key = function, parameter
    values = FIXTURES[key].members[member]
    value = (values if isinstance(values, list) else [values])[0]
    if isinstance(value, Unread):
        pytest.skip("not read by this call")
    beside = getattr(value, "beside", {})
    default, found = default_outcome(key, beside), outcome(key, {**beside, member: 0})
    assert not isinstance(default, Refused), default
    if isinstance(found, Refused):
        assert found.status in (_ffi.ALCORE_E_INVALID, _ffi.ALCORE_E_PARAM) and re.search(r"\b%s\b" % member, str(found)), found
    else:
        assert found != default, "0 means the default"


@pytest.mark.parametrize("function, parameter", TAKEN)
def test_size_and_reserved(function, parameter):
    """A struct whose size was not set, or is of no struct, is refused, and so is a number in its padding."""
    key = function, parameter
    for size, status in ((0, _ffi.ALCORE_E_STRUCT_UNSET), (5, _ffi.ALCORE_E_STRUCT_SIZE)):
        found = outcome(key, {"size": size})
        assert isinstance(found, Refused) and found.status == status, found
    if "reserved" in STRUCTS[TAKEN[key]]:
        found = outcome(key, {"reserved": 1})
        assert isinstance(found, Refused) and found.status == _ffi.ALCORE_E_STRUCT_NEWER, found


def teardown_module():
    shutil.rmtree(struct_world.FOLDER)
