# SPDX-License-Identifier: Apache-2.0
"""A round of a project goes out as an annotation page, two people work on it in their browsers, and what they save comes back."""
import os
import pathlib
import subprocess

from page_bed import Page, run, same


def alcore(box, *arguments):
    done = subprocess.run([os.environ["ALCORE"], *arguments], cwd=box, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def status(box):
    return dict(line.split("\t") for line in alcore(box, "project", "status", "work").splitlines() if "\t" in line)


def work(box, name, answers):
    """One person's answers to the items in their order, None: skipped; the saved file."""
    folder = pathlib.Path(box) / name
    folder.mkdir()
    page = Page(folder)
    page.open((pathlib.Path(box) / "round.html").as_uri())
    page.type(name)
    page.key("Enter")
    same(page.text("batch").startswith("clinic"), True)
    for answer in answers:
        if answer is None:
            page.key("Escape")
            page.key("s")
            page.key("Enter")
        else:
            page.type(answer)
            page.key("Ctrl+Enter")
    page.type("not finished")
    path = page.save()
    page.close()
    return path


def round_of_a_project(box):
    lines = "".join(f"s{row}\tText number {row} of ten\n" for row in range(10))
    (pathlib.Path(box) / "pool.tsv").write_text("id\ttext\n" + lines)
    alcore(box, "project", "init", "work", "strategy=random", "budget=4", "name=clinic", "target_language=de")
    alcore(box, "project", "add", "work", "pool.tsv")
    alcore(box, "project", "next", "work", "-q")
    alcore(box, "project", "export", "work", "--tool", "page", "--out", "round.html")
    first, second = work(box, "Ana", ["eins", "zwei", None]), work(box, "Ben", ["eins", "andere", None])
    alcore(box, "project", "import", "work", first, "--tool", "page")
    same({name: status(box)[name] for name in ("answered", "open", "without", "disagreeing")},
         {"answered": "2", "open": "1", "without": "1", "disagreeing": "0"})
    for _ in range(2):  # the second time changes nothing
        alcore(box, "project", "import", "work", second, "--tool", "page")
        same({name: status(box)[name] for name in ("answered", "open", "without", "disagreeing", "answers")},
             {"answered": "1", "open": "1", "without": "1", "disagreeing": "1", "answers": "8"})
    labeled = alcore(box, "project", "labeled", "work")
    assert "\teins" in labeled and "not finished" not in labeled, labeled
    alcore(box, "project", "report", "work", "--out", "report.html")
    text = (pathlib.Path(box) / "report.html").read_text()
    assert "<td>Ana</td><td>Ben</td><td>3</td><td>2</td><td>67 %</td>" in text, text


def report_in_a_browser(box):
    alcore(box, "project", "init", "work", "strategy=random", "budget=2", "name=<b>clinic</b>")
    (pathlib.Path(box) / "pool.tsv").write_text("id\ttext\na\t<script>1</script>\nb\ttwo\n")
    alcore(box, "project", "add", "work", "pool.tsv")
    alcore(box, "project", "next", "work", "-q")
    alcore(box, "project", "metric", "work", "chrf=40.5", "--round", "1")
    alcore(box, "project", "report", "work", "--out", "report.html")
    page = Page(box)
    page.open((pathlib.Path(box) / "report.html").as_uri())
    same(page.value("document.querySelector('h1').textContent"), "<b>clinic</b>")
    same(page.value("document.querySelectorAll('script, h1 b').length"), 0)
    same(page.value("document.querySelectorAll('svg[role=img]').length"), 3)
    same(page.errors(), ([], []))
    for width in (1100, 390):
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        same(page.value("document.documentElement.scrollWidth <= innerWidth"), True)
    page.close()


run(round_of_a_project, report_in_a_browser)
