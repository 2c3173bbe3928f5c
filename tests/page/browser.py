# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that does what a person does: types, presses keys, clicks, chooses files.

It is driven through two pipes by the DevTools protocol (--remote-debugging-pipe), which needs nothing
but Python: a message is JSON with a NUL behind it."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

KEYS = {"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9,
        "Home": 36, "End": 35, "PageDown": 34, "Backspace": 8, " ": 32}
MODIFIERS = {"Alt": 1, "Ctrl": 2, "Shift": 8}
WAIT_SECONDS = 60


def find_chromium():
    """The browser's path; None: there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One running browser; profile and downloads are folders, of which the first outlives it."""

    def __init__(self, profile, downloads, *options):
        theirs_in, self.out = os.pipe()
        self.inside, theirs_out = os.pipe()
        command = [find_chromium(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--window-size=1280,800", *options]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.process = subprocess.Popen(["bash", "-c", f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}', *command],
                                        pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.next_id, self.session, self.events = b"", 0, None, []
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads), eventsEnabled=True)

    def read(self):
        """The next message."""
        end = time.monotonic() + WAIT_SECONDS
        while b"\0" not in self.rest:
            if not select.select([self.inside], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            data = os.read(self.inside, 1 << 16)
            if not data:
                raise EOFError("the browser has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_event(self, method):
        """The parameters of the next event of that name, which is forgotten."""
        while True:
            for k, event in enumerate(self.events):
                if event["method"] == method:
                    return self.events.pop(k)["params"]
            self.events.append(self.read())

    # ---- pages ----

    def open(self, address, before=None):
        """Opens an address in a new tab; before: a script that runs before those of the page."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.target = target
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.call(domain + ".enable")
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.go(address)

    def go(self, address):
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_event("Page.loadEventFired")

    def reload(self):
        self.events.clear()
        self.call("Page.reload")
        self.wait_event("Page.loadEventFired")

    def close_tab(self):
        session, self.session = self.session, None
        self.call("Target.closeTarget", targetId=self.target)
        return session

    def value(self, script):
        """What an expression is in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def text(self, id):
        return self.value(f"document.getElementById({json.dumps(id)}).innerText")

    def until(self, script):
        """Waits until an expression is true in the page."""
        end = time.monotonic() + WAIT_SECONDS
        while not self.value(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)

    # ---- what a person does ----

    def key(self, name):
        """Presses a key such as "j", "Ctrl+Enter" or "Alt+ArrowDown"."""
        *held, key = name.split("+") if len(name) > 1 else [name]
        bits = sum(MODIFIERS[part] for part in held)
        known = {"key": key, "modifiers": bits, "windowsVirtualKeyCode": KEYS.get(key, ord(key.upper()[0])),
                 "code": key if key in KEYS else ""}
        text = "\r" if key == "Enter" else key if len(key) == 1 and not bits & 3 else ""
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **known)
        self.call("Input.dispatchKeyEvent", type="keyUp", **known)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, clicks=1):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=clicks,
                  buttons=0 if kind == "mouseReleased" else 1)

    def click(self, selector):
        x, y = self.value(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: "nearest"}}); const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; }})()""")
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, begin, end):
        self.mouse("mousePressed", *begin)
        self.mouse("mouseMoved", *end)
        self.mouse("mouseReleased", *end)

    def choose_file(self, selector, path):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        """Ends the browser, as closing its last window does; once more is nothing."""
        if self.process.poll() is not None:
            return
        self.session = None
        try:
            self.call("Browser.close")
        except EOFError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.inside)
