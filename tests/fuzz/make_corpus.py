#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seed inputs of tests/fuzz/corpus: small files that reach every branch of a parser."""
import gzip, io, json, lzma, os, struct, zipfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def write(target, *inputs):
    folder = os.path.join(here, target)
    os.makedirs(folder, exist_ok=True)
    for number, data in enumerate(inputs):
        with open(os.path.join(folder, f"{number:02d}"), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())


def npy(version, header, data):
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + data


def safetensors(header, data):
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text)) + text + data


write("text", "", "a\nb", "a\r\nb\r\n", "\ufeffa\n", b"\xff\xfea\0", b"a\0b\n", "x\ry\n", "a\u0085b\u2028c\n",
      "id\ttext\tcost\n1\ta\\tb\\n\\\\\t2.5\n", "text\n\n", "src\treference\tlang\tgroup\na\tb\tde\tg\n",
      "text\ttext\n", "id\ttext\n1\n", "text\tcost\na\t-1\n", "\ufefftext\r\na\r\n", "\nb")
write("jsonl", '{"id":"x","source":"a","lang":"de","reference":"b","group":"g","cost":2}\n',
      '{"text":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"}', '{"id":-12,"text":"","m":{"a":[1,2.5e-3,true,false,null,{}]}}\n\n',
      '{"text":"a","text":"b"}', '{"text":"\\uD800"}', '{"text":"\\u0000"}', "[" * 70, '{"a":' * 70, '{"text":"a",}',
      '{"src":"x","cost":1e999}', '\ufeff{"text":null,"source":"s"}\r\n', b'{"text":"\xff\xc3"}', '{"text":"x"',
      '{"translation":{"en":"a","de":"b","id":"c"}}\n{"id":"7","translation":{"de":null,"en":"\\u00e9"},"en":"own"}\n', '{"translation":{"fr":"a"}}',
      '{"translation":{"en":"a","en":"b"}}', '{"translation":{"en":["a"]}}', '{"translation":["a"],"en":"b","de":"c"}',
      '{"schema":"alcore-selection-1","text":"a"}\n{"text":"b","schema":{"a":["alcore-"]}}\n{"schema":"alcore-\\u00e9","text":"c"}')
write("tables", "", "id,text\n1,a\n", "\ufeffid;text\r\n1;\"a;\r\n\"\"b\"\"\"\r\n", "sep=|\nid|text\n1|a,b\n", ",text,cost\n0,x,1.5\n1,y\n\n",
      "text\n\n\"\"\n\"a\"\n", "a;b,text\n1,x\n", "\"a;b\"\ttext\n1\t\"x\ty\"\n", "text\n\"a", "text,id\n\"a\"b,1\n \"a\",2\na\rb,3\n",
      "text,x;\"y\nz\"\n", "text,text\n", "id,text\n1,\"a\nb\"\n2,\"c\n\nd\"", b"text\n\xff\n", b"id,text\n1,a\0\n")
write("sgml", "<srcset setid=\"n\">\n<doc docid=\"a.1\">\n<p>\n<seg id=\"1\"> a &amp; b &#228;&#xE4; AT&T </seg>\n</p>\n</doc>\n</srcset>\n",
      "<DOC ID='d'>\n<hl><SEG ID=1>x</SEG></hl>\n", "<src>\n<seg id=\"1\">a</seg>\n</src>\n<ref>\n<seg id=\"1\">b</seg>\n", "<seg>a</seg>",
      "<seg id=\"1\">a", "<seg id=\"1\">&#x110000;&#0;&#;&#x;&lt;&gt</seg>", "<seg id=1>a</seg><seg id=2>b</seg>", "", "<doc id=\"", "<seg id",
      "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE a [ <!ELEMENT b> ]>\n<doc id='d' domain=\"news\">\n<src lang='en'><p>\n<seg\n id='1'>a\n b "
      "<![CDATA[ &amp; ]]><!-- c --></seg><seg id='2'/></p></src>\n<ref translator='A' lang='de'><seg id='1'>A <b>x</b></seg></ref>"
      "<hyp system='S'><seg id='1'>s</seg></hyp></doc>", "<!-- a\n b", "<!ENTITY a 'b'>", "<?xml encoding='latin1'?>", "<refset refid=A><doc genre=news docid=1>"
      "<seg id=1>a</seg></refset><refset refid=A><seg id=1>b</seg>", "<seg id=1>a</doc><seg id=2>b</seg>")
head = "<tmx version='1.4'><header srclang='en'/><body>"
write("tmx", head + "<tu tuid='1'><tuv xml:lang='en-US'><seg>a &amp; <hi>b</hi></seg></tuv><tuv xml:lang='de'><seg>c <bpt i='1'>&lt;b></bpt>d</seg>"
      "</tuv></tu>\n<tu srclang='de'><tuv lang='de'><seg>e</seg></tuv><tuv xml:lang='en'><seg><![CDATA[<f>]]>&#x1F600;</seg></tuv></tu></body></tmx>",
      "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx><header srclang='*all*'/><body>\n<tu><prop type='x'>p</prop>"
      "<tuv xml:lang='de'><seg>a</seg></tuv><tuv xml:lang='en_us'><seg/></tuv></tu></body></tmx>", ("\ufeff" + head + "<tu><tuv xml:lang='en'><seg>\u00e9</seg>"
      "</tuv></tu></body></tmx>").encode("utf-16"), b"<?xml version='1.0' encoding='iso-8859-1'?>" + (head + "<tu><tuv xml:lang='en'><seg>").encode() +
      b"\xe9\xff</seg></tuv></tu></body></tmx>", "<!DOCTYPE tmx [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>" + head + "&b;&b;</body></tmx>",
      "<!DOCTYPE tmx [<!ENTITY % p SYSTEM 'file:///dev/zero'> %p;]><tmx/>", "<!DOCTYPE tmx SYSTEM 'x'>" + head + "&nbsp;</body></tmx>", head + "<tu>" * 500,
      head + "<tu><tuv xml:lang='en'><seg>" + "<ph>" * 400 + "x", head + "<tu tuid='" + "a" * 3000, "<xliff/>", "", b"<tmx>\xff</tmx>", "<tmx>\0</tmx>",
      head + "<tu/><tu><tuv/><tuv><seg/></tuv><tuv xml:lang=''><seg>a</seg></tuv></tu></body></tmx>", head + "</body></tmx><tu/>", "<?xml version='1.0' encoding='x'?><tmx/>")
row = "\t_\t_\t_\t_\t_\t_\n"
write("conll", "# newdoc id = d\n# sent_id = s\n1-2\tab\t_\t_" + row + "1\ta\t_\tX" + row + "2\tb c\t_\tY" + row + "2.1\td\t_\tZ" + row +
      "\n", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n# NN O O\n\n# note\nx y z O\r\n", "en:Paris\tB-LOC\nen:a:b\tO\n\nen:x\tO\n",
      "en:a\tO\n\nb\tO\n", "a\tO\n\nb\nc\tO\n\nd\tO\n", "a\t\tO\n\tx\t\n", "one\ntwo\n\n", "#\tO\n", "# \n#\n#a b\n", "1\ta\t_\t_" + row + "x\tb\t_\tX" + row,
      "# global.columns = ID FORM UPOS X:Y\n# sent_id = a\n1-2\tab\t_\t*\n1\ta\tX\t*\n2\tb\tY\t1\n\n", "#\thttp://x [2]\n1\ta\tO\tO\n2\tb\tB-X\tO\n\n",
      "# id 1-2\td=e\na _ _ O\n# _ _ O\n\n# id 3\td=e\nb _ _ B-X\n", "1\tA\ta\ta\tDT\tDT\t_\t_\t2\t2\tN\tN\t_\t_\n\n1\tG\tg\tg\tVB\tVB\t_\t_\t0\t0\tR\tR\tY\tg.01\tA1\n",
      "#begin document (b/c); part 000\nb/c 0 0 It PRP (S* - - - S * -\nb/c 0 1 is VBZ *) be 01 1 S * -\n\n#end document\n", "1 CD O\nm CD O\n", "1\ta\tO\n", "0 a B-X\n1 b O\n",
      "\ufeffa O\nb\rc O", " \t\n\n", b"\xff\tO\n", "a O\n\tb O\n")
write("tags", "B-PER I-PER O\tB-PER I-PER B-LOC\n", "I-A I-B O\tB-A I-A I-A\nO\tO\n", "O O\tO\n", "B-\tO", "X-PER\tO",
      "\n\t\n", b"B-\xff\tB-\xff\n\0\t\0")
write("npy", npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", bytes(24)),
      npy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", bytes(24)),
      npy(3, "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 7), }\n", b""),
      npy(1, "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 3), }\n", bytes(12)),
      npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", bytes(8)),
      npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n", bytes(8)),
      npy(1, "{\"shape\":(2,),\"descr\":'<u8',\"fortran_order\":False}", bytes(16)), npy(2, "", b"")[:10],
      npy(1, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }\n", bytes(24)), npy(1, "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }", bytes(6)),
      npy(1, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 2), }\n", bytes(8)), npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", bytes(3)))
one = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
write("safetensors", safetensors({"t": one}, bytes(24)),
      safetensors({"__metadata__": {"format": "pt"}, "t": one, "u": {"dtype": "U8", "shape": [1], "data_offsets": [24, 25]}}, bytes(25)),
      safetensors({"t": {"dtype": "BF16", "shape": [], "data_offsets": [0, 2]}}, bytes(2)),
      safetensors('{"t":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},"t":{}}', bytes(16)),
      safetensors({"t": {"dtype": "F16", "shape": [2**32, 2**32], "data_offsets": [0, 0]}}, b""),
      safetensors({"t": {"dtype": "F64", "shape": [1], "data_offsets": [8, 16]}}, bytes(16)),
      safetensors({"t": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]}}, bytes(4)),
      safetensors({"t": {"dtype": "F4", "shape": [4], "data_offsets": [0, 2]}}, bytes(2)),
      safetensors("{}", b""), safetensors("[" * 40, b""), b"\xff" * 12)


def aligner(words, table, version=1, iterations=2, **changed):
    """A file of an aligner; table: for the null word and each source word [(target word from 1, t)]. The target puts in the
    checksum."""
    sections = [b"".join(word.encode() + b"\n" for word in side) for side in words]
    head = dict(reverse=0, diagonal=1, bayes=1, tension=0, p0=0.08, start_lambda=4.0, alpha=0.01, start=1e-9, **{"lambda": 4.0})
    head.update(changed)
    pairs = [pair for row in table for pair in row]
    return (struct.pack("<8sIiiiiiddddd5Q", b"ALALGN\r\n", version, head["reverse"], head["diagonal"], head["bayes"],
                        head["tension"], iterations, head["p0"], head["start_lambda"], head["alpha"], head["start"],
                        head["lambda"], len(words[0]), len(words[1]), len(sections[0]), len(sections[1]), len(pairs)) +
            struct.pack("<%dd" % iterations, *[-1.0] * iterations) + b"".join(sections) +
            struct.pack("<%dI" % len(table), *map(len, table)) + b"".join(struct.pack("<Id", *pair) for pair in pairs) + bytes(8))


both = (["das", "Haus"], ["the", "house"])
rows = [[(1, 0.5), (2, 0.5)], [(1, 0.9), (2, 0.1)], [(2, 1.0)]]
write("aligner", aligner(both, rows), aligner(([], []), [[]]), aligner((["das", "das"], ["the", "house"]), rows),
      aligner((["das", "a b"], ["the", "house"]), rows), aligner(both, [[(2, 0.5), (1, 0.5)], [], []]),
      aligner(both, [[(3, 0.5)], [], []]), aligner(both, [[(1, -1.0)], [], []]), aligner(both, rows, version=2),
      aligner(both, rows, tension=1, reverse=1), aligner(both, rows, p0=1.0), aligner(both, rows, alpha=float("nan")),
      aligner(both, rows)[:60], b"ALALGN\r\n", b"")


def column_part(name, shape, dtype, dims, rows, lengths, values, meaning=0, log_base=0.0, version=1):
    """A file of a column writer; the target puts in the pool's fingerprint and the checksum."""
    stored = sum(lengths) if lengths else len(rows)
    head = struct.pack("<8sIIQqiiqqqqd", b"ALCOLW\r\n", version, len(name), 0, 4, shape, dtype, dims, len(rows), stored,
                       meaning, log_base)
    body = name.encode() + struct.pack("<%dq" % len(rows), *rows) + struct.pack("<%dq" % len(lengths), *lengths)
    return head + body + values + bytes(8)


write("column_part", column_part("c", 1, 3, 2, [3, 0], [], struct.pack("<4f", 1, 2, 3, 4)),
      column_part("c", 2, 4, 1, [1, 2, 0], [2, 0, 1], struct.pack("<3d", -1, -2, -3)),
      column_part("c", 3, 3, 2, [1], [2], struct.pack("<4f", 1, 2, 3, 4)), column_part("c", 0, 6, 1, [2], [], bytes(8)),
      column_part("c", 1, 3, 0, [], [], b""), column_part("c", 0, 3, 1, [9], [], bytes(4)),
      column_part("c", 0, 3, 1, [1, 1], [], bytes(8)), column_part("c", 2, 3, 1, [0, 1], [-1, 2], bytes(4)),
      column_part("other", 0, 3, 1, [0], [], bytes(4)), column_part("c", 0, 3, 1, [0], [], bytes(4), 6, 2.0),
      column_part("c", 0, 3, 1, [0], [], bytes(4), version=2), b"ALCOLW\r\n", b"")
write("score_text", "1\n-2.5\nnan\n", "id\tscore\na\t1\nb\\tc\t2\n", "a\t-1 -2  -3\nb\t\n", "x ||| WordScores= -0.5 -1\n",
      "0 ||| a ||| WordScores= -1 ||| F0= -1 ||| -1\n0 ||| b ||| WordScores= -2 ||| F0= -2 ||| -2\n",
      "S-3\tHallo\nH-3\t-1\tx\nP-3\t-1 -2\nP-0\t-0.5\n", "", "P-\t1\n", "\ufeff1\r\n2")
write("served", '{"choices":[{"logprobs":{"content":[{"id":1,"logprob":-1,"top_logprobs":[{"id":1,"logprob":-1},{"id":2,"logprob":-2}]}]}}]}\n',
      '{"custom_id":"r1","response":{"status_code":200,"body":{"choices":[{"index":0,"logprobs":{"token_logprobs":[null,-1],"top_logprobs":'
      '[null,{"a":-1,"\\ufffd":-2}]}}]}},"error":null}\n{"custom_id":"r2","response":{"status_code":400,"body":{"error":{"message":"no"}}}}',
      '{"index":1,"response":{"choices":[{"index":1},{"logprobs":{"token_logprobs":[-1]}}]}}', '{"error":"x"}', "data: [DONE]", "",
      '{"choices":[{"logprobs":null}],"prompt_logprobs":[null,{"7":{"logprob":-1,"rank":1},"8":{"logprob":-0.5}}]}',
      '{"choices":[{"delta":{}}]}', '{"choices":[{"logprobs":{"content":[{"prob":0.5}]}}]}', '{"choices":[[[[[{"a":')
write("utf8", "plain ASCII text that is longer than thirty-two bytes", "grüß 中文 😀 été e\u0301", b"\xc0\xaf\xe0\x9f\xbf\xf0\x8f\xbf\xbf",
      b"\xed\xa0\x80\xf4\x90\x80\x80\xf5\xff", b"x\xe4\xb8", b"\x80\xbf", "Straße ΟΔΟΣ İ 42 ١٢ ﬁ", "q\u0307\u0323" * 40)
write("measures", "chrf 41.5\nbleu\t20\r\n\n# loading 3\nsignature\tnrefs:1|case:mixed\n", '{"bleu": 3e1, "precisions": [1, -2.5], "signature": "a b"}',
      "loading\n", "a nan\n", "a 0,5\n", "a 1\na 2", '{"a": "1"}', '{"a": [null]}', '{"a": 1', b"a 1\0", "\u00e4 1", "a" * 65 + " 1",
      "".join("m%d %d\n" % (i, i) for i in range(65)), "", " \t{} ", '{"a_1": 1, "a": [1]}')
write("number", "0", "-1.5", "1e22", "9007199254740993", "0.1", "5e-324", "1.7976931348623157e308", "1e999", "nan", "-inf",
      "123456789012345678901234567890", ".5", "5.", "1e", "0x10", "0." + "0" * 300 + "1", "Infinity")
text = b"one line\nand another\n" * 20
write("stream", b"\0" + gzip.compress(text, mtime=0), b"\0" + gzip.compress(text, mtime=0) * 2, b"\1" + lzma.compress(text),
      b"\1" + lzma.compress(text) * 2, b"\2" + bytes.fromhex("28b52ffd2003190000616263"),
      b"\2" + bytes.fromhex("28b52ffd00a801"), b"\0", b"\1", b"\2")
write("pharaoh", "0-0 1-2\n\n2-1 0-3 2-1\n", "0-0", "", "\ufeff0-0\r\n", "1-\n", "-1\n", "0-0-0\n", "16777216-0\n", "99999999999999999999-1\n",
      "a-b\n", "+1-1\n", "0-0\t1-1 \n", b"0-0\0\n", b"\xff-1\n")
write("annotations", "\0id\ttext\tkind\tindex\tcost\n1\ta b\tsent\t0\t2\n9\tb\tphrase\t0\t1\n", "\0id\ttext\tocc\n3\tx y\t2\n",
      "\0rank\tphrase\tfirst_index\n1\tb\t1\n", "\0id\tid\n", "\0id\ttext\n7\ta b\n", "\0",
      '\4{"id":"1","source":"a b","al":{"kind":"sentence","index":0,"x":[{}]}}\n', '\4{"id":"1","text":"b","kind":"phrase"}', "\4{",
      "\1id\ttext\ttranslation\n1\ta b\tA\n1\tb\tB\n", "\0011\ta b\tA\n1\tb\tB\n", "\1id\ttext\ttranslation\tflags\n1\tb\tB\tloose\n1\ta b\t\tuntranslatable\n",
      "\1req_id\tstatus\ttranslation\n1\tok\tA\n", "\1id\ttext\ttranslation\n1\tb\tB\\tB\n1\tb\tB\n", "\1id\ttext\ttranslation\n1\tb\t\n",
      '\5{"id":"1","text":"b","translation":"B","flags":""}\n', '\5{"req_id":1,"text":"a b","translation":null,"status":"skip"}',
      "\2a b\tA\nb\tB\n", "\2source\ttarget\nb\tB\n", "\2b\n", "\2 \tx\n", '\6{"source":"b","translation":"B"}', b"\2b\t\xff\n",
      '\x08id,text,kind\n1,"a b",sent\n', '\x09id;text;translation\n1;b;"B;\nC"\n', '\x0ab,"B, C"\n', "\x09sep=|\nid|translation|flags\n9|x\n")
# Changes of a project.sqlite: page, offset, value. Nothing; kinds, numbers of cells and pointers of
# pages; the header of the file, the form and the application; bytes of rows.
write("project", b"", *(bytes([page, 0, at, value]) for page in (1, 2, 5, 7) for at, value in ((0, 13), (0, 2), (3, 255), (4, 1), (8, 15), (9, 7))),
      bytes([0, 0, 16, 1]), bytes([0, 0, 20, 0]), bytes([0, 0, 31, 99]), bytes([0, 0, 63, 2]), bytes([0, 0, 71, 1]), bytes([0, 0, 103, 255]),
      b"".join(bytes([page, 15, at, 255]) for page in range(1, 19) for at in (0, 64, 128, 200)))
write("plan", "a\t1\thi:40,fa:20\n", "# a plan\n\na\t*\thi:1\na\t2\tfa:3\n", "a\t1\thi:1\nnear\t1\tfa:2\n", "a\t0\thi:1\n", "a\t1\n",
      "a\t1\thi:1;fa:2\n", "\t1\thi:1\n", "a\t1\thi:1\tb\n", "a\tx\thi:1\n", "a\t99999999999999999999\thi:1\n", "", b"a\t1\thi:1\0fa:2\n",
      "\ufeffa\t1\thi:1\r\na\t1\thi:2", "a\t1\t\n", "a\t*\thi:1\na\t1\t\n")
write("arpa", "\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n0\t<s>\t-0.3\n-0.5\t</s>\n-1\t<unk>\n-0.7\ta\t-0.2\n\n"
      "\\2-grams:\n-0.1\t<s> a\n\n\\end\\\n", "\\data\\\nngram 1=1\n\n\\1-grams:\n-1\t<unk>\n\n\\end\\\n", "",
      "\\data\\\nngram 1=9999999999\n\n\\1-grams:\n")


def tokenizer(model, vocab=None, **parts):
    """A tokenizer.json; model: its kind. A part that is a text is an object of that type."""
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
             "post_processor": None, "decoder": None}
    for name, part in parts.items():
        whole[name] = {"type": part} if isinstance(part, str) else part
    whole["model"] = {"type": model, **(vocab if isinstance(vocab, dict) else {"vocab": vocab})}
    return json.dumps(whole, ensure_ascii=False)


def added(number, text, **flags):
    return {"id": number, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True, **flags}


def steps(kind, key, *parts):
    return {"type": kind, key: [{"type": part} if isinstance(part, str) else part for part in parts]}


pieces = {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
          "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4, "ab": 5}}
merged = {"dropout": None, "unk_token": "<s>", "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True,
          "ignore_merges": False, "vocab": {"<s>": 0, "a": 1, "b": 2, "ab": 3, "<0xC3>": 4}, "merges": [["a", "b"]]}
scored = {"unk_id": 0, "vocab": [["<s>", 0.0], ["a", -1.5], ["ab", -2.0], ["▁", -1e1]], "byte_fallback": False}
bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[CLS]", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}}}
levels = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
write("tokenizer_json",
      tokenizer("WordPiece", pieces, added_tokens=[added(0, "[UNK]"), added(1, "[CLS]"), added(6, "[x]", lstrip=True, rstrip=True, special=False),
                                                   added(7, "Ab", normalized=True, single_word=True, special=False)],
                normalizer=bert, pre_tokenizer="BertPreTokenizer", post_processor=template, decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}),
      tokenizer("BPE", merged, pre_tokenizer=levels, decoder=levels,
                post_processor={"type": "RobertaProcessing", "sep": ["<s>", 0], "cls": ["<s>", 0], "trim_offsets": True, "add_prefix_space": True}),
      tokenizer("BPE", {**merged, "merges": ["a b"]}, added_tokens=[added(0, "<s>")],
                normalizer=steps("Sequence", "normalizers", {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}),
                decoder=steps("Sequence", "decoders", {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, "ByteFallback", "Fuse",
                              {"type": "Strip", "content": " ", "start": 1, "stop": 0})),
      tokenizer("Unigram", scored, pre_tokenizer=steps("Sequence", "pretokenizers", "WhitespaceSplit", metaspace), decoder=metaspace, post_processor=template,
                normalizer={"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}),
      tokenizer("Unigram", scored, normalizer=steps("Sequence", "normalizers", "Nmt", "NFKC", "NFD", "StripAccents", "Lowercase",
                                                    {"type": "Strip", "strip_left": True, "strip_right": True},
                                                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}), pre_tokenizer=metaspace),
      tokenizer("WordLevel", {"unk_token": "a", "vocab": {"a": 0, "b": 1}}, pre_tokenizer="WhitespaceSplit",
                post_processor={"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]}),
      tokenizer("BPE", {"vocab": {"a": 0, "b</w>": 1, "ab</w>": 2}, "merges": [["a", "b</w>"]], "end_of_word_suffix": "</w>"}, decoder={"type": "BPEDecoder", "suffix": "</w>"}),
      tokenizer("WordPiece", {**pieces, "vocab": {"[UNK]": 0, "a": 0}}), tokenizer("WordPiece", {**pieces, "vocab": {"[UNK]": -1, "a": 2 ** 62}}),
      tokenizer("WordPiece", {"vocab": {}}), tokenizer("Unigram", {**scored, "unk_id": 9}), tokenizer("Unigram", {**scored, "vocab": [["a", "b"]]}),
      tokenizer("BPE", {**merged, "merges": [["a", "c"], ["a"]]}), tokenizer("BPE", {**merged, "dropout": 0.5}), tokenizer("Other", pieces),
      tokenizer("WordPiece", pieces, normalizer="Other"), tokenizer("WordPiece", pieces, post_processor={**template, "special_tokens": {}}),
      tokenizer("Unigram", scored, normalizer={"type": "Precompiled", "precompiled_charsmap": "/////w=="}),
      '{"model":{"vocab":{"a":0},"merges":[]}}', "{}", "[", '{"normalizer":' + '{"type":"Sequence","normalizers":[' * 70, "")
words = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "ab", "12", "é", "中"])
write("vocab_txt", words + "\n", words, words.replace("\n", "\r\n"), "a\nb\n", "", "\n\n", "[UNK]\n[UNK]\n", "\ufeff" + words, words.encode() + b"\n\xff\n", "a b\n\tc\n")
texts = ["", "ab abab  a", "Ábe\u0301 中a.b", "a\0b\t\r\n", "👍🏽 ab\u200bab ▁a", "[CLS]a<unk><s>", "a" * 30, "\u3000 a\u00a0b", "b\u0301\u0323\u0345", b"ab\xff\xc3 \xe4\xb8"]
write("tokenize", *[bytes([kind, 2 * len(text) & 14]) + (text if isinstance(text, bytes) else text.encode())
                    for kind in range(4) for text in texts])


def message(*fields):
    """A message of protocol buffers: (number, text, integer or float)."""
    out = b""
    for number, value in fields:
        if isinstance(value, float):
            out += bytes([number << 3 | 5]) + struct.pack("<f", value)
        elif isinstance(value, int):
            key = number << 3
            out += (bytes([key]) if key < 128 else bytes([key & 127 | 128, key >> 7])) + bytes([value])
        else:
            data = value if isinstance(value, bytes) else value.encode()
            out += bytes([number << 3 | 2]) + (bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])) + data
    return out


def pieces_model(*pieces, trainer=(), normalizer=()):
    """A sentencepiece model: (piece, score, type)."""
    return (b"".join(message((1, message((1, piece), (2, score), *([(3, kind)] if kind != 1 else [])))) for piece, score, kind in pieces) +
            message((2, message(*trainer)), (3, message(*normalizer))))


basic = (("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -1.0, 1), ("a", -2.0, 1), ("b", -2.5, 1), ("ab", -1.5, 1), ("▁a", -3.0, 1))
byte_pieces = tuple(("<0x%02X>" % byte, 0.0, 6) for byte in range(256))
write("sentencepiece", pieces_model(*basic, trainer=((3, 1),)), pieces_model(*basic, trainer=((3, 2),)),
      pieces_model(*basic, *byte_pieces, trainer=((3, 2), (35, 1))), pieces_model(*basic, *byte_pieces, trainer=((3, 1), (35, 1))),
      pieces_model(*basic, ("[x]", 0.0, 4), ("old", -1.0, 5), normalizer=((1, "nmt_nfkc"), (2, b"\4\0\0\0\0\0\0\0"), (3, 0), (4, 0), (5, 0))),
      pieces_model(*basic, trainer=((3, 3),)), pieces_model(*basic, trainer=((3, 4),)), pieces_model(*basic[3:]), pieces_model(*basic, ("a", -1.0, 1)),
      pieces_model(("<unk>", float("nan"), 2)), pieces_model(("", 0.0, 1)), pieces_model(), b"\x0a\xff\xff\xff\xff\x0f", pieces_model(*basic)[:30], b"")
write("vocab_json", '{"</s>":0,"<unk>":1,"▁":2,"a":3,"ab":4,"b":5,"<pad>":6}', '{"<unk>":0}', '{"a":0}', "{}", '{"<unk>":0,"a":0}', '{"<unk>":0,"<unk>":1}',
      '{"<unk>":0,"a":5}', '{"<unk>":-1}', '{"<unk>":1e3}', '{"<unk>":0.5}', '{"<unk>":99999999999999999999}', '{"<unk>":"0"}', '{"<unk>":{"a":[0]}}',
      '{"<unk>":0,"\\u2581a":1,"\\ud800":2}', '{"<unk>":0,"":1}', '{"<unk>":0', "[0]", '{"a":' * 6, "", b'{"<unk>":0,"\xff":1}', '{"<unk>":0} x')
# tokenizer_config.json and the files beside it: the first byte says in which folder.
VOCAB_TXT, TOKENIZER_JSON, PIECES, MODEL_CONFIG, SPECIAL_TOKENS = range(5)


def configs(folder, *texts):
    return [bytes([folder]) + (text if isinstance(text, bytes) else text.encode()) for text in texts]


def settings(**members):
    return json.dumps(members, ensure_ascii=False)


codes = ["deu_Latn", {"content": "eng_Latn", "special": True}, "en_XX", "de_DE", "no language", "__de__"]
write("tokenizer_config",
      *configs(VOCAB_TXT, "{}", settings(do_lower_case=False, strip_accents=True, tokenize_chinese_chars=False),
               settings(do_lower_case=None, strip_accents=None), settings(unk_token="a", cls_token={"content": "ab"}, sep_token="[SEP]", mask_token="\U0001f44d"),
               settings(unk_token="no token"), settings(cls_token=""), settings(sep_token=["[SEP]"]), settings(do_lower_case=1),
               settings(pad_token={"content": {"content": "a"}}), '{"unk_token":"\\ud83d\\udc4d","unk_token":"\\u0000"}', "[]", "null", "", '{"a":' * 80,
               '{"do_lower_case":false', "{} {}", b'{"unk_token":"\xff"}', "\ufeff{}"),
      *configs(TOKENIZER_JSON, "{}", settings(src_lang="eng_Latn", tgt_lang="deu_Latn", tokenizer_class="NllbTokenizerFast"),
               settings(tokenizer_class="NllbTokenizer", legacy_behaviour=True), settings(tokenizer_class="MBart50Tokenizer", src_lang="deu_Latn"),
               settings(tokenizer_class="MBartTokenizer", tgt_lang="fra_Latn"), settings(src_lang="fra_Latn"), settings(src_lang="x" * 80), settings(src_lang=1)),
      *configs(PIECES, "{}", settings(tokenizer_class="XLMRobertaTokenizer"), settings(tokenizer_class="T5Tokenizer", extra_ids=3),
               settings(tokenizer_class="T5Tokenizer", extra_ids=-1), settings(tokenizer_class="T5TokenizerFast", extra_ids=1e3),
               settings(tokenizer_class="MBartTokenizer", src_lang="de_DE", tgt_lang="ro_RO"), settings(tokenizer_class="MBart50Tokenizer"),
               settings(tokenizer_class="NllbTokenizer", additional_special_tokens=codes, src_lang="eng_Latn"),
               settings(tokenizer_class="NllbTokenizer", additional_special_tokens=codes[:1] * 3), settings(tokenizer_class="NllbTokenizer"),
               settings(tokenizer_class="NllbTokenizer", additional_special_tokens={"a": "deu_Latn"}),
               settings(tokenizer_class="M2M100Tokenizer", src_lang="de", tgt_lang="fr", language_codes="m2m100"),
               settings(tokenizer_class="M2M100Tokenizer", language_codes="wmt21", src_lang="fr"), settings(tokenizer_class="MarianTokenizer"),
               settings(tokenizer_class="MarianTokenizer", separate_vocabs=True), settings(tokenizer_class="OtherTokenizer"), settings(tokenizer_class=""),
               settings(tokenizer_class=["T5"])),
      *configs(MODEL_CONFIG, settings(model_type="t5"), settings(model_type="alcore_transformer"), settings(model_type="mbart"), settings(model_type="other"),
               settings(model_type=None), "{}", '{"model_type":"t5"'),
      *configs(SPECIAL_TOKENS, settings(additional_special_tokens=codes), settings(additional_special_tokens=[]), settings(additional_special_tokens=[{}, {"content": 1}]),
               settings(additional_special_tokens="deu_Latn"), "{}", '{"additional_special_tokens":["deu_Latn"'), b"")

files = os.path.join(here, "../../unit/extra/tool/files")
tasks = ["translation", "classes", "spans", "tags"]


def tool(number, task, data):
    """An input of fuzz_tools.c: the bytes of tool and task, and the file."""
    return bytes([number, tasks.index(task)]) + (data if isinstance(data, bytes) else data.encode())


def exported(number, task, name):
    with open(os.path.join(files, name), "rb") as file:
        return tool(number, task, file.read())


write("tools", *(exported(number, task, name.format(task=task)) for number, name in enumerate(
          ["label-studio-{task}.full.json", "doccano-{task}.back.jsonl", "argilla-{task}.flat.json"]) for task in tasks),
      *(exported(number, task, name.format(task=task)) for number, name in enumerate(["label-studio-{task}.min.json"]) for task in tasks),
      exported(1, "spans", "doccano-relations.back.jsonl"), exported(2, "spans", "argilla-spans.nested.json"),
      exported(3, "spans", "prodigy-spans.back.jsonl"), exported(3, "classes", "prodigy-classes.jsonl"),
      *(exported(4, task, f"potato-{task}.back.jsonl") for task in tasks[:3]), exported(5, "translation", "squad-translation.back.json"),
      exported(6, "translation", "translations-translation.back.jsonl"), exported(7, "spans", "conll-spans.conll"),
      exported(8, "spans", "inception-spans.back.tsv"), exported(8, "tags", "inception-tags.tsv"),
      tool(8, "spans", "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.B|c\n#T_SP=a.C|value\n\n\n#Sentence.id=a\n#Text=x\\ty\n1-1\t0-3\tx\t*\t\\_\\|[1]|B[2]\t\n"
           "1-1.1\t0-1\tx\t_\tB[2]\t\n"),
      tool(8, "tags", "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n\n\n#Sentence.id=a\n#Text=x\n1-1\t0-1\tx\tN\t\n"),
      tool(7, "spans", "# id = a\n# text = x \U0001F600y\nx\tB-A\n\U0001F600\tI-A\ny\tO\n\n# sent_id = b\nz S-B\n"),
      tool(7, "tags", "# id = a\n# status = draft\n# annotator = e\nx\tX\ny\t_\n"), tool(0, "translation", "[" * 70), tool(0, "spans", b"[\xff]"),
      tool(3, "tags", '{"al_id":"a","text":"a b","spans":[{"start":0,"end":3,"label":"A"}],"answer":"accept"}'),
      tool(3, "translation", '{"al_id":"a","answer":"ignore"}\n{"al_id":"b","text":"\\ud83d\\ude00","translation":"\\n","answer":"accept"}'))


def saved(task, answers, name="alcore-page-1", **more):
    """An input of fuzz_page.c: its first byte, and a file that the page may have saved."""
    head = {"schema": name, "batch": "b", "digest": "0", "task": task, **more, "answers": answers}
    return bytes([tasks.index(task)]) + json.dumps(head, ensure_ascii=False).encode()


def saved_by_browser(task):
    with open(os.path.join(files, f"page-{task}.back.json"), "rb") as file:
        return bytes([tasks.index(task)]) + file.read()


write("page", *map(saved_by_browser, tasks), saved("translation", [], name="alcore-page-2"), saved("spans", [
          {"id": "a", "text": "\U0001F600 b", "status": "ok", "value": [[0, 1, "A"], [2, 9, "A"], [1, 1, "A"], ["0", 1.5], 7]}]),
      bytes([2 + 4]) + saved("spans", [{"id": "a", "text": "\U0001F600 b", "status": "ok", "value": [[0, 2, "A"], [1, 3, "A"]]}])[1:],
      saved("tags", [{"id": "a", "text": "a b", "status": "draft", "value": ["", "A"]}, {"id": "b", "status": "ok"}]),
      saved("classes", [{"id": "a", "text": "</script>\u2028", "status": "ok", "value": ["A", "A", ""]}]),
      saved("translation", [None, 1, {}, {"id": ""}, {"id": "a", "status": "fine"}, {"id": "b", "status": "skip", "seconds": -1}]),
      bytes([0]) + b'{"answers":[{"id":"a"', bytes([0]) + b'{"schema":"alcore-page-1","batch":"\\x","answers":[]}', bytes([0]) + b"[" * 70)


def of_translators(tool, data):
    """An input of fuzz_translators.c: its first byte, and the file."""
    number = ["po", "csv", "xliff", "xliff2", "tmx", "xlsx"].index(tool)
    return bytes([number]) + (data if isinstance(data, bytes) else data.encode())


def kept(tool, *names):
    for name in names:
        with open(os.path.join(files, "translators" + name), "rb") as file:
            yield of_translators(tool, file.read())


def xliff(*units):
    return of_translators("xliff", "<xliff version='1.2'><file original='b'><body>%s</body></file></xliff>" % "".join(units))


def xliff2(unit):
    return of_translators("xliff2", "<xliff version='2.0'><file><unit id='1' name='a'>%s</unit></file></xliff>" % unit)


def tmx(unit):
    return of_translators("tmx", "<!DOCTYPE tmx SYSTEM 'a'><tmx><header srclang='en'/><body><tu tuid='a'>%s</tu></body></tmx>" % unit)


def workbook(sheet, strings="<sst><si><t>id</t></si><si><r><t>translation</t></r><rPh><t>x</t></rPh></si><si><t>_x0041__x005F_x</t></si></sst>",
             packed=zipfile.ZIP_DEFLATED):
    """A small XLSX."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packed) as book:
        for name, text in (("xl/workbook.xml", "<workbook><sheets><sheet r:id='r1'/></sheets></workbook>"), ("xl/_rels/workbook.xml.rels",
                            "<Relationships><Relationship Id='r1' Type='/worksheet' Target='s.xml'/><Relationship Id='r2' Type='/sharedStrings' "
                            "Target='/xl/t.xml'/></Relationships>"), ("xl/t.xml", strings), ("xl/s.xml", sheet)):
            book.writestr(zipfile.ZipInfo(name), text, packed)
    return of_translators("xlsx", out.getvalue())


rows = ("<worksheet><row r='1'><c r='A1' t='s'><v>0</v></c><c t='s'><v>1</v></c></row><row><c t='inlineStr'><is><t>a</t></is></c>"
        "<c t='s'><v>2</v></c></row><row r='9'><c r='B9' t='b'><v>1</v></c></row></worksheet>")
segment = "<segment state='final'><source>a</source><target>b</target></segment>"
write("translators", *kept("po", ".po", ".toolkit.po", ".omegat.po"), *kept("csv", ".csv", ".libreoffice.csv"),
      *kept("xliff", ".xlf", ".toolkit.xlf", ".omegat.xlf"), *kept("xliff2", "2.xlf", "2.toolkit.xlf"), *kept("tmx", ".tmx", ".toolkit.tmx"),
      *kept("xlsx", ".openpyxl.xlsx", ".libreoffice.xlsx"),
      *(of_translators("po", text) for text in (
          "", '# a\n#~ msgid "x"\nmsgid ""\nmsgstr "Last-Translator: A\\n"\n"Project-Id-Version: b\\n"\nmsgctxt "a"\nmsgid "x"\nmsgstr "\\x41\\101\\t"',
          'msgid "x"\nmsgid_plural "y"\nmsgstr[0] "z"\nmsgstr[1] ""\n', 'msgid "\\q"', 'msgid "', '#, fuzzy\n#| msgid "o"\nmsgctxt ""\n"a"\nmsgid "x"\nmsgstr "y"',
          'msgid ""\nmsgstr "Content-Type: text/plain; charset=EUC-JP\\n"', b'msgctxt "a"\nmsgid "x"\nmsgstr "\xff"\n')),
      *(of_translators("csv", text) for text in (
          "", "id,translation\na,b\n", "ID;Target;Status;Seconds;draft\na;b;draft;1;c\nb;;skip;;\nc;x;no;;\nd;y;;z;\n;q;;;\n", "id,text\n",
          "id,translation,note,annotator,time\na,\"b\n\",c,d,2026-01-01\n")),
      xliff(), xliff("<trans-unit id='a' approved='yes'><source>x</source><target>y <g>z</g><ph>q</ph></target><note>n</note></trans-unit>",
                     "<trans-unit><target/></trans-unit>"),
      xliff("<trans-unit id='a'><source>x</source><target state='needs-review-translation' state-qualifier='leveraged-mt'>y</target>"
            "<alt-trans origin='alcore'><target>z</target></alt-trans></trans-unit>"), of_translators("xliff", "<a:xliff xmlns:a='b'>&amp;</a:xliff>"),
      of_translators("xliff", "<!DOCTYPE a [<!ENTITY b 'c'>]><xliff>&b;</xliff>"), of_translators("xliff", "<xliff>" * 300),
      of_translators("xliff", "<?xml version='1.0' encoding='UTF-16'?><xliff/>".encode("utf-16")),
      xliff2(segment), xliff2(segment + "<ignorable><source> </source></ignorable><segment><source>c</source></segment>"),
      xliff2("<notes><note category='alcore-draft'>b</note><note>c</note></notes><segment state='initial' subState='alcore:draft'><source>a</source>"
             "<target>d<cp hex='0007'/></target></segment>"),
      tmx("<tuv xml:lang='en-US'><seg>a</seg></tuv><tuv lang='de' changeid='e'><seg>b<ph>c</ph><hi>d</hi></seg></tuv>"),
      tmx("<prop type='x-alcore-draft'>b</prop><tuv xml:lang='de'><seg>b</seg></tuv>"), workbook(rows), workbook(rows, packed=zipfile.ZIP_STORED),
      workbook("<worksheet/>"), workbook(rows, "<sst>"), workbook(rows)[:-9], of_translators("xlsx", b"PK\5\6" + bytes(18)))
# A folder of a static model: the first byte says which of its files the rest is.
TABLE, STATIC = {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}, "sentence_transformers.models."
ROWS = struct.pack("<6f", 1, 0, 0, 2, 3, 4)
write("static_model",
      b"\0" + safetensors(json.dumps({"embeddings": TABLE}).ljust(72), ROWS), 
      b"\0" + safetensors(json.dumps({"embedding.weight": TABLE}).ljust(80), ROWS),
      b"\0" + safetensors(json.dumps({"embeddings": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]},
                                      "weights": {"dtype": "F32", "shape": [3], "data_offsets": [8, 20]},
                                      "mapping": {"dtype": "I32", "shape": [3], "data_offsets": [20, 32]}}).ljust(216),
                          struct.pack("<4e3f3i", 1, 2, 3, 4, 1, 2, .5, 0, 1, 1)),
      b"\0" + safetensors(json.dumps({"embeddings": {"dtype": "BF16", "shape": [3, 1], "data_offsets": [0, 6]}}).ljust(80), b"\x80\x3f" * 3),
      b"\1" + b'{"max_length": 2, "normalize": false, "model_type": "model2vec"}', b"\1" + b'{"model_type": "model2vec", "max_length": null}',
      b"\1" + b'{"embedding_dtype": "float32", "other": 1}',
      b"\2" + b'{"truncation": {"max_length": 1}, "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1}}}',
      b"\2" + b'{"model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 0, "##a": 1, "b": 2}}}',
      b"\3" + json.dumps([{"type": STATIC + "StaticEmbedding", "path": "."}]).encode(),
      b"\3" + json.dumps([{"type": STATIC + "StaticEmbedding", "path": "x"}, {"type": STATIC + "Normalize", "path": "y"}]).encode(),
      b"\3" + json.dumps([{"type": STATIC + "StaticEmbedding", "path": ""}, {"type": STATIC + "Dense", "path": "1_Dense"}]).encode())
