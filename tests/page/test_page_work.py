# SPDX-License-Identifier: Apache-2.0
"""A translator's day with the annotation page: typing, skipping, undoing, searching, closing it, saving, and
going on with the file elsewhere. Keyboard only where a mouse is not named."""
import json

from page_bed import Page, asked, read_file, run, same, write_page


def typed_and_confirmed(box):
    page = Page(box)
    page.show(asked())
    same(page.focus(), "answer")
    page.type("Der Patient hat starke Kopfschmerzen.")
    page.key("Ctrl+Enter")
    same(page.text("which"), "Item 2 of 6")
    same(page.text("counts"), "1 of 6 done · 5 words done, 21 left")
    page.type("Übelkeit")
    same(page.text("counts"), "1 of 6 done, 1 not confirmed · 5 words done, 21 left")
    answers, last = read_file(page.save())
    same(last, {"batch": "clinic 1", "messages": ""})
    same(sorted(answers), ["s0", "s1"])
    same([answers["s0"][key] for key in ("status", "value", "annotator", "text")],
         ["ok", "Der Patient hat starke Kopfschmerzen.", "Ana", "The patient has severe headache."])
    same([answers["s1"]["status"], answers["s1"]["value"]], ["draft", "Übelkeit"])
    assert answers["s0"]["time"].endswith("Z") and answers["s0"]["seconds"] >= 0, answers
    same(page.errors(), ([], []))
    page.close()


def nothing_is_not_confirmed(box):
    page = Page(box)
    page.show(asked())
    page.key("Ctrl+Enter")
    same(page.text("which"), "Item 1 of 6")
    assert page.text("said").startswith("Nothing is written yet"), page.text("said")
    page.type("  \n ")
    page.key("Ctrl+Enter")
    same(page.text("which"), "Item 1 of 6")
    page.close()


def draft_is_no_answer(box):
    page, what = Page(box), asked()
    what["items"][0]["draft"] = "Der Patient hat Kopfweh."
    page.show(what)
    same(page.text("draft"), "Der Patient hat Kopfweh.")
    same(page.value("document.getElementById('answer').value"), "")
    same(read_file(page.save())[0], {})
    page.key("Escape")
    page.key("d")
    same(page.value("document.getElementById('answer').value"), "Der Patient hat Kopfweh.")
    same(page.text("state"), "◐ not confirmed")
    page.key("Alt+ArrowDown")  # going on confirms nothing
    same({id: one["status"] for id, one in read_file(page.save())[0].items()}, {"s0": "draft"})
    page.key("Alt+ArrowUp")
    page.key("Ctrl+Enter")
    answers, _ = read_file(page.save())
    same([answers["s0"]["status"], answers["s0"]["value"]], ["ok", "Der Patient hat Kopfweh."])
    page.type(" So?")  # what is changed has to be confirmed again
    page.key("Alt+ArrowUp")
    page.type("!")
    same(read_file(page.save())[0]["s0"]["status"], "draft")
    page.close()


def draft_from_within_the_text_box(box):
    page, what = Page(box), asked()
    what["items"][0]["draft"] = "Der Patient hat Kopfweh."
    page.show(what)
    page.type("Der")
    page.key("Alt+Enter")
    same([page.focus(), page.value("document.getElementById('answer').value")], ["answer", "Der Patient hat Kopfweh."])
    page.type(" Ja.")
    page.key("Ctrl+Enter")
    page.key("Alt+Enter")  # an item without a draft stays as it is
    same(page.value("document.getElementById('answer').value"), "")
    for _ in range(3):
        page.key("Escape")
        page.key("u")
    same(page.value("document.getElementById('answer').value"), "Der")  # what the draft replaced is not lost
    page.close()


def skipped_with_a_reason(box):
    page = Page(box)
    page.show(asked())
    page.key("Escape")
    page.key("s")
    same(page.value("document.getElementById('skip-dialog').open"), True)
    page.key("Escape")
    same(page.text("counts"), "0 of 6 done · 0 words done, 26 left")
    for downs, remark in ((0, "I do not know <b>this</b>"), (1, ""), (2, "broken")):
        page.key("Escape")
        page.key("s")
        for _ in range(downs):
            page.key("ArrowDown")
        page.key("Tab")
        page.type(remark)
        page.key("Tab")
        page.key("Enter")
    same(page.text("counts"), "3 of 6 done (3 skipped) · 0 words done, 14 left")
    answers, _ = read_file(page.save())
    same([(answers[id]["status"], answers[id]["value"], answers[id]["comment"]) for id in ("s0", "s1", "s2")],
         [("skip", None, "I do not know <b>this</b>"), ("untranslatable", None, None), ("reject", None, "broken")])
    page.close()


def undone_and_done_again(box):
    page = Page(box)
    page.show(asked())
    page.type("eins")
    page.key("Ctrl+Enter")
    page.type("zw")
    page.type("ei")
    page.key("Escape")
    page.key("u")  # the typing, whole
    same(page.value("document.getElementById('answer').value"), "")
    page.key("Escape")
    page.key("Ctrl+z")  # the confirmation
    same(page.text("which"), "Item 1 of 6")
    same(page.text("state"), "◐ not confirmed")
    page.key("Escape")
    page.key("Ctrl+Shift+z")
    same(page.text("state"), "✓ done")
    page.key("Escape")
    page.key("u")
    page.key("Escape")
    page.key("u")
    same(page.text("counts"), "0 of 6 done · 0 words done, 26 left")
    same(page.value("document.getElementById('undo').disabled"), True)
    page.click("#redo")
    page.click("#redo")
    same(page.text("counts"), "1 of 6 done · 5 words done, 21 left")
    page.close()


def searched_and_filtered(box):
    page = Page(box)
    page.show(asked(count=40))
    page.type("eins")
    page.key("Ctrl+Enter")
    page.key("Escape")
    page.key("/")
    same(page.focus(), "search")
    page.type("SCAN")
    same(page.text("found"), "6 of 40 items")
    same([row[1] for row in page.rows()], ["6", "12", "18", "24", "30", "36"])
    page.key("Tab")
    page.key("Tab")
    same(page.focus(), "list")
    page.key("ArrowDown")
    page.key("ArrowDown")
    same(page.value("document.querySelector('.row[aria-selected=true]').id"),
         page.value("document.getElementById('list').getAttribute('aria-activedescendant')"))
    page.key("Enter")
    same([page.focus(), page.text("which")], ["answer", "Item 18 of 40"])
    page.value("document.getElementById('search').value = ''")
    page.value("""(() => { const f = document.getElementById('filter'); f.value = 'ok'; f.dispatchEvent(new Event('change')); })()""")
    same([row[:2] for row in page.rows()], [["✓", "1"]])
    page.close()


def kept_over_closing(box):
    page = Page(box)
    page.show(asked())
    page.type("eins")
    page.key("Ctrl+Enter")
    page.type("zw")
    page.reload()
    same([page.text("which"), page.value("document.getElementById('answer').value"), page.text("who")], ["Item 2 of 6", "zw", "Ana"])
    page.close()  # the browser itself
    page = Page(box)
    page.show(asked())
    same([page.text("which"), page.value("document.getElementById('answer').value")], ["Item 2 of 6", "zw"])
    same(page.text("counts"), "1 of 6 done, 1 not confirmed · 5 words done, 21 left")
    same(page.value("document.getElementById('name-dialog').open"), False)
    keys = page.value("Object.keys(localStorage)")
    assert keys and all(key.startswith("alcore-page-1 clinic 1 ") for key in keys), keys
    page.show({**asked(), "batch": "clinic 2"})  # another page of the same browser knows nothing of it
    same(page.text("counts"), "0 of 6 done · 0 words done, 26 left")
    page.show(asked(count=5))
    same(page.text("counts"), "0 of 5 done · 0 words done, 22 left")
    page.show(asked())
    same(page.text("counts"), "1 of 6 done, 1 not confirmed · 5 words done, 21 left")
    page.close()


def name_asked_until_it_is_said(box):
    page = Page(box)
    page.open(write_page(str(page.box / "page.html"), asked()))
    page.reload()
    same(page.value("document.getElementById('name-dialog').open"), True)
    page.key("Enter")  # nothing is an answer, which is not asked again
    page.type("eins")
    page.reload()
    same(page.value("document.getElementById('name-dialog').open"), False)
    same(read_file(page.save())[0]["s0"]["annotator"], None)
    page.click("#who")
    page.type("Ana")
    page.key("Enter")
    page.type("!")
    same(read_file(page.save())[0]["s0"]["annotator"], "Ana")
    page.close()


def opened_elsewhere(box):
    page = Page(box)
    page.show(asked())
    page.type("eins")
    page.key("Ctrl+Enter")
    page.type("zw")
    path = page.save()
    page.value("localStorage.clear()")
    page.reload()
    page.type("Ben")
    page.key("Enter")
    page.type("selbst")  # newer than the file: it stays
    page.choose_file("#file", path)
    page.until("document.getElementById('said').textContent.includes('were taken')")
    assert page.text("said").startswith("1 answers were taken"), page.text("said")
    same([row[3] for row in page.rows()][:2], ["selbst", "zw"])
    page.value("window.scrollTo(0, 0)")
    answers, _ = read_file(page.save())
    same([(answers[id]["value"], answers[id]["annotator"]) for id in ("s0", "s1")], [("selbst", "Ben"), ("zw", "Ana")])
    page.click("#undo")
    same(page.rows()[1][0], "○")
    for text, message in (("[1]", "is not a file that this page saved"), ("{", "is not JSON"),
                          (json.dumps({"schema": "alcore-page-1", "task": "tags", "answers": []}), "another task: tags"),
                          (json.dumps({"schema": "alcore-page-1", "task": "translation", "answers": [
                              None, 1, {"id": "s2"}, {"id": "zz", "status": "ok", "value": "x"}, {"id": "s3", "status": "ok"},
                              {"id": "s4", "status": "ok", "value": ["a"]}]}), "0 answers were taken from bad.json; 6 are of no item")):
        (page.box / "bad.json").write_text(text)
        page.choose_file("#file", page.box / "bad.json")
        page.until(f"document.getElementById('said').textContent.includes({json.dumps(message)})")
    same(page.errors(), ([], []))
    page.close()


def all_done(box):
    page = Page(box)
    page.show(asked(count=2))
    page.key("Alt+ArrowDown")
    page.type("zwei")
    page.key("Ctrl+Enter")
    same(page.text("which"), "Item 1 of 2")  # from the end it goes on at the beginning
    page.type("eins")
    page.key("Ctrl+Enter")
    same(page.focus(), "save")
    assert page.text("said").endswith("All items are done: save them as a file."), page.text("said")
    page.key("Enter")
    page.wait_event("Browser.downloadWillBegin")
    page.close()


def in_two_windows(box):
    page = Page(box)
    page.show(asked())
    first = page.session
    page.type("eins")
    page.key("Ctrl+Enter")
    page.show(asked())
    same(page.text("counts"), "1 of 6 done · 5 words done, 21 left")
    page.type("zwei")
    page.key("Ctrl+Enter")
    page.session = first
    page.until("document.getElementById('counts').textContent.startsWith('2 of 6 done')")
    page.close()


run(typed_and_confirmed, nothing_is_not_confirmed, draft_is_no_answer, draft_from_within_the_text_box, skipped_with_a_reason, undone_and_done_again,
    searched_and_filtered, kept_over_closing, name_asked_until_it_is_said, opened_elsewhere, all_done, in_two_windows)
