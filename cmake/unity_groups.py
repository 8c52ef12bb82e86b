#!/usr/bin/env python3
"""Which test files are compiled as one: unity_groups.py SIZE FILE... prints a line per file, its group.

Two files with the same name in their anonymous namespaces cannot share a group, nor can a file with a name of a header of tests that
the other includes. Files that define macros or namespace aliases share with none. cmake/unity.cmake runs this at configure time; docs/decisions/0014-quick-build.md says why.
"""
import os
import re
import sys

# A name that a line without indentation declares: a type, an alias, or what comes before the first "(", "=", "{", "[" or ";".
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=")
TEST = re.compile(r"^(?:TYPED_)?(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+),\s*(\w+)")
INSTANCE = re.compile(r"^(?:INSTANTIATE_\w+|TYPED_TEST_SUITE\w*)\((\w+)(?:,\s*(\w+))?")
OTHER = re.compile(r"(\w+)\s*(?:\(|=(?!=)|\{|\[|;)")
ALONE = re.compile(r"^\s*(?:#\s*define\b|namespace\s+\w+\s*=)", re.MULTILINE)
HEADER = re.compile(r'^#include "(tests/[^"]+)"', re.MULTILINE)
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


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def of_headers(text, root):
    """The names that the headers of tests declare which the file includes."""
    names = set()
    for header in HEADER.findall(text):
        names |= declared(read(os.path.join(root, header)))
    return names


def groups(files, size, root="."):
    """One group number per file, in order; each group has at most `size` files and no name twice."""
    made = []  # [number of files, their names, names of their headers, does it take no other]
    for text in files:
        own, seen = declared(text), of_headers(text, root)
        alone = bool(ALONE.search(text))
        for number, (count, names, headers, closed) in enumerate(made):
            if not (alone or closed or count == size or own & (names | headers) or seen & names):
                made[number] = (count + 1, names | own, headers | seen, False)
                break
        else:
            number = len(made)
            made.append((1, own, seen, alone))
        yield number


def main(arguments):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for number in groups([read(name) for name in arguments[1:]], int(arguments[0]), root):
        print(number)


if __name__ == "__main__":
    main(sys.argv[1:])
