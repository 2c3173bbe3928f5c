# SPDX-License-Identifier: Apache-2.0
"""The package in a process: Ctrl-C, fork, threads, finalizers, memory, where the library is found."""
import ctypes
import gc
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import alcore

SANITIZED = bool(os.environ.get("LD_PRELOAD"))


def child(code, **environment):
    """Runs code in another process: (status, output, errors)."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout, done.stderr


def interrupted(pool, running):
    """Seconds of processor time that the main thread uses from Ctrl-C in the middle of a call to KeyboardInterrupt. The wall
    clock would count what other programs use of a busy machine."""
    main = time.pthread_getcpuclockid(threading.main_thread().ident)
    sent = []

    def interrupt():
        assert running.wait(60)
        sent.append(time.clock_gettime(main))
        os.kill(os.getpid(), signal.SIGINT)

    running.clear()
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        pool.select("60000w", "kcenter", model="ngram")
    late = time.clock_gettime(main) - sent[0]
    thread.join()
    return late


def test_ctrl_c_stops_a_call():
    running = threading.Event()

    def report(stage, done, total):
        """The model is ready and the strategy runs: a pass over the rows for each of 20,000 picks takes many seconds."""
        if stage == "kcenter":
            running.set()

    with alcore.Context(progress=report) as ctx:
        pool = alcore.Pool(["word%d word%d other%d" % (n, n % 77, n % 991) for n in range(120000)], context=ctx)
        handler = signal.getsignal(signal.SIGINT)
        for _ in range(3):
            assert interrupted(pool, running) < (2.0 if SANITIZED else 0.1)
            assert signal.getsignal(signal.SIGINT) is handler
        assert pool.select(5, "random").indices


def test_ctrl_c_inside_own_code(pool):
    @alcore.strategy
    def sleeping(view):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        pool.select(5, sleeping)
    assert time.monotonic() - begun < 2
    assert pool.select(5, "random").indices


def test_own_signal_handler_is_called(pool):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *arguments: seen.append(arguments[0]))
    try:
        @alcore.strategy
        def interrupted(view):
            os.kill(os.getpid(), signal.SIGINT)
            return [1.0] * len(view)
        assert pool.select(5, interrupted).indices
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_a_call_goes_on_after_a_handler_that_returns():
    """The handler runs in the middle of the call, which then ends as without it."""
    running, seen = threading.Event(), []

    def report(stage, done, total):
        if stage == "kcenter":
            running.set()

    def interrupt():
        assert running.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    texts = ["word%d word%d other%d" % (n, n % 77, n % 991) for n in range(20000)]
    rows = [[float(n % 7), float(n % 11), float(n % 13)] for n in range(20000)]
    with alcore.Context(progress=report) as ctx, alcore.Pool(texts, context=ctx) as pool:
        pool.set_column("embeddings", rows)
        expected = pool.select(5000, "kcenter").indices
        running.clear()
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(time.monotonic()))
        thread = threading.Thread(target=interrupt)
        try:
            thread.start()
            assert pool.select(5000, "kcenter").indices == expected
            ended = time.monotonic()
        finally:
            thread.join()
            signal.signal(signal.SIGINT, before)
    assert len(seen) == 1 and seen[0] < ended


def test_ctrl_c_where_c_code_calls_the_handler_of_python():
    """polars, when it is imported, puts a C handler of SIGINT before Python's, and calls Python's."""
    pytest.importorskip("polars")
    program = """
import ctypes, signal
get = ctypes.pythonapi.PyOS_getsig
get.restype = ctypes.c_void_p
of_python = get(signal.SIGINT)
import polars
of_polars = get(signal.SIGINT)
assert of_polars != of_python
import test_process
test_process.test_ctrl_c_stops_a_call()
assert get(signal.SIGINT) == of_polars
"""
    status, _, error = child(program, PYTHONPATH=os.pathsep.join([os.path.dirname(__file__), os.environ["PYTHONPATH"]]))
    assert status == 0, error


def test_a_handler_of_c_code_stays():
    """Python still says that default_int_handler is set; the handler that the program has is a function of C."""
    program = """
import alcore, ctypes, os, signal
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
seen = []
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(seen.append)
get, put = ctypes.pythonapi.PyOS_getsig, ctypes.pythonapi.PyOS_setsig
get.restype = put.restype = ctypes.c_void_p
put.argtypes = [ctypes.c_int, ctypes.c_void_p]
put(signal.SIGINT, ctypes.cast(handler, ctypes.c_void_p))
before = get(signal.SIGINT)

@alcore.strategy
def interrupted(view):
    os.kill(os.getpid(), signal.SIGINT)
    return [1.0] * len(view)

assert alcore.select(["a b", "c d"], 1, interrupted).indices == [0]
assert seen == [signal.SIGINT] and get(signal.SIGINT) == before
"""
    status, _, error = child(program)
    assert status == 0, error


def test_subinterpreters():
    try:
        import _interpreters  # noqa: F401  Python 3.13
    except ImportError:
        pytest.importorskip("_xxsubinterpreters")
    program = """
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    create = lambda: interpreters.create(isolated=False)
inner = create()
error = interpreters.run_string(inner, 'import alcore; assert len(alcore.select(["a b", "c d"], 1, "random").indices) == 1')
assert error is None, error
import alcore
assert len(alcore.select(["a b", "c d"], 1, "random").indices) == 1
"""
    status, _, error = child(program)
    assert status == 0, error


def test_cancel_from_another_thread(texts):
    with alcore.Context() as ctx, alcore.Pool(texts, context=ctx) as pool:
        ctx.cancel()
        with pytest.raises(alcore.CancelledError):
            pool.select(5)
        ctx.cancel_clear()
        assert pool.select(5, "random").indices


def test_threads_call_at_once(texts):
    wanted = alcore.select(texts[:300], "60w", seed=1).indices
    found, errors = [], []

    def work():
        try:
            for _ in range(3):
                found.append(alcore.select(texts[:300], "60w", seed=1).indices)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and found == [wanted] * 18


def test_other_threads_run_meanwhile(texts):
    pool = alcore.Pool(texts * 20, dedup="none")
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    pool.select("500w", "nnll")
    ended = time.monotonic()
    done.set()
    thread.join()
    inside = [at for at in ticks if begun < at < ended]
    assert len(inside) >= (ended - begun) / 0.1


def test_fork(texts):
    pool = alcore.Pool(texts[:300])
    wanted = pool.select("40w", "nnll").indices
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = b"nothing"
        try:
            try:
                pool.select("40w", "nnll")
                answer = b"no error"
            except alcore.ForkedError:
                answer = b"forked" if alcore.select(texts[:300], "40w", "nnll").indices == wanted else b"other picks"
            del pool
            gc.collect()
        finally:
            os.write(write, answer)
            os._exit(0)
    os.close(write)
    deadline = time.monotonic() + 30
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.01)
    assert os.read(read, 100) == b"forked"
    assert pool.select("40w", "nnll").indices == wanted


class Dataset:
    """Workers select on their own."""

    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return 4

    def __getitem__(self, item):
        return alcore.select(self.texts, 3, "random", seed=item).indices


def test_data_loader_with_forked_workers(texts):
    torch = pytest.importorskip("torch")
    alcore.select(texts[:300], "40w", "nnll")
    loader = torch.utils.data.DataLoader(Dataset(texts[:50]), num_workers=2, batch_size=None, collate_fn=list,
                                         multiprocessing_context="fork")
    assert [list(map(int, rows)) for rows in loader] == [Dataset(texts[:50])[item] for item in range(4)]


def test_multiprocessing_with_forked_workers(texts):
    import multiprocessing
    alcore.select(texts[:300], "40w", "nnll")
    with multiprocessing.get_context("fork").Pool(2) as workers:
        found = workers.map_async(Dataset(texts[:50]).__getitem__, range(4)).get(60)
    assert found == [Dataset(texts[:50])[item] for item in range(4)]


@pytest.mark.parametrize("order", ["import torch, alcore", "import alcore, torch"])
def test_beside_torch(order):
    pytest.importorskip("torch")
    status, out, errors = child(order + """
        print(alcore.select(["a b", "c d"], 1, "random").indices)
        x = torch.ones(2, 2, requires_grad=True)
        (x @ x).sum().backward()
        print(x.grad.shape)
    """.replace("        ", ""))
    assert status == 0 and "torch.Size([2, 2])" in out, errors


def test_handles_refuse_pickling(pool):
    handles = [pool, pool.context, alcore.Strategy("random"), alcore.Scorer("entropy"), alcore.Model.ngram(),
               alcore.Request(pool), pool.column("scores"), alcore.LanguageModel(["a b"])]
    for handle in handles:
        with pytest.raises(TypeError, match="alcore.%s is a handle" % type(handle).__name__):
            pickle.dumps(handle)
        assert type(handle).__name__ in repr(handle)
        if handle is not pool.context:
            handle.close()
            handle.close()
            assert handle.closed and "closed" in repr(handle)


def test_closed_handles_say_so(texts):
    pool = alcore.Pool(texts[:20])
    picked = pool.select(3, "random")
    pool.close()
    with pytest.raises(ValueError, match="alcore.Pool is closed"):
        len(pool)
    with pytest.raises(ValueError, match="closed"):
        picked.texts
    assert len(picked.indices) == 3


def make_all(texts):
    ctx = alcore.Context(threads=1)
    pool = alcore.Pool(texts, context=ctx)
    side = alcore.Pool(["x y"], context=ctx)
    model = alcore.Model.ngram(side, context=ctx)
    strategy = alcore.Strategy("random", context=ctx)
    request = alcore.Request(pool, labeled=side, strategy=strategy, budget=2, context=ctx)
    writer = pool.column("scores")
    lm = alcore.LanguageModel(texts, context=ctx)
    return [ctx, pool, side, model, strategy, request, request.select(), writer, lm, alcore.Scorer("entropy", context=ctx)]


def test_finalisers_in_any_order():
    """Objects dropped in random order, 10,000 of them."""
    rng = random.Random(int(os.environ.get("ALCORE_TEST_SEED", "5")))
    texts, alive, dropped = ["a b c", "d e f", "g h i"], [], 0
    while dropped < 10000:
        alive.extend(make_all(texts))
        rng.shuffle(alive)
        while len(alive) > 60:
            item = alive.pop(rng.randrange(len(alive)))
            how = rng.random()
            if how < 0.2 and not isinstance(item, alcore.Context):
                item.close()
            elif how < 0.3:
                item.itself = [item]  # only the cycle collector finds it
            del item
            dropped += 1
    del alive
    gc.collect()


def in_use():
    """Bytes that malloc has handed out."""
    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                         "fsmblks", "uordblks", "fordblks", "keepcost")]
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Info
    info = mallinfo()
    return info.uordblks + info.hblkhd


@pytest.mark.skipif(SANITIZED, reason="the sanitizer has its own allocator")
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="no mallinfo2")
def test_no_leak(texts):
    class Failing:
        def embed(self, texts):
            raise ValueError

    @alcore.strategy
    def own(view):
        return [1.0] * len(view)

    def work():
        for item in make_all(texts[:50]):
            item.close()
        with alcore.Pool(texts[:50]) as pool:
            pool.select(5, own, scores=[1.0] * 50)
            pickle.loads(pickle.dumps(pool.select(5, "huds", model="ngram")))
            for wrong in ({"model": Failing()}, {"nothing": 1}, {"scores": [1.0]}):
                try:
                    pool.select(5, "kcenter", **wrong)
                except (ValueError, alcore.Error):
                    pass

    def growth(turns):
        gc.collect()
        before = in_use()
        for _ in range(turns):
            work()
        gc.collect()
        return in_use() - before

    growth(20)
    # Less than 200 bytes a turn: a lost handle would be more. What is lost is lost in every round,
    # whereas the arenas of threads grow once, by some 30 kB in all.
    assert min(growth(100) for _ in range(3)) < 100 * 200


def test_library_not_found_lists_every_place(tmp_path):
    code = """
        import alcore
        try:
            alcore.version()
        except alcore.LibraryNotFoundError as error:
            print(error)
    """
    status, out, errors = child(code, ALCORE_LIBRARY="/no/such/libalcore.so.1")
    assert status == 0 and "$ALCORE_LIBRARY: /no/such/libalcore.so.1 (no such file)" in out, errors
    empty = {name: value for name, value in os.environ.items() if name not in ("ALCORE_LIBRARY", "LD_LIBRARY_PATH")}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=empty)
    if done.stdout:  # unless the system has it
        for place in ("package folder: ", "wheel: ", "system: libalcore.so.1"):
            assert place in done.stdout, done.stdout
    status, out, errors = child("""
        import alcore, os
        path = os.environ.pop("ALCORE_LIBRARY")
        print(alcore.load(path) == path, alcore.version() != "")
        print(alcore.load() == path)
        try:
            alcore.load("/other")
        except RuntimeError as error:
            print(error)
    """)
    assert out.splitlines()[:2] == ["True True", "True"] and "loaded already" in out, errors


def test_another_library_is_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text("int alcore_abi(void) { return 77; }\n")
    other = tmp_path / "libalcore.so.1"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", source, "-o", other], check=True)
    status, out, errors = child("import alcore; alcore.version()", ALCORE_LIBRARY=str(tmp_path))
    assert status == 1 and "its ABI number is 77; this package needs 1" in errors


def test_import_without_numpy_or_library():
    status, out, errors = child("""
        import sys
        sys.modules["numpy"] = None
        import alcore
        print(alcore.select(["a b", "c d"], 1, "random").column("score", "candidates").tolist() and "fine")
        print("numpy" in str(type(alcore.select(["a b", "c d"], 1, "huds").column("u"))))
    """)
    assert out.splitlines() == ["fine", "False"], errors


def test_nothing_is_printed_by_default():
    status, out, errors = child("""
        import warnings
        warnings.simplefilter("ignore")
        import alcore
        alcore.select(["a b", "c d"], 1)
    """)
    assert (status, out, errors) == (0, "", "")


def test_exit_with_everything_alive():
    status, out, errors = child("""
        import alcore, threading
        @alcore.strategy
        def own(view):
            return [1.0] * len(view)
        pool = alcore.Pool(["a b", "c d"])
        kept = [pool.select(1, own), alcore.Model(type("M", (), {"embed": lambda self, t: [[1.0]] * len(t)})()), pool]
        kept.append(kept)
        own.kept = kept
        picked = alcore.select(["a b", "c d"], 1, "kcenter", model=kept[1])
    """)
    assert (status, errors) == (0, "") or "ImplicitModelWarning" in errors
