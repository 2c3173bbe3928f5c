#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Defects that only a device shows, put into the CUDA engine one at a time: the emulation must kill each.

Checks that the texts of all defects stand in the sources, the entries that are to show them in the conformance program, and the
programs in the default tier of this build. With a work folder it compiles and runs them instead of the last: each takes the whole
engine's compilation.

usage: mutants.py SOURCE-ROOT BUILD [WORK-FOLDER EMULATION-LIBRARY MISSING-ENTRIES COMPILER...]
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'mutants'))
from killers import command_of, command_of_source, default_commands  # noqa: E402

# In place of entries: the cases of test_cuda_devices that call the module, DEVICES_CASE;
# test_cuda_memory; and test_cuda_shared, which counts accesses.
DEVICES = 'devices'
DEVICES_CASE = 'kernels'
MEMORY = 'memory'
SHARED = 'shared'
# Of the conformance program: an odd one, with which the rows of large cases have gaps and a mask.
SEED = '1'
CONFORMANCE, TEST_CUDA = 'tests/conformance/kernel_conformance', 'tests/emu/test_cuda'
TEST_DEVICES, TEST_MEMORY, TEST_SHARED = 'test_cuda_devices', 'test_cuda_memory', 'test_cuda_shared'  # sources of the latter
# Name, the entries that show it, file, text that stands there once, what it becomes. A number
# behind the entries: rows of the large cases of the conformance program, which are run too.
MUTANTS = [
    ('no defect', 'self_dots,group_sums,idds_update,arg_max,best_row,hidden_stats,token_stats,draw,run_totals,draw_rows,knn,margin_ratios,gather,class_tops',
     'cuda_greedy.cu', None, None),
    ('no defect on two devices', DEVICES, 'cuda_call.cu', None, None),
    ('no defect in memory', MEMORY, 'cuda_stream.cu', None, None),
    ('no defect in accesses of shared memory', SHARED, 'cuda_tile.cuh', None, None),
    ('no defect of many rows', 'self_dots,arg_max 9000', 'cuda_pipeline.cu', None, None),
    ('a missing barrier', 'arg_max', 'cuda_warp.cuh',
     'for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {\n        __syncthreads();',
     'for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {'),
    ('an index out of range', 'arg_max', 'cuda_greedy.cu', '; i < count; i += step', '; i <= count; i += step'),
    ('a wrong shuffle width', 'self_dots', 'cuda_warp.cuh',
     'lane = lane + __shfl_xor_sync(CUDA_FULL_WARP, lane, w, CUDA_LANES);',
     'lane = lane + __shfl_xor_sync(CUDA_FULL_WARP, lane, w, CUDA_LANES / 2);'),
    ('sums of rows that are read before they are there', 'idds_update', 'cuda_rows.cuh',
     '__syncthreads(); /* all sums are there */', ''),
    ('a row that is finished with the sums of another', 'idds_update', 'cuda_rows.cuh', 'memory[first_of_warp + lane_id()] = own',
     'memory[lane_id() * CUDA_WARPS + first_of_warp / WARP_ROWS_FINISHED] = own'),
    ('rows of a group in another order', 'group_sums', 'cuda_group_sums.cu', 'list[found + __popc(same & lower_lanes)]',
     'list[found + __popc(same & ~lower_lanes) - 1]'),
    ('a missing event wait', 'self_dots', 'cuda_pipeline.cu',
     'c.put_behind(c.compute, c.streams->copy, c.streams->up[buffer]);', ''),
    ('uninitialised shared memory', 'knn', 'cuda_search.cu',
     'if (threadIdx.x == 0) newcomers[0] = 0;\n', ''),
    ('a float atomic', 'idds_update', 'cuda_greedy.cu', 'a[i] = a[i] - f;', 'atomicAdd(&a[i], -f);'),
    ('a copy that is not waited for', 'knn', 'cuda_tile.cuh',
     'copy_wait<TILE_STAGES - 2>();', 'copy_wait<TILE_STAGES - 1>();'),
    ('a wrong row of a fragment', 'knn', 'cuda_tile.cuh', 'first_row + lane % 16, 2 * k + lane / 16', 'first_row + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2'),
    ('a wrong other of a fragment', 'knn', 'cuda_tile.cuh', 'lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2', 'lane % 16, 2 * k + lane / 16'),
    ('a bound that holds nothing', 'knn', 'cuda_filter.cuh', 'return x.norm * y.slack + y.norm * x.slack;',
     'return 0.0f * (x.norm * y.slack + y.norm * x.slack);'),
    ('a plain read beside an atomic', 'margin_ratios', 'cuda_best.cuh', 'pass == 0 ? max_low_before[r] : max_low[r]', 'max_low[r]'),
    ('lines of a tile that meet in a bank', SHARED, 'cuda_tile.cuh', '(unit ^ (line >> 1 & 3))', 'unit'),
    ('a step of a product without padding', SHARED, 'cuda_product.cu', 'PITCH = LINES + 2', 'PITCH = LINES'),
    ('another device than the named one', DEVICES, 'cuda_call.cu', 'context.emplace(device);', 'context.emplace(0);'),
    ('another stream than the given one', DEVICES, 'cuda_call.cu',
     'compute = work->stream ? (cudaStream_t)work->stream : streams->compute;', 'compute = streams->compute;'),
    ('a copy that does not wait for the stream', DEVICES, 'cuda_upload.cu',
     'c.download_rows(destination, source, pitch, width, part);',
     'cudaMemcpyAsync(destination, source, width * (size_t)part, cudaMemcpyDefault, c.streams->copy);'),
    ('a row by number that is none', 'gather', 'cuda_upload.cu', 'if (item < 0)', 'if (item < -1)'),
    ('a row by its place in place of its number', 'gather', 'cuda_upload.cu', '(data + item * pitch)', '(data + i * pitch)'),
    ('a second class that was the first of another lane', 'class_tops', 'cuda_class_tops.cu', 'order_two(&second, &other);', ''),
    ('a context that is not restored', DEVICES, 'cuda_context.cu', 'driver().pop(&popped);', ''),
    ('a context made for nobody', DEVICES, 'cuda_call.cu', 'int devices = 0;',
     'int devices = 0; cudaSetDevice(0);'),
    ('a graph that a call becomes a part of', DEVICES, 'cuda_call.cu', 'check_capture((cudaStream_t)work->stream);', ''),
    ('a capture of another stream that is spoilt', DEVICES, 'cuda_context.cuh', 'mode = cudaStreamCaptureModeRelaxed;',
     'mode = cudaStreamCaptureModeGlobal;'),
    ('a mode of capture that is not restored', DEVICES, 'cuda_context.cu', 'CUcontext popped;\n    cudaThreadExchangeStreamCaptureMode(&mode);',
     'CUcontext popped;'),
    ('a device without code for it', DEVICES, 'cuda_call.cu', 'if (major_of(device) < OLDEST_MAJOR)', 'if (major_of(0) < OLDEST_MAJOR)'),
    ('a forked process that uses the device', DEVICES, 'cuda_context.cu', 'return getpid() != loader;', 'return loader == 0;'),
    ('blocks of no pool', MEMORY, 'cuda_stream.cu', 'own = {context, 0, new_pool(device)};', 'own = {context, 0, nullptr};'),
    ('blocks that wait for the device when they are freed', MEMORY, 'cuda_stream.cu',
     'if (pooled && cudaFreeAsync(block.memory, stream) == cudaSuccess) return true;', ''),
    ('a pool that keeps nothing', MEMORY, 'cuda_stream.cu', 'uint64_t kept = total / POOL_PART;', 'uint64_t kept = 0;'),
    ('a pool that keeps everything', MEMORY, 'cuda_stream.cu', 'uint64_t kept = total / POOL_PART;', 'uint64_t kept = total;'),
    ('memory of the pool that rows do without', MEMORY, 'cuda_held.cu', 'if (!fits(bytes)) stream_pool_trim(c.streams, c.compute);', ''),
    ('a slot that is waited for', MEMORY, 'cuda_call.cu', 'if (behind) check(cudaStreamWaitEvent(compute, behind, 0), "waiting for an event");',
     'if (behind) cudaEventSynchronize(behind);'),
    ('a slot whose last call is not over', MEMORY, 'cuda_call.cu', 'if (behind) check(cudaStreamWaitEvent(compute, behind, 0), "waiting for an event");',
     ''),
    ('pinned memory that the last call still reads', MEMORY, 'cuda_stream.cu', 'if (done) streams->ring_used = 0;', 'streams->ring_used = 0;'),
    ('half of a ring that is still read', MEMORY, 'cuda_call.cu',
     'check(cudaEventSynchronize(streams->passed[streams->ring_half]), "copying");', ''),
    ('streams from before a reset', MEMORY, 'cuda_context.cu', 'context_id = primary.id;', 'context_id = 1;'),
    ('memory from before a reset that is read', MEMORY, 'cuda_call.cu', 'check_held(*this, array);', ''),
    ('memory from before a reset that is freed', MEMORY, 'cuda_held.cu', 'there = found->second.context == context.id();', 'there = true;'),
    ('splits that are not joined', 'hidden_stats', 'cuda_hidden.cu', 'own = joined(own, other);', ''),
    ('a fault without a remedy', DEVICES, 'cuda_call.cu', '    case cudaErrorLaunchFailure:\n', ''),
    ('a product in no stream', 'hidden_stats', 'cuda_blas.cu',
     'check(functions->set_stream(c.streams->blas, c.compute), "setting the stream");', ''),
    ('a wrong leading dimension', 'hidden_stats', 'cuda_blas.cu',
     'BLAS_FLOAT32, (int)stride, BLAS_SUMS_IN_FLOAT', 'BLAS_FLOAT32, (int)others.count, BLAS_SUMS_IN_FLOAT'),
    ('products that are added to what was there', 'hidden_stats', 'cuda_blas.cu', 'zero = 0.0f', 'zero = 1.0f'),
    ('logits that are read before they are written', 'hidden_stats', 'cuda_fused.cu',
     '__syncthreads(); /* the logits are complete */', ''),
    ('classes behind the last one that count', 'hidden_stats', 'cuda_fused.cu', 'added = -INFINITY', 'added = 0.0f'),
    ('a step that is overwritten while it is read', 'hidden_stats', 'cuda_product.cu',
     '__syncthreads(); /* all threads have read the step before */', ''),
    ('labels behind the end of an item', 'token_stats', 'cuda_labels.cu', 't >= given.lengths[i]', 'false'),
    ('labels of the item before', 'token_stats', 'cuda_labels.cu',
     'i * given.item_stride + t * given.token_stride', 'i * given.tokens + t * given.token_stride'),
    ('rows without a token that are not cleared', 'token_stats', 'cuda_labels.cu', '0xff /* each becomes LEFT_OUT */', '0'),
    ('running sums that are read before they are complete', 'draw,run_totals', 'cuda_draws.cu',
     '__syncthreads(); /* the sums are complete */', ''),
    ('a block that is read before it is drawn', 'draw_rows', 'cuda_draws.cu', '__syncthreads(); /* the block is known */', ''),
    ('a row that another call has drawn', 'draw_rows', 'cuda_draws.cu', 'own < 0 || own >= given.own', 'own < 0'),
    ('rows on the device without the gaps between them', 'self_dots 9000', 'cuda_pipeline.cu', 'size_t pitch = col.staged ? col.bytes : col.pitch;',
     'size_t pitch = col.bytes;'),
    ('chunks on the device that begin with the first row', 'self_dots 9000', 'cuda_pipeline.cu',
     ': col.user + (size_t)first * col.pitch;', ': col.user;'),
    ('a mask on the device that the host reads', 'self_dots 9000', 'cuda_pipeline.cu',
     'drains ? c.to_host(mask, rows_count, &mask_memory) : nullptr', 'drains ? mask : nullptr'),
    ('a result on the device that the host writes', 'token_stats', 'cuda_labels.cu',
     'c.write_back(taking, mask, (size_t)rows->count)', 'memcpy(taking, mask, (size_t)rows->count)'),
    ('a chunk that forgets the best of those before', 'arg_max 9000', 'cuda_greedy.cu',
     'if (threadIdx.x == 0 && !begins) best_here = *best;', ''),
    ('a barrier that a lane never reaches', 'arg_max', 'cuda_greedy.cu',
     'best = best_of_block(best_here, memory);', 'best = best_here.row >= 0 ? best_of_block(best_here, memory) : best_here;'),
]


def shown_by(shown):
    """The entries that show a defect; 'large ' before them where large cases are run."""
    entries, _, rows = shown.partition(' ')
    return [('large ' if rows else '') + entry for entry in entries.split(',')]


def misplaced(root):
    """Why defects cannot be made or judged: their text does not stand in its file once; what is to show them, entries of the
    conformance program or tests of a device, is not there; or the engine without a defect is not run with it, so that what fails
    anyway would count as killed."""
    wrong = [f'{name}: the text does not stand in {file} once' for name, _, file, before, _ in MUTANTS
             if before is not None and (root / 'lib/engines/cuda' / file).read_text().count(before) != 1]
    families = sorted((root / 'tests/conformance').glob('entries_*.c'))
    entries = {entry for file in families for entry in re.findall(r'\{TABLE_ENTRY\((\w+)\), call_', file.read_text())}
    if f'tcase_create("{DEVICES_CASE}")' in (root / 'tests/emu/test_cuda_devices.c').read_text():
        entries.add(DEVICES)
    entries |= {key for key, source in ((MEMORY, TEST_MEMORY), (SHARED, TEST_SHARED)) if (root / f'tests/emu/{source}.c').exists()}
    whole = {entry for _, shown, _, before, _ in MUTANTS if before is None for entry in shown_by(shown)}
    for name, shown, _, _, _ in MUTANTS:
        wrong += [f'{name}: there is no {entry} to show it' for entry in shown_by(shown) if entry.removeprefix('large ') not in entries]
        wrong += [f'{name}: {entry} is not run without a defect' for entry in shown_by(shown) if entry not in whole]
    return wrong


def not_by_default(build):
    """The programs that kill, where the default tier leaves them out."""
    commands = default_commands(build)
    run = {CONFORMANCE: command_of(commands, build / CONFORMANCE)} | {name: command_of_source(commands, name) for name in (TEST_DEVICES, TEST_MEMORY, TEST_SHARED)}
    return [f'{name} is not run by default' for name, command in run.items() if not command]


def ordered():
    """Numbers of what is run: the engine without a defect, then all defects."""
    whole = [number for number, mutant in enumerate(MUTANTS) if mutant[3] is None]
    return whole + [number for number, mutant in enumerate(MUTANTS) if mutant[3] is not None]


def make(number, root, work, library, compiler):
    _, entry, file, before, after = MUTANTS[number]
    folder = work / f'mutant{number}'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / 'lib/engines/cuda', folder)
    if before is not None:
        (folder / file).write_text((folder / file).read_text().replace(before, after))
    module, engine = folder / 'libmutant.so', folder / 'engine.o'
    # Each access is a call of the emulation's; the thread sanitizer's library is not linked.
    source, sanitizer = ('emu_engine.cpp', 'thread') if entry == SHARED else ('mutant_engine.cpp', 'address')
    subprocess.run(compiler + ['-std=c++17', '-O0', '-fPIC', f'-fsanitize={sanitizer}', '-ffp-contract=off',
                               '-Wno-unknown-pragmas', '-DALCORE_CUDA_EMULATED="emu_runtime.h"', f'-I{folder}',
                               f'-I{root}/include', f'-I{root}/tests/emu', '-c', str(root / 'tests/emu' / source),
                               '-o', str(engine)], check=True)
    subprocess.run(compiler + ([] if entry == SHARED else ['-fsanitize=address']) +
                   ['-shared', str(engine), '-Wl,--whole-archive', library, '-Wl,--no-whole-archive', '-o', str(module)],
                   check=True)
    return module


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    runs = len(sys.argv) > 3
    numbers, lost = ordered() if runs else [], misplaced(root) + ([] if runs else not_by_default(build))
    print(f'1..{len(numbers) + 1}', flush=True)
    print(f'{"not ok" if lost else "ok"} 1 - all {len(MUTANTS)} mutants can be made, and what is to show them is there', flush=True)
    if lost:
        print('\n'.join('# ' + line for line in lost))
    return bool(lost) or (runs and run_all(numbers, root, build, *sys.argv[3:]))


def run_all(numbers, root, build, work, library, missing, *compiler):
    """Whether a mutant lives or the engine without a defect fails."""
    work, library, missing = (os.path.abspath(path) for path in (work, library, missing))
    work, compiler = pathlib.Path(work), list(compiler)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        whole = {}  # the engines without a defect, by whether their accesses are counted: each is compiled once
        made = []
        for number in numbers:
            _, entry, _, before, _ = MUTANTS[number]
            known = whole.get(entry == SHARED) if before is None else None
            made.append(known or pool.submit(make, number, root, work, library, compiler))
            if before is None:
                whole[entry == SHARED] = made[-1]
        for position, number in enumerate(numbers):
            name, entry, _, before, _ = MUTANTS[number]
            module = str(made[position].result())
            entries, _, rows = entry.partition(' ')
            command, environment = [str(build / CONFORMANCE), missing, SEED, '300', rows or '0', module], {'ALCORE_CONFORMANCE_ONLY': entries}
            if entry == DEVICES:
                command, environment = [str(build / TEST_CUDA), TEST_DEVICES], {'CK_RUN_CASE': DEVICES_CASE, 'EMULATED_CUDA': module}
            if entry == MEMORY:
                command = [str(build / TEST_CUDA), TEST_MEMORY]
                environment = {'EMULATED_CUDA': module, 'GPU_MEMORY': str(root / 'docs/results/gpu-memory.txt')}
            if entry == SHARED:
                command = [str(build / TEST_CUDA), TEST_SHARED]
                environment = {'EMULATED_CUDA': module, 'GPU_SHARED': str(root / 'docs/results/gpu-shared.txt')}
            run = subprocess.run(command, text=True, env=os.environ | environment | {'CK_TIMEOUT_MULTIPLIER': '5'}, capture_output=True, check=False)
            good = (run.returncode == 0) == (before is None)
            failed += not good
            word = 'passes' if before is None else 'is killed'
            print(f'{"ok" if good else "not ok"} {position + 2} - {name} {word}', flush=True)
            if not good:
                print('\n'.join('# ' + line for line in (run.stdout + run.stderr).splitlines()[-20:]))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
