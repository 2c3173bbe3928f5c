# SPDX-License-Identifier: Apache-2.0
"""The Test Anything Protocol for tests that are scripts."""
import sys
import tempfile


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, good, name, detail=''):
        """One case; the lines of detail follow a failure."""
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        if not good:
            for line in str(detail).splitlines():
                print('#  ', line)
        sys.stdout.flush()
        return good

    def skip(self, name, reason):
        self.count += 1
        print(f'ok {self.count} - {name} # SKIP {reason}')

    def run(self, cases):
        """Runs functions, each with a fresh folder that is removed afterwards. One that raises has failed and does not end
        the run."""
        for case in cases:
            with tempfile.TemporaryDirectory() as box:
                why = ''
                try:
                    case(box)
                except Exception as error:
                    why = str(error) or type(error).__name__
                self.check(not why, case.__name__, why)

    def finish(self):
        print(f'1..{self.count}')
        sys.exit(0)
