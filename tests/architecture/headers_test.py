"""Each header compiles alone, those of the tests left aside.

    headers_test.py BUILD_FOLDER

A header that some .cpp of a room includes before all else has been compiled alone by the build; this test compiles the
others with the flags that their neighbours have in compile_commands.json, without their precompiled header. (In a quick
build a precompiled header or another source of the same group stands before all: a header that is missing for that reason is
found by the rules "standard header" and "own header" of tools/layers.py.) What passed is noted under a hash of the flags and of every file of ours it
reaches, so that only changed headers are compiled again.
"""

import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))
import layers  # noqa: E402

IN_A_GROUP = re.compile(r'^#include "(.+)"$', re.MULTILINE)  # cmake writes whole paths
COMPILER = re.compile(r'(c|g|clang)\+\+(-\d+)?')


def sources_of(call, build):
    """The source that the call compiles; those of a group if cmake has put some together."""
    file = pathlib.Path(call['file'])
    if build.resolve() not in file.resolve().parents:
        return [file]
    return [pathlib.Path(path) for path in IN_A_GROUP.findall(file.read_text())] if file.parent.name == 'Unity' else []


def calls_of_our_sources(build):
    """Of the rooms, one call a source, without what is generated."""
    calls = json.loads((build / 'compile_commands.json').read_text())
    return [{**call, 'file': str(source)} for call in calls for source in sources_of(call, build)
            if ROOT in source.parents and build.resolve() not in source.parents and ROOT / 'tests' not in source.parents]


def without_precompiled_header(words):
    """Without "-include .../cmake_pch.hxx"; clang's has -Xclang before each word."""
    kept = []
    for word in words:
        if word.endswith(('/cmake_pch.hxx', '/cmake_pch.hxx.pch')):
            while kept[-1] in ('-include', '-include-pch', '-Xclang'):
                kept.pop()
        elif word != '-Winvalid-pch':
            kept.append(word)
    return kept


def flags_by_folder(calls):
    """Folder to the compiler call of one of its sources, without launcher, source and output."""
    flags = {}
    for entry in calls:
        words = shlex.split(entry['command'])
        compiler = next(i for i, word in enumerate(words) if COMPILER.fullmatch(pathlib.Path(word).name))
        kept = without_precompiled_header(words[compiler:words.index('-o')])
        folder = str(pathlib.Path(entry['file']).parent.relative_to(ROOT))
        if len(kept) > len(flags.get(folder, [])):  # the longest: most include folders and definitions
            flags[folder] = kept
    return flags


def flags_for(header, flags):
    """Of its folder, else of the nearest one above or below it, else of the one with most flags."""
    folder = os.path.dirname(header)
    while folder:
        near = [f for f in flags if f == folder or f.startswith(folder + '/')]
        if near:
            return max((flags[f] for f in near), key=len)
        folder = os.path.dirname(folder)
    return max(flags.values(), key=len)


def reached(header, seen):
    """The files of ours that `header` includes, itself among them."""
    if header not in seen and (ROOT / header).is_file():
        seen.add(header)
        for _, _, include in layers.read_source(ROOT, header).includes:
            reached(include, seen)
    return seen


def key_of(header, command):
    digest = hashlib.sha256(' '.join(command).encode())
    for path in sorted(reached(header, set())):
        digest.update(path.encode() + b'\0' + (ROOT / path).read_bytes())
    return digest.hexdigest()[:32]


def proven_by_the_build(calls):
    sources = (layers.read_source(ROOT, str(pathlib.Path(call['file']).relative_to(ROOT))) for call in calls)
    return {source.includes[0][2] for source in sources if source.includes}


def compile_alone(header, command, noted):
    """Empty when the header compiles; else what the compiler said."""
    stamp = noted / key_of(header, command)
    if stamp.exists():
        return ''
    call = [*command, '-fsyntax-only', '-x', 'c++', '-']
    done = subprocess.run(call, input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    if done.returncode == 0:
        stamp.write_text(header + '\n')
        return ''
    return f'{header} does not compile alone:\n{done.stderr}'


def main():
    build = pathlib.Path(sys.argv[1])
    noted = build / 'headers_that_compile'
    noted.mkdir(exist_ok=True)
    calls = calls_of_our_sources(build)
    flags = flags_by_folder(calls)
    proven = proven_by_the_build(calls)
    headers = [path for path in layers.files(ROOT, '.hpp') if path not in proven and not path.startswith('tests/')]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [said for said in pool.map(lambda h: compile_alone(h, flags_for(h, flags), noted), headers) if said]
    print('\n'.join(failures))
    print(f'{len(headers)} headers that no source includes first, {len(failures)} do not compile alone')
    return 1 if failures or not headers else 0


if __name__ == '__main__':
    sys.exit(main())
