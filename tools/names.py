"""The names that a source of ours declares at namespace scope, and those that it uses: for tools/own_headers.py and
cmake/unity_groups.py. It reads lines, as the formatter leaves them: what stands at namespace scope has no indentation.
"""

import re

# What a line declares: a type, an alias, a test, or what comes before the first "(", "=", "{", "[" or ";".
TYPE = re.compile(r'(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s+)?(\w+)(?!::)')
ALIAS = re.compile(r'(?:template\s*<.*>\s*)?using\s+(\w+)\s*=|using\s+(?!namespace\b)(?:\w*::)*(\w+);|namespace\s+(\w+)\s*=')
TEST = re.compile(r'(?:TYPED_)?(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+),\s*(\w+)')
INSTANCE = re.compile(r'(?:INSTANTIATE_\w+|TYPED_TEST_SUITE\w*)\((\w+)(?:,\s*(\w+))?')
OTHER = re.compile(r'(\w+)\s*(\(|=(?!=)|\{|\[|;)')
IGNORED = re.compile(r'[\s#}/)]|namespace\b|using\b|template\b|public:|private:|protected:|static_assert\b|struct\b|class\b|$')
FORWARD = re.compile(r'^(?:template\s*<.*>\s*)?(?:struct|class)\s+(\w+);')
MACRO = re.compile(r'^\s*#\s*define\s+(\w+)')
NAMESPACE = re.compile(r'(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{$')
END_OF_NAMESPACE = re.compile(r'\}\s*// namespace\b')
LOCAL_TYPE = re.compile(r'^\s+(?:using|struct|class|enum(?:\s+class)?)\s+(\w+)')
# Not a member, and not a name of a namespace that is given.
UNQUALIFIED = re.compile(r'(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*')
QUALIFIED = re.compile(r'(?<![\w.:])((?:\w+::)+)([A-Za-z_]\w*)')


def declared(line):
    """(name, whether a local variable may have it: that of a variable, a namespace, or a type of the standard library) of what a line
    at namespace scope declares; None if it declares nothing.
    """
    if found := TYPE.match(line) or ALIAS.match(line):
        name = next(part for part in found.groups() if part)
        return name, line.startswith('namespace') or name.islower()
    if found := TEST.match(line) or INSTANCE.match(line):
        return '/'.join(part for part in found.groups() if part), False
    if IGNORED.match(line):
        return None
    found = OTHER.search(line)
    return found and (found[1], found[2] != '(')


def reached(path, includes_of):
    """The file and all headers that it includes, directly or by another one. `includes_of` gives those of one file; None: no file
    of ours.
    """
    found, ahead = set(), [path]
    while ahead:
        each = ahead.pop()
        if each not in found and (includes := includes_of(each)) is not None:
            found.add(each)
            ahead += includes
    return found


class Names:
    def __init__(self, source):
        self.own = {}  # of no other file: name to (its line, whether a local variable may have it)
        self.shared = set()  # (namespace, name)
        self.spaces = {''}
        self.includes = [include for _, quote, include in source.includes if quote == '"']
        code = ['' if line.lstrip().startswith('#') else line for line in source.code]
        self.used = {word for line in code for word in UNQUALIFIED.findall(line)}
        self.qualifiers = {qualifier.split('::')[0] for line in code for qualifier, _ in QUALIFIED.findall(line)}
        self.local_types = {name for line in code for name in LOCAL_TYPE.findall(line)}
        self.forward = {name for line in source.code for name in FORWARD.findall(line)}
        self.shared |= {('', name) for line in source.code if source.is_header for name in MACRO.findall(line)}
        open_spaces = []
        for raw, line in zip(source.raw, code):
            if found := NAMESPACE.match(line):
                open_spaces.append(found[1])
                self.spaces.add('::'.join(filter(None, open_spaces)))
            elif END_OF_NAMESPACE.match(raw) and open_spaces:
                open_spaces.pop()
            elif found := declared(line):
                if '' in open_spaces or line.startswith('static ') or ALIAS.match(line) and not source.is_header:
                    self.own[found[0]] = (line, found[1])
                else:
                    self.shared.add(('::'.join(open_spaces), found[0]))

    @staticmethod
    def names_on(line):
        """(qualifier, name) of what a line uses; the qualifier is "" or ends in "::"."""
        yield from QUALIFIED.findall(line)
        yield from (('', name) for name in UNQUALIFIED.findall(line))

    def sees(self, space):
        """Whether code here sees the names of that namespace without naming it."""
        return not space or any((inner + '::').startswith(space + '::') for inner in self.spaces)
