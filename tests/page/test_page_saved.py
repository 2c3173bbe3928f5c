# SPDX-License-Identifier: Apache-2.0
"""Files that the annotation page saves, one of each task, which tests/unit/extra/tool/test_tool_page.c reads: those that are kept are
what the page saves today. ALCORE_RENEW_TOOL_FILES=1 writes them anew. Times are replaced."""
import json
import os
import pathlib
import re

from page_bed import Page, run

KEPT = pathlib.Path(__file__).resolve().parents[1] / "unit" / "extra" / "tool" / "files"
TEXTS = ["😀 Anna Li lives in Paris", "<b>\"Stop\" & go</b>\nnow", "𝕏𝕏 Köln", "a b"]


def asked(task, labels=()):
    return {"batch": "first & last", "task": task, "source": "en", "target": "de", "labels": list(labels),
            "items": [{"id": f"s:{i + 1}", "text": text, "draft": draft}
                      for i, (text, draft) in enumerate(zip(TEXTS, DRAFTS[task]))]}


DRAFTS = {"translation": ["😀 Anna Li wohnt in „Paris\"", None, None, None], "classes": ["PER\tLOC & \"GPE\"", None, None, None],
          "spans": ["[[2,9,\"PER\"],[19,24,\"LOC\"]]", None, None, None], "tags": ["O PER PER O O LOC", None, None, None]}


def skip(page, remark):
    page.key("Escape")
    page.key("s")
    page.key("Tab")
    page.type(remark)
    page.key("Tab")
    page.key("Enter")


def kept_files(box, task, labels, work):
    page = Page(box)
    page.show(asked(task, labels), name="Ana „A.\"")
    page.key("Escape")
    page.key("d")
    page.key("Ctrl+Enter")
    skip(page, "what?\n\"…\"")
    work(page)
    text = pathlib.Path(page.save()).read_text(encoding="utf-8")
    text = re.sub(r'"(time|saved)":"[^"]*"', r'"\1":"2026-11-29T10:00:00.000Z"', re.sub(r'"seconds":[0-9.]+', '"seconds":1.5', text))
    json.loads(text)
    kept = KEPT / f"page-{task}.back.json"
    if os.environ.get("ALCORE_RENEW_TOOL_FILES"):
        kept.write_text(text, encoding="utf-8")
    assert kept.read_text(encoding="utf-8") == text, text
    page.close()


def translation(box):
    def work(page):
        page.type("𝕏𝕏 Cologne\nam Rhein")
        page.key("Ctrl+Enter")
        page.type("nicht fertig")
    kept_files(box, "translation", [], work)


def classes(box):
    def work(page):
        page.key("2")
        page.key("1")
        page.key("Enter")
        page.key("1")
    kept_files(box, "classes", ["PER", "LOC & \"GPE\""], work)


def spans(box):
    def work(page):
        page.key("ArrowRight")
        page.key("1")
        page.key("Enter")
        page.key("Enter")
    kept_files(box, "spans", ["PER", "LOC"], work)


def tags(box):
    def work(page):
        page.key("ArrowRight")
        page.key("2")
        page.key("Ctrl+Enter")
        page.key("1")
    kept_files(box, "tags", ["O", "LOC", "PER"], work)


run(translation, classes, spans, tags)
