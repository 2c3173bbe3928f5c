#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llama.cpp's server, from the package xllamacpp, with a small random model that gguf writes; and what it answers.

    llama_server.py serve FOLDER     writes FOLDER/random.gguf, serves it on loopback and prints the address, until standard input ends
    llama_server.py record FOLDER    writes FOLDER/llama.cpp-*.jsonl, which lie beside this file

The model is a Llama of two layers whose vocabulary has letters, a few pieces and the bytes. The files beside this one were made with
PACKAGES; those of vLLM and SGLang are written by hand as their sources write answers (vLLM 0.14, SGLang 0.5), with numbers of no model."""
import json
import os
import sys
import urllib.request

PACKAGES = ["xllamacpp==2026.10.11549", "gguf==0.19.0", "numpy==2.4.6"]
TEXTS = ["the sun is hot", "a fish", "who can say", "in the rain"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECES = [*LETTERS, *".,äöüéàç", *("▁" + letter for letter in LETTERS), "▁", "th", "▁th", "▁the", "er", "in", "ing", "on"]
WIDTH, HEADS, LAYERS, INNER = 64, 4, 2, 96


def write_model(path):
    """A random model, always the same."""
    import gguf
    import numpy
    numbers = numpy.random.default_rng(7)
    tokens = ["<unk>", "<s>", "</s>", *("<0x%02X>" % byte for byte in range(256)), *PIECES]
    kinds = [2, 3, 3, *[6] * 256, *[1] * len(PIECES)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 259 + [-float(rank) for rank in range(len(PIECES))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_chat_template("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
                             "{% if add_generation_prompt %}assistant:{% endif %}")

    def matrix(rows, columns, scale=1.5):
        return (numbers.standard_normal((rows, columns)) * scale / numpy.sqrt(columns)).astype(numpy.float32)

    writer.add_tensor("token_embd.weight", matrix(len(tokens), WIDTH, 8.0))
    for layer in range(LAYERS):
        for name, rows, columns in (("attn_q", WIDTH, WIDTH), ("attn_k", WIDTH, WIDTH), ("attn_v", WIDTH, WIDTH), ("attn_output", WIDTH, WIDTH),
                                    ("ffn_gate", INNER, WIDTH), ("ffn_up", INNER, WIDTH), ("ffn_down", WIDTH, INNER)):
            writer.add_tensor("blk.%d.%s.weight" % (layer, name), matrix(rows, columns))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor("blk.%d.%s.weight" % (layer, name), numpy.ones(WIDTH, numpy.float32))
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    writer.add_tensor("output.weight", matrix(len(tokens), WIDTH, 3.0))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def start(folder):
    """The server, which ends with the process, and its address."""
    import xllamacpp
    path = os.path.join(folder, "random.gguf")
    write_model(path)
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx, settings.n_parallel, settings.warmup, settings.n_gpu_layers = 1024, 2, False, 0
    settings.cpuparams.n_threads = 1
    server = xllamacpp.Server(settings)
    return server, server.listening_address


def ask(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def record(folder):
    server, address = start(folder)
    chats = [ask(address + "/v1/chat/completions", {"messages": [{"role": "user", "content": text}], "max_tokens": 6, "temperature": 0,
                                                    "logprobs": True, "top_logprobs": 5}) for text in TEXTS]
    made = [ask(address + "/v1/completions", {"prompt": text, "max_tokens": 6, "temperature": 0.8, "seed": 3, "logprobs": 3})
            for text in TEXTS]
    for name, lines in (("llama.cpp-chats.jsonl", chats), ("llama.cpp-completions.jsonl", made)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
    del server


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2])
    else:
        kept, where = start(sys.argv[2])
        print(where, flush=True)
        sys.stdin.read()
