#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The torch engine beside Python's torch in one process. usage: test_coexistence.py LIBALCORE TESTS FAKE_LIBTORCH NOTHING

Each case runs in a process of its own; the interpreter is the one that has torch. Python's torch must work as before
and after, one libtorch must be mapped, and a libtorch of another release must be refused by name.

`import torch` loads libraries of CUDA that nothing here calls. Where they are not installed, NOTHING, a library without
functions, stands for each of them."""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

LIBRARY, TESTS, FAKE_SOURCE, NOTHING = sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory()
FAKE = os.path.join(FOLDER.name, 'libtorch_cpu.so')
shutil.copy(FAKE_SOURCE, FAKE)
CUDA = ('libcublas.so.13', 'libcublasLt.so.13', 'libcudnn.so.9', 'libcufft.so.12', 'libcufile.so.0', 'libcurand.so.10', 'libcusparse.so.12',
        'libcusparseLt.so.0', 'libnccl.so.2', 'libnvshmem_host.so.3')

# Functions of a library are looked up when they are called (RTLD_LAZY), as those of CUDA may have
# none.
PRELUDE = f'''
import ctypes, os, sys, threading
sys.setdlopenflags(os.RTLD_LAZY)
LIBRARY, FIXTURES, FAKE = {LIBRARY!r}, {os.path.join(TESTS, 'torch', 'fixtures')!r}, {FAKE!r}
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
    """Three steps of PyTorch, of which the gradients are known: d/dw of sum (w x + b)^2 with x = 1."""
    import torch
    layer = torch.nn.Linear(4, 2)
    for _ in range(3):
        layer.zero_grad()
        out = layer(torch.ones(5, 4))
        out.square().sum().backward()
        assert torch.allclose(layer.bias.grad, 2 * out.sum(0))
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter -= 0.01 * parameter.grad
    return float(out.detach().square().sum())
'''

# Models through the Python package: BOX has a classifier and a translation model of letters.
MODELS = PRELUDE + f'''
import shutil, string, tempfile
sys.path.insert(0, {os.path.join(os.path.dirname(LIBRARY), '..', 'bindings', 'python')!r})
os.environ['ALCORE_LIBRARY'] = LIBRARY
sys.dont_write_bytecode = True
import alcore
BOX = tempfile.mkdtemp(dir={FOLDER.name!r})
for folder in ('bert-class', 'bart'):
    shutil.copytree(os.path.join(FIXTURES, folder), os.path.join(BOX, folder))
    with open(os.path.join(BOX, folder, 'vocab.txt'), 'w') as file:
        file.writelines(token + '\\n' for token in ['[PAD]', '[UNK]', '[CLS]', '[SEP]', *string.ascii_lowercase,
                                                   *('##' + letter for letter in string.ascii_lowercase)])
TEXTS = ['no fever', 'a cough', 'severe pain today', 'he sleeps well', 'headache', 'she is here'] * 4
def open_here(folder, threads=2):
    return alcore.Model.open(os.path.join(BOX, folder), context=alcore.Context(threads=threads))
def numbers(array):
    return memoryview(array).tolist()
def near(a, b):
    """Lists of lists of numbers, which threads may round otherwise."""
    return len(a) == len(b) and all(len(x) == len(y) and all(abs(p - q) < 1e-5 for p, q in zip(x, y)) for x, y in zip(a, b))
def classes(model):
    """The version of the classifier after it learned two updates."""
    pool = alcore.Pool(TEXTS[:6], references=['0', '1', '2', '0', '1', '2'], dedup='none', context=model.context)
    model.train(pool, updates=2, rate=1e-2, seed=3)
    return model.info['version']
'''

CASES = {
    'the engine first, torch after': (PRELUDE, '''
assert lib.alcore_model_check_engine(ctx) == 0, text()
status, model = open_model('bert')
assert status == 0, text()
assert train() >= 0
assert len(mapped()) == 1, mapped()
lib.alcore_model_unref(model)
'''),
    'torch first, the engine after': (PRELUDE, '''
import torch
before = mapped()
status, model = open_model('bart')
assert status == 0, text()
assert mapped() == before and len(before) == 1, mapped()
assert train() >= 0
lib.alcore_model_unref(model)
'''),
    'all calls inside a training of PyTorch, whose state is as it was, also after failures': (MODELS, '''
import torch
encoder, writer = open_here('bert-class', 1), open_here('bart', 1)
embedded, scored = numbers(encoder.embed(TEXTS)), writer.score(TEXTS, TEXTS[::-1])
translated, learned = writer.translate(TEXTS, beams=2, max_tokens=6), classes(open_here('bert-class', 1))
drawn = writer.translate(TEXTS, sample=True, seed=4, max_tokens=6)
assert all(writer.info[key] for key in ('translates', 'scores')) and any(translated)
torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
torch.set_num_threads(3)
def state():
    return (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'),
            torch.is_autocast_cache_enabled(), torch.get_num_threads(), torch.get_default_dtype(), bytes(torch.get_rng_state().tolist()))
def fails(call):
    try:
        call()
    except alcore.Error:
        return True
def stop(*told):
    raise InterruptedError
def interrupted():
    try:
        alcore.Model.open(os.path.join(BOX, 'bert-class'), context=alcore.Context(threads=1, progress=stop)).embed(TEXTS * 2000)
    except InterruptedError:
        return True
def inside():
    before = state()
    assert numbers(encoder.embed(TEXTS)) == embedded
    assert writer.score(TEXTS, TEXTS[::-1]) == scored
    assert writer.translate(TEXTS, beams=2, max_tokens=6) == translated
    assert writer.translate(TEXTS, sample=True, seed=4, max_tokens=6) == drawn
    assert classes(open_here('bert-class', 1)) == learned
    assert state() == before
    assert fails(lambda: open_here('nowhere')) and fails(lambda: encoder.translate(TEXTS)) and state() == before
    assert fails(lambda: writer.translate(TEXTS, language='xx')) and interrupted() and state() == before
layer = torch.nn.Linear(3, 2, dtype=torch.float32)
for grad in (True, False):
    for autocast in (True, False):
        with torch.set_grad_enabled(grad), torch.autocast('cpu', dtype=torch.bfloat16, enabled=autocast):
            out = layer(torch.ones(5, 3, dtype=torch.float32))
            inside()
            assert out.dtype == (torch.bfloat16 if autocast else torch.float32) and out.requires_grad == grad
        if grad:
            layer.zero_grad()
            out.sum().backward()
            assert layer.bias.grad.tolist() == [5, 5], layer.bias.grad
with torch.inference_mode():
    inside()
assert torch.frombuffer(encoder.embed(TEXTS), dtype=torch.float32).reshape(len(TEXTS), -1).tolist() == embedded
'''),
    'backward while threads embed, score and train': (MODELS, '''
import torch
embedded, scored = numbers(open_here('bert-class').embed(TEXTS)), open_here('bart').score(TEXTS, TEXTS)
learned = classes(open_here('bert-class', 1))
failed, threads, ended = [], torch.get_num_threads(), threading.Event()
def work(number):
    try:
        while not ended.is_set():
            good = (near(numbers(open_here('bert-class').embed(TEXTS)), embedded), near(open_here('bart').score(TEXTS, TEXTS), scored),
                    classes(open_here('bert-class', 1)) == learned)[number]
            rounds[number] += 1
            if not good:
                failed.append(number)
    except Exception as error:
        failed.append(error)
rounds = [0, 0, 0]
workers = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for worker in workers:
    worker.start()
steps = 0
while steps < 20 or min(rounds) < 3 and not failed:
    assert train() >= 0
    steps += 1
ended.set()
for worker in workers:
    worker.join()
assert not failed, failed
assert torch.get_num_threads() == threads
'''),
    'a forked child has models of its own': (MODELS, '''
import torch
model = open_here('bert-class')
embedded = numbers(model.embed(TEXTS * 50))
assert train() >= 0
child = os.fork()
if not child:
    import signal
    signal.alarm(60)
    try:
        model.embed(TEXTS)
    except alcore.ForkedError:
        os._exit(0 if near(numbers(open_here('bert-class').embed(TEXTS * 50)), embedded) else 2)
    os._exit(3)
assert os.waitpid(child, 0)[1] == 0
assert near(numbers(model.embed(TEXTS * 50)), embedded)
'''),
    'a libtorch of another release is refused by name': (PRELUDE, '''
fake = ctypes.CDLL(FAKE)
assert lib.alcore_model_check_engine(ctx) == -51
assert 'torch 2.99' in text() and FAKE in text() and 'libalcore-torch-2.99.so' in text(), text()
status, model = open_model('bert')
assert status == -50 and not model.value and 'torch 2.99' in text(), text()
'''),
    'the engine of a wheel beside the libtorch is looked for last': (PRELUDE, f'''
import shutil
site = {FOLDER.name!r} + '/site-packages'
os.makedirs(site + '/torch/lib', exist_ok=True)
ctypes.CDLL(shutil.copy(FAKE, site + '/torch/lib/libtorch_cpu.so'))
assert lib.alcore_model_check_engine(ctx) == -51
assert '; ' + site + '/.alcore.mesonpy.libs/libalcore-torch-2.99.so: not there; there are engines for torch 2.11' in text(), text()
'''),
    'two of them are refused by name': (PRELUDE, '''
import torch
ctypes.CDLL(FAKE)
assert lib.alcore_model_check_engine(ctx) == -51
assert 'two libtorch' in text() and FAKE in text() and 'torch/lib/libtorch_cpu.so' in text(), text()
'''),
    'ALCORE_TORCH_LIBDIR chooses, and says when there is none': (PRELUDE, '''
libc = ctypes.CDLL(None)
libc.setenv(b'ALCORE_TORCH_LIBDIR', b'/nowhere', 1)
assert lib.alcore_model_check_engine(ctx) == -51
assert '/nowhere/libc10.so' in text(), text()
'''),
}

# Importing torch takes seconds, and a minute on a busy machine whose disk does not know it yet.
CASE_SECONDS = 240


def run(code, **env):
    """Exit status and output of a program; a program that takes too long has failed, and says so."""
    try:
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=CASE_SECONDS, env=dict(os.environ, **env))
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 1, 'it takes more than %d s' % CASE_SECONDS


def run_case(case):
    prelude, code = case
    return run(prelude + code + '\nlib.alcore_ctx_unref(ctx)\nprint("through")\n', **stand_ins)


stand_ins = {}
status, out = run('import torch')
if status:
    folder = os.path.join(FOLDER.name, 'cuda')
    os.mkdir(folder)
    for name in CUDA:
        shutil.copy(NOTHING, os.path.join(folder, name))
    stand_ins['LD_LIBRARY_PATH'] = folder + ':' + os.environ.get('LD_LIBRARY_PATH', '')
    status, out = run(PRELUDE + 'import torch', **stand_ins)
if status:
    print(f'1..0 # SKIP torch cannot be imported by {sys.executable}: {out.strip().splitlines()[-1]}')
    sys.exit(0)
print(f'1..{len(CASES)}')
bad = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for number, (name, (status, out)) in enumerate(zip(CASES, pool.map(run_case, CASES.values())), 1):
        good = status == 0 and 'through\n' in out
        bad += not good
        print(f'{"ok" if good else "not ok"} {number} - {name}', flush=True)
        if not good:
            print('# ' + out.strip().replace('\n', '\n# '))
sys.exit(bad > 0)
