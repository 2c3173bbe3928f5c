#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# In a bare system: installs the Debian packages and uses each; a model runs on the torch of an
# environment that has the wheel.
#   try_debian.sh RELEASE      RELEASE of torch: 2.15
set -u
# shellcheck source=tests/release/release_checks.sh
. /release/checks/release_checks.sh
release=$1
packages() {
    for name; do echo /release/"${name}"_*.deb; done
}

select_by_model() {
    cd $src/examples/data &&
        alcore select pool.txt --budget 100w --strategy kcenter --model "$1" --quiet >/tmp/selected && grep -q . /tmp/selected
}

# A model is refused with the step that is missing, until the torch of the environment that is
# active is kept for later runs.
model_by_command() {
    local folder
    folder=$(minilm /root/env/bin/python) || return 1
    ! select_by_model "$folder" 2>/tmp/refused && cat /tmp/refused && grep -qF 'pip install alcore[torch]' /tmp/refused &&
        VIRTUAL_ENV=/root/env alcore doctor --torch && ! select_by_model "$folder" &&
        VIRTUAL_ENV=/root/env alcore doctor --torch --write && select_by_model "$folder"
}

environment() {
    /release/checks/torch_environment.sh /root/env "$release" && /root/env/bin/python -m pip install --quiet --no-deps /release/alcore-*manylinux*x86_64.whl
}

# shellcheck disable=SC2046
{
    say "apt installs the command" apt_install $(packages libalcore1 alcore)
    say "the command selects" command_selects
    say "apt installs the module of Python" apt_install $(packages python3-alcore) python3
    say "README's snippet for Python" python_snippet python3
    say "apt installs the modules of Lua" apt_install $(packages lua-alcore) lua5.1 lua5.2 lua5.3 lua5.4 luajit
    for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do say "README's snippet for Lua, $lua" lua_snippet $lua; done
    say "apt installs what programs in C need" apt_install $(packages libalcore-dev) gcc libc6-dev pkg-config
    say "README's line for C" c_line
    say "CMake is installed" apt_install cmake g++ make
    say "CMake finds it, shared and static" by_cmake
}
say "python3-venv is installed" apt_install python3-venv
say "an environment with torch $release and the wheel" environment
say "alcore doctor finds its engine, and --model runs MiniLM" model_by_command
say "apt removes everything" apt-get purge -y -qq libalcore1
finish
