# SPDX-License-Identifier: Apache-2.0
"""Races: ours and the peers turn by turn in one process, medians of wall and process CPU seconds."""
import json
import statistics
import time


class Table:
    """Prints a row per race and keeps all of them."""

    def __init__(self, threads, turns):
        self.threads, self.turns, self.rows = threads, turns, []

    def race(self, op, shape, ours, peers, equal, floor=None, goal=None, turns=None):
        """ours() and each of peers {name: function}; equal(own result, name, peer's result) says whether the outputs
        are the same; floor: (what, seconds or a function that takes that long)."""
        functions = {'libalcore': ours, **peers}
        if floor and callable(floor[1]):
            functions[floor[0]] = floor[1]
        results = {name: function() for name, function in functions.items()}
        same = {name: bool(equal(results['libalcore'], name, results[name])) for name in peers}
        del results
        times = {name: [] for name in functions}
        turns = turns or self.turns
        for _ in range(turns):
            for name, function in functions.items():
                wall, cpu = time.perf_counter(), time.process_time()
                function()
                times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
        medians = {name: tuple(statistics.median(column) for column in zip(*taken)) for name, taken in times.items()}
        # One thread: seconds of the processor, which other programs of the machine disturb less.
        clock = 1 if self.threads == 1 else 0
        best = min(peers, key=lambda name: medians[name][clock])
        row = {'op': op, 'shape': shape, 'threads': self.threads, 'turns': turns,
               'seconds': {name: {'wall': wall, 'cpu': cpu} for name, (wall, cpu) in medians.items()},
               'best_peer': best, 'ratio': medians[best][clock] / medians['libalcore'][clock],
               'equal': same, 'goal': goal}
        if floor:
            seconds = medians[floor[0]][clock] if floor[0] in medians else floor[1]
            row['floor'] = {'what': floor[0], 'seconds': seconds, 'fraction': seconds / medians['libalcore'][clock]}
        self.rows.append(row)
        self.show(row, medians, clock, same)

    def show(self, row, medians, clock, same):
        print(f"{row['op']}  {row['shape']}  {row['threads']} thread{'s' * (row['threads'] > 1)}")
        for name, taken in medians.items():
            note = ''
            if name in same:
                note = (f"{taken[clock] / medians['libalcore'][clock]:7.2f} x   outputs "
                        f"{'equal' if same[name] else 'DIFFER'}")
            print(f'    {name:34} {taken[0]:9.4f} s wall {taken[1]:9.4f} s cpu {note}')
        if 'floor' in row:
            print(f"    floor {row['floor']['what']}: {row['floor']['seconds']:.4f} s, "
                  f"{100 * row['floor']['fraction']:.0f} % of it reached")
        if row['goal']:
            reached = 'reached' if row['ratio'] >= row['goal'] and all(same.values()) else 'MISSED'
            print(f"    goal {row['goal']} x of the best peer: {row['ratio']:.2f} x, {reached}")
        print('row ' + json.dumps(row), flush=True)
