#!/usr/bin/env python3
"""Which sources are compiled as one: unity_groups.py LIST prints a line per group, "TARGET NUMBER SOURCE...".

A line of LIST is "TARGET LINES SOURCE...", sources relative to the root of the repository. Sources of a target share a group, up to
LINES lines together, if they mean the same as when compiled alone. Groups are as few as are found and of about one size. A name that
one source has for itself (in its anonymous namespace, static, an alias, a using-declaration) is

* declared by none of the others, nor by a header that they include, in the same namespace, except with the same words;
* not used by the others where they see its namespace, nor by their headers, if one of them declares it further out: it would hide what
  is meant. What they declare further within is theirs;
* not used by the others at all, if it is a variable or a namespace: a local variable of theirs would shadow it. That of a namespace is
  not used by their headers either; a type is not declared by one of their functions.

Nor do they, or their headers, use the name of a namespace that only that one has within theirs.

A source that leaves macros defined at its end or imports a whole namespace is alone.

cmake/unity.cmake runs this at configure time; docs/dependencies.md says why.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import layers  # noqa: E402
import names  # noqa: E402

MACRO = re.compile(r"\s*#\s*(define|undef)\s+(\w+)")
ALL_NAMES = re.compile(r"using\s+namespace\s+(?!std::\w*literals)")


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
def declared_in(path, root):
    """The namespaces in which the file or its headers declare a name, by name."""
    found = {}
    for each in [path, *headers_of(path, root)]:
        mine = names_of(each, root)
        for space, name in [*mine.shared, *((space, name) for name, (*_, space) in mine.own.items())]:
            found.setdefault(name, set()).add(space)
    return found


@functools.cache
def spaces_in(path, root):
    """The namespaces that the file and its headers open, as (the one around, name)."""
    opened = {space for each in [path, *headers_of(path, root)] for space in names_of(each, root).spaces}
    parts = (space.split("::") for space in opened)
    return {("::".join(part[:depth]), part[depth]) for part in parts for depth in range(len(part))}


def is_seen(space, found, name):
    """Whether code that sees the namespace says the name; of a member of Names such as `used`."""
    return any(names.within(each, space) for each in found.get(name, ()))


def hides_namespace(one, other, readers, root):
    """Whether one has a namespace within a namespace of the readers, which mean another one by its name."""
    new = spaces_in(one, root) - spaces_in(other, root)
    return any(is_seen(around, reader.qualifiers, name) for around, name in new for reader in readers)


def is_same_alias(mine, theirs):
    return theirs is not None and theirs[0] == mine[0] and names.ALIAS.match(mine[0]) and mine[0].endswith(";")


def takes(name, own, declared, source, headers):
    """Whether the name, which one source has for itself, hides what the other one and its headers mean by it."""
    line, hides, space = own
    if line.startswith("namespace") and any(is_seen(space, each.qualifiers, name) for each in [*source, *headers]):
        return True

    nearer = [each for each in declared if each != space and names.within(each, space)]

    def is_meant(found):
        return any(names.within(each, space) and not any(names.within(each, inner) for inner in nearer) for each in found.get(name, ()))

    if any(names.within(space, each) for each in declared) and any(is_meant(each.used) for each in [*source, *headers]):
        return True
    return any(is_meant(each.used if hides else each.local_types) for each in source)


def is_taken(name, space, declared, mine):
    """Whether others declare the name further within, where the source that has it for itself means its own."""
    return any(each != space and names.within(each, space) and is_seen(each, mine.used, name) for each in declared)


def changes(one, other, root):
    """Whether a name that one has for itself changes what the other means, or the headers that only the other includes."""
    mine, theirs = names_of(one, root), names_of(other, root)
    headers = [names_of(header, root) for header in headers_of(other, root) - headers_of(one, root)]
    if hides_namespace(one, other, [theirs, *headers], root):
        return True
    for name, own in mine.own.items():
        space, declared = own[2], declared_in(other, root).get(name, set())
        if is_same_alias(own, theirs.own.get(name)):
            if takes(name, own, declared - {space}, [], headers):
                return True
        elif space in declared or "" in declared or is_taken(name, space, declared, mine) or takes(name, own, declared, [theirs], headers):
            return True
    return False


@functools.cache
def is_alone(path, root):
    code = source_of(path, root).code
    macros = {found[2]: found[1] for found in map(MACRO.match, code) if found}
    return "define" in macros.values() or any(map(ALL_NAMES.match, code))


@functools.cache
def fits(one, other, root):
    if is_alone(one, root) or is_alone(other, root):
        return False
    return not (changes(one, other, root) or changes(other, one, root))


class Packing:
    """Sources in a given number of groups. The source with the fewest groups left goes next, to the smallest of them; if none is left for
    one, the choice before it is made again, `tries` times in all.
    """

    def __init__(self, paths, lines, root, count, tries=3000):
        self.lines, self.tries = lines, tries
        self.length = {path: len(source_of(path, root).raw) for path in paths}
        self.others = {path: {each for each in paths if each != path and not fits(*sorted((path, each)), root)} for path in paths}
        self.groups = [[] for _ in range(count)]
        self.sizes = [0] * count

    def choices(self, path):
        """Of empty groups the first one."""
        empty = [number for number, group in enumerate(self.groups) if not group][:1]
        open_ones = [number for number, group in enumerate(self.groups)
                     if group and self.sizes[number] + self.length[path] <= self.lines and self.others[path].isdisjoint(group)]
        return empty + sorted(open_ones, key=lambda number: self.sizes[number])

    def place(self, left):
        """Whether all that are left have a group."""
        if not left:
            return True
        self.tries -= 1
        choices = {path: self.choices(path) for path in left}
        path = min(left, key=lambda each: (len(choices[each]), -len(self.others[each]), -self.length[each], each))
        for number in choices[path]:
            self.groups[number].append(path)
            self.sizes[number] += self.length[path]
            if self.place([each for each in left if each != path]):
                return True
            self.groups[number].pop()
            self.sizes[number] -= self.length[path]
            if self.tries < 0:
                return False
        return False


def groups(paths, lines, root=ROOT):
    """As few groups as are found of sources that fit each other, of at most so many lines together, in order of their first ones."""
    length = sum(len(source_of(path, root).raw) for path in paths)
    for count in range(max(1, -(-length // lines)), len(paths) + 1):
        packing = Packing(paths, lines, root, count)
        if packing.place(paths):
            made = [sorted(group, key=paths.index) for group in packing.groups if group]
            return sorted(made, key=lambda group: paths.index(group[0]))
    return [[path] for path in paths]


def main(arguments):
    for line in pathlib.Path(arguments[0]).read_text(encoding="utf-8").splitlines():
        target, lines, *paths = line.split()
        for number, group in enumerate(groups(paths, int(lines))):
            print(target, number, *(ROOT / path for path in group))


if __name__ == "__main__":
    main(sys.argv[1:])
