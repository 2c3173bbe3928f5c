#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# peft 0.21.2: an adapter with overlapping patterns is another one after it was saved.
#
# Of the keys of alpha_pattern and rank_pattern that match a module the first one counts. save_pretrained() writes adapter_config.json
# with sorted keys, and so changes which one that is: here the pattern of one layer stands before that of all, as it has to, and
# behind it in the file. The model that is opened again has the same weights and another scale, without a warning. Expected: scales of
# 1 and 4, as before. Seen: 4 and 4.
. "$(dirname "$0")/venv.sh"
venv transformers==5.23.0 psutil==7.2.2 filelock fsspec jinja2 networkx sympy numpy==2.4.6
# Without what torch requires beside its CPU part, 5 GB.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps torch==2.11.0 peft==0.21.2 accelerate==1.15.0 nvidia-cuda-runtime==13.0.96 \
    nvidia-cuda-cupti==13.0.85 nvidia-cusparselt-cu13==0.8.0 nvidia-nvshmem-cu13==3.4.5 nvidia-cufile==1.20.0.107
"$python" - "$folder" <<'PYTHON'
import sys

import torch
from peft import LoraConfig, PeftModel, get_peft_model


def base():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))


def scales(model):
    return [layer.scaling["default"] for layer in model.base_model.model]


config = LoraConfig(r=2, target_modules=["0", "1"], alpha_pattern={"0": 2, ".*": 8}, init_lora_weights=False)
model = get_peft_model(base(), config)
model.save_pretrained(sys.argv[1] + "/adapter")
opened = PeftModel.from_pretrained(base(), sys.argv[1] + "/adapter")
x = torch.ones(1, 4)
print("scales", scales(model), "after reopening", scales(opened), "outputs differ by", float((model(x) - opened(x)).abs().max().detach()))
assert scales(model) == [1.0, 4.0] and scales(opened) == [4.0, 4.0]
PYTHON
