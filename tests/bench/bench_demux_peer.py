#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DeMuX at scale: knn-uncertainty and average-dist of 5,000,000 source rows x 768 float16 in a file against 10,000 target rows, with
the command in a process of its own, beside faiss and numpy.

  bench_demux_peer.py [--alone] [--only STRATEGY] PROJECT ALCORE [ROWS [DIMS [TARGETS]]]

The files are made first, in $ALCORE_BENCH_DIR or $TMPDIR, and removed at the end; where the disk has less than they need, as many
rows as fit are taken. What is measured is the largest RssAnon of the command, the memory that belongs to no file, of which at most
1 GiB is wanted: more is a failure at the default sizes.

The peers compute the same in another process, from blocks of the file, which is mapped: each block is converted to float32, as large
as leaves the process within the memory that the command took (of which their packages take a part before they begin). faiss.knn(), the
search of an IndexFlatL2 without its copy of the block, lists the 256 nearest of each target row in the block, and faiss.ResultHeap
merges the blocks; as many of them count as DeMuX's doubling of k needs. For the mean distances numpy (BLAS) and
faiss.pairwise_distances() compute squared distances of a block and a thousand target rows, and numpy adds up their roots. A peer that
needs more than 1.1 times the command's memory even so is told as such. Their picks are compared with those of the command, whose decisions
are in double: a few differ where distances are equal in float32. They take many times as long as the command; --alone leaves them out,
--only runs one of the two strategies, knn-uncertainty or average-dist."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import peers

PICKS, K_MAX, TILE, LIMIT_MIB = 10000, 256, 1 << 16, 1024
PART = 1000  # target rows whose distances numpy_picks() holds at a time
RESERVE = 32 << 20  # bytes for what the packages allocate while they work
SIZES = (5000000, 768, 10000)


def peak_of(command):
    """Runs a command; its wall and processor seconds, its largest RssAnon in MiB, and its standard output."""
    peak, begun = 0, time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as child:
        output = []
        reader = threading.Thread(target=lambda: output.append(child.stdout.read()))
        reader.start()
        while reader.is_alive():
            try:
                with open(f'/proc/{child.pid}/status', encoding='ascii') as file:
                    peak = max([peak] + [int(line.split()[1]) for line in file if line.startswith('RssAnon')])
            except (OSError, ProcessLookupError):
                break
            reader.join(0.02)
        reader.join()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f'{command[0]} ended with {child.returncode}')
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, peak / 1024, output[0]


# ---- files ----


def write_rows(numpy, path, rows, dims, seed):
    """float16 [rows, dims]: a tile of normal numbers again and again, each time with the components moved on by one and another
    length, so that no two rows are equal."""
    random = numpy.random.default_rng(seed)
    tile = random.standard_normal((min(rows, TILE), dims), dtype=numpy.float32)
    file = numpy.lib.format.open_memmap(path, mode='w+', dtype=numpy.float16, shape=(rows, dims))
    for number, first in enumerate(range(0, rows, TILE)):
        count = min(TILE, rows - first)
        file[first:first + count] = numpy.roll(tile[:count], number % dims, axis=1) * (1 + 0.1 * (number // dims) + 0.001 * number)
    file.flush()


def write_files(numpy, folder, rows, dims, targets):
    """The source and target embeddings, the uncertainty of the source, and texts for both pools."""
    write_rows(numpy, os.path.join(folder, 'e.npy'), rows, dims, 1)
    write_rows(numpy, os.path.join(folder, 't.npy'), targets, dims, 2)
    numpy.save(os.path.join(folder, 'u.npy'), numpy.random.default_rng(3).random(rows))
    for name, count in (('pool.txt', rows), ('target.txt', targets)):
        with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
            file.writelines(f'{row}\n' for row in range(count))


def rows_that_fit(folder, rows, dims, targets):
    """The rows whose files leave 2 GB of the disk free, at most `rows`; says so where it is fewer."""
    room = shutil.disk_usage(folder).free - 2e9 - targets * (2 * dims + 16)
    fit = min(rows, int(room // (2 * dims + 24)))
    if fit < rows:
        print(f'{folder} has room for {fit:,} of {rows:,} rows; ALCORE_BENCH_DIR names another folder')
    return fit


# ---- the peers, in a process of their own ----


def anonymous_bytes():
    """The memory of this process that belongs to no file."""
    with open('/proc/self/status', encoding='ascii') as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith('RssAnon'))


def blocks_of(numpy, folder, limit, lists, bytes_a_row):
    """(first row, float32 rows) of the source, a block after the other. A block is as large as leaves the process within `limit`
    bytes, where `lists` more bytes will be in use whatever the block, and bytes_a_row for each row beside its float32."""
    source = numpy.load(os.path.join(folder, 'e.npy'), mmap_mode='r')
    left = limit - anonymous_bytes() - lists - RESERVE
    rows = min(TILE, max(1024, left // (4 * source.shape[1] + bytes_a_row)))
    block = numpy.empty((min(rows, len(source)), source.shape[1]), dtype=numpy.float32)
    for first in range(0, len(source), rows):
        count = min(rows, len(source) - first)
        block[:count] = source[first:first + count]
        yield first, block[:count]


def faiss_picks(numpy, folder, limit):
    """The picks of knn-uncertainty: the 256 nearest of every target row, merged block by block."""
    import faiss
    target = numpy.load(os.path.join(folder, 't.npy')).astype(numpy.float32)
    uncertainty = numpy.load(os.path.join(folder, 'u.npy'), mmap_mode='r')
    heap = faiss.ResultHeap(nq=len(target), k=K_MAX)
    lists = 3 * len(target) * K_MAX * (4 + 8)  # the merged ones, those of a block, and these with row numbers of the file
    for first, block in blocks_of(numpy, folder, limit, lists, 8):
        found, rows = faiss.knn(target, block, min(K_MAX, len(block)))
        heap.add_result(found, rows + first)
    heap.finalize()
    near, k = heap.I, 1
    while len(numpy.unique(near[:, :k])) <= PICKS and k < min(K_MAX, near.shape[1]):
        k = min(2 * k, K_MAX)
    union = numpy.unique(near[:, :k])
    best = union[numpy.argsort(-uncertainty[union], kind='stable')][:PICKS]
    return best.tolist(), k


def mean_picks(numpy, folder, limit, squares):
    """The picks of average-dist: the smallest mean distance to the target rows, a thousand of them at a time. squares(): maps a block
    [rows, dims] and target rows [part, dims] to their squared distances [rows, part], which are overwritten here."""
    target = numpy.load(os.path.join(folder, 't.npy')).astype(numpy.float32)
    rows = len(numpy.load(os.path.join(folder, 'u.npy'), mmap_mode='r'))
    means = []
    for _, block in blocks_of(numpy, folder, limit, 24 * rows, 4 * PART + 24):
        total = numpy.zeros(len(block))
        for first in range(0, len(target), PART):
            square = squares(block, target[first:first + PART])
            numpy.sqrt(numpy.maximum(square, 0, out=square), out=square)
            total += square.sum(axis=1, dtype=numpy.float64)
        means.append(total / len(target))
    means = numpy.concatenate(means)
    best = numpy.argpartition(means, PICKS)[:PICKS] if PICKS < len(means) else numpy.arange(len(means))
    return best[numpy.argsort(means[best], kind='stable')].tolist(), 0


def numpy_picks(numpy, folder, limit):
    """mean_picks() by |x|^2 + |t|^2 - 2 x.t; the norms of a block are computed once."""
    norms_of = [None, None]  # the block and the squared norms of its rows

    def squares(block, part):
        if norms_of[0] is not block:
            norms_of[:] = block, numpy.einsum('ij,ij->i', block, block)[:, None]
        square = block @ (-2 * part.T)
        square += norms_of[1]
        square += numpy.einsum('ij,ij->i', part, part)
        return square
    return mean_picks(numpy, folder, limit, squares)


def faiss_mean_picks(numpy, folder, limit):
    import faiss
    return mean_picks(numpy, folder, limit, faiss.pairwise_distances)


#: {strategy: {peer: its picks}}
RACES = {'knn-uncertainty': {'faiss': faiss_picks}, 'average-dist': {'numpy': numpy_picks, 'faiss': faiss_mean_picks}}


def run_peer(strategy, name, folder, mib):
    import numpy
    picks, k = RACES[strategy][name](numpy, folder, int(mib) << 20)
    print(json.dumps({'picks': picks, 'k': k}))


# ---- the race ----


def run_alcore(command, folder, strategy):
    path = {name: os.path.join(folder, name) for name in ('pool.txt', 'target.txt', 'e.npy', 't.npy', 'u.npy', 'picks.tsv')}
    columns = ['--scores', path['u.npy']] if strategy == 'knn-uncertainty' else []
    wall, cpu, peak, _ = peak_of([command, 'select', path['pool.txt'], '--strategy', strategy, '--budget', str(PICKS), '--dedup', 'none',
                                  '--embeddings', path['e.npy'], '--target', path['target.txt'], '--target-embeddings', path['t.npy'],
                                  *columns, '--quiet', '--out', path['picks.tsv']])
    with open(path['picks.tsv'], encoding='utf-8', newline='') as file:
        picks = [int(row['index']) for row in csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE)]
    return wall, cpu, peak, picks


def tell(name, who, wall, cpu, anonymous):
    print(f'result {name}_{who}_wall {wall:.2f} s')
    print(f'result {name}_{who}_cpu {cpu:.2f} s')
    print(f'result {name}_{who}_anonymous {anonymous:.0f} MiB', flush=True)


def main():
    if sys.argv[1] == '--peer':
        return run_peer(*sys.argv[2:6])
    begun = list(sys.argv)
    alone, races = sys.argv[1] == '--alone', RACES
    if alone:
        del sys.argv[1]
    if sys.argv[1] == '--only':
        races = {name: peers_of for name, peers_of in RACES.items() if name == sys.argv[2]}
        if not races:
            raise SystemExit(f'--only {sys.argv[2]}: knn-uncertainty or average-dist')
        del sys.argv[1:3]
    project, command = (os.path.abspath(path) for path in sys.argv[1:3])
    after, sys.argv = sys.argv, begun  # the environment runs the program again with all of its arguments
    reason = None if alone else peers.enter(project)
    sys.argv = after
    if reason:
        print(f'not run: {reason}')
        return 0
    import numpy
    rows, dims, targets = [*map(int, sys.argv[3:6]), *SIZES[len(sys.argv[3:6]):]]
    failed = False
    with tempfile.TemporaryDirectory(prefix='bench_demux.', dir=os.environ.get('ALCORE_BENCH_DIR')) as folder:
        rows = rows_that_fit(folder, rows, dims, targets)
        write_files(numpy, folder, rows, dims, targets)
        size = os.path.getsize(os.path.join(folder, 'e.npy')) * 1e-9
        print(f'{rows:,} x {dims} float16 in a .npy of {size:.2f} GB, {targets:,} target rows, {PICKS:,} picks, '
              f'{len(os.sched_getaffinity(0))} cores')
        for strategy, racers in races.items():
            wall, cpu, peak, picks = run_alcore(command, folder, strategy)
            name = strategy.replace('-', '_')
            tell(name, 'libalcore', wall, cpu, peak)
            if peak > LIMIT_MIB:
                print(f'{strategy}: more than {LIMIT_MIB} MiB of anonymous memory')
                failed = True
            for peer in () if alone else racers:
                peer_wall, peer_cpu, peer_peak, output = peak_of([sys.executable, __file__, '--peer', strategy, peer, folder,
                                                                  f'{peak:.0f}'])
                theirs = json.loads(output)['picks']
                common = len(set(picks) & set(theirs)) / max(len(theirs), 1)
                tell(name, peer, peer_wall, peer_cpu, peer_peak)
                print(f'result {name}_{peer}_wall_ratio {peer_wall / wall:.2f}')
                print(f'result {name}_{peer}_common {100 * common:.2f} %')
                if peer_peak > 1.1 * peak:
                    print(f'{strategy}: {peer} needs more memory than the command: {peer_peak:.0f} MiB, not {peak:.0f}')
                failed |= common < 0.99
    return failed


sys.exit(main())
