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
MEMBER = re.compile(r'\w(?:<[^()]*>)?::~?$')  # before the name of what a class declares
IGNORED = re.compile(r'[\s#}/)]|namespace\b|using\b|template\b|public:|private:|protected:|static_assert\b|struct\b|class\b|$')
FORWARD = re.compile(r'^(?:template\s*<.*>\s*)?(?:struct|class)\s+(\w+);')
MACRO = re.compile(r'^\s*#\s*define\s+(\w+)')
NAMESPACE = re.compile(r'(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{$')
END_OF_NAMESPACE = re.compile(r'\}\s*// namespace\b')
LOCAL_TYPE = re.compile(r'^\s+(?:using|struct|class|enum(?:\s+class)?)\s+(\w+)')
# Not a member, and not a name of a namespace that is given.
UNQUALIFIED = re.compile(r'(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*')
QUALIFIER = re.compile(r'(?<![\w.:])(\w+)::')
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
    return (found[1], found[2] != '(') if found and not member(line) else None


def member(line):
    """The name of what a line at namespace scope defines for a class, outside of it."""
    found = None if IGNORED.match(line) else OTHER.search(line)
    return found[1] if found and MEMBER.search(line[:found.start()]) else None


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


def within(space, around):
    """Whether code in a namespace sees the names of the other one without naming it."""
    return not around or (space + '::').startswith(around + '::')


class Names:
    """Namespaces are named from the global one on, which is ''; an anonymous one has the name of that around it."""

    def __init__(self, source):
        self.own = {}  # of no other file: name to (its line, whether a local variable may have it, its namespace)
        self.shared = set()  # (namespace, name)
        self.members = set()
        self.spaces = {''}
        self.includes = [include for _, quote, include in source.includes if quote == '"']
        self.used = {}  # name to the namespaces of the code, as the two below
        self.qualifiers = {}
        self.local_types = {}
        self.forward = {name for line in source.code for name in FORWARD.findall(line)}
        self.shared |= {('', name) for line in source.code if source.is_header for name in MACRO.findall(line)}
        open_spaces, opened_at = [], None
        for number, (raw, line) in enumerate(zip(source.raw, source.code)):
            if line.lstrip().startswith('#'):
                continue
            if found := NAMESPACE.match(line):
                open_spaces.append(found[1])
                self.spaces.add('::'.join(filter(None, open_spaces)))
                opened_at = number
            elif open_spaces and (END_OF_NAMESPACE.match(raw) or line == '}' and opened_at == number - 2):  # of one line
                open_spaces.pop()
            else:
                if line.startswith('INSTANTIATE_') and line.endswith('('):
                    line += source.code[number + 1].strip()
                self.read(line, '::'.join(filter(None, open_spaces)), '' in open_spaces or not source.is_header and ALIAS.match(line))

    def read(self, line, space, is_own):
        for found, kept in ((UNQUALIFIED.findall(line), self.used), (QUALIFIER.findall(line), self.qualifiers),
                            (LOCAL_TYPE.findall(line), self.local_types)):
            for name in found:
                kept.setdefault(name, set()).add(space)
        if defined := member(line):
            self.members.add(defined)
        if not (found := declared(line)):
            return
        if is_own or line.startswith('static '):
            self.own[found[0]] = (line, found[1], space)
        else:
            self.shared.add((space, found[0]))

    @staticmethod
    def names_on(line):
        """(qualifier, name) of what a line uses; the qualifier is "" or ends in "::"."""
        yield from QUALIFIED.findall(line)
        yield from (('', name) for name in UNQUALIFIED.findall(line))

    def sees(self, space):
        """Whether code here sees the names of that namespace without naming it."""
        return any(within(each, space) for each in self.spaces)
