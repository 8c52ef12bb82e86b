#!/usr/bin/env python3
"""Writes files into one C++ source, each as it is and by gzip (assets.hpp).

    embed.py OUTPUT.cpp PATH=FILE...

PATH is where the file stands in the URL. The same files give the same source.
"""

import gzip
import hashlib
import pathlib
import sys

TYPES = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
         '.svg': 'image/svg+xml', '': 'text/plain; charset=utf-8'}


def literal(content):
    """Pieces of a C++ string literal. Octal escapes have three digits, so what follows is not part of them."""
    lines = []
    for start in range(0, len(content), 40):
        lines.append('    "' + ''.join(f'\\{byte:03o}' for byte in content[start:start + 40]) + '"')
    return '\n'.join(lines)


def main():
    output, *files = sys.argv[1:]
    texts = []
    rows = []
    for number, word in enumerate(files):
        path, name = word.split('=', 1)
        content = pathlib.Path(name).read_bytes()
        packed = gzip.compress(content, 9, mtime=0)
        tag = hashlib.sha256(content).hexdigest()[:16]
        texts.append(f'constexpr std::string_view kPlain{number}{{\n{literal(content)},\n    {len(content)}}};\n'
                     f'constexpr std::string_view kPacked{number}{{\n{literal(packed)},\n    {len(packed)}}};\n')
        rows.append(f'    {{"{path}", "{TYPES[pathlib.Path(name).suffix]}", "{tag}", kPlain{number}, kPacked{number}}},\n')
    pathlib.Path(output).write_text(
        '// Written by web/embed.py.\n#include "web/assets.hpp"\n\n#include <array>\n\nnamespace bellows::web {\nnamespace {\n\n'
        + '\n'.join(texts) + f'\nconstexpr std::array<Asset, {len(rows)}> kAssets = {{{{\n' + ''.join(rows) + '}};\n\n'
        '}  // namespace\n\nstd::span<const Asset> assets() {\n  return kAssets;\n}\n\n}  // namespace bellows::web\n')


if __name__ == '__main__':
    main()
