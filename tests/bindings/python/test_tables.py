# SPDX-License-Identifier: Apache-2.0
"""Every table that is written, as TSV, CSV and JSONL, is read again with the same strings; tables that other packages write."""
import csv
import io

import pytest

import alcore

FORMATS = ["tsv", "csv", "jsonl"]
# Separators, quotes, line breaks, escapes and spaces at every place where a format might mind them.
ODD = ["plain words", "a, b; c\td", 'say "hi"', '"quoted"', '"', '""', "two\nlines", "cr\r\nlf", "end\r", " lead", "trail ", "\\theta \\n \\\\", "back\\",
       "sep=;", "=1+2", "\ufeffmark", "\u2028 \u0085 x", "x" * 3000 + ',"\n', "'single'", "# no comment", "-", "nul\x01"]


def odd_pool(**given):
    return alcore.Pool(ODD, ids=[f"{text[:9]}#{i}" for i, text in enumerate(ODD)], references=ODD[::-1], languages=["de"] * len(ODD),
                       dedup="none", **given)


@pytest.fixture(params=FORMATS)
def table(request, tmp_path):
    return lambda name: str(tmp_path / f"{name}.{request.param}")


def read(path, **options):
    pool = alcore.Pool(dedup="none")
    pool.read(path, **options)
    return pool


def test_pools(table):
    pool = odd_pool()
    pool.write(range(len(ODD)), table("pool"))
    again = read(table("pool"))
    for row, text in enumerate(ODD):
        assert (again[row], again.reference(row), again.id(row), again.language(row)) == (text, ODD[-1 - row], pool.id(row), "de")


def test_selections(table):
    pool = odd_pool()
    picked = alcore.select(pool, str(len(ODD)), "random")
    picked.write(table("picked"))
    rows = list(picked.indices)
    again = read(table("picked"))
    assert list(again) == [ODD[row] for row in rows] and [again.id(i) for i in range(len(again))] == [pool.id(row) for row in rows]
    items = alcore.Annotations(pool)
    items.read_selection(table("picked"))
    assert [item.text for item in items] == [ODD[row] for row in rows] and [item.row for item in items] == rows


def test_requests_and_answers(table):
    pool = odd_pool()
    items = alcore.Annotations(pool)
    words = [row for row, text in enumerate(ODD) if text.split()]
    items.add([ODD[row] for row in words], rows=words, ids=[pool.id(row) for row in words])
    items.write_requests(table("requests"))
    again = read(table("requests"))
    assert list(again) == [ODD[row] for row in words]
    translations = [ODD[-1 - row] if ODD[-1 - row].split() else "t" for row in words]
    told = alcore.Annotations(pool)
    told.add([ODD[row] for row in words], rows=words, ids=[pool.id(row) for row in words], translations=translations)
    told.write(table("answers"))
    items.read_answers(table("answers"))
    assert [item.translation for item in items] == translations


def test_training_sets_and_phrases(table):
    pool = odd_pool()
    made = alcore.mix(pool, pool)
    made.write(table("pairs"))
    again = read(table("pairs"), text_column="src", reference_column="tgt")
    assert [(again[i], again.reference(i)) for i in range(len(again))] == [(pair.source, pair.target) for pair in made]
    phrases = alcore.phrases(["a,b; \"c\" x", "a,b; \"c\" y", "\\t d\\ z", "\\t d\\ w"])
    phrases.write_table(table("phrases"))
    again = read(table("phrases"), text_column="phrase")
    assert len(again) > 0 and sorted(again) == sorted(phrases)


def test_escapes(tmp_path):
    """\\theta of another table stays, unless escapes are asked for; "off" reads a table of alcore's as it stands."""
    table = tmp_path / "table.tsv"
    table.write_text("id\ttext\n1\t\\theta\n")
    assert [read(table, escapes=escapes)[0] for escapes in ("auto", "on", "off")] == ["\\theta", "\theta", "\\theta"]
    alcore.Pool(["a\tb"]).write([0], table)
    assert [read(table, escapes=escapes)[0] for escapes in ("auto", "on", "off")] == ["a\tb", "a\tb", "a\\tb"]
    with pytest.raises(ValueError, match="none of auto, on, off"):
        read(table, escapes="maybe")
    (tmp_path / "lines.jsonl").write_text('{"text": "a"}\n')
    with pytest.raises(ValueError, match="escapes are of tsv, csv and text, not of jsonl"):
        read(tmp_path / "lines.jsonl", escapes="on")


@pytest.mark.parametrize("name", ["pandas", "pandas-semicolon", "pandas-tab", "polars", "duckdb", "python"])
def test_kept_tables(root, name):
    """What the versions wrote that tests/engines/current/make_tables.py names."""
    pool = read(root / "tests" / "unit" / "formats" / "tables" / (name + ".csv"))
    assert list(pool) == ["plain", "a, b; c\td", 'say "hi"', "two\nlines", "cr\r\nlf", "", " lead", "\\theta \\n", '"']
    assert [pool.id(row) for row in range(9)] == list("123456789")


def test_csv_of_python(tmp_path):
    """csv.writer quotes in four ways; TAB and semicolon are found from the header."""
    for delimiter in ",;\t":
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
            file = io.StringIO()
            writer = csv.writer(file, delimiter=delimiter, quoting=quoting)
            writer.writerows([["", "id", "text"], *([i, f"i{i}", text] for i, text in enumerate(ODD))])
            path = tmp_path / "python.csv"
            path.write_bytes(file.getvalue().encode())
            assert list(read(path)) == ODD


def test_csv_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [f"i{i}" for i in range(len(ODD))], "text": ODD})
    for options in ({}, {"index": False}, {"sep": ";"}, {"sep": "\t"}, {"encoding": "utf-8-sig"}, {"quoting": csv.QUOTE_ALL}):
        for name in ("pandas.csv", "pandas.csv.gz"):
            frame.to_csv(tmp_path / name, **options)
            # to_csv() writes a CR without quotes, and at the end of a line it cannot be told from a
            # line end
            expected = ODD if options.get("quoting") else [text.removesuffix("\r") for text in ODD]
            assert list(read(tmp_path / name)) == expected


def test_csv_of_polars(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"id": [f"i{i}" for i in range(len(ODD))], "text": ODD}).write_csv(tmp_path / "polars.csv")
    assert list(read(tmp_path / "polars.csv")) == ODD
