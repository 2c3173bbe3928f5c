# SPDX-License-Identifier: Apache-2.0
"""Classes by key, spans by mouse and by keyboard, tags for each word, and texts that are read from the right."""
import json

from page_bed import Page, asked, read_file, run, same

MERKEL = "😀 Angela Merkel met 𠮷野家 in Berlin."
HEBREW = "שלום עולם גדול"


def spans_asked(text=MERKEL, **more):
    what = asked("spans", labels=["PER", "LOC", "ORG"], **more)
    what["items"][0]["text"] = text
    return what


def where(page, begin, end):
    """The points on the screen where a part of the text (UTF-16 units) begins and ends."""
    return page.value(f"""(() => {{
        const walk = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT), range = document.createRange();
        let passed = 0;
        for (let node; (node = walk.nextNode());) {{
            if (node.parentNode.className === "tag") continue;
            for (const [place, set] of [[{begin}, "setStart"], [{end}, "setEnd"]])
                if (place >= passed && place <= passed + node.length) range[set](node, place - passed);
            passed += node.length;
        }}
        const r = range.getBoundingClientRect();
        return [[r.left + 1, r.top + r.height / 2], [r.right - 1, r.top + r.height / 2]];
    }})()""")


def classes_by_key(box):
    page = Page(box)
    page.show(asked("classes", labels=["billing", "complaint", "praise"]))
    page.key("3")
    page.key("1")
    same(page.text("state"), "◐ not confirmed")
    same(page.value("[...document.querySelectorAll('.labels button')].map(b => b.ariaPressed)"), ["true", "false", "true"])
    page.key("Enter")
    page.key("2")
    page.key("2")
    same(page.text("state"), "○ to do")
    page.key("Enter")
    same(page.text("said"), "No class is chosen yet.")
    page.click(".labels button:nth-child(2)")
    page.key("Ctrl+Enter")
    page.click("#one-each")
    page.key("3")
    page.key("1")
    same(page.text("which"), "Item 5 of 6")
    answers, _ = read_file(page.save(), "classes")
    same([(answers[id]["status"], answers[id]["value"]) for id in sorted(answers)],
         [("ok", "billing\tpraise"), ("ok", "complaint"), ("ok", "praise"), ("ok", "billing")])
    page.reload()
    same(page.value("document.getElementById('one-each').checked"), True)
    page.close()


def spans_by_mouse(box):
    page = Page(box)
    page.show(spans_asked())
    page.drag(*where(page, 3, 16))  # "Angela Merkel"
    same(page.value("[...document.querySelectorAll('#text .cursor')].map(e => e.textContent).join('')"), "Angela Merkel")
    page.key("1")
    page.drag(*reversed(where(page, 21, 25)))  # backwards, beyond the BMP
    page.click(".labels button:nth-child(3)")
    page.drag(*where(page, 3, 9))  # a part of a part
    page.key("2")
    page.value("""(() => { const node = document.getElementById("text").lastChild.lastChild, range = document.createRange();
        range.setStart(node, 0); range.setEnd(node, 3); getSelection().addRange(range); })()""")  # as a finger selects
    page.click(".labels button:nth-child(2)")
    same(page.text("said").startswith("LOC: "), True)
    page.click("#undo")
    same(page.value("[...document.querySelectorAll('#spans li span')].map(e => e.textContent)"),
         ["LOC: Angela", "PER: Angela Merkel", "ORG: 𠮷野家"])
    page.click("#spans li:first-child button")
    page.key("Ctrl+Enter")
    answers, _ = read_file(page.save(), "spans")
    same([answers["s0"]["status"], json.loads(answers["s0"]["value"])], ["ok", [[2, 15, "PER"], [20, 23, "ORG"]]])
    assert MERKEL[20:23] == "𠮷野家"
    page.close()


def spans_by_keyboard(box):
    page = Page(box)
    page.show(spans_asked())
    same(page.focus(), "text")
    page.key("ArrowRight")
    same(page.text("said"), "😀")
    page.key("ArrowRight")
    page.key("Shift+ArrowRight")
    same(page.text("said"), "Angela Merkel")
    page.key("1")
    same(page.text("said"), "PER: Angela Merkel")
    page.key("ArrowRight")
    page.key("Ctrl+ArrowRight")
    page.key("Ctrl+ArrowRight")
    same(page.text("said"), "𠮷")
    page.key("Ctrl+Shift+ArrowRight")
    same(page.text("said"), "𠮷野")
    page.key("ArrowLeft")
    page.key("2")
    page.key("2")  # once more takes it away
    page.key("Enter")
    page.key("Enter")  # a text without spans is an answer too
    answers, _ = read_file(page.save(), "spans")
    same([(answers[id]["status"], json.loads(answers[id]["value"])) for id in ("s0", "s1")],
         [("ok", [[2, 15, "PER"]]), ("ok", [])])
    page.close()


def draft_of_spans(box):
    page, what = Page(box), spans_asked()
    what["items"][0]["draft"] = '[[2,15,"PER"]]'
    what["items"][1]["draft"] = '[[0,9999,"PER"],[0,1],7]'
    page.show(what)
    same(page.text("draft"), "PER: Angela Merkel")
    same(page.rows()[2][3], "rare words")
    page.key("d")
    page.key("Ctrl+Enter")
    same(page.rows()[0][3], "PER: Angela Merkel")
    page.key("d")  # a part beyond the text is not shown, nor what is none
    same(page.value("document.querySelectorAll('#spans li').length"), 0)
    page.click("#clear")
    answers, _ = read_file(page.save(), "spans")
    same({id: json.loads(one["value"]) for id, one in answers.items()}, {"s0": [[2, 15, "PER"]]})
    same(page.errors(), ([], []))
    page.close()


def tags_for_each_word(box):
    page = Page(box)
    page.show(asked("tags", labels=["O", "B-PER", "I-PER"]))
    page.key("2")
    page.key("3")
    page.key("Ctrl+Enter")
    page.click("#text .word:nth-child(3)")
    page.key("2")
    page.key("ArrowLeft")
    page.key("Shift+ArrowLeft")
    page.key("3")
    page.key("Ctrl+Enter")
    page.show(asked("tags", labels=["A", "B"], count=2))
    page.key("1")
    page.key("Ctrl+Enter")
    same(page.text("said"), "4 words have no tag yet.")
    page.key("End")
    for key in "1222":
        page.key(key)
    page.key("Ctrl+Enter")
    answers, _ = read_file(page.save(), "tags")
    same(answers["s0"]["value"], "A A B B B")
    page.show(asked("tags", labels=["O", "B-PER", "I-PER"]))
    answers, _ = read_file(page.save(), "tags")
    same([answers["s0"]["value"], answers["s1"]["value"]], ["B-PER I-PER O O O", "I-PER I-PER B-PER"])
    page.close()


def read_from_the_right(box):
    page, what = Page(box), asked(count=2)
    what.update(source="he", target="ar")
    what["items"][0].update(text=HEBREW, context=HEBREW)
    page.show(what)
    page.type("مرحبا")
    direction = "(id => getComputedStyle(document.getElementById(id)).direction)"
    same([page.value(f"{direction}('{id}')") for id in ("text", "context", "answer")], ["rtl"] * 3)
    same([page.value(f"document.getElementById('{id}').lang") for id in ("text", "context", "answer")], ["he", "he", "ar"])
    same(page.value("getComputedStyle(document.querySelector('.row .first')).direction"), "rtl")
    page.key("Alt+ArrowDown")
    same(page.value(f"{direction}('text')"), "ltr")
    page.show(spans_asked(HEBREW, source="he"))
    page.key("ArrowLeft")  # the next word stands on the left
    page.key("ArrowLeft")
    same(page.text("said"), "עולם")
    page.key("Shift+ArrowLeft")
    page.key("1")
    same(page.text("said"), "PER: עולם גדול")
    page.drag(*reversed(where(page, 0, 4)))
    page.key("2")
    page.key("Enter")
    answers, _ = read_file(page.save(), "spans")
    same(json.loads(answers["s0"]["value"]), [[0, 4, "LOC"], [5, 14, "PER"]])
    page.close()


run(classes_by_key, spans_by_mouse, spans_by_keyboard, draft_of_spans, tags_for_each_word, read_from_the_right)
