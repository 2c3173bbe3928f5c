#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the library into a fresh prefix and builds programs against it from outside the tree: by pkg-config, shared and
static, by CMake's package config, and as a meson subproject; then the C examples, with either library.

  consumers.py SOURCE BUILD CC PREFIX LIBDIR
"""
import array
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402

SOURCE, BUILD, CC, PREFIX, LIBDIR = sys.argv[1:]
# What an example is called with; in examples/data. COLUMNS: a folder with embeddings of the pool,
# which is a model too and needs no engine.
COLUMNS = 'COLUMNS'
ARGUMENTS = {'trainer': ['pool.txt', 'labeled.tsv'], 'own_model': ['pool.txt'], 'own_strategy': ['pool.txt'],
             'neural': [COLUMNS, 'pool.txt'], 'memory_loop': []}


class Failed(Exception):
    pass


def run(*command, **options):
    """Output of a command; Failed with all it said."""
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def columns_of(pool, folder):
    """Makes folder/embeddings.npy, float32 [rows of the pool, 2], and returns the folder."""
    with open(pool, encoding='utf-8') as file:
        rows = len(file.read().splitlines())
    numbers = array.array('f', (value for row in range(rows) for value in (1.0, row % 7)))
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 2), }" % rows
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'embeddings.npy'), 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + header.ljust(117).encode() + b'\n')
        file.write(numbers.tobytes())
    return folder


def main():
    tap = Tap()
    folder = tempfile.mkdtemp(prefix='alcore-consumer-')
    try:
        tests(tap, folder)
    finally:
        shutil.rmtree(folder)
    tap.finish()


def tests(tap, folder):
    stage = os.path.join(folder, 'stage')
    root = os.path.join(stage, PREFIX.lstrip('/'))
    library = os.path.join(root, LIBDIR)
    project = os.path.join(folder, 'project')
    shutil.copytree(os.path.join(SOURCE, 'tests', 'consumer', 'project'), project)
    program = os.path.join(folder, 'program')
    with_library = dict(os.environ, LD_LIBRARY_PATH=library)
    plain = {name: value for name, value in os.environ.items() if name != 'LD_LIBRARY_PATH'}
    package = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=stage, PKG_CONFIG_ALLOW_SYSTEM_CFLAGS='1',
                   PKG_CONFIG_PATH=os.path.join(library, 'pkgconfig'))

    def case(name, test):
        try:
            tap.check(True, f'{name}: {test() or "done"}')
        except Failed as failure:
            tap.check(False, name, failure)

    def flags(*options):
        # The sysroot is put before every path, those of other packages among them, which are not in
        # it.
        words = run('pkg-config', *options, 'alcore', env=package).split()
        return [word for word in words if not word.startswith(('-I', '-L')) or os.path.isdir(word[2:])]

    def own_libraries(source):
        # What the build line of an example's first comment names beside this library's flags.
        with open(source, encoding='utf-8') as file:
            line = re.search(r'^ \* build: cc (\S+) -o \S+ \$\(pkg-config --cflags --libs alcore\)(.*?)(?: \*/)?$', file.read(), re.M)
        if not line or line.group(1) != os.path.basename(source):
            raise Failed('its first comment does not say how it is built')
        return line.group(2).split()

    def compile_with(source, static, *others):
        if static:
            words = ['-Wl,-Bstatic' if word == '-lalcore' else word for word in flags('--static', '--libs')]
            index = words.index('-Wl,-Bstatic')
            words[index:index + 1] = ['-Wl,-Bstatic', '-lalcore', '-Wl,-Bdynamic']
        else:
            words = flags('--libs')
        run(CC, '-std=c11', '-Wall', '-Wextra', '-Werror', source, '-o', program, *flags('--cflags'), *words, *others)
        needs_it = 'libalcore.so' in run('readelf', '-d', program)
        if needs_it == static:
            raise Failed('the program is linked with the other library')

    def by_pkg_config(static):
        compile_with(os.path.join(project, 'consumer.c'), static)
        return run(program, env=plain if static else with_library).strip()

    def installed():
        run('meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', stage, '--quiet')
        headers = os.path.join(SOURCE, 'include', 'alcore')
        for path in glob.glob(headers + '/**/*.h', recursive=True):
            name = os.path.relpath(path, headers)
            if name.startswith('sys/'):  # of engines: with -Dengine_headers=true only
                continue
            there = os.path.join(root, 'include', 'alcore', name)
            if not os.path.exists(there):
                raise Failed(there + ' was not installed')
        if not os.path.exists(os.path.join(root, 'include', 'alcore', 'version.h')):
            raise Failed('version.h was not installed')
        if 'SONAME' not in run('readelf', '-d', os.path.join(library, 'libalcore.so')):
            raise Failed('no soname')

    def own_flags():
        # Those of utf8proc (-DUTF8PROC_EXPORTS) and others are no business of a program.
        others = [word for word in run('pkg-config', '--cflags', 'alcore', env=package).split() if not word.startswith('-I')]
        if others:
            raise Failed(' '.join(others))

    def installed_command():
        program = os.path.join(root, 'bin', 'alcore')
        if os.path.exists(os.path.join(BUILD, 'bindings', 'cli', 'alcore')):
            return run(program, '--version', env=plain).strip()
        return 'not built'

    def by_cmake():
        build = os.path.join(folder, 'cmake')
        # Without dpkg-dev, meson's libdir is lib64, where CMake does not look on Debian: name the
        # folder too.
        places = ';'.join([root, os.path.join(library, 'cmake')])
        run('cmake', '-G', 'Ninja', '-S', project, '-B', build, '-DCMAKE_PREFIX_PATH=' + places, '-DCMAKE_C_COMPILER=' + CC)
        run('cmake', '--build', build)
        run(os.path.join(build, 'consumer_static'), env=plain)
        return run(os.path.join(build, 'consumer'), env=with_library).strip()

    def by_subproject():
        os.mkdir(os.path.join(project, 'subprojects'))
        os.symlink(SOURCE, os.path.join(project, 'subprojects', 'alcore'))
        build = os.path.join(folder, 'meson')
        # -O0: what is tested is the way, not the code.
        run('meson', 'setup', build, project, '-Doptimization=0', '-Dalcore:cli=false', '--force-fallback-for=alcore')
        run('ninja', '-C', build)
        return run(os.path.join(build, 'consumer'), env=plain).strip()

    def example(source, static):
        compile_with(source, static, *own_libraries(source))
        name = os.path.splitext(os.path.basename(source))[0]
        if name not in ARGUMENTS:
            raise Failed('say in consumers.py what it is called with')
        data = os.path.join(SOURCE, 'examples', 'data')
        arguments = [columns_of(os.path.join(data, 'pool.txt'), os.path.join(folder, 'columns')) if word == COLUMNS else word
                     for word in ARGUMENTS[name]]
        output = run(program, *arguments, cwd=data, env=plain if static else with_library)
        if not output.strip():
            raise Failed('it printed nothing')
        return f'{len(output.splitlines())} lines'

    case('install', installed)
    case('pkg-config names no flags of other libraries', own_flags)
    case('the installed command finds the library', installed_command)
    case('pkg-config, shared', lambda: by_pkg_config(False))
    case('pkg-config, static', lambda: by_pkg_config(True))
    case('CMake package config, shared and static', by_cmake)
    if os.environ.get('ALCORE_TEST_FULL'):  # it compiles the whole library once more
        case('meson subproject', by_subproject)
    for source in sorted(glob.glob(os.path.join(SOURCE, 'examples', 'c', '*.c'))):
        for static in (False, True):
            case(f"example {os.path.basename(source)}, {'static' if static else 'shared'}",
                 lambda source=source, static=static: example(source, static))


main()
