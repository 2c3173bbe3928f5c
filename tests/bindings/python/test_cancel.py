# SPDX-License-Identifier: Apache-2.0
"""Cancelling requests and contexts, their progress, and what may still be done then."""
import threading
import time

import pytest

import alcore

TEXTS = ["one text of a pool", "another text", "a third one", "and a fourth"]


@pytest.fixture
def context():
    with alcore.Context(threads=2, progress=False) as made:
        yield made


def waiting(started, until=None):
    """A strategy that polls until it is told to stop."""
    @alcore.strategy
    def wait(view):
        started.set()
        while until is None or not until.is_set():
            view.poll("waiting", 1, 2)
            time.sleep(0.001)
        return [0.0] * len(view)
    return wait


def test_one_of_two_requests(context):
    with alcore.Pool(TEXTS, context=context) as pool:
        started, release = [threading.Event(), threading.Event()], threading.Event()
        both = [alcore.Request(pool, strategy=waiting(started[0]), budget=1),
                alcore.Request(pool, strategy=waiting(started[1], release), budget=1)]
        ended = [None, None]

        def answer(number):
            try:
                ended[number] = both[number].select()
            except alcore.CancelledError as error:
                ended[number] = error

        threads = [threading.Thread(target=answer, args=(number,)) for number in range(2)]
        for thread, event in zip(threads, started):
            thread.start()
            assert event.wait(60)
        both[0].cancel()
        both[0].cancel_clear()  # it reaches the call all the same
        threads[0].join(60)
        assert isinstance(ended[0], alcore.CancelledError) and ended[1] is None
        release.set()
        threads[1].join(60)
        assert len(ended[1]) == 1
        for request in both:
            request.close()


def test_a_cancelled_request_is_refused_until_it_is_cleared(context):
    with alcore.Pool(TEXTS, context=context) as pool, alcore.Request(pool, strategy="random", budget=2) as request:
        request.cancel()
        for _ in range(2):
            with pytest.raises(alcore.CancelledError):
                request.select()
        assert not context.cancelled and len(pool.select(2, "random")) == 2
        request.set(budget=1)
        request.cancel_clear()
        assert len(request.select()) == 1


def test_what_is_there_is_saved(context, tmp_path):
    with alcore.Pool(TEXTS, context=context) as pool:
        selection = pool.select(2, "random")
        context.cancel()
        assert context.cancelled
        with pytest.raises(alcore.CancelledError):
            pool.select(2, "random")
        with pytest.raises(alcore.CancelledError):
            context.poll()
        pool.set_column("scores", [1.0, 2.0, 3.0, 4.0])
        selection.write(tmp_path / "picks.tsv")
        pool.write_column("scores", tmp_path / "scores.npy")
        assert (tmp_path / "picks.tsv").read_text(encoding="utf-8").count("\n") == 3
        context.cancel_clear()
        context.poll()
        assert len(pool.select(2, "random")) == 2


def slow(seen):
    @alcore.strategy
    def poll(view):
        for step in range(25):
            time.sleep(0.01)
            view.poll("scoring", step, 25)
        seen.append(len(view))
        return [0.0] * len(view)
    return poll


def test_progress_belongs_to_a_call():
    of_context, of_call, of_request, seen = [], [], [], []
    with alcore.Context(progress=lambda *what: of_context.append(what)) as context, alcore.Pool(TEXTS, context=context) as pool:
        pool.select(1, slow(seen), progress=lambda *what: of_call.append(what))
        assert of_call and not of_context and {stage for stage, _, _ in of_call} == {"scoring"} and of_call[0][2] == 25
        count = len(of_call)
        pool.select(1, slow(seen))
        assert of_context and len(of_call) == count
        count = len(of_context)
        with alcore.Request(pool, strategy=slow(seen), budget=1, progress=lambda *what: of_request.append(what)) as request:
            request.select()
            assert of_request and len(of_context) == count
            request.set_progress(False)
            count = len(of_request)
            request.select()
            assert len(of_request) == count and len(seen) == 4
        with pytest.raises(TypeError, match="progress"):
            pool.select(1, "random", progress="yes")


def test_an_error_of_progress_ends_its_call(context):
    def fail(stage, done, total):
        raise RuntimeError("enough")

    seen = []
    with alcore.Pool(TEXTS, context=context) as pool:
        with pytest.raises(RuntimeError, match="enough"):
            pool.select(1, slow(seen), progress=fail)
        assert not seen and len(pool.select(1, slow(seen))) == 1


def test_a_model_asks(context):
    class Model:
        def embed(self, texts):
            request.cancel()
            assert context.cancelled
            with pytest.raises(alcore.CancelledError):
                context.poll("embedding", 1, 2)
            return [[1.0, 2.0] for _ in texts]

    with alcore.Pool(TEXTS, context=context) as pool, alcore.Request(pool, strategy="kcenter", budget=1, model=Model()) as request:
        with pytest.raises(alcore.CancelledError):
            request.select()
        assert not context.cancelled
