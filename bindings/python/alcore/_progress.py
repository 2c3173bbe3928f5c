# SPDX-License-Identifier: Apache-2.0
"""Progress of long calls: the caller's function, or a tqdm bar on a terminal."""
import sys
import time

from ._calls import this

DELAY = 1.0  # seconds before a bar appears


class _Bar:
    """The bar of one call."""

    def __init__(self, tqdm):
        self.tqdm, self.bar, self.begun, self.stage = tqdm, None, time.monotonic(), None

    def update(self, stage, done, total):
        if time.monotonic() - self.begun < DELAY:
            return
        if stage != self.stage:
            self.close()
            self.bar = self.tqdm(total=total if total >= 0 else None, desc=stage, leave=False)
            self.stage = stage
        self.bar.n = done
        self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def _new_bar():
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


def report(setting, stage, done, total):
    """Shows progress as the context's setting says: calls a function, shows a bar (None) or nothing (False)."""
    stage = (stage or b"").decode("utf-8", "replace")
    if callable(setting):
        setting(stage, done, total)
    elif setting is None:
        if this.bar is None:
            this.bar = _new_bar() or False
        if this.bar:
            this.bar.update(stage, done, total)
