# SPDX-License-Identifier: Apache-2.0
"""The Test Anything Protocol for tests that are scripts."""
import sys


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

    def finish(self):
        print(f'1..{self.count}')
        sys.exit(0)
