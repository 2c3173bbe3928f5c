# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's datasets: it loads the rows of translations and the questions of SQuAD that the library writes (tests/unit/extra/tool/files),
and writes them with answers. tests/unit/extra/tool/test_tool_back.c reads what it wrote."""
import json
import pathlib

PACKAGES = ["datasets==5.2.0"]
KEPT = {"translation.back.jsonl": "tests/unit/extra/tool/files/translations-translation.back.jsonl",
        "squad.back.json": "tests/unit/extra/tool/files/squad-translation.back.json"}
FILES = pathlib.Path(__file__).parents[2] / "unit/extra/tool/files"


def main(folder):
    import datasets

    folder = pathlib.Path(folder)
    with_cache = {"split": "train", "cache_dir": str(folder / "cache")}
    rows = datasets.load_dataset("json", data_files=str(FILES / "translations-translation.jsonl"), **with_cache)
    pairs = datasets.Features({**rows.features, "translation": datasets.Translation(languages=["en", "de"])})
    rows = rows.cast(pairs)  # of Translation, as the data sets of WMT have it
    assert rows[0]["translation"] == {"en": "\U0001F600 Anna Li lives in Paris", "de": None}, rows[0]
    said = {"s:1": "\U0001F600 Anna Li lebt in Paris", "s:3": "𝕏𝕏 Köln"}
    rows = rows.map(lambda row: {"translation": {**row["translation"], "de": said.get(row["id"])}}, load_from_cache_file=False)
    rows.to_json(folder / "translation.back.jsonl", force_ascii=False)

    articles = datasets.load_dataset("json", data_files=str(FILES / "squad-translation.json"), field="data", **with_cache)
    articles = articles.to_list()
    first, = articles[0]["paragraphs"]
    first["qas"][0]["answers"] = [{"text": "Paris", "answer_start": 19}, {"text": "in Paris", "answer_start": 16}]
    articles[1]["paragraphs"][0]["qas"][0]["is_impossible"] = True
    (folder / "squad.back.json").write_text(json.dumps({"version": "v2.0", "data": articles}, ensure_ascii=False))


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
