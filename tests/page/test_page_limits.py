# SPDX-License-Identifier: Apache-2.0
"""What the annotation page is safe from and where it says no: markup in texts, remote resources, storage that is
refused, 5,000 items, readers of screens, large letters."""
import json
import pathlib
import re

from page_bed import Page, asked, read_file, run, same

HOSTILE = ["</script><script>document.title = 'broken'</script>", "<img src=x onerror=\"document.title='broken'\">", "<!-- <script>",
           "a\u2028b\u2029c", "&lt;b&gt; &amp;", "\\\"'`${1}", "]]>"]


def texts_stay_texts(box):
    page, what = Page(box), asked(count=len(HOSTILE))
    for item, text in zip(what["items"], HOSTILE):
        item.update(text=text, context=text, draft=text, reason=text, group=text, id=text)
    what["batch"] = "<b>batch</b></title><script>document.title = 'broken'</script>"
    page.show(what, name="<i>Ana</i>")
    for text in HOSTILE:
        for id in ("text", "context", "draft"):
            same(page.value(f"document.getElementById('{id}').textContent"), text)
        page.key("Escape")
        page.key("d")
        page.key("Ctrl+Enter")
    same(page.value("document.title"), what["batch"])
    same(page.value("document.querySelectorAll('b, i, img').length"), 0)
    answers, last = read_file(page.save())
    same([answers[text]["value"] for text in HOSTILE], HOSTILE)
    same([answers[text]["text"] for text in HOSTILE], HOSTILE)
    same({one["annotator"] for one in answers.values()}, {"<i>Ana</i>"})
    same(last, {"batch": what["batch"], "messages": ""})
    same(page.errors(), ([], []))
    page.close()


def half_characters(box):
    page = Page(box)
    page.show(asked())
    page.value("""(() => { const a = document.getElementById("answer"); a.value = "a\\ud83d b \\ud83d\\ude00"; 
        a.dispatchEvent(new Event("input")); })()""")
    page.key("Ctrl+Enter")
    same(read_file(page.save())[0]["s0"]["value"], "a\ufffd b 😀")
    page.close()


def nothing_is_loaded(box):
    page = Page(box)
    page.show(asked())
    policy = page.value("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-"), policy
    assert not re.search(r"(?:src|href)=|url\(|https?:|@import", (pathlib.Path(box) / "page.html").read_text())
    for attempt, directive in (("new Image().src = 'https://example.invalid/x.png'", "img-src"),
                               ("fetch('https://example.invalid/').catch(() => 0)", "connect-src"),
                               ("document.head.append(Object.assign(document.createElement('link'), "
                                "{rel: 'stylesheet', href: 'https://example.invalid/x.css'}))", "style-src-elem"),
                               ("document.body.append(Object.assign(document.createElement('iframe'), "
                                "{src: 'https://example.invalid/'}))", "frame-src")):
        page.value("window.violated = []; document.addEventListener('securitypolicyviolation', e => violated.push(e.effectiveDirective)); 0")
        page.value(attempt + "; 0")
        page.until(f"violated.includes({json.dumps(directive)})")
    try:
        page.value("document.body.innerHTML = '<p>x</p>'")
    except RuntimeError as error:
        assert "TrustedHTML" in str(error), error
    else:
        raise AssertionError("markup can be put into the page")
    page.close()


def only_the_picks(box):
    page, what = Page(box), asked()
    page.show(what)
    text = (pathlib.Path(box) / "page.html").read_text()
    data = json.loads(re.search(r'<script type="application/json" id="asked">(.*?)</script>', text, re.S)[1])
    same(sorted(data), ["batch", "digest", "items", "labels", "schema", "source", "target", "task"])
    same(data["items"], what["items"])
    page.close()


def warned(page):
    """The warning, which is seen."""
    same(page.value("document.getElementById('warning').getClientRects().length"), 1)
    return page.text("warning")


def refused_storage(box):
    refusals = {
        "it does not allow": "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});",
        "is full": "Storage.prototype.setItem = function () { throw new DOMException('full', 'QuotaExceededError'); };",
    }
    for said, script in refusals.items():
        page = Page(box)
        page.show(asked(), before=script)
        warning = warned(page)
        assert said in warning and "save it as a file" in warning, warning
        same(page.value("document.getElementById('warning').getAttribute('role')"), "alert")
        page.type("eins")
        page.key("Ctrl+Enter")
        same(page.text("counts"), "1 of 6 done · 5 words done, 21 left")
        asks = "(() => { const e = new Event('beforeunload', {cancelable: true}); dispatchEvent(e); return e.defaultPrevented; })()"
        same(page.value(asks), True)
        same(read_file(page.save())[0]["s0"]["value"], "eins")
        same(page.value(asks), False)
        page.close()
    page = Page(box)
    page.show(asked())
    same(page.value("document.getElementById('warning').hidden"), True)
    page.type("eins")
    same(page.value(asks), False)
    page.close()


def full_while_working(box):
    page = Page(box)
    page.show(asked())
    page.value("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; 0")
    page.type("e")
    assert "is full" in warned(page)
    page.close()


def spoiled_storage(box):
    page = Page(box)
    page.show(asked())
    page.type("eins")
    page.key("Ctrl+Enter")
    page.value("""(() => { const keys = Object.keys(localStorage).filter(key => key.includes(" item "));
        localStorage.setItem(keys[0], "{"); localStorage.setItem(keys[0].replace(/s0$/, "s1"), '{"status":"fine"}');
        localStorage.setItem(keys[0].replace(/item s0$/, "at"), "nothing"); })()""")
    page.reload()
    same([page.text("counts"), page.text("which")], ["0 of 6 done · 0 words done, 26 left", "Item 1 of 6"])
    same(page.errors(), ([], []))
    page.close()


def work(page, items):
    """Elements of the page at the beginning of the list and at its end, and what ten letters, a confirmation and the way to the end cost:
    counts of the browser, no times."""
    page.show(asked(count=items))
    page.key("Alt+ArrowDown")

    def counters():
        return {one["name"]: one["value"] for one in page.call("Performance.getMetrics")["metrics"]}
    page.call("Performance.enable")
    elements = "document.getElementsByTagName('*').length"
    found = {"first elements": page.value(elements), "first rows": page.value("document.getElementsByClassName('row').length")}
    before = counters()
    for letter in "abcdefghij":
        page.type(letter)
    page.key("Ctrl+Enter")
    page.value("document.getElementById('list').focus()")
    page.key("End")
    same(page.text("which"), f"Item {items:,} of {items:,}")
    after = counters()
    return {**found, "elements": page.value(elements), "rows": page.value("document.getElementsByClassName('row').length"),
            "layouts": after["LayoutCount"] - before["LayoutCount"], "styles": after["RecalcStyleCount"] - before["RecalcStyleCount"]}


def five_thousand_items(box):
    page = Page(box)
    few, many = work(page, 50), work(page, 5000)
    assert 10 < many["first rows"] <= few["first rows"] <= 40 and many["rows"] <= 40, (few, many)
    for name in few:
        assert many[name] <= 1.3 * few[name] + 5, (few, many)
    page.key("Escape")
    page.key("/")
    page.type("(4242)")
    same([row[1] for row in page.rows()], ["4,243"])
    page.close()


def readers_of_screens(box):
    page = Page(box)
    page.show(asked(count=100))
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node["name"]["value"]) for node in tree if not node["ignored"] and "name" in node}
    for wanted in (("button", "Save"), ("button", "Undo"), ("searchbox", "Search texts and answers"), ("textbox", "Translation"),
                   ("listbox", "Items, the most useful first"), ("progressbar", "Items done"), ("navigation", "Items"),
                   ("button", "Ana, change the name"), ("region", "Item 1 of 100"), ("combobox", "Which items are listed")):
        assert wanted in named, (wanted, sorted(named))
    nameless = [node for node in tree if not node["ignored"] and node["role"]["value"] in ("button", "textbox", "option", "checkbox")
                and not node.get("name", {}).get("value")]
    same(nameless, [])
    same(page.value("document.querySelector('.row').getAttribute('aria-setsize')"), "100")
    same(page.value("document.getElementById('answer').getAttribute('aria-describedby')"), "text")
    same(page.value("document.getElementById('said').getAttribute('role')"), "status")
    # Each element that Tab reaches shows the focus by an outline.
    stops = []
    for _ in range(14):
        page.key("Tab")
        stops.append(page.value("[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]"))
    assert {"save", "search", "list", "confirm", "skip"} <= {id for id, _ in stops}, stops
    assert all(outline != "none" for id, outline in stops if id), stops
    page.close()


def large_letters_and_narrow_windows(box):
    page = Page(box)
    page.show(asked(count=30))
    for width, height, letters in ((1280, 800, 16), (390, 844, 16), (1280, 800, 32), (320, 568, 16), (1280, 400, 24)):
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.value(f"document.documentElement.style.fontSize = '{letters}px'; dispatchEvent(new Event('resize')); 0")
        same(page.value("document.documentElement.scrollWidth <= innerWidth"), True)
        for id in ("answer", "confirm", "save"):
            page.value(f"document.getElementById('{id}').scrollIntoView()")
            inside = page.value(f"""(() => {{ const r = document.getElementById('{id}').getBoundingClientRect();
                return r.width > 0 && r.left >= 0 && r.right <= innerWidth && r.top < innerHeight && r.bottom > 0; }})()""")
            assert inside, (width, height, letters, id)
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    page.value("document.documentElement.style.fontSize = ''; 0")
    page.click("#list-button")
    page.key("ArrowDown")
    page.key("Enter")
    same([page.focus(), page.text("which")], ["answer", "Item 2 of 30"])
    page.close()


run(texts_stay_texts, half_characters, nothing_is_loaded, only_the_picks, refused_storage, full_while_working, spoiled_storage,
    five_thousand_items, readers_of_screens, large_letters_and_narrow_windows)
