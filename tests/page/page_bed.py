# SPDX-License-Identifier: Apache-2.0
"""What the tests of the annotation page share: pages of sample texts, a browser, and what it saved."""
import functools
import json
import os
import pathlib
import subprocess
import sys

for folder in ("tools", "bindings/python"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))
import kept_documents  # noqa: E402
from browser import Browser, find_chromium  # noqa: E402
from tap import Tap  # noqa: E402

TEXTS = ["The patient has severe headache.", "Nausea was reported.", "The fever has gone.", "Angela Merkel met him in Berlin.",
         "No signs of infection.", "A second scan followed."]


def asked(task="translation", count=6, labels=(), **more):
    items = [{"id": f"s{i}", "text": TEXTS[i % 6] + (f" ({i})" if i >= 6 else ""), "reason": "rare words",
              "context": f"Before {i}. After {i}.", "group": f"report {i // 3}"} for i in range(count)]
    return {"batch": "clinic 1", "task": task, "source": "en", "target": "de", "labels": list(labels), "items": items, **more}


def write_page(path, what):
    made = subprocess.run([os.environ["PAGE_TOOL"], "write", path], input=json.dumps(what).encode(), capture_output=True)
    assert made.returncode == 0, made.stderr.decode()
    return pathlib.Path(path).as_uri()


def read_file(path, task="translation"):
    """(answers by id, the last line) of a file that a page saved, as the library reads it."""
    kept_documents.keep(pathlib.Path(path).read_bytes())
    made = subprocess.run([os.environ["PAGE_TOOL"], "read", path, task], capture_output=True)
    assert made.returncode == 0, made.stderr.decode()
    *lines, last = map(json.loads, made.stdout.decode().rstrip("\n").split("\n"))
    return {line["id"]: line for line in lines}, last


class Page(Browser):
    """A browser with a page of its own, whose profile and downloads are in the folder box."""
    running = []

    def __init__(self, box, *options):
        self.box = pathlib.Path(box)
        (self.box / "saved").mkdir(exist_ok=True)
        super().__init__(self.box / "profile", self.box / "saved", *options)
        Page.running.append(self)
        self.wait_for_storage()

    def wait_for_storage(self):
        """On a busy machine a browser whose profile is new may lose what its first page keeps: waits until a page is kept over reloading."""
        self.open(self.box.as_uri() + "/")
        while not self.value("localStorage.getItem('warm')"):
            self.value("localStorage.setItem('warm', '1')")
            self.reload()
        self.value("localStorage.removeItem('warm')")
        self.close_tab()

    def show(self, what, name="Ana", before=None):
        self.open(write_page(str(self.box / "page.html"), what), before)
        if self.value("document.getElementById('name-dialog').open"):
            self.type(name)
            self.key("Enter")

    def errors(self):
        """What went wrong in the page, and every address that it asked for."""
        wrong = [event for event in self.events if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
        loads = [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return wrong, [url for url in loads if not url.startswith(("file:", "blob:"))]

    def save(self):
        """Saves by the key, and returns the path of the file when it is there."""
        self.key("Ctrl+s")
        name = self.wait_event("Browser.downloadWillBegin")["suggestedFilename"]
        while self.wait_event("Browser.downloadProgress")["state"] != "completed":
            pass
        return str(self.box / "saved" / name)

    def focus(self):
        return self.value("document.activeElement.id")

    def rows(self):
        """Number, mark and texts of the rows that are drawn, from above."""
        return self.value("""[...document.querySelectorAll(".row")].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)
            .map(row => [...row.children].map(cell => cell.textContent))""")


def ended(case):
    """The case, behind which no browser runs, whatever happened."""
    @functools.wraps(case)
    def wrapped(box):
        try:
            case(box)
        finally:
            while Page.running:
                Page.running.pop().close()
    return wrapped


def run(*cases):
    """Runs cases, each with a folder; without a browser all are skipped."""
    tap = Tap()
    if find_chromium():
        tap.run([ended(case) for case in cases])
    else:
        for case in cases:
            tap.skip(case.__name__, "there is no Chromium")
    tap.finish()


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"{got!r} instead of {wanted!r}")
