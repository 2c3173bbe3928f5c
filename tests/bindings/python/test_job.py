# SPDX-License-Identifier: Apache-2.0
"""Jobs over shards from Python: by a map over shards, in this process and in others, and by ranks that gather; the picks of one
machine."""
import concurrent.futures
import threading
import warnings

import pytest

import alcore
import alcore.ranks

TEXTS = ["text %d of %d words" % (row // 2 if row % 5 else row, row % 7) for row in range(90)]
SCORES = [(row * 37 % 101) / 10 for row in range(90)]
CUTS = [0, 13, 13, 50, 90]
SHARDS = list(zip(CUTS, CUTS[1:]))


def request(strategy, first, end, **options):
    pool = alcore.Pool(TEXTS[first:end])
    if strategy == "nnll" and end > first:
        pool.set_column("scores", SCORES[first:end])
    return alcore.Request(pool, strategy=strategy, **{"budget": "30w", **options})


def random_job(shard):
    return alcore.Job(request("random", *shard, seed=4), first_row=shard[0], rows=len(TEXTS), dataset="words")


def nnll_job(shard):
    return alcore.Job(request("nnll", *shard, fill="stop"), first_row=shard[0], rows=len(TEXTS))


def vectors(first, end):
    return [[(row * 37 + 11 * component) % 101 / 50 - 1 for component in range(3)] for row in range(first, end)]


def huds_request(strategy, first, end):
    pool = alcore.Pool(TEXTS[first:end])
    if end > first:
        pool.set_column("scores", SCORES[first:end])
        pool.set_column("embeddings", vectors(first, end))
    target = alcore.Pool(["of the target", "another one"])
    target.set_column("embeddings", [[0.5, 0, 0], [-1, 1, 0.25]])
    reads_target = "knn" in strategy or strategy == "average-dist"
    return alcore.Request(pool, strategy=strategy, budget="9", seed=4, **({"target": target} if reads_target else {}))


@pytest.mark.parametrize("strategy", ["kcenter", "idds", "huds", "knn-uncertainty", "average-dist", "typiclust", "probcover"])
def test_strategies_that_compare_rows(strategy):
    def job(shard):
        return alcore.Job(huds_request(strategy, *shard), first_row=shard[0], rows=len(TEXTS))
    check(alcore.select_shards(job, SHARDS), huds_request(strategy, 0, len(TEXTS)).select())


def check(picks, expected):
    assert picks.rows == list(expected.indices)
    assert picks.scores == list(expected.scores)
    assert picks.costs == list(expected.costs)
    assert picks.spent == expected.spent
    assert picks.short == expected.short


def expected(strategy, **options):
    return request(strategy, 0, len(TEXTS), **options).select()


def test_the_ngram_model_learns_from_all_shards():
    def job_request(first, end):
        return alcore.Request(alcore.Pool(TEXTS[first:end]), strategy="huds", budget="9", model=alcore.Model.ngram())

    def job(shard):
        return alcore.Job(job_request(*shard), first_row=shard[0], rows=len(TEXTS))
    check(alcore.select_shards(job, SHARDS), alcore.Request(alcore.Pool(TEXTS), strategy="huds", budget="9").select())


def test_several_budgets():
    def job(shard):
        return alcore.Job(request("nnll", *shard, budget="9w,30w"), first_row=shard[0], rows=len(TEXTS))
    picks = alcore.select_shards(job, SHARDS)
    for found, one in zip(picks, request("nnll", 0, len(TEXTS), budget="9w,30w").select(), strict=True):
        check(found, one)
    assert len(picks[0].rows) < len(picks[1].rows)


def test_a_map_over_shards():
    check(alcore.select_shards(random_job, SHARDS), expected("random", seed=4))
    check(alcore.select_shards(nnll_job, SHARDS[::-1]), expected("nnll", fill="stop"))


def test_the_recommended_strategy_and_its_masks():
    texts = ["%s the file %s could not be opened, please try %d" % (("save", "print", "close")[row % 3], "abcde"[row % 5] * 4, row)
             for row in range(60)] + ["%d / %d" % (row, row) for row in range(10)]

    def make(shard, **options):
        return alcore.Request(alcore.Pool(texts[shard[0]:shard[1]]), labeled=alcore.Pool(["print the file aaaa again"]), budget="60w", **options)
    shards = [(0, 3), (3, 40), (40, 70)]
    for options in ({}, {"strategy": "ngram-cover", "masks": "near"}, {"strategy": "ngram-cover"}):
        one = make((0, len(texts)), **options).select()
        check(alcore.select_shards(lambda shard: alcore.Job(make(shard, **options), first_row=shard[0], rows=len(texts)), shards), one)
        assert len(one) > 1


def test_a_map_in_other_processes():
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        check(alcore.select_shards(random_job, SHARDS, processes.map), expected("random", seed=4))


def test_tasks_that_are_made_again_and_come_in_another_order():
    def twice_and_backwards(function, shards):
        return [function(shard) for shard in shards] + [function(shard) for shard in reversed(shards)]
    check(alcore.select_shards(nnll_job, SHARDS, twice_and_backwards), expected("nnll", fill="stop"))


def phrase_job(shard):
    return alcore.Job(request("ngf-smp", *shard), first_row=shard[0], rows=len(TEXTS))


def check_selection(found, one):
    check(found, one)
    assert found.selection.texts == one.texts
    assert found.selection.ids == one.ids
    assert found.selection.records == one.records
    assert found.selection.reasons == one.reasons


def test_phrases():
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        picks = alcore.select_shards(phrase_job, SHARDS, processes.map)
    check_selection(picks, expected("ngf-smp"))
    assert picks.selection.provenance == expected("ngf-smp").provenance
    assert alcore.select_shards(random_job, SHARDS).selection is None


def test_sentences_and_phrases():
    def job(shard):
        return alcore.Job(request("hybrid", *shard, model=alcore.Model.ngram()), first_row=shard[0], rows=len(TEXTS))
    check_selection(alcore.select_shards(job, SHARDS), expected("hybrid", model=alcore.Model.ngram()))


def test_rows_of_the_target():
    target = alcore.Pool(["of the target %d" % row for row in range(20)])

    def job(shard):
        return alcore.Job(request("gold", *shard, target=target), first_row=shard[0], rows=len(TEXTS))
    check_selection(alcore.select_shards(job, SHARDS), expected("gold", target=target))


def test_similar_picks():
    def job_request(first, end):
        pool = alcore.Pool(TEXTS[first:end])
        if end > first:
            pool.set_column("scores", SCORES[first:end])
            pool.set_column("embeddings", vectors(first, end))
        return alcore.Request(pool, strategy="nnll", budget="30", max_similarity=0.7)

    def job(shard):
        return alcore.Job(job_request(*shard), first_row=shard[0], rows=len(TEXTS))
    one = job_request(0, len(TEXTS)).select()
    check(alcore.select_shards(job, SHARDS), one)
    assert list(one.indices) != list(expected("nnll", budget="30").indices)[:len(one)]


def test_a_map_that_gives_something_else():
    for wrong, words in (([1, 2], "map: it gave 1, not"), ([], "map: it gave nothing"), ([None], "map: it gave None")):
        with pytest.raises(TypeError, match=words):
            alcore.select_shards(nnll_job, SHARDS, lambda function, shards, wrong=wrong: wrong)


def test_a_shard_without_rows_that_is_missing():
    job = nnll_job((13, 13))
    with pytest.raises(alcore.MissingError, match="do not have that of the shard without rows at row 13"):
        job.deliver(alcore.fold(nnll_job(shard).step() for shard in SHARDS if shard != (13, 13)))


def test_a_shard_that_is_lost_is_an_error():
    with pytest.raises(alcore.MissingError, match="cover no rows 13 to 49"):
        alcore.select_shards(nnll_job, SHARDS, lambda function, shards: [function(shard) for shard in shards if shard != (13, 50)])


def test_ranks_that_gather():
    barrier, messages, picks = threading.Barrier(len(SHARDS)), {}, {}

    def rank(number):
        def gather(message):
            messages[number] = message
            barrier.wait(60)
            found = [messages[other] for other in range(len(SHARDS))]
            barrier.wait(60)
            return found
        with random_job(SHARDS[number]) as job:
            assert job.picks is None
            picks[number] = job.run(gather)
    threads = [threading.Thread(target=rank, args=(number,)) for number in range(len(SHARDS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(len(SHARDS)):
        check(picks[number], expected("random", seed=4))


def select_by_ranks(parts, strategy, **named):
    """What alcore.ranks.select() gives in threads, one for each part of the texts; or the error of each."""
    barrier, messages, found = threading.Barrier(len(parts)), {}, {}

    def rank(number):
        def gather(message):
            messages[number] = message
            barrier.wait(60)
            all_messages = [messages[other] for other in range(len(parts))]
            barrier.wait(60)
            return all_messages
        try:
            found[number] = alcore.ranks.select(parts[number], "30w", strategy, gather=gather, rank=number, **named)
        except alcore.Error as error:
            found[number] = error
    threads = [threading.Thread(target=rank, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(parts))]


@pytest.mark.parametrize("strategy", ["nnll", "hybrid", "ngf", "random", None])
def test_ranks_without_a_model_have_what_one_machine_has(strategy):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = select_by_ranks([TEXTS[first:end] for first, end in SHARDS], strategy)
    assert [type(one.message) for one in told] == [alcore.ImplicitModelWarning] * (len(SHARDS) if strategy in ("nnll", "hybrid") else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", alcore.ImplicitModelWarning)
        one = alcore.select(TEXTS, "30w", strategy)
    for picks in found:
        assert (picks.texts, picks.ids, picks.scores, picks.costs) == (one.texts, one.ids, one.scores, one.costs)


def test_ranks_of_which_one_has_a_column():
    pool = alcore.Pool(TEXTS[:40])
    pool.set_column("scores", SCORES[:40])
    found = select_by_ranks([pool, TEXTS[40:]], "nnll")
    assert [type(error) for error in found] == [alcore.MissingError] * 2
    assert all("rank 1" in str(error) and "needs the column 'scores|logprobs'" in str(error) for error in found), found


def refusal(job, messages):
    """What the first message that a job refuses is refused with; empty: it takes them all."""
    try:
        for message in messages:
            job.deliver(message)
    except alcore.Error as error:
        return str(error)
    return ""


def test_a_shard_that_is_made_again_with_other_scores_is_refused():
    rows, shards = 17000, [(0, 8500), (8500, 17000)]  # more than a block, so that each has rows of its own

    def scored_job(shard, factor):
        pool = alcore.Pool(["text %d" % row for row in range(*shard)])
        pool.set_column("scores", [factor * ((7 * row) % 11) for row in range(*shard)])
        pool.set_column("embeddings", vectors(*shard))
        return alcore.Job(alcore.Request(pool, strategy="huds", budget="5"), first_row=shard[0], rows=rows)
    for factor in (1, 3):
        jobs, folded, refused = [scored_job(shard, 1) for shard in shards], [], ""
        while not refused and jobs[0].step() is not None:
            if len(folded) == 3:
                jobs[1] = scored_job(shards[1], factor)
                refused = refusal(jobs[1], folded)
            if not refused:
                folded.append(alcore.fold([job.step() for job in jobs]))
                for job in jobs:
                    job.deliver(folded[-1])
        assert len(folded) >= 3 and ("other values of the rows 8500 to 16999" in refused) == (factor == 3), refused


def test_a_job_that_is_done_lets_go_of_its_pool():
    pool = alcore.Pool(TEXTS)
    pool.set_column("scores", [(7 * row) % 11 for row in range(len(TEXTS))])
    pool.set_column("embeddings", vectors(0, len(TEXTS)))
    for strategy in ("huds", "kcenter"):
        job = alcore.Job(alcore.Request(pool, strategy=strategy, budget="2"))
        while (message := job.step()) is not None:
            job.deliver(alcore.fold([message]))
        marked = threading.Thread(target=pool.mark, args=("labeled", job.picks.rows), daemon=True)
        marked.start()
        marked.join(60)
        assert not marked.is_alive(), strategy


def test_messages_of_other_data_are_refused():
    def message(dataset):
        return alcore.Job(request("random", 0, 90), dataset=dataset).step()
    with pytest.raises(ValueError, match="the message of the rows 0 to 89 was made with dataset=b, that of the rows 0 to 89 with dataset=a"):
        alcore.fold([message("a"), message("b")])
    assert alcore.fold([message("a"), message("a")]) == message("a")
    job = alcore.Job(request("random", 0, 90), dataset="a")
    with pytest.raises(alcore.CorruptError, match="cut off"):
        job.deliver(message("a")[:-1])
    with pytest.raises(ValueError, match="there is none to fold"):
        alcore.fold([])


def test_strategies_that_are_served():
    assert all(alcore.Job.serves(name) for name in alcore.strategies())
    with pytest.raises(alcore.UnsupportedError, match="as nothing is known of what it reads: give what it computes as the column scores of nnll"):
        alcore.Job(alcore.Request(alcore.Pool(TEXTS), strategy=alcore.strategy(lambda view: [0.0] * len(view.rows)), budget=3))
