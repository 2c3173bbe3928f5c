#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyPI's peft and transformers answer with an adapter that was trained here, for test_lora_peft.py: lora_peer.py ADAPTER ...

writes the tensors of make_adapters.py, of the base that adapter_config.json names with the adapter beside it, not merged, to ADAPTER.answers, and how many
parameters peft trains and how many the model has to ADAPTER.parameters, its modules_to_save counted once and without the positions of Marian, which
are computed."""
import json
import os
import sys

import transformers as hf
from peft import PeftModel
from safetensors.torch import save_file

from make_adapters import answers


def main(adapter):
    with open(os.path.join(adapter, 'adapter_config.json'), encoding='utf-8') as file:
        base = json.load(file)['base_model_name_or_path']
    with open(os.path.join(base, 'config.json'), encoding='utf-8') as file:
        kind = getattr(hf, json.load(file)['architectures'][0])
    model = PeftModel.from_pretrained(kind.from_pretrained(base, dtype='float32'), adapter, is_trainable=True).eval()
    trained, all_of_them = model.get_nb_trainable_parameters()
    marian = model.config.model_type == 'marian'
    more = sum(value.numel() for name, value in model.named_parameters() if '.modules_to_save.' in name or marian and '.embed_positions.' in name)
    with open(adapter + '.parameters', 'w', encoding='utf-8') as file:
        json.dump([trained, all_of_them - more], file)
    save_file(answers(model.base_model.model, base, False), adapter + '.answers')


for folder in sys.argv[1:]:
    main(folder)
