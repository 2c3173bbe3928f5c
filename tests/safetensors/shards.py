# SPDX-License-Identifier: Apache-2.0
"""Crafted folders of models in shards: model.safetensors.index.json, whose weight_map says in which file each tensor is."""
import json

from parts import Link, MODEL, NOT_ASKED, OK, case, shard

NAMES = sorted(MODEL)
FIRST, SECOND = NAMES[:20], NAMES[20:]
INDEX = 'model.safetensors.index.json'
HERE = '/model.safetensors.index.json: '  # before what is wrong with the index
MAP = {name: 'a.safetensors' if name in FIRST else 'b.safetensors' for name in NAMES}
SHARDS = {'a.safetensors': shard(FIRST), 'b.safetensors': shard(SECOND)}


def folder(weight_map=None, index=None, **files):
    """Both shards and an index. files: name without .safetensors -> bytes, or None for a file that is left out."""
    out = dict(SHARDS)
    for name, content in files.items():
        out[name + '.safetensors'] = content
    out[INDEX] = json.dumps({'weight_map': MAP if weight_map is None else weight_map}) if index is None else index
    return {name: content for name, content in out.items() if content is not None}


def moved(to):
    """The weight_map with the first tensor in the file `to`."""
    return dict(MAP, **{NAMES[0]: to})


def folder_case(name, files, model):
    case(name, files, NOT_ASKED, model)


# ---- accepted ----
folder_case('two shards', folder(), OK())
folder_case('one shard', folder({name: 'all.safetensors' for name in NAMES}, all=shard(NAMES), a=None, b=None), OK())
folder_case('a shard for each tensor', dict({f'{i}.safetensors': shard([name]) for i, name in enumerate(NAMES)}, **{
    INDEX: json.dumps({'weight_map': {name: f'{i}.safetensors' for i, name in enumerate(NAMES)}})}), OK())
folder_case('index with metadata', folder(index=json.dumps({'metadata': {'total_size': 21696}, 'weight_map': MAP})), OK())
folder_case('index whose total_size is a text', folder(index=json.dumps({'metadata': {'total_size': 'much'}, 'weight_map': MAP})),
            OK())
folder_case('shard with a tensor that the index does not name', folder(b=shard(SECOND, {'other': b'12345'})), OK())
folder_case('shard that is a symbolic link', dict(folder(a=Link('store/blob')), **{'store/blob': shard(FIRST)}), OK())
folder_case('shard whose name has spaces', folder({n: f.replace('a.', 'a b.') for n, f in MAP.items()},
                                                  **{'a b': shard(FIRST), 'a': None}), OK())
folder_case('whole file beside a broken index', dict(folder(index='{'), **{'model.safetensors': shard(NAMES)}), OK())

# ---- the index itself ----
folder_case('index empty', folder(index=''), HERE + 'line 1: ')
folder_case('index cut off', folder(index=json.dumps({'weight_map': MAP})[:500]), HERE + 'line 1: ')
folder_case('index is an array', folder(index='[]'), HERE + 'line 1: ')
folder_case('index is a text', folder(index='"a.safetensors"'), HERE + 'line 1: ')
folder_case('index not UTF-8', folder(index=b'{"weight_map": {"\xff": "a.safetensors"}}'), HERE + 'line 1: ')
folder_case('index names a tensor twice', folder(index='{"weight_map":\n{"a": "a.safetensors", "a": "b.safetensors"}}'),
            HERE + 'line 2: duplicate object key')
folder_case('index followed by more', folder(index=json.dumps({'weight_map': MAP}) + '{}'), HERE + 'line 1: ')
folder_case('index nested deeply', folder(index='[' * 100000), HERE + 'line 1: ')
folder_case('index larger than 16 MiB', folder(index=json.dumps({'weight_map': MAP}) + ' ' * (16 << 20)), 'larger than 16 MiB')
folder_case('index is a folder', dict(SHARDS, **{INDEX + '/file': b''}), 'model.safetensors is missing')
for kind, text in {'missing': '{}', 'null': '{"weight_map": null}', 'empty': '{"weight_map": {}}',
                   'an array': '{"weight_map": ["a.safetensors"]}', 'a text': '{"weight_map": "a.safetensors"}'}.items():
    folder_case('weight_map ' + kind, folder(index=text), HERE + 'its weight_map is missing or names no tensor')

# ---- names of files ----
for kind, name in {'above': '../two shards/a.safetensors', 'absolute': '/etc/passwd', 'below': 'store/a.safetensors',
                   'unnamed': '', 'this folder': '.', 'the folder above': '..', 'with a step': './a.safetensors',
                   'a number': 1, 'null': None, 'an object': {}, 'an array': ['a.safetensors']}.items():
    folder_case('shard ' + kind, folder(moved(name)), HERE + f"'{NAMES[0]}' names no file beside it")
folder_case('shard missing', folder(b=None), '/b.safetensors')
folder_case('shard another case', folder(moved('A.safetensors')), '/A.safetensors')
folder_case('shard with a NUL in its name', folder(index=json.dumps({'weight_map': moved('a\0.safetensors')})), HERE + 'line 1: ')
folder_case('shard with a line end in its name', folder(moved('a\n.safetensors')), '/a .safetensors')
folder_case('shard is a folder', dict(folder(b=None), **{'b.safetensors/file': b''}), '/b.safetensors')
folder_case('shard is config.json', folder(moved('config.json')), '/config.json: its header')
folder_case('shard is the index', folder(moved(INDEX)), INDEX + ': its header')
folder_case('shard is a link to nothing', folder(a=Link('nowhere')), '/a.safetensors')

# ---- what the shards hold ----
folder_case('tensor in no shard', folder(a=shard(FIRST[1:])), HERE + f'the tensor {NAMES[0]} is not in a.safetensors')
folder_case('tensor in another shard', folder(moved('b.safetensors')),
            HERE + f'the tensor {NAMES[0]} is not in b.safetensors')
folder_case('tensor in two shards', folder(b=shard(SECOND + FIRST[:1])), f'/b.safetensors: tensor {NAMES[0]} stands in two files')
folder_case('index names a tensor that no shard has', folder(dict(MAP, other='a.safetensors')),
            HERE + 'the tensor other is not in a.safetensors')
WORDS = 'embeddings.word_embeddings.weight'
folder_case('index and shards lack a tensor', folder({name: file for name, file in MAP.items() if name != WORDS},
                                                     a=shard([name for name in FIRST if name != WORDS])),
            f'{WORDS} is missing')
folder_case('shard cut off', folder(b=SHARDS['b.safetensors'][:-1]), '/b.safetensors: tensor ')
folder_case('shard with bytes behind it', folder(b=SHARDS['b.safetensors'] + b'x'), '/b.safetensors: ')
folder_case('shard empty', folder(b=b''), '/b.safetensors')
folder_case('shard of another model', folder(b=shard([], {'other': b'12345'})),
            HERE + f'the tensor {SECOND[0]} is not in b.safetensors')

# ---- neither a file nor an index ----
folder_case('no weights', {}, 'model.safetensors is missing')
folder_case('pickled weights', {'pytorch_model.bin': b'\x80\x02.'}, 'pytorch_model.bin, which is code')
folder_case('index of pickled weights', {'pytorch_model.bin.index.json': b'{}'}, 'pytorch_model.bin.index.json, which is code')
