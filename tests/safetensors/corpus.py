# SPDX-License-Identifier: Apache-2.0
"""Crafted safetensors files: each breaks one rule of the format, or is odd and keeps all of them."""
import json
import struct

from parts import (E_DATA, MODEL, MODEL_DATA, MODEL_ENTRIES, OK, at, case, entry, file_of, header_of, pack)

E = entry()
PLAIN = file_of(E)
HEADER = header_of(E)
HEADER_END = 8 + len(HEADER)
LIMIT = 16 << 20  # bytes of a header
SHORT = 'has data_offsets outside the file or unlike its shape'  # the torch engine, for bytes that do not fit


def numbered(count):
    """Members of a header: `count` tensors without numbers."""
    return ','.join(f'"n{i:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(count))


# ---- accepted ----
case('plain', PLAIN, OK(), OK())
case('metadata', file_of('"__metadata__":{"format":"pt","note":"\\u00e9"}', E), OK(), OK())
case('metadata empty', file_of('"__metadata__":{}', E), OK(), OK())
case('metadata last', file_of(E, '"__metadata__":{"a":"b"}'), OK(), OK())
case('spaces behind the header', file_of(E, tail=' ' * 7), OK(), OK())
case('white space behind the header', file_of(E, tail='\n\t\r '), OK(), OK())
case('white space within the header', file_of(E.replace(':', ' :\n').replace(',', ' ,\t')), OK(), OK())
case('header of 16 MiB', file_of(E, tail=' ' * (LIMIT - len(HEADER))), OK(), OK())
case('scalar beside', file_of(E, entry('"s"', shape='[]', offsets=(24, 28)), data=E_DATA + b'abcd'), OK(), OK())
case('no numbers behind', file_of(E, entry('"z"', shape='[0]', offsets=(24, 24))), OK(), OK())
case('no numbers between', file_of(E, entry('"z"', shape='[0,5]', offsets=(0, 0))), OK(), OK())
case('no numbers at the beginning', file_of(entry('"z"', shape='[3,0]', offsets='[0,0]'), E), OK(), OK())
case('array of no rows', file_of(entry(shape='[0,3]', offsets=(0, 0)), data=b''), OK('0x3', b''), OK())
case('array of no columns', file_of(entry(shape='[3,0]', offsets=(0, 0)), data=b''), OK('3x0', b''), OK())
case('array of one dimension', file_of(entry(shape='[6]')), OK('6x1'), OK())
case('odd offset', file_of(entry('"o"', '"U8"', '[1]', (0, 1)), entry(offsets=(1, 25)), data=b'x' + E_DATA), OK(), OK())
case('keys in another order', file_of(f'"e":{{"data_offsets":[{at(0)},{at(24)}],"shape":[2,3],"dtype":"F32"}}'), OK(), OK())
case('tensors in another order', pack('{' + E + ',' + MODEL_ENTRIES + '}'), OK(), OK())
case('name with escapes', file_of(entry('"\\u0065"')), OK(), OK())
case('name empty', file_of(E, entry('""', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name with quotes', file_of(E, entry('"a\\"b\\\\"', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name with braces', file_of(E, entry('"[[[[[{{{{{,,,"', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name like a path', file_of(E, entry('"../../etc/passwd"', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name in many scripts', file_of(E, entry('"häß Ω 名前 😀 \\ud83d\\ude00"', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name of 100,000 bytes', file_of(E, entry('"' + 'n' * 100000 + '"', shape='[0]', offsets=(0, 0))), OK(), OK())
case('name with a colon', file_of(entry('"e:f"')), OK(), OK(), tensor='e:f')
case('8 dimensions beside', file_of(E, entry('"d"', shape='[1,1,1,1,1,1,1,1]', offsets=(24, 28)), data=E_DATA + b'abcd'), OK(),
     OK())
case('65,536 tensors', file_of(E, '"__metadata__":{"a":"b"}', numbered(65536 - len(MODEL) - 1)), OK(), OK())
for dtype, size in {'F16': 2, 'BF16': 2, 'F32': 4, 'F64': 8, 'I32': 4, 'I64': 8, 'U8': 1}.items():
    case('beside ' + dtype, file_of(E, entry('"d"', f'"{dtype}"', '[3]', (24, 24 + 3 * size)), data=E_DATA + b'0' * 3 * size),
         OK(), OK())

# ---- accepted by one of the readers: the other one has no use for it ----
case('beside U64', file_of(E, entry('"d"', '"U64"', '[1]', (24, 32)), data=E_DATA + b'01234567'), OK(),
     'tensor d has the number type U64')
case('beside BOOL', file_of(E, entry('"d"', '"BOOL"', '[1]', (24, 25)), data=E_DATA + b'\1'),
     OK(), OK())
for text, size in {'I8': 1, 'I16': 2, 'U16': 2, 'U32': 4, 'C64': 8, 'F8_E4M3': 1, 'F8_E8M0': 1, 'F8_E5M2FNUZ': 1, 'of a later version': 5}.items():
    case('beside ' + text, file_of(E, entry('"d"', f'"{text}"', '[1]', (24, 24 + size)), data=E_DATA + b'0' * size), OK(),
         f'tensor d has the number type {text}, which')
case('array of no dimension', file_of(entry(shape='[]', offsets=(0, 4)), data=b'abcd'), 'the tensor has 0 dimensions', OK())
case('array of three dimensions', file_of(entry(shape='[1,2,3]')), 'the array has more than two dimensions', OK())
case('no array of that name', file_of(entry('"f"')), 'holds no tensor "e"', OK())
case('name cut off by a NUL', file_of(entry('"e2"')), 'holds no tensor "e"', OK())
case('unknown key in a tensor', file_of(entry(more=',"file":"/etc/passwd"')), 'tensor "e" has an unknown or repeated key', OK())
case('9 dimensions beside', file_of(E, entry('"d"', shape='[1,1,1,1,1,1,1,1,1]', offsets=(24, 28)), data=E_DATA + b'abcd'), OK(),
     'tensor d lacks dtype, shape or data_offsets')
case('2^62 rows of no columns', file_of(entry(shape='[4611686018427387904,0]', offsets=(0, 0)), data=b''),
     OK('4611686018427387904x0', b''), 'tensor e has an impossible shape')
case('only the array', pack('{' + entry(offsets='[0,24]') + '}', E_DATA), OK(), ' is missing')
case('no tensor', pack('{}', b''), 'holds no tensor "e"', ' is missing')

# ---- cut off ----
case('cut off: no byte', b'', 'is truncated: 0 bytes', 'model.safetensors')
for length in 1, 7, 8, 9:
    case(f'cut off: byte {length}', PLAIN[:length], f'is truncated: {length} bytes',
         'ends at byte' if length < 8 else 'is longer than the file')
for place, length in {'in the header': 100, 'before the last byte of the header': HEADER_END - 1}.items():
    case('cut off: ' + place, PLAIN[:length], f'is truncated: {length} bytes', 'is longer than the file')
case('cut off: behind the header', PLAIN[:HEADER_END], 'is truncated: 0 bytes of tensor data of', SHORT)
case('cut off: in the first tensor', PLAIN[:HEADER_END + 3], 'is truncated: 3 bytes of tensor data of', SHORT)
case('cut off: before the last tensor', PLAIN[:-24], f'is truncated: {at(0)} bytes of tensor data of {at(24)}', 'tensor e ' + SHORT)
case('cut off: in the last tensor', PLAIN[:-12], f'is truncated: {at(12)} bytes of tensor data of {at(24)}', 'tensor e ' + SHORT)
case('cut off: before the last byte', PLAIN[:-1], f'is truncated: {at(23)} bytes of tensor data of {at(24)}', 'tensor e ' + SHORT)

# ---- the length of the header ----
DATA = MODEL_DATA + E_DATA
case('header length 0', pack(HEADER, length=0), 'header is empty', 'its header is no JSON')
case('header length 1', pack(HEADER, length=1), 'header is empty', 'line 1: ')
case('header length 2', pack(HEADER, length=2), 'byte 3 of the safetensors header: ', 'line 1: ')
case('header length one less', pack(HEADER, length=len(HEADER) - 1), 'the text ends too early', 'line 1: ')
case('header length one more', pack(HEADER, length=len(HEADER) + 1), 'the safetensors header', 'line 1: ')
case('header length of the file', pack(HEADER, length=len(HEADER) + len(DATA)), 'the safetensors header', 'line 1: ')
case('header length one more than the file', pack(HEADER, length=len(HEADER) + len(DATA) + 1), 'the header alone has',
     'is longer than the file')
for power in 31, 32, 40, 62, 63:
    case(f'header length 2^{power}', pack(HEADER, length=1 << power), 'is longer than 16 MiB', f'header of {1 << power} bytes')
case('header length 2^64 - 1', pack(HEADER, length=(1 << 64) - 1), 'is longer than 16 MiB', 'header of 18446744073709551615')
case('header length 2^64 - 8', pack(HEADER, length=(1 << 64) - 8), 'is longer than 16 MiB', 'header of 18446744073709551608')
case('header length in another byte order', struct.pack('>Q', len(HEADER)) + HEADER.encode() + DATA, 'is longer than 16 MiB',
     'is longer than the file or than 16 MiB')
case('header of 16 MiB and a byte', file_of(E, tail=' ' * (LIMIT - len(HEADER) + 1)), 'is longer than 16 MiB',
     'is longer than the file or than 16 MiB')
case('a pickle', b'\x80\x04\x95' + PLAIN, 'is longer than 16 MiB', 'is longer than the file or than 16 MiB')
case('a zip', b'PK\x03\x04' + PLAIN, 'is longer than 16 MiB', 'is longer than the file or than 16 MiB')

# ---- JSON that is none, or is no object ----
for name, header, array in [
        ('an array', '[]', 'does not begin with {'), ('a text', '"e"', 'does not begin with {'),
        ('null', 'null', 'does not begin with {'), ('a number', '12', 'does not begin with {'),
        ('a space first', ' ' + HEADER, 'does not begin with {'), ('a byte order mark', '\ufeff' + HEADER, 'does not begin with {')]:
    case('header is ' + name, pack(header), array, 'its header is no JSON')
for name, header, array in [
        ('a brace', '{ ', 'the text ends too early'), ('cut off', HEADER[:-1], 'the text ends too early'),
        ('cut off in a name', '{"e', 'the string does not end'), ('cut off behind a name', '{"e"', 'a colon is expected'),
        ('cut off behind a backslash', '{"e\\', 'the string does not end'),
        ('without a colon', HEADER.replace('"e":', '"e" '), 'a colon is expected'),
        ('without a comma', '{' + E + E.replace('"e"', '"f"') + '}', 'a comma or } is expected'),
        ('with a last comma', HEADER[:-1] + ',}', 'a key in quotes is expected'),
        ('with two commas', HEADER.replace(',"e"', ',,"e"'), 'a key in quotes is expected'),
        ('with other quotes', HEADER.replace('"e"', "'e'"), 'a key in quotes is expected'),
        ('with a bare name', HEADER.replace('"e"', 'e'), 'a key in quotes is expected'),
        ('with a number for a name', HEADER.replace('"e"', '1'), 'a key in quotes is expected'),
        ('with null for a name', HEADER.replace('"e"', 'null'), 'a key in quotes is expected'),
        ('with a comment', HEADER[:-1] + '/* */}', 'a comma or } is expected'),
        ('twice', HEADER + HEADER, 'something follows the value'), ('with a brace too many', HEADER + '}', 'something follows'),
        ('padded with NUL', HEADER + '\0\0\0', 'something follows the value'),
        ('closed by a bracket', HEADER[:-1] + ']', 'a comma or } is expected'),
        ('with a control character in a name', HEADER.replace('"e"', '"e\n"'), 'a control character inside a string'),
        ('with a NUL in a name', HEADER.replace('"e"', '"e\0"'), 'a control character inside a string'),
        ('with the escape of a NUL in a name', HEADER.replace('"e"', '"e\\u0000"'), 'which no text may hold'),
        ('with an unknown escape', HEADER.replace('"e"', '"\\e"'), 'an unknown escape'),
        ('with a broken escape', HEADER.replace('"e"', '"\\u00g5"'), 'four hexadecimal digits'),
        ('with half of a surrogate pair', HEADER.replace('"e"', '"\\ud800"'), 'half of a surrogate pair'),
        ('with the other half of a surrogate pair', HEADER.replace('"e"', '"\\udc00"'), 'half of a surrogate pair')]:
    case('header ' + name, pack(header), array, 'line ')
for name, sequence in [('a stray byte', '\udcff'), ('an overlong NUL', '\udcc0\udc80'), ('a surrogate', '\udced\udca0\udc80'),
                       ('a sequence that ends early', '\udce2\udc82'), ('a code point too high', '\udcf4\udc90\udc80\udc80')]:
    case('name with ' + name, file_of(E, entry(f'"{sequence}"', shape='[0]', offsets=(0, 0))),
         f'byte {len(HEADER) + 2} of the safetensors header is not UTF-8', 'line 1: ')

# ---- names that stand twice ----
case('tensor twice', file_of(E, E), 'names a tensor twice', 'line 1: duplicate object key')
case('tensor twice, with an escape', file_of(E, entry('"\\u0065"')), 'names a tensor twice', 'line 1: duplicate object key')
case('two tensors of one name', file_of(E, entry(offsets=(24, 48)), data=E_DATA * 2), 'names a tensor twice',
     'line 1: duplicate object key')
case('metadata twice', file_of('"__metadata__":{}', E, '"__metadata__":{}'), 'names a tensor twice', 'line 1: duplicate object key')
for key, text in {'dtype': '"F32"', 'shape': '[2,3]', 'data_offsets': f'[{at(0)},{at(24)}]'}.items():
    case(key + ' twice', file_of(entry(more=f',"{key}":{text}')), 'tensor "e" has an unknown or repeated key',
         'line 1: duplicate object key')

# ---- what stands for a tensor ----
for name, text in {'an array': '[]', 'null': 'null', 'a text': '"F32"', 'a number': '24', 'true': 'true'}.items():
    case('tensor is ' + name, file_of('"e":' + text), 'tensor "e" is no object', 'tensor e lacks dtype')
case('tensor is empty', file_of('"e":{}'), 'tensor "e" is malformed', 'tensor e lacks dtype')
for key in 'dtype', 'shape', 'data_offsets':
    case('tensor without ' + key, file_of(E.replace(f'"{key}"', '"other"')), 'tensor "e" has an unknown or repeated key',
         'tensor e lacks dtype, shape or data_offsets')
    case(f'tensor with only {key}', file_of('"e":' + json.dumps({key: {'dtype': 'F32', 'shape': [2, 3]}.get(key, [0, 24])})),
         'tensor "e" is malformed', 'tensor e lacks dtype')

# ---- dtype ----
for text in '"f32"', '"F128"', '""', '"F32 "', '"float32"', '"I8"', '"I16"', '"U16"', '"F8_E4M3"', '"F8_E5M2"', '"C64"':
    known = text[1] in 'ICU' or text.startswith('"F8')
    case('dtype ' + text, file_of(entry(dtype=text)),
         OK('2x3', b''.join(E_DATA[i:i + 4] + bytes(4) for i in range(0, 24, 4))) if text == '"U32"' else
         'data_offsets that do not fit its shape' if known else f'has the dtype {text[1:-1]}, which is not read',
         f'tensor e has the number type {text[1:-1]}, which')
for text in '3', 'null', '["F32"]', '{}', 'true':
    case('dtype ' + text, file_of(entry(dtype=text)), 'tensor "e" has a dtype that is no text', 'tensor e lacks dtype')

# ---- shape ----
for text in 'null', '"2x3"', '6', '{}', '{"0":2,"1":3}':
    case('shape ' + text, file_of(entry(shape=text)), 'tensor "e" has an impossible shape', 'tensor e lacks dtype, shape')
for text in ('[[2,3]]', '[2,-3]', '[-2,-3]', '[2.0,3]', '[2,3e0]', '["2","3"]', '[2,null]', '[2,true]', '[4294967296,4294967296]',
             '[4611686018427387904,4]', '[9223372036854775807,9223372036854775807]', '[2,3,-1]'):
    case('shape ' + text, file_of(entry(shape=text)), 'tensor "e" has an impossible shape', 'tensor e has an impossible shape')
case('shape [2305843009213693952,4,2]', file_of(entry(shape='[2305843009213693952,4,2]')), 'tensor "e" has an impossible shape',
     'tensor e has an impossible shape')
case('shape whose bytes overflow', file_of(entry(shape='[4611686018427387904]')), 'data_offsets that do not fit its shape',
     'tensor e has an impossible shape')
case('shape whose bytes overflow to its true size', file_of(entry(shape='[4611686018427387910]')),
     'tensor "e" has data_offsets that do not fit its shape', 'tensor e has an impossible shape')
for text in '[2,03]', '[2,+3]', '[2,]', '[,2]', '[2 3]', '[2,3', '[2,0x3]', '[NaN]', '[Infinity]', '[9223372036854775808]', '[1' + '0' * 400 + ']':
    case('shape ' + text[:40], file_of(entry(shape=text)), 'tensor "e" ', 'line 1: ')
for text in '[2,2]', '[2,4]', '[]', '[0]', '[24]', '[1000000000000]':
    case('shape ' + text, file_of(entry(shape=text)), 'tensor "e" has data_offsets that do not fit its shape', 'tensor e ' + SHORT)
case('64 dimensions', file_of(E, entry('"d"', shape='[' + '1,' * 63 + '1]', offsets=(24, 28)), data=E_DATA + b'abcd'), OK(),
     'tensor d lacks')
case('65 dimensions', file_of(E, entry('"d"', shape='[' + '1,' * 64 + '1]', offsets=(24, 28)), data=E_DATA + b'abcd'),
     'tensor "d" has an impossible shape', 'tensor d lacks')

# ---- data_offsets ----
for text in 'null', '{}', '24', '"0,24"', '[]', '[0]', '[0,24,24]':
    case('data_offsets ' + text, file_of(entry(offsets=text)), 'tensor "e" has impossible data_offsets', 'tensor e lacks dtype, shape')
for text in ('[-1,24]', '[-24,0]', '[0.0,24]', '[0,24e0]', '["0","24"]', '[null,null]', '[[0],[24]]', f'[{at(24)},{at(0)}]',
             '[9223372036854775807,0]'):
    case('data_offsets ' + text, file_of(entry(offsets=text)), 'tensor "e" has impossible data_offsets', 'tensor e ' + SHORT)
for text in '[0,9223372036854775808]', '[0,1' + '0' * 400 + ']', '[0,024]', '[0,24', '[0 24]':
    case('data_offsets ' + text[:40], file_of(entry(offsets=text)), 'tensor "e" ', 'line 1: ')
case('data_offsets of one byte less', file_of(entry(offsets=(0, 23))), 'data_offsets that do not fit its shape', 'tensor e ' + SHORT)
case('data_offsets empty', file_of(entry(offsets=(24, 24))), 'data_offsets that do not fit its shape', 'tensor e ' + SHORT)
case('data_offsets one past the end', file_of(entry(offsets=(1, 25))), 'leaves holes', 'tensor e ' + SHORT)
case('data_offsets past the end', file_of(entry(offsets=(1 << 30, (1 << 30) + 24))), 'leaves holes', 'tensor e ' + SHORT)
case('data_offsets at the end of 64 bits', file_of(entry(offsets='[9223372036854775783,9223372036854775807]')), 'leaves holes',
     'tensor e ' + SHORT)
HOLES = 'leaves holes or lets tensors overlap', 'tensors overlap or leave a hole'
BESIDE = entry('"d"', offsets=(24, 48))
case('hole at the beginning', pack('{' + entry(offsets='[1,25]') + '}', b'x' + E_DATA), *HOLES)
case('hole between', file_of(entry(offsets=(1, 25)), data=b'x' + E_DATA), *HOLES)
case('hole of a whole tensor', file_of(E, entry('"d"', offsets=(48, 72)), data=E_DATA * 3), *HOLES)
case('overlap by a byte', file_of(E, entry('"d"', offsets=(23, 47)), data=E_DATA * 2), *HOLES)
case('overlap of all', file_of(E, entry('"d"')), *HOLES)
case('overlap with the first', file_of(entry(offsets='[0,24]'), data=b''), *HOLES)
case('tensor within another', file_of(E, entry('"d"', '"U8"', '[2]', (4, 6))), *HOLES)
case('no numbers within another', file_of(E, entry('"d"', shape='[0]', offsets=(4, 4))), *HOLES)
case('no numbers behind the end', file_of(E, entry('"d"', shape='[0]', offsets=(25, 25))), 'leaves holes', 'tensor d ' + SHORT)
case('gap and overlap that cancel', file_of(entry(offsets=(1, 25)), entry('"d"', offsets=(23, 47)), data=E_DATA * 2), *HOLES)

# ---- bytes behind ----
BEHIND = 'bytes of numbers, its header speaks of ' + at(24)
for name, rest in {'a byte': b'\0', 'a line end': b'\n', '1 MiB': b'\0' * (1 << 20), 'itself': PLAIN, 'a zip': b'PK\x05\x06' + b'\0' * 18}.items():
    case('followed by ' + name, PLAIN + rest, f'has {len(rest)} bytes after its last tensor', BEHIND)
case('numbers without tensors', pack('{}', E_DATA), 'has 24 bytes after its last tensor', '24 bytes of numbers, its header speaks of 0')

# ---- metadata ----
for name, text in {'null': 'null', 'an array': '[]', 'a text': '"pt"', 'a number': '1'}.items():
    case('metadata is ' + name, file_of(f'"__metadata__":{text}', E), 'header has malformed __metadata__', 'its __metadata__ is no object')
for name, text in {'a number': '1', 'null': 'null', 'an object': '{}', 'an array': '["pt"]', 'true': 'true'}.items():
    case('metadata has ' + name, file_of(f'"__metadata__":{{"format":{text}}}', E), 'header has malformed __metadata__',
         "its __metadata__ has 'format', which is no text")
case('metadata is a tensor', file_of(entry('"__metadata__"')), 'header has malformed __metadata__', "__metadata__ has 'shape', which")

# ---- deep, many, large ----
DEEP = 'nested too deeply'
for name, text in {'arrays': '[' * 100000, 'closed arrays': '[' * 100000 + ']' * 100000, 'objects': '{"a":' * 100000}.items():
    case(f'100,000 {name} as a tensor', file_of('"e":' + text), 'tensor "e" is no object' if text[0] == '[' else 'unknown', DEEP)
    case(f'100,000 {name} as a shape', file_of(entry(shape=text)), 'tensor "e" has an impossible shape', DEEP)
    case(f'100,000 {name} as metadata', file_of('"__metadata__":' + text), 'malformed __metadata__', DEEP)
case('100,000 arrays as a header', pack('{' + '[' * 100000), 'a key in quotes is expected', DEEP)
case('five levels', file_of(entry(shape='[[[3]]]')), 'tensor "e" has an impossible shape', DEEP)
MANY = 'names more than 65,536 tensors', 'more than 65536 tensors'
case('65,537 tensors', file_of(E, numbered(65537 - len(MODEL) - 1)), *MANY)
case('100,000 tensors', file_of(E, numbered(100000)), *MANY)
for name, text in {'arrays': '[],', 'objects': '{},', 'numbers': '1,', 'names': '"a":1,'}.items():
    count = (LIMIT - 2 * len(HEADER)) // len(text)
    opening, closing = ('[', ']') if name != 'names' else ('{', '}')
    case(f'16 MiB of {name}', file_of(entry(shape=opening + (text * count)[:-1] + closing)), 'tensor "e" has an impossible shape',
         'holds more than 65536 tensors need')
case('16 MiB of opening brackets', pack('{"e":' + '[' * (LIMIT - 5)), 'tensor "e" is no object', DEEP)
case('16 MiB of name', pack('{"' + 'n' * (LIMIT - 2)), 'the string does not end', 'line 1: ')
case('16 MiB of escapes', pack('{"' + '\\u0041' * ((LIMIT - 2) // 6)), 'the string does not end', 'line 1: ')
