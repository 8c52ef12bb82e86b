"""The rule "own header" of tools/layers.py: a name that a header of ours declares wants that header among the includes, its own
or those of a header that it reaches. The compiler finds the name also where another source of the same group has included the
header before (cmake/unity_groups.py).

It reads words, no grammar, so it says nothing about a name that the file, or a header that it reaches, uses for something else.
"""

import functools
import re

from names import reached

WORD = re.compile(r'\w+')
# What a line declares within a function, a type or an enumeration: a name after a type, a pointer to a function, names in
# [brackets], an enumerator, a parameter of a template.
AFTER_TYPE = re.compile(
    r'[\w>&*]\s+[&*]*(?<!\breturn )(?<!\bcase )(?<!\bco_await )(?<!\bco_return )(?<!\bco_yield )(?<!\bthrow )'
    r'(?<!\belse )(?<!\bnew )(?<!\bdelete )(\w+)(?=\s*(?:[;={(,)\[]|:(?!:)|$))')
POINTER = re.compile(r'\(\*(\w+)\)\(|\w[&*]+(\w+)(?=\s*(?:[;={(,)\[]|:(?!:)))')
IN_BRACKETS = re.compile(r'\[([^\]]*)\]')
ENUMERATOR = re.compile(r'^\s+(\w+)(?:\s*=[^=;]+)?,?$')
TEMPLATE_PARAMETER = re.compile(r'\b(?:class|typename)\b(?:\.\.\.)?\s+(\w+)\s*[,>=]')
ENUMERATION = re.compile(r'\benum\b[^{;]*\{(.*)\}')
TEST = re.compile(r'^\w*(?:TEST|PROP)\w*\(\w+,\s*\w+')


def local_names(code):
    found = set()
    for line in code:
        found |= {name for pattern in (AFTER_TYPE, ENUMERATOR, TEMPLATE_PARAMETER) for name in pattern.findall(line)}
        for pair in POINTER.findall(line):
            found |= set(pair)
        for inside in IN_BRACKETS.findall(line) + ENUMERATION.findall(line):
            found |= set(WORD.findall(inside))
    return found


class OwnHeaders:
    """Of all sources of a tree: {path: layers.Source} and {path: names.Names}."""

    def __init__(self, sources, names):
        self.sources, self.names, self.headers_of = sources, names, {}
        for path, each in names.items():
            for space, name in each.shared if path.endswith('.hpp') else ():
                self.headers_of.setdefault(name, set()).add((space, path))

    @functools.cache
    def locals(self, path):
        return local_names(self.sources[path].code) - self.names[path].forward | set(self.names[path].local_types)

    @functools.cache
    def words(self, path):
        return {word for line in self.sources[path].code for word in WORD.findall(line)}

    @functools.cache
    def reached(self, path):
        return reached(path, lambda each: self.names[each].includes if each in self.names else None)

    def candidates(self, path, name, fits):
        """The headers that declare the name in a namespace that fits; those of tests are for tests. A source wants the whole
        type: to a header a declaration is enough.
        """
        return {header for space, header in self.headers_of.get(name, ())
                if fits(space) and (path.startswith('tests/') or not header.startswith('tests/'))
                and (path.endswith('.hpp') or name not in self.names[header].forward)}

    def missing(self, path):
        """(line, name, headers that declare it) of each name whose header the file does not reach."""
        mine, asked = self.names[path], set()
        code = ['' if line.startswith('#') else TEST.sub('', line) for line in self.sources[path].code]
        for number, line in enumerate(code, 1):
            for qualifier, name in sorted(set(mine.names_on(line)) - asked):
                asked.add((qualifier, name))
                fits = mine.sees if not qualifier else lambda space: f'::{space}::'.endswith('::' + qualifier)
                found = self.candidates(path, name, fits)
                if found and not found & self.reached(path) and not self.is_other(path, qualifier, name, found):
                    yield number, qualifier + name, sorted(found)

    def is_other(self, path, qualifier, name, found):
        """Whether the name is one of the file, or one of a header that it reaches: a member that it inherits, a parameter. Or an
        overload that a template finds beside its argument.
        """
        mine = self.names[path]
        if qualifier:
            return qualifier.split('::')[0] in mine.own
        if name in mine.own or name in mine.members or name in self.locals(path) or any(name == each for _, each in mine.shared):
            return True
        if len(found) > 1 and 'template' in self.words(path):
            return True
        return any(name in self.locals(each) for each in self.reached(path))
