# SPDX-License-Identifier: Apache-2.0
"""llama.cpp, from the package xllamacpp, as a peer of language models: GGUF files of a folder of the shape of Qwen3, and log-probabilities of
given tokens by the C functions that its shared object exports. Its own interface of Python is a server, which gives none for a prompt."""
import ctypes
import json
import os

import numpy as np

#: Types of weights of a file, by ours that has as many bits. Norms are float32 in both.
TYPES = {'bfloat16': 'BF16', 'int8': 'Q8_0'}
BLOCK = {'self_attn.q_proj': 'attn_q', 'self_attn.k_proj': 'attn_k', 'self_attn.v_proj': 'attn_v', 'self_attn.o_proj': 'attn_output',
         'self_attn.q_norm': 'attn_q_norm', 'self_attn.k_norm': 'attn_k_norm', 'input_layernorm': 'attn_norm',
         'post_attention_layernorm': 'ffn_norm', 'mlp.gate_proj': 'ffn_gate', 'mlp.up_proj': 'ffn_up', 'mlp.down_proj': 'ffn_down'}


def name_here(name):
    """The name of a tensor of Qwen3 in GGUF."""
    if name == 'model.embed_tokens.weight':
        return 'token_embd.weight'
    if name == 'model.norm.weight':
        return 'output_norm.weight'
    layer, rest = name[len('model.layers.'):].split('.', 1)
    return 'blk.%s.%s.weight' % (layer, BLOCK[rest[:-len('.weight')]])


def write(folder, path, kind):
    """The model of a folder that transformers wrote, with tied outputs and without a tokenizer."""
    import gguf
    from safetensors import safe_open
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    assert config['model_type'] == 'qwen3' and config['tie_word_embeddings'], config
    writer = gguf.GGUFWriter(path, 'qwen3')
    writer.add_context_length(config['max_position_embeddings'])
    writer.add_embedding_length(config['hidden_size'])
    writer.add_block_count(config['num_hidden_layers'])
    writer.add_feed_forward_length(config['intermediate_size'])
    writer.add_head_count(config['num_attention_heads'])
    writer.add_head_count_kv(config['num_key_value_heads'])
    writer.add_key_length(config['head_dim'])
    writer.add_value_length(config['head_dim'])
    writer.add_layer_norm_rms_eps(config['rms_norm_eps'])
    writer.add_rope_freq_base(config['rope_parameters']['rope_theta'])
    writer.add_vocab_size(config['vocab_size'])
    writer.add_tokenizer_model('no_vocab')
    with safe_open(os.path.join(folder, 'model.safetensors'), 'np') as tensors:
        for name in tensors.keys():
            if name == 'lm_head.weight':
                continue
            values, of = tensors.get_tensor(name), getattr(gguf.GGMLQuantizationType, TYPES[kind] if 'norm' not in name else 'F32')
            writer.add_tensor(name_here(name), gguf.quants.quantize(values, of), raw_dtype=of)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Settings(ctypes.Structure):
    """What functions take and return by value. Of a context the first four members are numbers of tokens and of sequences; the rest stays as
    it is, and what is asked for is read back. At least as large as the structures of llama.cpp."""
    _fields_ = [('members', ctypes.c_uint32 * 256)]


class Batch(ctypes.Structure):
    _fields_ = [('count', ctypes.c_int32), ('token', ctypes.POINTER(ctypes.c_int32)), ('embedding', ctypes.c_void_p),
                ('position', ctypes.POINTER(ctypes.c_int32)), ('sequences', ctypes.POINTER(ctypes.c_int32)),
                ('sequence', ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))), ('wanted', ctypes.POINTER(ctypes.c_int8))]


class Llama:
    """A model, of which a call reads `most` texts of `tokens` tokens in all together."""

    def __init__(self, path, vocabulary, threads, most=16, tokens=2048):
        import xllamacpp
        whole, number = ctypes.c_void_p, ctypes.c_int32
        self.library, self.vocabulary, self.most, self.tokens = ctypes.CDLL(xllamacpp.xllamacpp.__file__), vocabulary, most, tokens
        for name, result, *arguments in (
                ('llama_log_set', None, whole, whole), ('llama_model_default_params', Settings), ('llama_context_default_params', Settings),
                ('llama_model_load_from_file', whole, ctypes.c_char_p, Settings), ('llama_init_from_model', whole, whole, Settings),
                ('llama_get_memory', whole, whole), ('llama_memory_clear', None, whole, ctypes.c_bool), ('llama_batch_init', Batch, number, number, number),
                ('llama_decode', number, whole, Batch), ('llama_get_logits', ctypes.POINTER(ctypes.c_float), whole),
                ('llama_set_n_threads', None, whole, number, number), *((name, number, whole) for name in ('llama_n_batch', 'llama_n_seq_max', 'llama_n_threads_batch'))):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        self.quiet = ctypes.CFUNCTYPE(None, number, ctypes.c_char_p, whole)(lambda level, text, data: None)
        self.library.llama_log_set(ctypes.cast(self.quiet, whole), None)
        model = self.library.llama_model_load_from_file(os.fsencode(path), self.library.llama_model_default_params())
        assert model, path
        settings = self.library.llama_context_default_params()
        settings.members[:4] = tokens, tokens, 512, most
        self.context = self.library.llama_init_from_model(model, settings)
        assert self.context
        self.library.llama_set_n_threads(self.context, threads, threads)
        made = [getattr(self.library, name)(self.context) for name in ('llama_n_batch', 'llama_n_seq_max', 'llama_n_threads_batch')]
        assert made == [tokens, most, threads], made
        self.batch = self.library.llama_batch_init(tokens, 0, 1)

    def logits(self, texts, first):
        """Of the tokens of each text from the one before the index `first` of its own on, but for the last; one text after the other."""
        batch, outputs = self.batch, 0
        batch.count = 0
        assert len(texts) <= self.most and sum(map(len, texts)) <= self.tokens
        for number, (ids, begin) in enumerate(zip(texts, first)):
            for position, one in enumerate(ids):
                i, wanted = batch.count, begin <= position + 1 < len(ids)
                batch.token[i], batch.position[i], batch.sequences[i], batch.sequence[i][0], batch.wanted[i] = one, position, 1, number, wanted
                batch.count, outputs = i + 1, outputs + wanted
        self.library.llama_memory_clear(self.library.llama_get_memory(self.context), True)
        assert self.library.llama_decode(self.context, batch) == 0
        return np.ctypeslib.as_array(self.library.llama_get_logits(self.context), (outputs, self.vocabulary))

    def scores(self, texts, first):
        """Log-probabilities of the tokens of each text from the index `first` of its own on."""
        import torch
        found, order = [None] * len(texts), sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for begin in range(0, len(order), self.most):
            rows = order[begin:begin + self.most]
            logits = torch.from_numpy(self.logits([texts[i] for i in rows], [first[i] for i in rows]))
            labels = torch.tensor([one for i in rows for one in texts[i][first[i]:]])
            values = (logits.gather(1, labels[:, None])[:, 0] - logits.logsumexp(1)).tolist()
            for i in rows:
                count = len(texts[i]) - first[i]
                found[i], values = values[:count], values[count:]
        return found
