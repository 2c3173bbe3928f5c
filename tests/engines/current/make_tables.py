# SPDX-License-Identifier: Apache-2.0
"""Tables as pandas, polars, duckdb and Python's csv write them: nine texts with delimiters, quotes, line breaks, carriage returns
and backslashes. tests/bindings/python/test_tables.py reads the files that are kept, and what the packages that are installed write;
tests/unit/formats/test_tables.c (what_packages_write) has the same texts in its source."""
import csv
import pathlib

PACKAGES = ["pandas==3.1.1", "polars==2.1.0", "duckdb==2.0.1"]
KEPT = {"pandas.csv": "tests/unit/formats/tables/pandas.csv", "pandas-semicolon.csv": "tests/unit/formats/tables/pandas-semicolon.csv",
        "pandas-tab.csv": "tests/unit/formats/tables/pandas-tab.csv", "polars.csv": "tests/unit/formats/tables/polars.csv",
        "duckdb.csv": "tests/unit/formats/tables/duckdb.csv", "python.csv": "tests/unit/formats/tables/python.csv"}
TEXTS = ["plain", "a, b; c\td", 'say "hi"', "two\nlines", "cr\r\nlf", "", " lead", "\\theta \\n", '"']


def main(folder):
    import duckdb
    import pandas
    import polars

    folder = pathlib.Path(folder)
    rows = [(str(number), text) for number, text in enumerate(TEXTS, 1)]
    frame = pandas.DataFrame(rows, columns=["id", "text"])
    frame.to_csv(folder / "pandas.csv")
    frame.to_csv(folder / "pandas-semicolon.csv", sep=";", index=False)
    frame.to_csv(folder / "pandas-tab.csv", sep="\t", index=False)
    polars.DataFrame(rows, schema=["id", "text"], orient="row").write_csv(folder / "polars.csv")
    duckdb.sql("copy (select * from frame) to '%s' (header)" % (folder / "duckdb.csv"))
    with open(folder / "python.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *rows])


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
