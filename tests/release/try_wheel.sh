#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# In a bare system: installs the wheel as a user of Python does, and with a torch for neural models.
#   try_wheel.sh RELEASE [chosen | least]
# RELEASE of torch: 2.15; chosen: pip must choose that one by itself; least: without the packages of
# CUDA that torch requires for devices.
set -u
# shellcheck source=tests/release/release_checks.sh
. /release/checks/release_checks.sh
release=$1 how=${2:-}
python=/root/env/bin/python

# The folder of the release stands for the index that it is uploaded to.
pip_install() {
    $python -m pip install --quiet --no-cache-dir --find-links /release "$@"
}

install() {
    pip_install alcore && [ "$($python -m pip list --format=freeze | grep -vc '^pip\|^setuptools')" = 1 ]
}

say_without_torch() {
    $python -W ignore - "$(minilm $python)" <<'END'
import sys
import alcore
try:
    alcore.Model.open(sys.argv[1])
except Exception as error:
    print(error)
    assert "torch 2.11 to 2.15" in str(error), error
else:
    sys.exit("it opened")
END
}

install_torch() {
    case $how in
    least) /release/checks/torch_environment.sh /root/env "$release" && pip_install alcore ;;
    chosen) pip_install "alcore[torch]" ;;
    *) pip_install "alcore[torch]" "torch==$release.*" ;;
    esac
}

say "python3-venv is installed" apt_install python3-venv
say "an environment is made" python3 -m venv /root/env
say "pip installs alcore, and nothing beside it" install
say "README's snippet for Python" python_snippet $python
say "without torch a model is refused, with the step that is missing" say_without_torch
say "pip installs alcore[torch], torch $release${how:+, $how}" install_torch
say "MiniLM runs on torch $release" model_in_python $python "$release"
finish
