# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind: the message, the exit code, and that nothing is left behind."""
import gzip
import json
import lzma
import os
import subprocess

from harness import Skip, case, contains, equal, main, rows_of

BUDGET = ["--budget", "2"]


def plain(box, texts="a\nb\nc\n"):
    box.file("pool.txt", texts)
    return ["select", "pool.txt", "--strategy", "nnll", *BUDGET]


@case
def no_such_file(box):
    contains(box.run("select", "nowhere.txt", *BUDGET, expect=4).err, "nowhere.txt", "No such file")


@case
def an_empty_pool(box):
    box.file("pool.txt", "")
    done = box.run("select", "pool.txt", *BUDGET, expect=3)
    contains(done.err, "no row")


@case
def a_pool_of_empty_lines(box):
    box.file("pool.txt", "\n \n\t\n")
    contains(box.run("select", "pool.txt", *BUDGET, expect=3).err, "empty")


@case
def a_pool_of_one(box):
    box.file("pool.txt", "only one\n")
    done = box.run("select", "pool.txt", "--strategy", "huds", *BUDGET)
    equal([row["index"] for row in rows_of(done.out)], ["0"])
    contains(done.err, "SHORT")


@case
def all_items_identical(box):
    box.file("pool.txt", "same\n" * 5)
    box.npy("e.npy", [[1.0, 2.0]] * 5)
    box.file("u.txt", "1\n" * 5)
    args = ["select", "pool.txt", "--strategy", "huds", "--scores", "u.txt", "--embeddings", "e.npy", "--budget", "3"]
    equal([row["index"] for row in rows_of(box.run(*args).out)], ["0"])
    done = box.run(*args, "--dedup", "none")
    equal([row["index"] for row in rows_of(done.out)], ["0", "1", "2"])


@case
def a_nan_names_its_row(box):
    args = plain(box)
    box.npy("u.npy", [1.0, float("nan"), 2.0], "<f8")
    done = box.run(*args, "--scores", "u.npy", expect=3)
    contains(done.err, "row 1", "NaN", "; --nan exclude leaves such rows out")
    done = box.run(*args, "--scores", "u.npy", "--nan", "exclude")
    equal([row["index"] for row in rows_of(done.out)], ["2", "0"])


@case
def a_nan_in_a_masked_row_is_not_looked_at(box):
    args = plain(box, "a\nb\na\n")
    box.npy("u.npy", [1.0, 2.0, float("nan")], "<f8")
    equal(len(rows_of(box.run(*args, "--scores", "u.npy").out)), 2)


@case
def embeddings_of_the_wrong_row_count(box):
    args = plain(box)
    box.npy("e.npy", [[1.0, 2.0]] * 2)
    contains(box.run(*args, "--embeddings", "e.npy", expect=3).err, "e.npy", "3", "2")


@case
def scores_of_the_wrong_row_count(box):
    args = plain(box)
    box.file("u.txt", "1\n2\n")
    contains(box.run(*args, "--scores", "u.txt", expect=3).err, "u.txt", "3", "2")


@case
def a_score_that_is_no_number_names_the_line(box):
    args = plain(box)
    box.file("u.txt", "1\ntwo\n3\n")
    contains(box.run(*args, "--scores", "u.txt", expect=3).err, "u.txt:2", "two")


@case
def an_unknown_id_names_the_line(box):
    args = plain(box)
    box.file("u.tsv", "1\t1\n9\t2\n3\t3\n")
    contains(box.run(*args, "--scores", "u.tsv", expect=3).err, "u.tsv:2", "9")


@case
def a_line_of_300_megabytes(box):
    with open(os.path.join(box.path, "pool.txt"), "wb") as out:
        out.write(b"short line\n")
        for _ in range(300):
            out.write(b"x" * 1000000)
        out.write(b"\n")
    contains(box.run("select", "pool.txt", *BUDGET, expect=3, timeout=120).err, "pool.txt:2", "bytes")


@case
def malformed_utf8_names_the_line(box):
    box.file("pool.txt", b"good\nbad \xff here\n")
    contains(box.run("select", "pool.txt", *BUDGET, expect=3).err, "pool.txt:2", "UTF-8")


@case
def a_nul_byte_names_the_line(box):
    box.file("pool.txt", b"good\nbad\x00here\n")
    contains(box.run("select", "pool.txt", *BUDGET, expect=3).err, "pool.txt:2", "NUL")


@case
def a_truncated_npy(box):
    args = plain(box)
    box.npy("e.npy", [[1.0, 2.0]] * 3)
    box.file("e.npy", box.read("e.npy")[:-5])
    contains(box.run(*args, "--embeddings", "e.npy", expect=3).err, "e.npy", "truncated")


@case
def an_npy_that_is_none(box):
    args = plain(box)
    box.file("e.npy", "hello")
    contains(box.run(*args, "--embeddings", "e.npy", expect=3).err, "e.npy")


def reads(box, feature):
    """Whether this build unpacks a format; one that does not says so."""
    return json.loads(box.run("doctor", "--json").out)["build"]["features"][feature]


@case
def compressed_pools(box):
    data = b"a b\nc d\ne f\n"
    box.file("u.txt", "1\n2\n3\n")
    box.file("pool.txt.gz", gzip.compress(data))
    box.file("pool.txt.xz", lzma.compress(data))
    box.file("pool.txt", data)
    names = ["pool.txt.gz", "pool.txt.xz"]
    if subprocess.run(["zstd", "-q", "pool.txt"], cwd=box.path, check=False).returncode == 0:
        names.append("pool.txt.zst")
    for name in names:
        if not reads(box, {"gz": "zlib", "xz": "lzma", "zst": "zstd"}[name.split(".")[-1]]):
            contains(box.run("select", name, *BUDGET, expect=6).err, name, "built without")
            continue
        done = box.run("select", name, "--strategy", "nnll", "--scores", "u.txt", *BUDGET)
        equal([row["text"] for row in rows_of(done.out)], ["e f", "c d"], name)


@case
def a_truncated_xz(box):
    box.file("pool.txt.xz", lzma.compress(b"some text\n" * 1000)[:-20])
    if reads(box, "lzma"):
        contains(box.run("select", "pool.txt.xz", *BUDGET, expect=3).err, "pool.txt.xz", "truncated")
    else:
        contains(box.run("select", "pool.txt.xz", *BUDGET, expect=6).err, "pool.txt.xz", "built without")


@case
def a_tsv_without_a_text_column(box):
    box.file("pool.tsv", "id\twords\n1\ta\n")
    contains(box.run("select", "pool.tsv", *BUDGET, expect=3).err, "pool.tsv", "text", "words", "--text-column NAME names")
    box.file("u.txt", "1\n")
    box.run("select", "pool.tsv", "--text-column", "words", "--strategy", "nnll", "--scores", "u.txt", *BUDGET)


@case
def malformed_lines_are_masked_on_request(box):
    box.file("pool.tsv", "id\ttext\n1\ta b\n2\n3\tc d\n")
    contains(box.run("select", "pool.tsv", *BUDGET, expect=3).err, "pool.tsv:3", "1 columns, the header has 2")
    done = box.run("select", "pool.tsv", "--bad-lines", "mask", "--strategy", "random", "--budget", "9")
    rows = [line.split("\t")[1] for line in done.out.splitlines()[1:]]
    assert sorted(rows) == ["0", "2"], rows
    contains(done.err, "1 malformed")
    contains(box.run("select", "pool.tsv", "--bad-lines", "skip", *BUDGET, expect=2).err, "--bad-lines skip", "error|mask")
    box.file("header.tsv", "id\twords\n1\ta\n")
    contains(box.run("select", "header.tsv", "--bad-lines", "mask", *BUDGET, expect=3).err, "header.tsv:1")


@case
def a_tsv_line_with_too_few_columns(box):
    box.file("pool.tsv", "id\ttext\n1\ta\n2\n")
    contains(box.run("select", "pool.tsv", *BUDGET, expect=3).err, "pool.tsv:3")


@case
def a_jsonl_line_that_is_no_json(box):
    box.file("pool.jsonl", '{"id": "1", "text": "a"}\n{"id": 2, "text": \n')
    contains(box.run("select", "pool.jsonl", *BUDGET, expect=3).err, "pool.jsonl:2")


@case
def a_format_that_is_not_read_names_what_is(box):
    for name in ("pool.ttx", "pool.xliff", "pool.po", "pool.xlsx"):
        box.file(name, "<x/>")
        contains(box.run("select", name, *BUDGET, expect=3).err, name, ".txt", ".tsv", ".jsonl")
    box.file("pool.data", "a\nb\n")
    box.file("u.txt", "1\n2\n")
    box.run("select", "pool.data", "--format", "text", "--strategy", "nnll", "--scores", "u.txt", *BUDGET)


@case
def a_read_only_output_folder(box):
    args = plain(box)
    box.file("u.txt", "1\n2\n3\n")
    os.mkdir(os.path.join(box.path, "locked"), 0o500)
    if os.access(os.path.join(box.path, "locked"), os.W_OK):
        # root writes anywhere: a folder of the kernel stands in
        contains(box.run(*args, "--scores", "u.txt", "--out", "/proc/x.tsv", expect=4).err, "/proc/x.tsv")
    else:
        contains(box.run(*args, "--scores", "u.txt", "--out", "locked/x.tsv", expect=4).err, "locked/x.tsv")


@case
def a_full_disk(box):
    if os.geteuid() != 0:
        raise Skip("needs root to mount a small file system")
    small = os.path.join(box.path, "small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=False,
                      capture_output=True).returncode:
        raise Skip("this machine lets nobody mount a small file system")
    try:
        box.file("pool.txt", "".join("a long enough line of text, number %d\n" % i for i in range(5000)))
        box.file("u.txt", "".join("%d\n" % i for i in range(5000)))
        box.file("small/s.tsv", "the old result\n")
        done = box.run("select", "pool.txt", "--strategy", "nnll", "--scores", "u.txt", "--budget", "5000",
                       "--out", "small/s.tsv", expect=4)
        contains(done.err, "small/s.tsv", "No space left")
        equal(box.read("small/s.tsv"), b"the old result\n")
        equal(os.listdir(small), ["s.tsv"])
    finally:
        subprocess.run(["umount", small], check=False)


@case
def a_full_standard_output(box):
    args = plain(box)
    box.file("u.txt", "1\n2\n3\n")
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    from harness import ALCORE
    with open("/dev/full", "wb") as full:
        done = subprocess.run([ALCORE, *args, "--scores", "u.txt"], cwd=box.path, stdout=full,
                              stderr=subprocess.PIPE)
    equal(done.returncode, 4)
    contains(done.stderr.decode(), "standard output")


@case
def too_little_memory(box):
    """A million rows do not fit into 96 MiB of address space; 1 GiB is enough for them."""
    if box.run("--version", memory=96 << 20, expect=None).returncode != 0:
        raise Skip("the program does not even start with so little address space: it is sanitized")
    box.file("pool.txt", "".join("w%d x\n" % i for i in range(1000000)))
    box.file("u.txt", "1\n" * 1000000)
    args = ["select", "pool.txt", "--strategy", "nnll", "--scores", "u.txt", *BUDGET, "--threads", "1", "--out", "s.tsv"]
    contains(box.run(*args, memory=96 << 20, expect=5).err, "out of memory")
    equal(box.names(), ["pool.txt", "u.txt"])
    box.run(*args, memory=1 << 30)
    equal(len(rows_of(box.read("s.tsv").decode())), 2)


@case
def a_dot_inside_a_line_stays_one_row(box):
    box.file("pool.txt", "one\u0085still one\u2028and still\ntwo\n")
    box.file("u.txt", "1\n2\n")
    done = box.run("select", "pool.txt", "--strategy", "nnll", "--scores", "u.txt", *BUDGET)
    equal([row["index"] for row in rows_of(done.out)], ["1", "0"])


if __name__ == "__main__":
    raise SystemExit(main())
