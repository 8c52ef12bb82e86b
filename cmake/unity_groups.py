#!/usr/bin/env python3
"""Which test files are compiled as one: unity_groups.py SIZE FILE... prints a line per file, its group.

Two files share a group if they are of the same namespaces and

* declare no name both, nor one that a header of tests declares which the other includes;
* no type of one has a name that the other uses, itself or in a header that it includes: it would hide the type that is meant;
* define no macros and no aliases of namespaces.

cmake/unity.cmake runs this at configure time; docs/decisions/0014-quick-build.md says why.
"""
import functools
import os
import re
import sys

# A name that a line without indentation declares: a type, an alias, or what comes before the first "(", "=", "{", "[" or ";".
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=")
TEST = re.compile(r"^(?:TYPED_)?(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+),\s*(\w+)")
INSTANCE = re.compile(r"^(?:INSTANTIATE_\w+|TYPED_TEST_SUITE\w*)\((\w+)(?:,\s*(\w+))?")
OTHER = re.compile(r"(\w+)\s*(?:\(|=(?!=)|\{|\[|;)")
WORD = re.compile(r"\w+")
ALONE = re.compile(r"^\s*(?:#\s*define\b|namespace\s+\w+\s*=)", re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+)", re.MULTILINE)
HEADER = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
IGNORED = re.compile(r"^(?:[\s#}/)]|namespace\b|using\b|public:|private:|protected:|$)")


def declared(text):
    """The names that the file declares at namespace scope."""
    names = set()
    for line in text.splitlines():
        for pattern in (TYPE, ALIAS):
            if found := pattern.match(line):
                names.add(found[1])
        if found := TEST.match(line) or INSTANCE.match(line):
            names.add("/".join(part for part in found.groups() if part))
        elif not IGNORED.match(line) and (found := OTHER.search(line)):
            names.add(found[1])
    return names


@functools.cache
def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def headers_of(text, root):
    """{name: text} of the headers that the text includes, and those that they include."""
    found, left = {}, HEADER.findall(text)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = read(os.path.join(root, name))
            left += HEADER.findall(found[name])
    return found


class File:
    """What a test file declares and uses."""

    def __init__(self, text, root):
        headers = headers_of(text, root)
        self.names = declared(text)
        self.types = {found[1] for line in text.splitlines() if (found := TYPE.match(line) or ALIAS.match(line))}
        self.from_headers = set().union(*(declared(header) for name, header in headers.items() if name.startswith("tests/")))
        self.words = set().union(*(WORD.findall(each) for each in [text, *headers.values()]))
        self.spaces = set(NAMESPACE.findall(text))
        self.is_alone = bool(ALONE.search(text))

    def fits(self, other):
        if self.is_alone or other.is_alone or self.spaces != other.spaces:
            return False
        return not (self.names & (other.names | other.from_headers) or other.names & self.from_headers
                    or self.types & other.words or other.types & self.words)


def groups(texts, size, root="."):
    """One group number per file, in order; each group has at most `size` files that fit each other."""
    made = []
    for text in texts:
        file = File(text, root)
        for number, group in enumerate(made):
            if len(group) < size and all(file.fits(other) for other in group):
                group.append(file)
                break
        else:
            number = len(made)
            made.append([file])
        yield number


def main(arguments):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for number in groups([read(name) for name in arguments[1:]], int(arguments[0]), root):
        print(number)


if __name__ == "__main__":
    main(sys.argv[1:])
