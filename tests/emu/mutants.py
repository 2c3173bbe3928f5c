#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Defects that only a device shows, put into the CUDA engine one at a time: the emulation must kill each.

Of all defects it is checked that their texts stand in the sources. Every third, from one on that $ALCORE_TEST_SEED chooses, is
compiled and run, as each takes the whole engine's compilation; with $ALCORE_TEST_FULL all of them.

usage: mutants.py SOURCE-ROOT WORK-FOLDER EMULATION-LIBRARY CONFORMANCE MISSING-ENTRIES TEST-CUDA-DEVICES COMPILER...
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

# In place of entries: the case of test_cuda_devices that calls the module.
DEVICES = 'devices'

# Name, the entry that shows it, file, text that stands there once, what it becomes.
MUTANTS = [
    ('no defect', 'self_dots,idds_update,arg_max,hidden_stats,knn,margin_ratios', 'cuda_greedy.cu', None, None),
    ('no defect on two devices', DEVICES, 'cuda_call.cu', None, None),
    ('a missing barrier', 'arg_max', 'cuda_greedy.cu',
     'for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {\n        __syncthreads();',
     'for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {'),
    ('an index out of range', 'arg_max', 'cuda_greedy.cu', '; i < count; i += step', '; i <= count; i += step'),
    ('a wrong shuffle width', 'self_dots', 'cuda_warp.cuh',
     'lane = lane + __shfl_xor_sync(CUDA_FULL_WARP, lane, w, CUDA_LANES);',
     'lane = lane + __shfl_xor_sync(CUDA_FULL_WARP, lane, w, CUDA_LANES / 2);'),
    ('a missing event wait', 'self_dots', 'cuda_pipeline.cu',
     'c.check(cudaStreamWaitEvent(c.compute, c.streams->up[buffer], 0), "waiting for an event");', ''),
    ('uninitialised shared memory', 'knn', 'cuda_search.cu',
     'if (threadIdx.x == 0) newcomers[0] = 0;\n', ''),
    ('a float atomic', 'idds_update', 'cuda_greedy.cu', 'a[i] = a[i] - f;', 'atomicAdd(&a[i], -f);'),
    ('a copy that is not waited for', 'knn', 'cuda_tile.cuh',
     'copy_wait<TILE_STAGES - 2>();', 'copy_wait<TILE_STAGES - 1>();'),
    ('a wrong row of a fragment', 'knn', 'cuda_tile.cuh', 'r % 2 * 8, k + r / 2', 'r / 2 * 8, k + r % 2'),
    ('a bound that holds nothing', 'knn', 'cuda_filter.cuh', 'return x.norm * y.slack + y.norm * x.slack;',
     'return 0.0f * (x.norm * y.slack + y.norm * x.slack);'),
    ('a plain read beside an atomic', 'margin_ratios', 'cuda_best.cuh', 'pass == 0 ? max_low_before[r] : max_low[r]', 'max_low[r]'),
    ('another device than the named one', DEVICES, 'cuda_call.cu', 'context.emplace(device);', 'context.emplace(0);'),
    ('another stream than the given one', DEVICES, 'cuda_call.cu',
     'compute = work->stream ? (cudaStream_t)work->stream : streams->compute;', 'compute = streams->compute;'),
    ('a copy that does not wait for the stream', DEVICES, 'cuda_upload.cu',
     'c.download_rows(destination, source, pitch, width, part);',
     'cudaMemcpyAsync(destination, source, width * (size_t)part, cudaMemcpyDefault, c.streams->copy);'),
    ('a context that is not restored', DEVICES, 'cuda_context.cu', 'driver().pop(&popped);', ''),
    ('a context made for nobody', DEVICES, 'cuda_call.cu', 'int devices = 0;',
     'int devices = 0; cudaSetDevice(0);'),
    ('a product in no stream', 'hidden_stats', 'cuda_blas.cu',
     'check(functions->set_stream(c.streams->blas, c.compute), "setting the stream");', ''),
    ('a wrong leading dimension', 'hidden_stats', 'cuda_blas.cu',
     'BLAS_FLOAT32, (int)stride, BLAS_SUMS_IN_FLOAT', 'BLAS_FLOAT32, (int)others.count, BLAS_SUMS_IN_FLOAT'),
    ('products that are added to what was there', 'hidden_stats', 'cuda_blas.cu', 'zero = 0.0f', 'zero = 1.0f'),
    ('logits that are read before they are written', 'hidden_stats', 'cuda_fused.cu',
     '__syncthreads(); /* the logits are complete */', ''),
    ('a step that is overwritten while it is read', 'hidden_stats', 'cuda_product.cu',
     '__syncthreads(); /* all threads have read the step before */', ''),
    ('a barrier that a lane never reaches', 'arg_max', 'cuda_greedy.cu',
     '    best_of_block(best_here, memory);\n    if (threadIdx.x == 0) out[blockIdx.x]',
     '    if (best_here.item >= 0) best_of_block(best_here, memory);\n    if (threadIdx.x == 0) out[blockIdx.x]'),
]


def misplaced(root):
    """The defects whose text does not stand in its file once."""
    return [f'{name}: {file}' for name, _, file, before, _ in MUTANTS
            if before is not None and (root / 'lib/cuda' / file).read_text().count(before) != 1]


def chosen():
    """The engine without a defect and, of the defects, those of this run."""
    whole = [number for number, mutant in enumerate(MUTANTS) if mutant[3] is None]
    defects = [number for number, mutant in enumerate(MUTANTS) if mutant[3] is not None]
    if not os.environ.get('ALCORE_TEST_FULL'):
        defects = defects[int(os.environ.get('ALCORE_TEST_SEED', '1')) % 3::3]
    return whole + defects


def make(number, root, work, library, compiler):
    _, _, file, before, after = MUTANTS[number]
    folder = work / f'mutant{number}'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / 'lib/cuda', folder)
    if before is not None:
        (folder / file).write_text((folder / file).read_text().replace(before, after))
    module = folder / 'libmutant.so'
    subprocess.run(compiler + ['-std=c++17', '-O0', '-fPIC', '-fsanitize=address', '-ffp-contract=off', '-shared',
                               '-Wno-unknown-pragmas', '-DALCORE_CUDA_EMULATED="emu_runtime.h"', f'-I{folder}',
                               f'-I{root}/include', f'-I{root}/tests/emu', str(root / 'tests/emu/mutant_engine.cpp'),
                               '-Wl,--whole-archive', library, '-Wl,--no-whole-archive', '-o', str(module)], check=True)
    return module


def main():
    root, work, library, conformance, missing, devices = (os.path.abspath(path) for path in sys.argv[1:7])
    root, work = pathlib.Path(root), pathlib.Path(work)
    compiler = sys.argv[7:]
    numbers, lost = chosen(), misplaced(root)
    print(f'1..{len(numbers) + 1}', flush=True)
    print(f'{"not ok" if lost else "ok"} 1 - the texts of all {len(MUTANTS)} mutants stand in the sources', flush=True)
    if lost:
        print('\n'.join('# ' + line for line in lost))
        numbers = []
    failed = len(lost)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = [pool.submit(make, number, root, work, library, compiler) for number in numbers]
        for position, number in enumerate(numbers):
            name, entry, _, before, _ = MUTANTS[number]
            module = str(made[position].result())
            command, environment = [conformance, missing, '1', '300', module], {'ALCORE_CONFORMANCE_ONLY': entry}
            if entry == DEVICES:
                command, environment = [devices], {'CK_RUN_CASE': 'kernels', 'EMULATED_CUDA': module}
            run = subprocess.run(command, text=True, env=os.environ | environment, capture_output=True, check=False)
            good = (run.returncode == 0) == (before is None)
            failed += not good
            word = 'passes' if before is None else 'is killed'
            print(f'{"ok" if good else "not ok"} {position + 2} - {name} {word}', flush=True)
            if not good:
                print('\n'.join('# ' + line for line in (run.stdout + run.stderr).splitlines()[-20:]))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
