#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The torch engine beside Python's torch in one process. usage: test_coexistence.py LIBALCORE FIXTURES FAKE_LIBTORCH

Each case runs in a process of its own; the interpreter is the one that has torch. Python's torch must work as before
and after, one libtorch must be mapped, and a libtorch of another release must be refused by name."""
import os
import shutil
import subprocess
import sys
import tempfile

LIBRARY, FIXTURES = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
FAKE = os.path.join(FOLDER.name, 'libtorch_cpu.so')
shutil.copy(sys.argv[3], FAKE)

PRELUDE = f'''
import ctypes, os, threading
LIBRARY, FIXTURES, FAKE = {LIBRARY!r}, {FIXTURES!r}, {FAKE!r}
lib = ctypes.CDLL(LIBRARY)
lib.alcore_last_error.restype = ctypes.c_char_p
ctx = ctypes.c_void_p()
assert lib.alcore_ctx_new(None, ctypes.byref(ctx)) == 0
def text():
    return lib.alcore_last_error().decode()
def open_model(folder):
    model = ctypes.c_void_p()
    status = lib.alcore_model_open(ctx, os.path.join(FIXTURES, folder).encode(), None, ctypes.byref(model))
    return status, model
def mapped():
    with open('/proc/self/maps') as lines:
        return {{line.split()[-1] for line in lines if 'libtorch_cpu.so' in line}}
def train():
    import torch
    layer = torch.nn.Linear(4, 2)
    optimizer = torch.optim.AdamW(layer.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        loss = layer(torch.ones(5, 4)).square().sum()
        loss.backward()
        optimizer.step()
    return float(loss)
'''

CASES = {
    'the engine first, torch after': '''
assert lib.alcore_model_check_engine(ctx) == 0, text()
status, model = open_model('bert')
assert status == 0, text()
assert train() >= 0
assert len(mapped()) == 1, mapped()
lib.alcore_model_unref(model)
''',
    'torch first, the engine after': '''
import torch
before = mapped()
status, model = open_model('bart')
assert status == 0, text()
assert mapped() == before and len(before) == 1, mapped()
assert train() >= 0
lib.alcore_model_unref(model)
''',
    'the state of torch is as it was, also after failures': '''
import torch
torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
torch.set_num_threads(1)
def state():
    return (torch.is_grad_enabled(), torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'), torch.get_num_threads(),
            torch.get_default_dtype(), torch.is_inference_mode_enabled(), bytes(torch.get_rng_state().tolist()))
for grad in (True, False):
    for autocast in (True, False):
        with torch.set_grad_enabled(grad), torch.autocast('cpu', enabled=autocast):
            before = state()
            status, model = open_model('t5')
            assert status == 0, text()
            assert state() == before
            status, none = open_model('nowhere')
            assert status != 0 and not none.value
            assert state() == before
            lib.alcore_model_unref(model)
x = torch.ones(3, requires_grad=True)
(x * x).sum().backward()
assert x.grad.tolist() == [2, 2, 2]
''',
    'backward while threads open models': '''
import torch
failed = []
def work():
    own = ctypes.c_void_p()
    assert lib.alcore_ctx_new(None, ctypes.byref(own)) == 0
    for _ in range(5):
        model = ctypes.c_void_p()
        path = os.path.join(FIXTURES, 'roberta').encode()
        if lib.alcore_model_open(own, path, None, ctypes.byref(model)) != 0:
            failed.append(text())
        lib.alcore_model_unref(model)
    lib.alcore_ctx_unref(own)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(5):
    assert train() >= 0
for thread in threads:
    thread.join()
assert not failed, failed
''',
    'a libtorch of another release is refused by name': '''
fake = ctypes.CDLL(FAKE)
assert lib.alcore_model_check_engine(ctx) == -51
assert 'torch 2.99' in text() and FAKE in text() and 'libalcore-torch-2.99.so' in text(), text()
status, model = open_model('bert')
assert status == -50 and not model.value and 'torch 2.99' in text(), text()
''',
    'two of them are refused by name': '''
import torch
ctypes.CDLL(FAKE)
assert lib.alcore_model_check_engine(ctx) == -51
assert 'two libtorch' in text() and FAKE in text() and 'torch/lib/libtorch_cpu.so' in text(), text()
''',
    'ALCORE_TORCH_LIBDIR chooses, and says when there is none': '''
libc = ctypes.CDLL(None)
libc.setenv(b'ALCORE_TORCH_LIBDIR', b'/nowhere', 1)
assert lib.alcore_model_check_engine(ctx) == -51
assert '/nowhere/libc10.so' in text(), text()
''',
}

# Importing torch takes seconds, and a minute on a busy machine whose disk does not know it yet.
CASE_SECONDS = 240


def run(code):
    """Exit status and output of a program; a program that takes too long has failed, and says so."""
    try:
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=CASE_SECONDS)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 1, 'it takes more than %d s' % CASE_SECONDS


if run('import torch')[0]:
    print(f'1..0 # SKIP torch cannot be imported by {sys.executable}: install what it requires')
    sys.exit(0)
print(f'1..{len(CASES)}')
bad = 0
for number, (name, code) in enumerate(CASES.items(), 1):
    code += '\nlib.alcore_ctx_unref(ctx)\nprint("through")\n'
    status, out = run(PRELUDE + code)
    good = status == 0 and 'through\n' in out
    bad += not good
    print(f'{"ok" if good else "not ok"} {number} - {name}')
    if not good:
        print('# ' + out.strip().replace('\n', '\n# '))
sys.exit(bad > 0)
