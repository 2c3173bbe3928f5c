# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the structs of annotators' tools."""
import ctypes
import os

import alcore
from alcore import _ffi
from struct_world import CTX, FOLDER, Owned, When, ask, attempts, doubles, file, lengths, lib, strings, struct_of, walks

IDS, ITEM_TEXTS = strings(["1", "2"]), strings(["\U0001F600 Anna Li", "x y"])
SPANS, LABELS, TWICE = strings(['[[2,6,"P"]]', None]), strings(["P", "L"]), strings(["P", "P"])
ITEMS = {"ids": IDS, "texts": ITEM_TEXTS, "count": 2}
WORDS = strings(["one", "two"])


def content(write, tool):
    """What a call writes for a tool, with the settings beside it."""
    folder = FOLDER / "tools"
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    write(tool.encode(), os.fsencode(folder / "out"))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@walks("alcore_tool_write", "items", base=ITEMS, count=1, ids=strings(["1", "3"]), texts=WORDS, text_lengths=lengths([4, 1]), contexts=WORDS,
       drafts=WORDS, reasons=WORDS, groups=WORDS, languages=WORDS, scores=doubles([1, 2]), costs=doubles([1, 2]))
def write_items(items):
    return content(lambda tool, path: ask("alcore_tool_write", CTX, tool, path, ctypes.byref(items), None), "csv")


#: Of both calls that write.
WRITING = {"task": _ffi.ALCORE_TASK_SPANS, "span_unit": When(_ffi.ALCORE_SPAN_BYTES, task=_ffi.ALCORE_TASK_SPANS), "source_language": b"fr",
           "target_language": b"de", "labels": When(LABELS, label_count=2, task=_ffi.ALCORE_TASK_CLASSES),
           "label_count": When(2, labels=LABELS, task=_ffi.ALCORE_TASK_CLASSES), "batch": b"second"}


def each_tool(write):
    """What a call writes for tools that read every option, or how they refuse some."""
    return attempts(lambda tool: content(write, tool), "po", "prodigy", "label-studio")


@walks("alcore_tool_write", **WRITING)
def write_with(options):
    items = struct_of(_ffi.alcore_tool_items, {**ITEMS, **({"drafts": SPANS} if options.task == _ffi.ALCORE_TASK_SPANS else {})})
    return each_tool(lambda tool, path: ask("alcore_tool_write", CTX, tool, path, ctypes.byref(items), ctypes.byref(options)))


SPAN_RECORDS = [b'{"al_id":"1","text":"\xf0\x9f\x98\x80 Anna Li","answer":"accept","spans":[{"start":5,"end":9,"label":"P"}]}']
UNITS = b"".join(b"<tuv xml:lang='%s'><seg>%s</seg></tuv>" % pair for pair in ((b"en", b"\xf0\x9f\x98\x80 Anna Li"), (b"fr", b"Anne"), (b"de", b"Anja")))
MEMORY = b"<tmx><header srclang='en'/><body><tu tuid='1'>" + UNITS + b"</tu></body></tmx>"
#: Of both calls that read.
READING = {"task": _ffi.ALCORE_TASK_SPANS, "span_unit": When(_ffi.ALCORE_SPAN_BYTES, task=_ffi.ALCORE_TASK_SPANS), "source_language": b"fr",
           "target_language": b"de", "labels": When(TWICE, label_count=2), "label_count": 1, "batch": b"\xff"}


def of_tools(read):
    """What a call finds in files of two tools, or how it refuses them."""
    paths = {"prodigy": file("tools.jsonl", b"\n".join(SPAN_RECORDS)), "tmx": file("tools.tmx", MEMORY)}
    return attempts(lambda tool: read(tool.encode(), paths[tool]), *paths)


@walks("alcore_tool_read", **READING)
def read_answers(options):
    def read(tool, path):
        answers = Owned("tool_answers", "alcore_tool_read", CTX, tool, path, ctypes.byref(options))
        found, out = [], _ffi.alcore_tool_answer(size=ctypes.sizeof(_ffi.alcore_tool_answer))
        for number in range(lib.alcore_tool_answers_count(answers._handle)):
            ask("alcore_tool_answers_get", answers, number, ctypes.byref(out))
            found.append((out.id, out.status, out.value))
        return found, lib.alcore_tool_answers_messages(answers._handle)
    return of_tools(read)


def annotations():
    """Two sentences, open."""
    made = alcore.Annotations(alcore.Pool(["\U0001F600 Anna Li", "x y"], ids=["1", "2"], context=CTX))
    made.add(["\U0001F600 Anna Li", "x y"], rows=[0, 1], kinds=["sent", "sent"])
    return made


@walks("alcore_tool_write_requests", **WRITING)
def write_requests(options):
    made = annotations()
    drafts = file("drafts.txt", b'[[2,6,"P"]]\n[]\n') if options.task == _ffi.ALCORE_TASK_SPANS else None
    return each_tool(lambda tool, path: ask("alcore_tool_write_requests", made, tool, path, drafts, ctypes.byref(options)))


@walks("alcore_tool_read_answers", **READING)
def read_into_annotations(options):
    def read(tool, path):
        made = annotations()
        ask("alcore_tool_read_answers", made, tool, path, ctypes.byref(options))
        return [tuple(item) for item in made]
    return of_tools(read)
