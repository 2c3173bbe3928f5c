#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rarer modules of sentence-transformers, in folders that it saved (tests/engines/current/make_modules.py): WeightedLayerPooling,
CNN, Dropout, transformers in a folder of their own, and Routers, whose route prompt_name chooses. The vectors are those of its
encode(), encode_query() and encode_document(). In TAP. usage: test_modules.py ROOT BUILD"""
import json
import os
import re
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", name) for name in ("tools", "torch")] + [os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from embedding_folders import changed, furthest, texts_of, wanted  # noqa: E402
from tap import Tap  # noqa: E402

FOLDERS = os.path.join(ROOT, "tests", "torch", "modules")
ROUTER = "router_config.json"


def folder_of(name):
    return os.path.join(FOLDERS, name)


def distance(name, task, path=None, **settings):
    """The largest difference to the vectors of a task, of the folder or of a changed copy of it."""
    if task != "none":
        settings["prompt_name"] = task
    return furthest(path or folder_of(name), wanted(folder_of(name))[task], texts_of(folder_of(name)), **settings)


def refused(path, *words, **settings):
    try:
        alcore.Model.open(path, **settings)
    except alcore.Error as error:
        assert all(word in str(error) for word in words), str(error)
        return
    raise AssertionError("it opens")


def vectors_are_those_of_encode(box):
    names = sorted(os.listdir(FOLDERS))
    assert names == ["both", "first", "heads", "kernels", "layers", "mapped", "routes", "static"], names
    for name in names:
        for task in wanted(folder_of(name)):
            worst = distance(name, task)
            assert worst <= 1e-5, "%s, %s: the largest difference is %g" % (name, task, worst)


def one_text_does_not_change_another(box):
    """A kernel reads zeros beyond the ends of a text, whatever stands beside it in a batch."""
    texts = texts_of(folder_of("kernels"))
    model = alcore.Model.open(folder_of("kernels"))
    alone = [model.embed([text]).tolist()[0] for text in texts]
    assert max(abs(a - b) for row, other in zip(model.embed(texts).tolist(), alone) for a, b in zip(row, other)) <= 1e-6


def older_names_are_read(box):
    """The classes and keys that versions 2 to 5 wrote, and an Asym, whose settings were in config.json."""
    for name, task in (("kernels", "none"), ("layers", "none"), ("heads", "answer")):
        path = changed(box, folder_of(name), "config.json")
        for place, _, files in os.walk(path):
            for file in files:
                if file.endswith(".json") and "tokenizer" not in file:
                    old = os.path.join(place, file)
                    with open(old, encoding="utf-8") as opened:
                        text = opened.read()
                    for now, before in (("in_embedding_dimension", "in_word_embedding_dimension"),
                                        ('"embedding_dimension"', '"word_embedding_dimension"'), (".Router\"", ".Asym\"")):
                        text = text.replace(now, before)
                    text = re.sub(r"sentence_transformers\.[a-z_.]+modules\.[a-z_]+\.", "sentence_transformers.models.", text)
                    os.remove(old)
                    with open(os.path.join(place, "config.json" if file == ROUTER else file), "w", encoding="utf-8") as opened:
                        opened.write(text)
        assert distance(name, task, path) <= 1e-5, name


def routes_are_told_apart(box):
    """So that the vectors above are those of the route, and not of another one."""
    for name, task, other in (("routes", "query", "document"), ("static", "query", "document"), ("heads", "question", "answer"),
                              ("mapped", "query", "document"), ("mapped", "query", "none")):
        ask = {} if other == "none" else {"prompt_name": other}
        worst = furthest(folder_of(name), wanted(folder_of(name))[task], texts_of(folder_of(name)), **ask)
        assert worst > 0.01, "%s, %s: the largest difference to %s is %g" % (name, task, other, worst)
    assert distance("routes", "none", prompt="w33 ") > 0.001  # the text in front is read by the default route


def the_default_route_is_that_of_the_folder(box):
    with open(os.path.join(folder_of("routes"), ROUTER), encoding="utf-8") as file:
        parameters = json.load(file)["parameters"]
    bare = changed(box, folder_of("routes"), "config_sentence_transformers.json", prompts={})
    for default, task in (("document", "document"), ("query", "query"), (None, "query")):
        path = changed(box, bare, ROUTER, parameters={**parameters, "default_route": default})
        found = {name: alcore.Model.open(path, prompt_name=name).embed(["w5 w6"]).tolist() for name in (None, "query", "document")}
        assert found["query"] != found["document"] and found[None] == found[task], found
    path = changed(box, folder_of("routes"), ROUTER, parameters={**parameters, "default_route": None, "allow_empty_key": False})
    refused(path, ROUTER, "no default_route", "query, document")
    assert distance("routes", "query", path) <= 1e-5


def names_that_are_none_are_listed(box):
    refused(folder_of("routes"), "'other'", "document, passage, query", "the routes query, document", prompt_name="other")
    path = changed(box, folder_of("routes"), "config_sentence_transformers.json", prompts={"other": "w9 "})
    assert alcore.Model.open(path, prompt_name="other").embed(["w5"]).tolist() == \
        alcore.Model.open(path, prompt="w9 ").embed(["w5"]).tolist()  # a prompt of the default route


def layers_and_kernels_count(box):
    for name, file, members in (("layers", "config.json", {"output_hidden_states": False}),
                                ("layers", "2_Pooling/config.json", {"pooling_mode": "cls"}),
                                ("both", "3_CNN/cnn_config.json", None)):
        if members:
            worst = distance(name, "none", changed(box, folder_of(name), file, **members))
            assert worst > 0.01, "%s, %s: the largest difference is %g" % (name, members, worst)
    refused(changed(box, folder_of("layers"), "1_WeightedLayerPooling/config.json", num_hidden_layers=12), "num_hidden_layers", "2 blocks")
    refused(changed(box, folder_of("layers"), "1_WeightedLayerPooling/config.json", layer_start=3), "layer_start")
    refused(changed(box, folder_of("layers"), "1_WeightedLayerPooling/config.json", layer_start=0), "layer_weights")
    refused(folder_of("layers"), "WeightedLayerPooling", layer=1)
    refused(folder_of("kernels"), "pooler", pooling="pooler")
    for key, value in (("kernel_sizes", [2, 3, 5]), ("stride_sizes", [1, 2, 1]), ("kernel_sizes", []), ("in_embedding_dimension", 8),
                       ("out_channels", 9)):
        words = (key,) if key != "out_channels" else ("convs.0",)
        refused(changed(box, folder_of("kernels"), "1_CNN/cnn_config.json", **{key: value}), *words)


def damaged_routers_are_refused(box):
    with open(os.path.join(folder_of("routes"), ROUTER), encoding="utf-8") as file:
        whole = json.load(file)
    types, structure, parameters = (whole[key] for key in ("types", "structure", "parameters"))
    for members, words in (({"types": 3}, ("types is no object",)), ({"structure": []}, ("structure is no object",)),
                           ({"structure": {"document": 3}}, ("'document' is no list",)),
                           ({"structure": {**structure, "document": ["../x"]}}, ("leads out",)),
                           ({"structure": {**structure, "document": ["none"]}}, ("the module '' is not supported",)),
                           ({"types": {**types, "document_0_Transformer": "sentence_transformers.base.modules.router.Router"}},
                            ("Router within a Router",)),
                           ({"types": {**types, "document_0_Transformer": "sentence_transformers.models.BoW"}}, ("BoW", "in Python")),
                           ({"parameters": {**parameters, "surprise": 1}}, ("surprise",)),
                           ({"parameters": {**parameters, "route_mappings": {"(None, 'text')": "none"}}},
                            ("'none' is no list", "query, document"))):
        refused(changed(box, folder_of("routes"), ROUTER, **members), ROUTER, *words)


def a_part_is_not_saved(box):
    model = alcore.Model.open(folder_of("routes"))
    try:
        model.save(os.path.join(box, "saved"))
    except alcore.Error as error:
        assert "document_0_Transformer" in str(error), str(error)
        return
    raise AssertionError("it is saved")


def main():
    tap = Tap()
    tap.run([vectors_are_those_of_encode, one_text_does_not_change_another, older_names_are_read, routes_are_told_apart, the_default_route_is_that_of_the_folder,
             names_that_are_none_are_listed, layers_and_kernels_count, damaged_routers_are_refused, a_part_is_not_saved])
    tap.finish()


main()
