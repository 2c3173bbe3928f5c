#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What transformers and sentence-transformers compute when one key of a folder's JSON files has another value, on the
small folders of make_fixtures.py.

    make_model_keys.py FILE.json [KEY ...]

writes a list (with keys, only their cases anew) of cases: "row", the file, the key and the family of the row of lib/model/folder_key_rows.h that the case is
for; "base", a folder of tests/torch/fixtures; "files", the members that change by the name of the file; "ask", what is
computed ("embed", "score", "translate"), with what options of the command; and "answer", the numbers or texts. Every
answer differs from that of the base, which is checked here. tests/torch/test_model_keys.py reads it.

Made with torch 2.11.0, transformers 5.23.0, tokenizers 0.23.3 and sentence-transformers 6.2.0 from PyPI, with
sentence-transformers installed beside them; tests/torch/answers/model-keys.json holds the result."""
import json
import os
import shutil
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import transformers as hf  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "fixtures")
sys.path.insert(0, HERE)
from model_keys_folder import REMOVED, SPECIALS, TEXTS, TARGETS, ids_of, make_folder  # noqa: E402


# ---- what the packages say ----

def hidden_mean(folder, texts):
    """The mean of the last hidden states of the encoder: embeddings of a folder without modules.json."""
    model = hf.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    rows = [model(input_ids=torch.tensor([ids_of(folder, text)]))[0][0].mean(0) for text in texts]
    return [[round(float(v), 6) for v in row] for row in rows]


def sentence_embeddings(folder, texts, options):
    kwargs = {"--prompt": "prompt", "--prompt-name": "prompt_name"}
    model = SentenceTransformer(folder, device="cpu", model_kwargs={"dtype": torch.float32})
    rows = model.encode(texts, **{kwargs[k]: v for k, v in zip(options[::2], options[1::2])})
    return [[round(float(v), 6) for v in row] for row in rows]


def embed(folder, options):
    if os.path.exists(os.path.join(folder, "modules.json")) or folder.endswith("-cut"):
        return sentence_embeddings(folder, TEXTS, options)
    return hidden_mean(folder, TEXTS)


def score(folder, options):
    """Log-probabilities of the tokens of the targets, the end of sentence included."""
    model = hf.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    rows = []
    for source, target in zip(TEXTS, TARGETS):
        labels = torch.tensor([ids_of(folder, target)])
        logits = model(input_ids=torch.tensor([ids_of(folder, source)]), labels=labels).logits
        picked = torch.log_softmax(logits, -1).gather(2, labels.unsqueeze(2))[0, :, 0]
        rows.append([round(float(v), 5) for v in picked])
    return rows


def translate(folder, options):
    """Outputs by generate(), which generation_config.json rules; special tokens are left out."""
    model = hf.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    rows = []
    for text in TEXTS:
        found = model.generate(torch.tensor([ids_of(folder, text)]), do_sample=False)[0].tolist()[1:]
        rows.append(" ".join("w%d" % i for i in found if i not in SPECIALS[json.load(
            open(os.path.join(folder, "config.json")))["model_type"]].values()))
    return rows


ASKED = {"embed": embed, "score": score, "translate": translate}

# ---- the cases ----

CASES = []  # row, base, files, ask, options


def case(file, key, family, base, value, ask="embed", more=None, options=()):
    """A case in which a key of a file has a value; more: other members, by file."""
    files = {name: dict(members) if isinstance(members, dict) else members for name, members in (more or {}).items()}
    files.setdefault(file, {})[key] = value
    CASES.append(({"file": file, "key": key, "family": family}, base, files, ask, list(options)))


def encoder_cases():
    for family, base in (("bert", "bert"), ("roberta", "roberta"), ("xlm-roberta", "xlmroberta"), ("rembert", "rembert"),
                         ("camembert", "camembert"), ("xlm-roberta-xl", "xlmrobertaxl"), ("mpnet", "mpnet"), ("electra", "electra"),
                         ("albert", "albert")):
        plain = {"modules.json": None}
        for key, value in (("num_hidden_layers", 1), ("num_attention_heads", 4), ("hidden_act", "silu" if base == "xlmrobertaxl" else "relu"),
                           ("layer_norm_eps", 0.1)):
            if base != "mpnet" or key != "num_attention_heads":  # its table of relative positions has a column for each head
                case("config.json", key, family, base, value, more=plain)
    case("config.json", "num_hidden_groups", "albert", "albert-groups", 1)
    for key, value in (("n_layers", 1), ("n_heads", 4), ("activation", "relu")):
        case("config.json", key, "distilbert", "distilbert", value)
    for base, family in (("roberta", "roberta"), ("xlmroberta", "xlm-roberta"), ("camembert", "camembert"),
                         ("xlmrobertaxl", "xlm-roberta-xl")):
        case("config.json", "pad_token_id", family, base, 4)
    # Keys of older folders of ModernBERT.
    for key, value, other in (("global_attn_every_n_layers", 2, "layer_types"), ("global_rope_theta", 30.0, "rope_parameters"),
                              ("local_rope_theta", 30.0, "rope_parameters")):
        case("config.json", key, "modernbert", "modernbert", value, more={"config.json": {other: REMOVED}})
    for name in ("gelu_new", "gelu_pytorch_tanh", "silu"):
        case("config.json", "hidden_act", "bert", "bert", name, more={"modules.json": None})


def seq2seq_cases():
    for family, base in (("bart", "bart"), ("mbart", "mbart"), ("marian", "marian"), ("m2m_100", "m2m100")):
        for key, value in (("encoder_layers", 1), ("decoder_layers", 1), ("encoder_attention_heads", 4),
                           ("decoder_attention_heads", 4), ("activation_function", "relu" if base == "marian" else "silu"),
                           ("scale_embedding", base == "bart")):
            case("config.json", key, family, base, value, "score")
    for family in ("t5", "mt5"):
        gated = "gated-silu" if family == "mt5" else "gelu"
        case("config.json", "dense_act_fn", family, family, "silu", "score")
        for key, value in (("num_layers", 1), ("num_decoder_layers", 1), ("relative_attention_max_distance", 5),
                           ("layer_norm_epsilon", 0.1), ("feed_forward_proj", gated)):
            more = {"num_layers": {"config.json": {"num_decoder_layers": 2}},
                    # The activation that transformers 5 writes beside it goes before it.
                    "feed_forward_proj": {"config.json": {"dense_act_fn": REMOVED}}}.get(key)
            case("config.json", key, family, family, value, "score", more=more)
    case("config.json", "scale_decoder_outputs", "t5", "t5", False, "score")


def output_cases():
    """Settings of the search for outputs that generation_config.json has; tests/torch has more of them elsewhere."""
    for key, value, more in (("eos_token_id", 13, {}), ("decoder_start_token_id", 7, {}), ("forced_bos_token_id", 9, {}),
                             ("max_length", 7, {}), ("num_beams", 3, {}),
                             ("bad_words_ids", [[i] for i in range(5, 40)], {})):
        case("generation_config.json", key, "bart", "bart", value, "translate",
             more={"generation_config.json": dict({"max_length": 12}, **more)})
    case("generation_config.json", "bos_token_id", "bart", "bart", 7, "translate",
         more={"generation_config.json": {"max_length": 12, "decoder_start_token_id": REMOVED},
               "config.json": {"decoder_start_token_id": REMOVED}})
    case("generation_config.json", "forced_eos_token_id", "bart", "bart", 9, "translate",
         more={"generation_config.json": {"max_length": 7}})


def tokenizer_cases():
    case("tokenizer_config.json", "model_max_length", "bert", "bert", 6, more={"sentence_bert_config.json": None})
    case("tokenizer_config.json", "model_max_length", "t5", "t5", 6, more={"modules.json": None})
    case("tokenizer_config.json", "max_len", "bert", "bert", 6,
         more={"sentence_bert_config.json": None, "tokenizer_config.json": {"model_max_length": REMOVED}})


def chain(*kinds, old=True, pooling="cls"):
    """The files of a folder whose modules behind the pooling are of these kinds."""
    new = {"Dense": "base.modules.dense", "LayerNorm": "sentence_transformer.modules.layer_norm", "Normalize": "base.modules.normalize",
           "Transformer": "base.modules.transformer", "Pooling": "sentence_transformer.modules.pooling"}
    kinds = ("Transformer", "Pooling") + kinds
    modules = [{"idx": i, "name": str(i), "path": "%d_%s" % (min(i, 2), kind) if i else "",
                "type": "sentence_transformers." + ("models." if old else new[kind] + ".") + kind} for i, kind in enumerate(kinds)]
    return {"modules.json": modules, "1_Pooling/config.json": {"pooling_mode": pooling}}


def dense_cases():
    """Dense as LaBSE has it (the first token, Dense with Tanh, Normalize) and otherwise, LayerNorm, and both in other orders."""
    def dense(width, out, **more):
        shapes = {"linear.weight": [out, width]}
        if more.get("bias", True):
            shapes["linear.bias"] = [out]
        if more.get("use_residual") and width != out:
            shapes["residual.weight"] = [out, width]
        return {"2_Dense/config.json": {"in_features": width, "out_features": out, **more}, "2_Dense/model.safetensors": shapes}
    tanh = {"activation_function": "torch.nn.modules.activation.Tanh"}
    labse = {**chain("Dense", "Normalize"), **dense(16, 16, bias=True, **tanh)}
    CASES.append(({"file": "modules.json", "key": "type", "family": "bert"}, "bert", labse, "embed", []))
    for name in ("activation.ReLU", "activation.GELU", "activation.SiLU", "activation.Sigmoid", "linear.Identity"):
        case("2_Dense/config.json", "activation_function", "bert", "bert", "torch.nn.modules." + name,
             more={**chain("Dense", old=False), **dense(16, 12)})
    case("2_Dense/config.json", "bias", "bert", "bert", False, more={**chain("Dense"), **dense(16, 20, bias=False, **tanh)})
    for out in (16, 5):
        case("2_Dense/config.json", "use_residual", "bert", "bert", True,
             more={**chain("Normalize", "Dense"), **dense(16, out, use_residual=True, **tanh)})
    both = {**chain("Normalize", "LayerNorm", "Dense", "Normalize", old=False, pooling=["mean", "max"]), **dense(32, 7, **tanh),
            "2_LayerNorm/config.json": {"dimension": 32}, "2_LayerNorm/model.safetensors": {"norm.weight": [32], "norm.bias": [32]}}
    CASES.append(({"file": "modules.json", "key": "type", "family": "bert"}, "bert", both, "embed", []))
    # What is kept is cut behind the modules.
    case("config_sentence_transformers.json", "truncate_dim", "bert", "bert", 3, more=both)


def sentence_cases():
    case("sentence_bert_config.json", "max_seq_length", "bert", "bert", 5, more={"tokenizer_config.json": {"model_max_length": 9}})
    case("sentence_bert_config.json", "do_lower_case", "bert", "bert", True)
    prompts = {"query": "w7 w8 ", "document": ""}
    asked = {"config_sentence_transformers.json": {"prompts": prompts}}
    case("config_sentence_transformers.json", "default_prompt_name", "bert", "bert", "query", more=asked)
    case("config_sentence_transformers.json", "prompts", "bert", "bert", prompts, options=["--prompt-name", "query"])
    case("config_sentence_transformers.json", "prompts", "bert", "bert", prompts, options=["--prompt", "w9 w10 w11 "])
    case("config_sentence_transformers.json", "truncate_dim", "bert", "bert", 5)
    for mode in ("mean", "cls", "max"):
        case("1_Pooling/config.json", "include_prompt", "bert", "bert", False,
             more={"config_sentence_transformers.json": {"prompts": prompts, "default_prompt_name": "query"},
                   "1_Pooling/config.json": {"pooling_mode": mode}})
    case("1_Pooling/config.json", "pooling_mode", "bert", "bert", "cls")
    case("1_Pooling/config.json", "pooling_mode", "bert", "bert", ["max"])
    case("1_Pooling/config.json", "pooling_mode_cls_token", "bert", "bert", True,
         more={"1_Pooling/config.json": {"pooling_mode_mean_tokens": False}})
    case("1_Pooling/config.json", "pooling_mode_max_tokens", "bert", "bert", True,
         more={"1_Pooling/config.json": {"pooling_mode_mean_tokens": False}})
    plain = {"modules.json": chain()["modules.json"]}  # not normalized
    for mode in ("mean_sqrt_len_tokens", "weightedmean", "lasttoken", ["max", "mean", "cls"],
                 ["lasttoken", "weightedmean", "mean_sqrt_len_tokens", "lasttoken"]):
        case("1_Pooling/config.json", "pooling_mode", "bert", "bert", mode, more=plain)
        if mode != "lasttoken":
            case("1_Pooling/config.json", "include_prompt", "bert", "bert", False,
                 more={"config_sentence_transformers.json": {"prompts": prompts, "default_prompt_name": "query"},
                       "1_Pooling/config.json": {"pooling_mode": mode}, **plain})
    for flag in ("mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"):
        case("1_Pooling/config.json", "pooling_mode_" + flag, "bert", "bert", True,
             more={"1_Pooling/config.json": {"pooling_mode_mean_tokens": False}, **plain})
        # With the mean beside it.
        case("1_Pooling/config.json", "pooling_mode_" + flag, "bert", "bert", True, more=plain)
    dense_cases()
    names = ["base.modules.transformer.Transformer", "sentence_transformer.modules.pooling.Pooling"]
    CASES.append(({"file": "modules.json", "key": "type", "family": "bert"}, "bert",
                  {"modules.json": [{"idx": i, "name": str(i), "path": ["", "1_Pooling"][i], "type": "sentence_transformers." + name}
                                    for i, name in enumerate(names)]}, "embed", []))


def differs(a, b):
    if a == b or not a or isinstance(a[0], str):
        return a != b
    return any(len(x) != len(y) or any(abs(u - v) > 2e-4 for u, v in zip(x, y)) for x, y in zip(a, b))


def main(out, *keys):
    for add in (encoder_cases, seq2seq_cases, output_cases, tokenizer_cases, sentence_cases):
        add()
    hf.logging.set_verbosity_error()
    scratch, cases, kept = tempfile.mkdtemp(), [], []
    if keys:
        with open(out, encoding="utf-8") as file:
            kept = [case for case in json.load(file) if case["row"]["key"] not in keys]
    with torch.no_grad():
        for number, (row, base, files, ask, options) in enumerate(CASES):
            told = {"row": row, "base": base, "files": files, "ask": ask, "options": options}
            known = next((case for case in kept if {**told, "answer": case["answer"]} == case), None)
            if known:
                cases.append(known)
                continue
            cut = "-cut" if "tokenizer_config.json" in files else ""
            folder = os.path.join(scratch, str(number) + cut)
            make_folder(os.path.join(FIXTURES, base), files, folder)
            answer = ASKED[ask](folder, options)
            # The base: the same without the key.
            without = {name: members for name, members in files.items()}
            if isinstance(files[row["file"]], dict):
                without[row["file"]] = {k: v for k, v in files[row["file"]].items() if k != row["key"]}
            else:
                del without[row["file"]]
            other = os.path.join(scratch, "base%d" % number + cut)
            make_folder(os.path.join(FIXTURES, base), without, other)
            try:
                plain = ASKED[ask](other, [])
            except Exception:  # the weights need the key
                plain = None
            if plain is not None and not differs(answer, plain):
                print("the key changes nothing:", row, base, files, answer[:1])
            cases.append({**told, "answer": answer})
    shutil.rmtree(scratch)
    with open(out, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
