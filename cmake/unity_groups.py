#!/usr/bin/env python3
"""Which sources are compiled as one: unity_groups.py LIST prints a line per group, "TARGET NUMBER SOURCE...".

A line of LIST is "TARGET LINES SOURCE...", sources relative to the root of the repository. Sources of a target share a group, up to
LINES lines together, if they mean the same as when compiled alone. A name that one of them has for itself (in its anonymous
namespace, static, an alias, a using-declaration) is

* declared by none of the others, nor by a header that they include, except with the same words;
* not used by the others, if it is a variable or a namespace: it would hide what is meant. That of a namespace is not used by their
  headers either; a type is not declared by one of their functions.

Nor do they use the name of a namespace that only that one has within theirs.

A source that defines macros or imports a whole namespace is alone.

cmake/unity.cmake runs this at configure time; docs/decisions/0014-quick-build.md says why.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import layers  # noqa: E402
import names  # noqa: E402

ALONE = re.compile(r"\s*#\s*define\b|using\s+namespace\s+(?!std::\w*literals)")


@functools.cache
def source_of(path, root):
    return layers.read_source(root, path)


@functools.cache
def names_of(path, root):
    return names.Names(source_of(path, root))


@functools.cache
def headers_of(path, root):
    """The headers of ours that the file reaches."""
    return names.reached(path, lambda each: names_of(each, root).includes if (root / each).is_file() else None) - {path}


@functools.cache
def seen_in(path, root):
    """The names that the file sees without naming a namespace: its own that are shared, and those of its headers."""
    mine, headers = names_of(path, root), [names_of(header, root) for header in headers_of(path, root)]
    return {name for each in [mine, *headers] for space, name in each.shared if mine.sees(space)}.union(*(each.own for each in headers))


@functools.cache
def spaces_in(path, root):
    """The namespaces that the file and its headers open, as (the one around, name)."""
    opened = {space for each in [path, *headers_of(path, root)] for space in names_of(each, root).spaces}
    parts = (space.split("::") for space in opened)
    return {("::".join(part[:depth]), part[depth]) for part in parts for depth in range(len(part))}


@functools.cache
def qualifiers_in(path, root):
    """The names before "::" in the headers of the file."""
    return set().union(*(names_of(header, root).qualifiers for header in headers_of(path, root)))


def hides_namespace(one, other, root):
    """Whether one has a namespace within a namespace of the other, which means another one by its name."""
    theirs = names_of(other, root)
    named = theirs.qualifiers | qualifiers_in(other, root)
    return any(name in named and theirs.sees(around) for around, name in spaces_in(one, root) - spaces_in(other, root))


def changes(one, other, root):
    """Whether a name that one has for itself changes what the other means."""
    if hides_namespace(one, other, root):
        return True
    mine, theirs = names_of(one, root), names_of(other, root)
    for name, (line, hides) in mine.own.items():
        if line.startswith("namespace") and name in qualifiers_in(other, root):
            return True
        if name in theirs.own:
            if not (theirs.own[name][0] == line and names.ALIAS.match(line) and line.endswith(";")):
                return True
        elif name in seen_in(other, root) or name in (theirs.used if hides else theirs.local_types):
            return True
    return False


def is_alone(path, root):
    return any(ALONE.match(line) for line in source_of(path, root).code)


def fits(one, other, root):
    if is_alone(one, root) or is_alone(other, root):
        return False
    return not (changes(one, other, root) or changes(other, one, root))


def groups(paths, lines, root=ROOT):
    """The groups: sources that fit each other, of at most so many lines together, in order of their first ones."""
    made = []
    for path in paths:
        for group in made:
            length = sum(len(source_of(each, root).raw) for each in [*group, path])
            if length <= lines and all(fits(path, each, root) for each in group):
                group.append(path)
                break
        else:
            made.append([path])
    return made


def main(arguments):
    for line in pathlib.Path(arguments[0]).read_text(encoding="utf-8").splitlines():
        target, lines, *paths = line.split()
        for number, group in enumerate(groups(paths, int(lines))):
            print(target, number, *(ROOT / path for path in group))


if __name__ == "__main__":
    main(sys.argv[1:])
