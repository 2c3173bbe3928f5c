# SPDX-License-Identifier: Apache-2.0
"""For every option of every command two command lines, without it and with it, of which the output, the summary or the exit code
differ (test_command_options.py). They read the files of option_files.py."""
from option_files import PICK, SHARD

PAGE = ["select", "pool.txt", "--budget", "4", "--scores", "u.npy", "--strategy", "nnll", "--out", "picks.html"]
TIED, WITH_NAN = ([name if word == "u.npy" else word for word in PICK] for name in ("tied.npy", "nan.npy"))
SCORE = ["score", "pool.txt", "--scorer", "nnll", "--logprobs", "lp.lp"]
ANSWERS = ["score", "pool.txt", "--scorer", "sum-prob", "--qa-start", "qa.npy", "--qa-end", "qa.npy", "--offsets", "offsets.npy"]
WINDOWED = [*ANSWERS, "-p", "windows=1", "--qa-windows", "windows.npy", "--qa-window-offsets", "window-offsets.npy"]
UNSURE = ["select", "pool.txt", "--budget", "4", "--strategy", "uncertainty", *WINDOWED[4:]]
ASKED = ["two.tsv", "--model", "asked", "-p", "windows=1"]
DRAW = ["candidates", "pool.txt", "--count", "4"]
PROBS = ["select", "pool.txt", "--budget", "4", "--strategy", "entropy", "--probs", "p.npy"]
LOGITS = [*PROBS[:-1], "logits.npy"]
OVERLAP = ["eval", "overlap", "twice.txt", "--selected", "near.txt"]
SIDES = ["eval", "overlap", "sides.tsv", "--selected", "near.tsv", "-n", "1"]
MIX = ["mix", "--labeled", "pairs.tsv", "--selection", "phrases.tsv", "--answers", "answers.tsv", "--count", "3", "--kind", "retrieved",
       "--pool", "pool.txt"]
SWITCHED = [*MIX[:-3], "switched", *MIX[-2:]]
ORACLE = ["oracle", "pool.txt", "--selection", "phrases.tsv"]
REQUESTS = [*ORACLE, "--requests"]
OUT = [*REQUESTS, "--tool", "po"]
TASKED = [*REQUESTS, "--tool", "prodigy", "--task", "classes", "--labels", "a,b"]
BACK = [*MIX[:6], "back.jsonl", *MIX[7:], "--tool", "prodigy"]
IN_ROWS = [*MIX[:6], "rows.jsonl", *MIX[7:], "--tool", "translations", "--language", "en", "--to", "de"]
CROSSED = ["oracle", "crossed.tsv", "--selection", "red.tsv"]
COST = ["eval", "cost", "--words", "10"]
PLATEAU = ["eval", "plateau", "rounds.txt"]
CERTAIN = ["eval", "uncertainty", "rounds.txt", "--threshold", "2"]
AGREEMENT = ["eval", "agreement", "labels.txt", "labels2.txt", "labels2.txt"]
COMPARE = ["compare", "pool.txt", "--budget", "3", "--scores", "u.npy", "--strategy", "nnll"]
ABLATE = ["ablate", "pool.txt", "--strategy", "huds", "--budget", "3", "--embeddings", "e.npy", "--scores", "u.npy"]
HYBRID = ["ablate", "pool.txt", "--budget", "9w", "--strategy", "hybrid", "-p", "sentences=random"]
AVERAGED = [*HYBRID[:-1], "sentences=average-dist", "--embeddings", "e.npy"]


def MEASURED(measure):
    """A hybrid whose sentences are chosen by a measure of uncertainty."""
    return [*HYBRID[:-1], "sentences=" + measure]


EXPERIMENT = ["experiment", "small.json", "there"]
COMPOSED = ["composition", "pool.txt", "--selection", "ids.txt"]
ITSELF = ["composition", "pool.txt", "--selection", "picked.txt", "--target", "pool.txt", "--embeddings", "e.npy", "--target-embeddings",
          "e.npy", "--k", "1"]
AIMED = [*COMPOSED, "--target", "three.txt", "--embeddings", "e.npy", "--target-embeddings", "target-e.npy"]
RHO = ["rho", "pool.txt", "--target", "three.txt", "--scores", "u.npy", "--target-scores", "target.npy", "--target-embeddings",
       "target-e.npy", "--embeddings", "e.npy"]
EMBED = ["model", "embed", "model", "pool.txt", "--out", "vectors.npy"]
READY = ["model", "embed", "ready", "pool.txt", "--out", "vectors.npy"]
TRANSLATE = ["model", "translate", "model", "pool.txt"]
ASKED_TRANSLATE = ["model", "translate", "asked", "pool.txt"]
# With a program that fails and says which arguments and texts it was given.
VOCABULARY = ["model", "vocabulary", "pool.txt"]


def narrow_options(base):
    """Fixtures of the options of ready uncertainties, for base, which has none."""
    return {"--" + name: (base(measure), [*base(measure), "--" + name, "narrow.npy"])
            for name, measure in (("margins", "margin"), ("confidences", "lc"), ("entropies", "entropy"))}


def served_options(base):
    """A fixture of the vocabulary of a server's model, for base, which has no column of entropies."""
    answered = [*base, "--entropies", "lp.jsonl", "--logprobs-format", "openai"]
    return answered, [*answered, "--served-vocabulary", "90"]


def choices(base):
    """Fixtures of the options that choose a side of a test set, for base, whose second word is its file; None stands for it."""
    def of(name, *others):
        return [name if word is None else word for word in base] + list(others)
    return {"--side": (of("set.xml"), of("set.xml", "--side", "src")),
            "--translator": (of("set.xml"), of("set.xml", "--translator", "A")),
            "--system": (of("set.xml"), of("set.xml", "--system", "S")),
            "--domain": (of("set.xml"), of("set.xml", "--domain", "news"))}


# option: (arguments without it, arguments with it), or a list of such pairs of which every one must
# differ.
POOL_OPTIONS = {
    "--format": lambda base: ([base[0], "pool", *base[2:]], [base[0], "pool", *base[2:], "--format", "tsv"]),
    "--text-column": lambda base: ([base[0], "pool.tsv", *base[2:]], [base[0], "pool.tsv", *base[2:], "--text-column", "other"]),
    "--dedup": lambda base: (base, [*base, "--dedup", "normalized"]),
    "--labeled": lambda base: (base, [*base, "--labeled", "known.txt"]),
    "--exclude": lambda base: (base, [*base, "--exclude", "ids.txt"]),
    "--exclude-text": lambda base: (base, [*base, "--exclude-text", "known.txt"]),
    "--eligible": lambda base: (base, [*base, "--eligible", "ids.txt"]),
    "--min-words": lambda base: (base, [*base, "--min-words", "3"]),
    "--max-words": lambda base: (base, [*base, "--max-words", "2"]),
    "--min-letters": lambda base: (base, [*base, "--min-letters", "0.5"]),
    "--out": lambda base: (base, [*base, "--out", "there.tsv"]),
    "--threads": lambda base: (base, [*base, "--threads", "4097"]),
    "--bad-lines": lambda base: ([base[0], "bad.txt", *base[2:]], [base[0], "bad.txt", *base[2:], "--bad-lines", "mask"]),
    "--escapes": lambda base: ([base[0], "escaped.tsv", *base[2:]], [base[0], "escaped.tsv", *base[2:], "--escapes", "on"]),
    # It silences warnings, such as that of a line that is masked.
    "--quiet": lambda base: ([base[0], "bad.txt", *base[2:], "--bad-lines", "mask"],
                             [base[0], "bad.txt", *base[2:], "--bad-lines", "mask", "--quiet"]),
}
DRAW_OPTIONS = {"--seed": lambda base: (base, [*base, "--seed", "9"]), "--round": lambda base: (base, [*base, "--round", "3"])}
PROJECT = ["project", "export", "work", "--tool", "csv", "--out", "sheet.csv"]
ADDED = ["project", "add", "work", "three.txt", "--role", "target"]
AGAIN = ["project", "next", "work", "--round", "1"]  # it is there: with a value of its own it is another one
MIXED = ["project", "train", "work", 'cat "$ALCORE_LABELED"', "--mix", "random"]
PROJECT_EVAL = ["project", "eval", "work", "--test", "pairs.tsv", "--model", "model"]
FIXTURES = {
    "select": (PICK, {
        **choices(["select", None, *PICK[2:]]),
        **POOL_OPTIONS,
        "--seed": (["select", "pool.txt", "--budget", "4", "--strategy", "random"],
                   ["select", "pool.txt", "--budget", "4", "--strategy", "random", "--seed", "9"]),
        "--round": (["select", "pool.txt", "--budget", "4", "--strategy", "random"],
                    ["select", "pool.txt", "--budget", "4", "--strategy", "random", "--round", "3"]),
        "--strategy": (PICK, [*PICK[:-1], "random"]),
        "--param": (PICK, [*PICK, "-p", "candidates=3"]),
        "--shard": (SHARD[:-4], SHARD),
        "--next": (SHARD, [*SHARD[:-1], "other.msg"]),
        "--message": (SHARD, [*SHARD, "--message", "known.txt"]),
        "--dataset": ([*SHARD, "--message", "texts.msg"], [*SHARD, "--message", "texts.msg", "--dataset", "other"]),
        "--plan": (["select", "two.tsv", "--budget", "3", "--strategy", "plan"],
                   ["select", "two.tsv", "--budget", "3", "--strategy", "plan", "--plan", "plan.tsv"]),
        "--like": (["select", "two.tsv", "--budget", "9", "--strategy", "same-ratio"],
                   ["select", "two.tsv", "--budget", "9", "--strategy", "same-ratio", "--like", "like.txt"]),
        "--losses": (["select", "pool.txt", "--budget", "3", "--strategy", "alps"],
                     ["select", "pool.txt", "--budget", "3", "--strategy", "alps", "--losses", "losses.npy", "--offsets", "offsets.npy"]),
        "--links": (["select", "pool.txt", "--budget", "3"], ["select", "pool.txt", "--budget", "3", "--links", "links.txt"]),
        "--by": (["select", "pool.txt", "--budget", "3", "--strategy", "rtt-bleu", "--roundtrip", "back.txt"],
                 ["select", "pool.txt", "--budget", "3", "--strategy", "rtt-bleu", "--roundtrip", "back.txt", "--by", "id"]),
        "--roundtrip": (["select", "pool.txt", "--budget", "3", "--strategy", "rtt-bleu"],
                        ["select", "pool.txt", "--budget", "3", "--strategy", "rtt-bleu", "--roundtrip", "back.txt"]),
        "--context-column": (["select", *ASKED, "--strategy", "uncertainty", "--budget", "3"],
                             ["select", *ASKED, "--strategy", "uncertainty", "--budget", "3", "--context-column", "text"]),
        "--qa-start": (UNSURE, [*UNSURE[:6], "--qa-start", "other-qa.npy", *UNSURE[8:]]),
        "--qa-end": (UNSURE, [*UNSURE[:8], "--qa-end", "other-qa.npy", *UNSURE[10:]]),
        "--qa-windows": (UNSURE, [*UNSURE[:14], "--qa-windows", "two-windows.npy", *UNSURE[16:]]),
        "--qa-window-offsets": (UNSURE[:16], UNSURE),
        "--drafts": (PAGE, [*PAGE, "--drafts", "pool.txt"]),
        "--task": (PAGE, [*PAGE, "--task", "classes", "--labels", "a,b"]),
        "--labels": tuple([*PAGE, "--task", "classes", "--labels", labels] for labels in ("a,b", "a,c")),
        "--batch": (PAGE, [*PAGE, "--batch", "first"]),
        "--budget": (PICK, [*PICK[:3], "3w", *PICK[4:]]),
        "--fill": ([*PICK[:3], "4w", *PICK[4:]], [*PICK[:3], "4w", *PICK[4:], "--fill", "skip"]),
        "--masks": ([PICK[0], "numbers.txt", *PICK[2:]], [PICK[0], "numbers.txt", *PICK[2:], "--masks", "templates"]),
        "--max-similarity": ([*PICK, "--embeddings", "e.npy"], [*PICK, "--embeddings", "e.npy", "--max-similarity", "0.5"]),
        "--fuzzy-match": ([*PICK, "--labeled", "near.txt"], [*PICK, "--labeled", "near.txt", "--fuzzy-match", "50"]),
        "--price": (PICK, [*PICK, "--price", "0.12EUR/w"]),
        "--tie": (TIED, [*TIED, "--tie", "random"]),
        "--nan": (WITH_NAN, [*WITH_NAN, "--nan", "exclude"]),
        "--strict": ([*PICK[:3], "99", *PICK[4:]], [*PICK[:3], "99", *PICK[4:], "--strict"]),
        "--target": (["select", "pool.txt", "--budget", "3", "--strategy", "average-dist", "--embeddings", "e.npy", "--target-embeddings", "far.npy"],
                     ["select", "pool.txt", "--budget", "3", "--strategy", "average-dist", "--embeddings", "e.npy", "--target-embeddings",
                      "far.npy", "--target", "target.txt"]),
        "--target-embeddings": tuple(["select", "pool.txt", "--budget", "3", "--strategy", "average-dist", "--embeddings", "e.npy", "--target",
                                      "target.txt", "--target-embeddings", name] for name in ("near.npy", "far.npy")),
        "--labeled-probs": tuple(["select", "pool.txt", "--budget", "3", "--strategy", "contrastive", "--probs", "p.npy", "--embeddings", "e.npy",
                                  "--labeled", "known.txt", "--labeled-embeddings", "near.npy", "--labeled-probs", name]
                                 for name in ("known-p.npy", "other-known-p.npy")),
        "--labeled-embeddings": tuple(["select", "pool.txt", "--budget", "3", "--strategy", "kcenter", "--embeddings", "e.npy", "--labeled",
                                       "known.txt", "--labeled-embeddings", name] for name in ("near.npy", "far.npy")),
        "--candidates": (["select", "pool.txt", "--budget", "2", "--strategy", "nnll", "--scores", "few.npy"],
                         ["select", "pool.txt", "--budget", "2", "--strategy", "nnll", "--scores", "few.npy", "--candidates", "few.tsv"]),
        "--scores": (PICK, TIED),
        "--scores-are": (PICK, [*PICK, "--scores-are", "confidence"]),
        "--logprobs": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll"],
                       ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.lp"]),
        "--offsets": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "values.npy"],
                      ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "values.npy", "--offsets", "offsets.npy"]),
        "--logprob-base": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.lp"],
                           ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.lp", "--logprob-base", "2"]),
        "--logprobs-format": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.marian"],
                              ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.marian", "--logprobs-format",
                               "marian"]),
        "--served-vocabulary": served_options(["select", "pool.txt", "--budget", "3", "--strategy", "uncertainty", "-p", "mode=entropy"]),
        **narrow_options(lambda measure: ["select", "pool.txt", "--budget", "3", "--strategy", measure]),
        "--probs": (PROBS, LOGITS),
        "--probs-are": (LOGITS, [*LOGITS, "--probs-are", "logits"]),
        "--token-probs": (["select", "pool.txt", "--budget", "3", "--strategy", "uncertainty"],
                          ["select", "pool.txt", "--budget", "3", "--strategy", "uncertainty", "--token-probs", "token-p.npy", "--offsets",
                           "offsets.npy"]),
        "--sample-probs": (["select", "pool.txt", "--budget", "3", "--strategy", "bald"],
                           ["select", "pool.txt", "--budget", "3", "--strategy", "bald", "--sample-probs", "sample-p.npy"]),
        "--embeddings": (["select", "pool.txt", "--budget", "3", "--strategy", "kcenter"],
                         ["select", "pool.txt", "--budget", "3", "--strategy", "kcenter", "--embeddings", "e.npy"]),
        "--dtype": lambda base: (base, [*base, "--dtype", "int8"]),
        "--prompt": lambda base: (base, [*base, "--prompt", "a: "]),
        "--prompt-name": lambda base: (base, [*base, "--prompt-name", "query"]),
        "--verbalizer": lambda base: (base, [*base, "--verbalizer", "no,yes"]),
        "--chat": lambda base: (base, [*base, "--chat", "label"]),
        "--model": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll"],
                    ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--model", "nowhere"]),
        "--cache": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll"],
                    ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--cache", "no/where"]),
        # What it does with a model of several languages is in tests/torch/test_languages.py.
        "--to": (["select", "pool.txt", "--budget", "3", "--strategy", "nnll"],
                 ["select", "pool.txt", "--budget", "3", "--strategy", "nnll", "--to", "de_DE"]),
        # What it does when it can is a_cache_spares_the_model of test_select_run.py.
        "--cache-max-age": (PICK, [*PICK, "--cache-max-age", "60"]),
        # Without a cache it is refused; with one: scores_of_earlier_rounds of test_select_run.py.
        "--max-age": (PICK, [*PICK, "--max-age", "1"]),
        "--refresh-factor": (PICK, [*PICK, "--refresh-factor", "-1"]),
        "--report": (PICK, [*PICK, "--report", "run.html"]),
        "--config": (["select"], ["select", "--config", "run.json"]),
        "--force": (["select", "--config", "run.json"], ["select", "--config", "run.json", "--force"]),
        "--device": (PICK, [*PICK, "--device", "nonsense"]),
        "--json": ([*PICK, "--out", "there.tsv"], [*PICK, "--out", "there.tsv", "--json"]),
    }),
    "candidates": (DRAW, {
        **choices(["candidates", None, *DRAW[2:]]),
        **POOL_OPTIONS, **DRAW_OPTIONS,
        "--count": (DRAW, [*DRAW[:-1], "2"]),
        "--json": ([*DRAW, "--out", "there.tsv"], [*DRAW, "--out", "there.tsv", "--json"]),
        "--references": (DRAW, [*DRAW, "--references", "near.txt"]),
        "--by": ([*DRAW, "--references", "near.txt"], [*DRAW, "--references", "near.txt", "--by", "id"]),
        "--language": (DRAW, [*DRAW, "--language", "en"]),
        "--masks": ([DRAW[0], "numbers.txt", *DRAW[2:]], [DRAW[0], "numbers.txt", *DRAW[2:], "--masks", "templates"]),
        "--reference-column": (["candidates", "pool.tsv", *DRAW[2:]], ["candidates", "pool.tsv", *DRAW[2:], "--reference-column", "other"]),
    }),
    "score": (SCORE, {
        **choices(["score", None, *SCORE[2:]]),
        "--to": (SCORE[:4], [*SCORE[:4], "--to", "de_DE"]),
        **POOL_OPTIONS,
        "--scorer": (SCORE, [*SCORE[:3], "nsp", *SCORE[4:]]),
        "--labeled": (SCORE[:4], [*SCORE[:4], "--labeled", "known.txt"]),
        "--param": (["score", "pool.txt", "--scorer", "uncertainty", "--probs", "p.npy"],
                    ["score", "pool.txt", "--scorer", "uncertainty", "--probs", "p.npy", "-p", "mode=entropy"]),
        "--candidates": (["score", "pool.txt", "--scorer", "entropy", "--probs", "few.npy"],
                         ["score", "pool.txt", "--scorer", "entropy", "--probs", "few.npy", "--candidates", "few.tsv"]),
        "--logprobs": (SCORE[:4], SCORE),
        "--by": (["score", "pool.txt", "--scorer", "rtt-bleu", "--roundtrip", "back.txt"],
                 ["score", "pool.txt", "--scorer", "rtt-bleu", "--roundtrip", "back.txt", "--by", "id"]),
        "--roundtrip": (["score", "pool.txt", "--scorer", "rtt-bleu"],
                        ["score", "pool.txt", "--scorer", "rtt-bleu", "--roundtrip", "back.txt"]),
        "--context-column": (["score", *ASKED, "--scorer", "sum-prob"],
                             ["score", *ASKED, "--scorer", "sum-prob", "--context-column", "text"]),
        "--offsets": ([*SCORE[:-1], "values.npy"], [*SCORE[:-1], "values.npy", "--offsets", "offsets.npy"]),
        "--logprob-base": (SCORE, [*SCORE, "--logprob-base", "10"]),
        "--logprobs-format": ([*SCORE[:-1], "lp.marian"], [*SCORE[:-1], "lp.marian", "--logprobs-format", "marian"]),
        "--served-vocabulary": served_options(["score", "pool.txt", "--scorer", "uncertainty", "-p", "mode=entropy"]),
        **narrow_options(lambda measure: ["score", "pool.txt", "--scorer", measure]),
        "--probs": (["score", "pool.txt", "--scorer", "entropy", "--probs", "p.npy"],
                    ["score", "pool.txt", "--scorer", "entropy", "--probs", "logits.npy"]),
        "--probs-are": (["score", "pool.txt", "--scorer", "entropy", "--probs", "logits.npy"],
                        ["score", "pool.txt", "--scorer", "entropy", "--probs", "logits.npy", "--probs-are", "logits"]),
        "--json": ([*SCORE, "--out", "there.tsv"], [*SCORE, "--out", "there.tsv", "--json"]),
        "--token-probs": (["score", "pool.txt", "--scorer", "uncertainty"],
                          ["score", "pool.txt", "--scorer", "uncertainty", "--token-probs", "token-p.npy", "--offsets", "offsets.npy"]),
        "--sample-probs": (["score", "pool.txt", "--scorer", "bald"],
                           ["score", "pool.txt", "--scorer", "bald", "--sample-probs", "sample-p.npy"]),
        "--qa-start": (ANSWERS, [*ANSWERS[:4], "--qa-start", "other-qa.npy", *ANSWERS[6:]]),
        "--qa-end": (ANSWERS, [*ANSWERS[:6], "--qa-end", "other-qa.npy", *ANSWERS[8:]]),
        "--qa-windows": (WINDOWED, [*WINDOWED[:12], "--qa-windows", "two-windows.npy", *WINDOWED[14:]]),
        "--qa-window-offsets": (WINDOWED[:14], WINDOWED),
        "--dtype": lambda base: (base, [*base, "--dtype", "int8"]),
        "--prompt": lambda base: (base, [*base, "--prompt", "a: "]),
        "--prompt-name": lambda base: (base, [*base, "--prompt-name", "query"]),
        "--verbalizer": lambda base: (base, [*base, "--verbalizer", "no,yes"]),
        "--chat": lambda base: (base, [*base, "--chat", "label"]),
        "--model": (SCORE[:4], [*SCORE[:4], "--model", "nowhere"]),
    }),
    "phrases": (["phrases", "pool.txt"], {
        **choices(["phrases", None]),
        **POOL_OPTIONS,
        "--labeled": (["phrases", "pool.txt"], ["phrases", "pool.txt", "--labeled", "known.txt"]),
        "--dedup": (["phrases", "pool.txt"], ["phrases", "pool.txt", "--dedup", "none"]),
        "--param": (["phrases", "pool.txt"], ["phrases", "pool.txt", "-p", "max_n=1"]),
        "--json": (["phrases", "pool.txt", "--out", "there.tsv"], ["phrases", "pool.txt", "--out", "there.tsv", "--json"]),
        "--semi-maximal": (["phrases", "pool.txt"], ["phrases", "pool.txt", "--semi-maximal"]),
        "--min-count": (["phrases", "pool.txt", "--dedup", "none"], ["phrases", "pool.txt", "--dedup", "none", "--min-count", "2"]),
    }),
    "fold": (["fold", "texts.msg", "--out", "there.msg"], {
        "--out": lambda base: (base, [*base[:-1], "other.msg"]),
    }),
    "align": (["align", "pairs.tsv"], {
        **choices(["align", "near.txt", None]),
        "--param": lambda base: (base, [*base, "-p", "iterations=1"]),
        "--format": (["align", "pairs"], ["align", "pairs", "--format", "tsv"]),
        "--by": (["align", "pool.txt", "near.txt"], ["align", "pool.txt", "near.txt", "--by", "id"]),
        "--text-column": (["align", "pairs.tsv"], ["align", "pairs.tsv", "--text-column", "absent"]),
        "--escapes": (["align", "escaped.tsv"], ["align", "escaped.tsv", "--escapes", "on"]),
        "--reference-column": (["align", "pairs.tsv"], ["align", "pairs.tsv", "--reference-column", "absent"]),
        "--symmetrize": lambda base: (base, [*base, "--symmetrize", "forward"]),
        "--save": lambda base: (base, [*base, "--save", "aligners"]),
        "--model": lambda base: (base, [*base, "--model", "nowhere"]),
        "--out": lambda base: (base, [*base, "--out", "links.txt"]),
        "--threads": lambda base: (base, [*base, "--threads", "4097"]),
        "--quiet": lambda base: (base, [*base, "--quiet"]),
        "--json": (["align", "pairs.tsv", "--out", "links.txt"], ["align", "pairs.tsv", "--out", "links.txt", "--json"]),
    }),
    "mix": (MIX, {
        **choices([*MIX[:-1], None]),
        "--param": lambda base: (base, [*base, "-p", "upsample_phrase=2"]),
        "--count": (MIX[:7] + MIX[9:], MIX),
        "--strict": ([*MIX[:7], "--count", "99", *MIX[9:]], [*MIX[:7], "--count", "99", *MIX[9:], "--strict"]),
        "--format": ([*MIX[:-1], "pool"], [*MIX[:-1], "pool", "--format", "tsv"]),
        "--text-column": ([*MIX[:-1], "pool.tsv"], [*MIX[:-1], "pool.tsv", "--text-column", "other"]),
        "--escapes": ([*MIX[:-1], "escaped.tsv"], [*MIX[:-1], "escaped.tsv", "--escapes", "on"]),
        "--bad-lines": ([*MIX[:-1], "bad.txt"], [*MIX[:-1], "bad.txt", "--bad-lines", "mask"]),
        "--dedup": lambda base: (base, [*base, "--dedup", "normalized"]),
        "--labeled": ([MIX[0], *MIX[3:]], MIX),
        "--labeled-references": (MIX, [*MIX, "--labeled-references", "upper.txt"]),
        "--by": ([*MIX, "--labeled-references", "upper.txt"], [*MIX, "--labeled-references", "upper.txt", "--by", "id"]),
        "--reference-column": (MIX, [*MIX, "--reference-column", "absent"]),
        "--embeddings": ([*MIX, "--labeled-embeddings", "e.npy"], [*MIX, "--labeled-embeddings", "e.npy", "--embeddings", "e.npy"]),
        "--labeled-embeddings": ([*MIX, "--embeddings", "e.npy"], [*MIX, "--embeddings", "e.npy", "--labeled-embeddings", "e.npy"]),
        "--model": lambda base: (base, [*base, "--model", "absent"]),
        "--lm": (SWITCHED, [*SWITCHED, "--lm", "two.arpa"]),
        "--kind": (MIX, SWITCHED),
        "--pool": (MIX[:-2], MIX),
        "--selection": ([*MIX[:3], *MIX[5:]], MIX),
        "--answers": ([*MIX[:5], *MIX[7:]], MIX),
        "--links": (SWITCHED, [*SWITCHED, "--links", "pairs.links"]),
        "--tool": ([*MIX[:6], "back.jsonl", *MIX[7:]], BACK),
        "--task": (BACK, [*BACK, "--task", "classes"]),
        "--labels": (BACK, [*BACK, "--labels", "a,a"]),
        "--span-unit": (IN_ROWS, [*IN_ROWS, "--span-unit", "bytes"]),
        "--language": (IN_ROWS, [*IN_ROWS[:-3], "fr", *IN_ROWS[-2:]]),
        "--to": (IN_ROWS, [*IN_ROWS[:-1], "fr"]),
        "--parallel": lambda base: (base, [*base, "--parallel", "train"]),
        "--out": lambda base: (base, [*base, "--out", "train.tsv"]),
        "--seed": ([*MIX[:-3], "random", *MIX[-2:]], [*MIX[:-3], "random", *MIX[-2:], "--seed", "9"]),
        "--round": ([*MIX[:-3], "random", *MIX[-2:]], [*MIX[:-3], "random", *MIX[-2:], "--round", "3"]),
        "--threads": lambda base: (base, [*base, "--threads", "4097"]),
        "--device": lambda base: (base, [*base, "--device", "abacus"]),
        "--quiet": lambda base: (base, [*base, "--quiet"]),
        "--json": ([*MIX, "--out", "train.tsv"], [*MIX, "--out", "train.tsv", "--json"]),
    }),
    "oracle": (ORACLE, {
        **choices(["oracle", None, *ORACLE[2:]]),
        "--format": ([REQUESTS[0], "pool", *REQUESTS[2:]], [REQUESTS[0], "pool", *REQUESTS[2:], "--format", "tsv"]),
        "--text-column": ([REQUESTS[0], "pool.tsv", *REQUESTS[2:]], [REQUESTS[0], "pool.tsv", *REQUESTS[2:], "--text-column", "other"]),
        "--escapes": ([REQUESTS[0], "escaped.tsv", *REQUESTS[2:]], [REQUESTS[0], "escaped.tsv", *REQUESTS[2:], "--escapes", "on"]),
        "--bad-lines": ([REQUESTS[0], "bad.txt", *REQUESTS[2:]], [REQUESTS[0], "bad.txt", *REQUESTS[2:], "--bad-lines", "mask"]),
        "--dedup": (REQUESTS, [*REQUESTS, "--dedup", "normalized"]),
        "--selection": (["oracle", "pool.txt", "--requests"], REQUESTS),
        "--labeled": (CROSSED, [*CROSSED, "--labeled", "straight.tsv"]),
        "--labeled-references": ([*CROSSED, "--labeled", "straight.tsv"],
                                 [*CROSSED, "--labeled", "straight.tsv", "--labeled-references", "crossed.txt"]),
        "--references": (ORACLE, [*ORACLE, "--references", "near.txt"]),
        "--by": ([*ORACLE, "--references", "near.txt"], [*ORACLE, "--references", "near.txt", "--by", "id"]),
        "--reference-column": ([ORACLE[0], "pairs.tsv", *ORACLE[2:]], [ORACLE[0], "pairs.tsv", *ORACLE[2:], "--reference-column", "source",
                                                                       "--text-column", "target"]),
        "--links": ([*ORACLE, "--references", "near.txt"], [*ORACLE, "--references", "near.txt", "--links", "known.txt"]),
        "--dict": (ORACLE, [*ORACLE, "--dict", "dict.tsv"]),
        "--requests": (ORACLE, REQUESTS),
        "--tool": (REQUESTS, OUT),
        "--drafts": (OUT, [*OUT, "--drafts", "drafts.tsv"]),
        "--task": ([*REQUESTS, "--tool", "prodigy"], TASKED),
        "--labels": (TASKED, [*TASKED[:-1], "a,c"]),
        "--span-unit": (OUT, [*OUT, "--span-unit", "bytes"]),
        "--batch": (OUT, [*OUT, "--batch", "first"]),
        "--language": (OUT, [*OUT, "--language", "en"]),
        "--to": (OUT, [*OUT, "--to", "de"]),
        "--out": (REQUESTS, [*REQUESTS, "--out", "requests.tsv"]),
        "--threads": (REQUESTS, [*REQUESTS, "--threads", "4097"]),
        "--json": ([*REQUESTS, "--out", "requests.tsv"], [*REQUESTS, "--out", "requests.tsv", "--json"]),
        "--quiet": ([*ORACLE, "--dict", "dict.tsv"], [*ORACLE, "--dict", "dict.tsv", "--quiet"]),
    }),
    "eval": (["eval", "bleu", "pool.txt", "near.txt"], {
        **choices(["eval", "bleu", None, "near.txt"]),
        "--out": lambda base: (base, [*base, "--out", "bleu.tsv"]),
        "--by": lambda base: (base, [*base, "--by", "id"]),
        # It silences warnings, such as that of lines that end in CR LF.
        "--quiet": (["eval", "bleu", "crlf.txt", "near.txt"], ["eval", "bleu", "crlf.txt", "near.txt", "--quiet"]),
        "--words": (["eval", "cost"], ["eval", "cost", "--words", "10"]),
        "--cost-model": (COST, [*COST, "--cost-model", "linear"]),
        "--rate": (COST, [*COST, "--rate", "0.5"]),
        "--bleu-gain": (COST, [*COST, "--bleu-gain", "2"]),
        "--types": (COST, [*COST, "--types", "3"]),
        "--text-column": (["eval", "bleu", "pool.txt", "pool.tsv"], ["eval", "bleu", "pool.txt", "pool.tsv", "--text-column", "other"]),
        "--escapes": (["eval", "bleu", "pool.txt", "escaped.tsv"], ["eval", "bleu", "pool.txt", "escaped.tsv", "--escapes", "on"]),
        "--tokenize": lambda base: (base, [*base, "--tokenize", "char"]),
        "--smooth": lambda base: (base, [*base, "--smooth", "add-k"]),
        "--sentence": lambda base: (base, [*base, "--sentence"]),
        "--bootstrap": lambda base: (base, [*base, "--bootstrap", "10"]),
        "--baseline": lambda base: (base, [*base, "--baseline", "upper.txt"]),
        "--paired": lambda base: ([*base, "--baseline", "upper.txt"], [*base, "--baseline", "upper.txt", "--paired", "randomization"]),
        "--samples": lambda base: ([*base, "--baseline", "upper.txt"], [*base, "--baseline", "upper.txt", "--samples", "7"]),
        "--seed": lambda base: ([*base, "--bootstrap", "10"], [*base, "--bootstrap", "10", "--seed", "2"]),
        "--scheme": (["eval", "f1", "gold.txt", "tags.txt"], ["eval", "f1", "gold.txt", "tags.txt", "--scheme", "iob2"]),
        "--by-word": (["eval", "accuracy", "gold.txt", "tags.txt"], ["eval", "accuracy", "gold.txt", "tags.txt", "--by-word"]),
        "--cased": (["eval", "ter", "pool.txt", "upper.txt"], ["eval", "ter", "pool.txt", "upper.txt", "--cased"]),
        "--selected": (OVERLAP[:3], OVERLAP),
        "--ood": (OVERLAP, [*OVERLAP, "--ood", "known.txt"]),
        "--test": (["eval", "in-domain", "pool.txt", "--ood", "known.txt"],
                   ["eval", "in-domain", "pool.txt", "--ood", "known.txt", "--test", "near.txt"]),
        "--idw": (["eval", "in-domain", "pool.txt", "--ood", "known.txt", "--test", "known.txt"],
                  ["eval", "in-domain", "pool.txt", "--ood", "known.txt", "--test", "known.txt", "--idw", "unseen"]),
        "--orders": (OVERLAP, [*OVERLAP, "-n", "2"]),
        "--side": (SIDES, [*SIDES, "--side", "both"]),
        "--target-column": ([*SIDES, "--side", "tgt"], [*SIDES, "--side", "tgt", "--target-column", "absent"]),
        "--combined": ([*SIDES, "--side", "both"], [*SIDES, "--side", "both", "--combined", "tagged"]),
        "--unit": (OVERLAP, [*OVERLAP, "--unit", "tokens"]),
        "--mode": (OVERLAP, [*OVERLAP, "--mode", "precision"]),
        "--links": (["eval", "word-accuracy", "one.txt", "one.txt", "one.txt"],
                    ["eval", "word-accuracy", "one.txt", "one.txt", "one.txt", "--links", "links.txt"]),
        "--patience": (PLATEAU, [*PLATEAU, "--patience", "1"]),
        "--least-gain": (PLATEAU, [*PLATEAU, "--least-gain", "1"]),
        "--lower-is-better": (PLATEAU, [*PLATEAU, "--lower-is-better"]),
        "--threshold": (CERTAIN[:3], CERTAIN),
        "--statistic": (CERTAIN, [*CERTAIN, "--statistic", "max"]),
        "--window": (AGREEMENT, [*AGREEMENT, "--window", "2"]),
        "--exit-code": (PLATEAU, [*PLATEAU, "--exit-code"]),
        "--train": (["eval", "duplicates", "pool.txt"], ["eval", "duplicates", "pool.txt", "--train", "near.txt"]),
        "--dedup": (["eval", "duplicates", "pool.txt", "--train", "upper.txt"],
                    ["eval", "duplicates", "pool.txt", "--train", "upper.txt", "--dedup", "normalized"]),
        "--threads": lambda base: (base, [*base, "--threads", "4097"]),
        "--json": lambda base: (base, [*base, "--json"]),
    }),
    "ablate": (ABLATE, {
        **choices(["ablate", None, *ABLATE[2:]]),
        **POOL_OPTIONS,
        "--labeled": (ABLATE[:6], [*ABLATE[:6], "--labeled", "known.txt"]),
        "--exclude-text": ([*ABLATE[:5], "9", *ABLATE[6:]], [*ABLATE[:5], "9", *ABLATE[6:], "--exclude-text", "known.txt"]),
        "--strategy": (ABLATE, [*ABLATE[:3], "nnll", *ABLATE[4:]]),
        "--logprobs": (ABLATE[:6], [*ABLATE[:6], "--logprobs", "lp.lp"]),
        "--offsets": ([*ABLATE[:6], "--logprobs", "values.npy"], [*ABLATE[:6], "--logprobs", "values.npy", "--offsets", "offsets.npy"]),
        "--logprob-base": ([*ABLATE[:8], "--logprobs", "lp.lp"], [*ABLATE[:8], "--logprobs", "lp.lp", "--logprob-base", "10"]),
        "--logprobs-format": ([*ABLATE[:6], "--logprobs", "lp.marian"],
                              [*ABLATE[:6], "--logprobs", "lp.marian", "--logprobs-format", "marian"]),
        "--scores-are": (ABLATE, [*ABLATE, "--scores-are", "confidence"]),
        "--candidates": ([*ABLATE[:5], "2", "--scores", "few.npy"], [*ABLATE[:5], "2", "--scores", "few.npy", "--candidates", "few.tsv"]),
        "--served-vocabulary": served_options([*MEASURED("uncertainty"), "-p", "sentences.mode=entropy"]),
        **narrow_options(MEASURED),
        "--probs": (MEASURED("entropy"), [*MEASURED("entropy"), "--probs", "p.npy"]),
        "--probs-are": ([*MEASURED("entropy"), "--probs", "logits.npy"],
                        [*MEASURED("entropy"), "--probs", "logits.npy", "--probs-are", "logits"]),
        "--token-probs": (MEASURED("uncertainty"),
                          [*MEASURED("uncertainty"), "--token-probs", "token-p.npy", "--offsets", "offsets.npy"]),
        "--sample-probs": (MEASURED("bald"), [*MEASURED("bald"), "--sample-probs", "sample-p.npy"]),
        "--masks": ([ABLATE[0], "numbers.txt", *ABLATE[2:]], [ABLATE[0], "numbers.txt", *ABLATE[2:], "--masks", "templates"]),
        "--max-similarity": (ABLATE, [*ABLATE, "--max-similarity", "0.5"]),
        "--fuzzy-match": ([*ABLATE, "--labeled", "near.txt"], [*ABLATE, "--labeled", "near.txt", "--fuzzy-match", "50"]),
        "--tie": ([*ABLATE[:8], "--scores", "tied.npy", "--lambda", "0", "--test", "near.txt"],
                  [*ABLATE[:8], "--scores", "tied.npy", "--lambda", "0", "--test", "near.txt", "--tie", "random"]),
        "--nan": ([*ABLATE[:8], "--scores", "nan.npy"], [*ABLATE[:8], "--scores", "nan.npy", "--nan", "exclude"]),
        "--round": ([*ABLATE, "-p", "candidates=4"], [*ABLATE, "-p", "candidates=4", "--round", "3"]),
        "--device": (ABLATE, [*ABLATE, "--device", "abacus"]),
        "--labeled-probs": tuple([*HYBRID[:-1], "sentences=contrastive", "--probs", "p.npy", "--embeddings", "e.npy", "--labeled", "known.txt",
                                  "--labeled-embeddings", "near.npy", "--labeled-probs", name] for name in ("known-p.npy", "other-known-p.npy")),
        "--labeled-embeddings": tuple([*HYBRID[:4], "--embeddings", "e.npy", *HYBRID[4:-1], "sentences=kcenter", "--labeled", "known.txt",
                                       "--labeled-embeddings", name] for name in ("near.npy", "far.npy")),
        "--target": ([*AVERAGED, "--target-embeddings", "far.npy"], [*AVERAGED, "--target-embeddings", "far.npy", "--target", "target.txt"]),
        "--target-embeddings": tuple([*AVERAGED, "--target", "target.txt", "--target-embeddings", name] for name in ("near.npy", "far.npy")),
        "--param": (ABLATE, [*ABLATE, "-p", "n_strata=1"]),
        "--budget": (ABLATE, [*ABLATE[:5], "2", *ABLATE[6:]]),
        "--fill": ([*ABLATE[:5], "4w", *ABLATE[6:]], [*ABLATE[:5], "4w", *ABLATE[6:], "--fill", "stop"]),
        "--seed": ([*ABLATE, "-p", "candidates=4"], [*ABLATE, "-p", "candidates=4", "--seed", "9"]),
        "--scores": (ABLATE, [*ABLATE[:8], "--scores", "tied.npy"]),
        "--embeddings": (ABLATE[:6], [*ABLATE[:6], "--embeddings", "e.npy"]),
        "--dtype": lambda base: (base, [*base, "--dtype", "int8"]),
        "--prompt": lambda base: (base, [*base, "--prompt", "a: "]),
        "--prompt-name": lambda base: (base, [*base, "--prompt-name", "query"]),
        "--verbalizer": lambda base: (base, [*base, "--verbalizer", "no,yes"]),
        "--chat": lambda base: (base, [*base, "--chat", "label"]),
        "--model": (ABLATE[:6], [*ABLATE[:6], "--model", "nowhere"]),
        "--links": (ABLATE, [*ABLATE, "--links", "links.txt"]),
        "--to": (ABLATE[:6], [*ABLATE[:6], "--to", "de_DE"]),
        "--cache": (ABLATE[:6], [*ABLATE[:6], "--cache", "no/where"]),
        "--cache-max-age": (ABLATE, [*ABLATE, "--cache-max-age", "60"]),
        "--lambda": (ABLATE, [*ABLATE, "--lambda", "0,1"]),
        "--ratio": ([*HYBRID], [*HYBRID, "--ratio", "0,1"]),
        "--test": (ABLATE, [*ABLATE, "--test", "near.txt"]),
        "--json": (ABLATE, [*ABLATE, "--json"]),
    }),
    "project": (PROJECT, {
        "--tool": (["project", "export", "work", "--out", "sheet.csv"], PROJECT),
        "--test": ([*PROJECT_EVAL[:3], *PROJECT_EVAL[5:]], PROJECT_EVAL),
        "--metrics": (PROJECT_EVAL, [*PROJECT_EVAL, "--metrics", "loss"]),
        "--model": (["project", "train", "work"], ["project", "train", "work", "--model", "model"]),
        "--to": (["project", "train", "work", "true"], ["project", "train", "work", "true", "--to", "de"]),  # of models alone
        "--mix": (MIXED[:-2], MIXED),
        "--count": (MIXED, [*MIXED, "--count", "0"]),
        "--with-labeled": (["project", "train", "without", 'cat "$ALCORE_LABELED"'],
                           ["project", "train", "without", 'cat "$ALCORE_LABELED"', "--with-labeled"]),
        **{name: (AGAIN, [*AGAIN, name, value]) for name, value in (
            ("--strategy", "random"), ("--param", "max_n=1"), ("--budget", "2"), ("--fill", "stop"), ("--masks", "none"), ("--tie", "random"),
            ("--max-similarity", "0.5"), ("--nan", "exclude"), ("--cache", "kept"), ("--seed", "5"), ("--device", "cpu"))},
        "--annotator": (["project", "import", "work", "back.tsv", "--tool", "csv"],
                        ["project", "import", "work", "back.tsv", "--tool", "csv", "--annotator", "ben"]),
        "--span-unit": (["project", "import", "work", "back.tsv", "--tool", "csv"],  # of a project of spans alone
                        ["project", "import", "work", "back.tsv", "--tool", "csv", "--span-unit", "utf16"]),
        "--role": (["project", "add", "work", "one.tsv"], ["project", "add", "work", "one.tsv", "--role", "target"]),
        "--format": (ADDED, [*ADDED, "--format", "jsonl"]),
        "--text-column": (["project", "add", "work", "pool.tsv", "--role", "target"],
                          ["project", "add", "work", "pool.tsv", "--role", "target", "--text-column", "absent"]),
        "--reference-column": (["project", "add", "work", "pairs.tsv", "--role", "labeled"],
                               ["project", "add", "work", "pairs.tsv", "--role", "labeled", "--reference-column", "absent"]),
        "--references": (ADDED, [*ADDED, "--references", "target.txt"]),
        "--by": (ADDED, [*ADDED, "--by", "line"]),
        "--language": (["project", "add", "without", "three.txt"], ["project", "add", "with", "three.txt", "--language", "en"],
                       lambda args: ["project", "next", args[2], "-q"],
                       lambda args: ["project", "export", args[2], "--tool", "csv", "--out", "-"]),
        "--bad-lines": (["project", "add", "work", "bad.txt", "--role", "target"],
                        ["project", "add", "work", "bad.txt", "--role", "target", "--bad-lines", "mask"]),
        "--escapes": (["project", "add", "work", "objects.jsonl", "--role", "target"],
                      ["project", "add", "work", "objects.jsonl", "--role", "target", "--escapes", "on"]),
        "--out": (["project", "labeled", "work"], ["project", "labeled", "work", "--out", "labeled.tsv"]),
        "--round": (PROJECT, [*PROJECT, "--round", "9"]),
        "--threads": lambda base: (base, [*base, "--threads", "4097"]),
        "--quiet": (["project", "status", "work"], ["project", "status", "work", "--quiet"]),
        "--json": (["project", "status", "work", "--quiet"], ["project", "status", "work", "--quiet", "--json"]),
    }),
    "compare": (COMPARE, {
        "--strategy": (COMPARE, [*COMPARE[:-1], "nnll:candidates=3"]),
        "--test": (COMPARE, [*COMPARE, "--test", "near.txt"]),
        "--html": (COMPARE, [*COMPARE, "--html", "page.html"]),
        "--json": (COMPARE, [*COMPARE, "--json"]),
        # The order of the picks stays, whatever the base is.
        "--logprob-base": (["compare", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.lp"],
                           ["compare", "pool.txt", "--budget", "3", "--strategy", "nnll", "--logprobs", "lp.lp", "--logprob-base", "3"]),
    }),
    "rho": (RHO, {
        **choices(["rho", None, *RHO[2:]]),
        **POOL_OPTIONS,
        "--labeled": (["rho", "pool.txt", "--target", "words.txt", "--k", "2"],
                      ["rho", "pool.txt", "--target", "words.txt", "--k", "2", "--labeled", "pool.txt"]),
        "--dedup": (RHO, [*RHO, "--dedup", "none"]),
        "--scorer": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--scorer", "nsp"]),
        "--param": ([*RHO[:4], "--k", "2", "--scorer", "nnll"], [*RHO[:4], "--k", "2", "--scorer", "nnll", "-p", "absent=1"]),
        "--target": (["rho", "pool.txt", *RHO[4:]], RHO),
        "--scores": ([*RHO[:4], *RHO[6:]], RHO),
        "--target-scores": ([*RHO[:6], *RHO[8:]], RHO),
        "--embeddings": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--embeddings", "e.npy"]),
        "--target-embeddings": ([*RHO[:8], *RHO[10:]], RHO),
        "--dtype": lambda base: (base, [*base, "--dtype", "int8"]),
        "--prompt": lambda base: (base, [*base, "--prompt", "a: "]),
        "--prompt-name": lambda base: (base, [*base, "--prompt-name", "query"]),
        "--verbalizer": lambda base: (base, [*base, "--verbalizer", "no,yes"]),
        "--chat": lambda base: (base, [*base, "--chat", "label"]),
        "--model": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--model", "nowhere"]),
        "--to": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--to", "de_DE"]),
        "--cache": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--cache", "no/where"]),
        "--cache-max-age": ([*RHO[:4], "--k", "2"], [*RHO[:4], "--k", "2", "--cache-max-age", "60"]),
        "--k": (RHO, [*RHO, "--k", "1"]),
        "--json": (RHO, [*RHO, "--json"]),
    }),
    "composition": (COMPOSED, {
        **choices(["composition", None, *COMPOSED[2:]]),
        **{name: POOL_OPTIONS[name] for name in ("--bad-lines", "--escapes", "--out", "--threads", "--quiet")},
        "--format": ([COMPOSED[0], "pool", *COMPOSED[2:], "--scores", "u.npy"],
                     [COMPOSED[0], "pool", *COMPOSED[2:], "--scores", "u.npy", "--format", "tsv"]),
        "--text-column": (COMPOSED, [*COMPOSED[:1], "pairs.tsv", *COMPOSED[2:], "--text-column", "absent"]),
        "--dedup": (ITSELF, [*ITSELF, "--dedup", "normalized"]),
        "--selection": (COMPOSED, [*COMPOSED, "--selection", "like.txt"]),
        "--other": (COMPOSED, [*COMPOSED, "--other", "like.txt"]),
        "--target": (COMPOSED, [*COMPOSED, "--target", "three.txt"]),
        "--labeled": (COMPOSED, [*COMPOSED, "--labeled", "near.txt"]),
        "--scores": (COMPOSED, [*COMPOSED, "--scores", "u.npy"]),
        "--embeddings": (AIMED[:6], AIMED),
        "--target-embeddings": (AIMED[:8], AIMED),
        "--dtype": lambda base: (base, [*base, "--dtype", "int8"]),
        "--prompt": lambda base: (base, [*base, "--prompt", "a: "]),
        "--prompt-name": lambda base: (base, [*base, "--prompt-name", "query"]),
        "--verbalizer": lambda base: (base, [*base, "--verbalizer", "no,yes"]),
        "--chat": lambda base: (base, [*base, "--chat", "label"]),
        "--model": (AIMED[:6], [*AIMED[:6], "--model", "ngram"]),
        "--k": (AIMED, [*AIMED, "--k", "1"]),
        "--json": (COMPOSED, [*COMPOSED, "--json"]),
    }),
    "plot": (["plot", "curves", "runs.tsv"], {
        "--x": lambda base: (base, [*base, "--x", "round"]),
        "--y": lambda base: (base, [*base, "--y", "other"]),
        "--json": (["plot", "curves", "runs.tsv", "--out", "there.svg"], ["plot", "curves", "runs.tsv", "--out", "there.svg", "--json"]),
        "--band": (["plot", "curves", "runs.tsv"], ["plot", "curves", "runs.tsv", "--band", "wide"]),
        "--title": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--title", "T", "--first", "1"]),
        "--terms": (["plot", "scatter", "named.tsv"], ["plot", "scatter", "named.tsv", "--terms", "terms.tsv"]),
        "--first": (["plot", "scatter", "picks.tsv"], ["plot", "scatter", "picks.tsv", "--first", "3"]),
        "--escapes": (["plot", "curves", "escaped-runs.tsv"], ["plot", "curves", "escaped-runs.tsv", "--escapes", "on"]),
        "--text-column": (["plot", "map", "pool.tsv", "picked.txt"], ["plot", "map", "pool.tsv", "picked.txt", "--text-column", "other"]),
        "--embeddings": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--embeddings", "e.npy"]),
        "--target": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--target", "three.txt"]),
        "--target-embeddings": tuple(["plot", "map", "pool.txt", "picked.txt", "--embeddings", "e.npy", "--target", "target.txt",
                                      "--target-embeddings", name] for name in ("near.npy", "far.npy")),
        "--model": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--model", "nowhere"]),
        "--dtype": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--dtype", "int8"]),
        "--out": lambda base: (base, [*base, "--out", "there.svg"]),
        "--threads": lambda base: (base, [*base, "--threads", "4097"]),
        "--quiet": (["plot", "map", "pool.txt", "picked.txt"], ["plot", "map", "pool.txt", "picked.txt", "--quiet", "--first", "2"]),
    }),
    "experiment": (EXPERIMENT, {
        "--events": (EXPERIMENT, [*EXPERIMENT, "--events"]),
        # Its second seed leaves a file.
        "--keep-going": (["experiment", "failing.json", "there"], ["experiment", "failing.json", "there", "--keep-going"]),
        "--threads": (EXPERIMENT, [*EXPERIMENT, "--threads", "4097"]),
        "--quiet": (EXPERIMENT, [*EXPERIMENT, "--quiet"]),
        "--json": (EXPERIMENT, [*EXPERIMENT, "--json"]),
    }),
    "model": (["model", "info", "model"], {
        **choices([*TRANSLATE[:3], None]),
        # What it does with a model that multiplies is in tests/torch/test_neural.py.
        "--dtype": (READY, [*READY, "--dtype", "int8"]),
        "--prompt": (READY, [*READY, "--prompt", "a: "]),
        "--prompt-name": (EMBED, [*EMBED, "--prompt-name", "query"]),
        "--verbalizer": (EMBED, [*EMBED, "--verbalizer", "no,yes"]),
        "--chat": (EMBED, [*EMBED, "--chat", "label"]),
        "--by": (["model", "score", "model", "pool.txt", "near.txt"], ["model", "score", "model", "pool.txt", "near.txt", "--by", "id"]),
        "--layer": (READY, [*READY, "--layer", "2"]),
        "--pool": (READY, [*READY, "--pool", "max"]),
        "--normalize": (READY, [*READY, "--normalize"]),
        "--offsets": (["model", "probs", "model", "pool.txt", "--out", "probs.npy"],
                      ["model", "probs", "model", "pool.txt", "--out", "probs.npy", "--offsets", "first.npy"]),
        "--beam": (TRANSLATE, [*TRANSLATE, "--beam", "65"]),
        "--best": (TRANSLATE, [*TRANSLATE, "--best", "2"]),
        "--to": (ASKED_TRANSLATE, [*ASKED_TRANSLATE, "--to", "de_DE"]),
        # What it does with scores is in tests/torch/test_neural.py.
        "--dropout": ([*TRANSLATE, "--best", "1"], [*TRANSLATE, "--best", "1", "--dropout", "7"]),
        "--max-length": (TRANSLATE, [*TRANSLATE, "--max-length", "0"]),
        "--scores": (TRANSLATE, [*TRANSLATE, "--scores", "tokens.lp"]),
        "--size": (VOCABULARY, [*VOCABULARY, "--size", "300"]),
        "--kind": (VOCABULARY, [*VOCABULARY, "--kind", "bpe"]),
        "--coverage": (VOCABULARY, [*VOCABULARY, "--coverage", "0.99"]),
        "--byte-fallback": (VOCABULARY, [*VOCABULARY, "--byte-fallback"]),
        "--max-texts": (VOCABULARY, [*VOCABULARY, "--max-texts", "3"]),
        "--seed": ([*VOCABULARY, "--max-texts", "3"], [*VOCABULARY, "--max-texts", "3", "--seed", "1"]),
        "--format": ([*TRANSLATE[:3], "pool"], [*TRANSLATE[:3], "pool", "--format", "tsv"]),
        "--text-column": ([*TRANSLATE[:3], "pool.tsv"], [*TRANSLATE[:3], "pool.tsv", "--text-column", "other"]),
        "--escapes": ([*TRANSLATE[:3], "escaped.tsv"], [*TRANSLATE[:3], "escaped.tsv", "--escapes", "on"]),
        "--bad-lines": ([*TRANSLATE[:3], "bad.txt"], [*TRANSLATE[:3], "bad.txt", "--bad-lines", "mask"]),
        "--out": (TRANSLATE, [*TRANSLATE, "--out", "outputs.txt"]),
        "--threads": (TRANSLATE, [*TRANSLATE, "--threads", "4097"]),
        "--device": (EMBED, [*EMBED, "--device", "cuda"]),
        "--quiet": ([*TRANSLATE[:3], "bad.txt", "--bad-lines", "mask"], [*TRANSLATE[:3], "bad.txt", "--bad-lines", "mask", "--quiet"]),
        "--json": lambda base: (base, [*base, "--json"]),
    }),
    "strategies": (["strategies"], {"--json": (["strategies"], ["strategies", "--json"])}),
    "scorers": (["scorers"], {"--json": (["scorers"], ["scorers", "--json"])}),
    "tools": (["tools"], {"--json": (["tools"], ["tools", "--json"])}),
    "doctor": (["doctor"], {"--json": (["doctor"], ["doctor", "--json"]), "--torch": (["doctor"], ["doctor", "--torch", "/nowhere"]),
               # What it keeps is in doctor_keeps_the_folder_of_torch of test_commands.py.
               "--write": (["doctor"], ["doctor", "--write"])}),
    "lm": (["lm", "train", "pool.txt"], {
        **choices(["lm", "train", None]),
        "--format": (["lm", "train", "pool"], ["lm", "train", "pool", "--format", "tsv"]),
        "--text-column": (["lm", "train", "pool.tsv"], ["lm", "train", "pool.tsv", "--text-column", "other"]),
        "--json": (["lm", "train", "pool.txt", "--out", "three.arpa"], ["lm", "train", "pool.txt", "--out", "three.arpa", "--json"]),
        "--discounts": (["lm", "train", "pool.txt"], ["lm", "train", "pool.txt", "--discounts", "0.6,1,1.4"]),
        "--order": (["lm", "train", "pool.txt"], ["lm", "train", "pool.txt", "--order", "1"]),
        "--lm": (["lm", "score", "known.txt"], ["lm", "score", "known.txt", "--lm", "two.arpa"]),
        "--out": (["lm", "train", "pool.txt"], ["lm", "train", "pool.txt", "--out", "three.arpa"]),
        "--threads": (["lm", "train", "pool.txt"], ["lm", "train", "pool.txt", "--threads", "4097"]),
        "--escapes": (["lm", "train", "escaped.tsv"], ["lm", "train", "escaped.tsv", "--escapes", "on"]),
        "--bad-lines": (["lm", "train", "bad.txt"], ["lm", "train", "bad.txt", "--bad-lines", "mask"]),
        "--quiet": (["lm", "train", "bad.txt", "--bad-lines", "mask"], ["lm", "train", "bad.txt", "--bad-lines", "mask", "--quiet"]),
    }),
}
# What compare has of select it has for every strategy alike.
_OF_SELECT = {"--param", "--plan", "--strict", "--report", "--config", "--force", "--max-age", "--refresh-factor", "--drafts", "--task",
              "--labels", "--batch", "--shard", "--dataset", "--message", "--next"}


def compared(fixture):
    """A fixture of select as one of compare, where parameters stand behind the name of the strategy."""
    if callable(fixture):
        return lambda base: compared(fixture(FIXTURES["select"][0]))
    return tuple(["compare", *_beside(args[1:])] for args in fixture)


def _beside(args):
    while "-p" in args:
        place = args.index("-p")
        parameter, args = args[place + 1], args[:place] + args[place + 2:]
        name = args.index("--strategy") + 1
        args = [*args[:name], args[name] + ":" + parameter, *args[name + 1:]]
    return args


# Other probabilities of answers change no pick here: a file that is not there tells that the option
# is read.
FIXTURES["compare"][1].update({name: compared((UNSURE, [*UNSURE[:place], "absent.npy", *UNSURE[place + 1:]]))
                               for name, place in (("--qa-start", 7), ("--qa-end", 9))})
FIXTURES["compare"][1].update((name, compared(fixture)) for name, fixture in FIXTURES["select"][1].items()
                              if name not in _OF_SELECT | set(FIXTURES["compare"][1]))
