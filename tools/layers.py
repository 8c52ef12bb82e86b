#!/usr/bin/env python3
"""Checks the rules about the source tree that a compiler does not.

    tools/layers.py [ROOT]

Reads every .hpp and .cpp below ROOT (default: this repository) and the directions in
ROOT/tools/layers.txt, and prints each breach as "file:line: rule: what and what would be right".
Exit code 1 if there is any.
"""

import argparse
import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

from names import Names, reached
from own_headers import OwnHeaders

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Comments and literals. A quote after a digit is a separator (1'000), not the start of a character.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|\bR"([^(\s]*)\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)
STANDARD_NAME = re.compile(r'\bstd::(?:ranges::)?(\w+)')
CLOCK_READ = re.compile(
    r'\w::now\s*\(|\b(?:clock_gettime|gettimeofday|ftime)\s*\(|(?<![\w.>])time\s*\(\s*(?:NULL|nullptr|0|&)')
# The calls that block a thread; http::sleep_for is a coroutine's wait that its task group can end.
SLEEP = re.compile(r'\bthis_thread::sleep_\w+|\b(?:usleep|nanosleep|clock_nanosleep)\s*\(|\bsleep\s*\(\s*\d')
OUTSIDE_WORLD = re.compile(r'\b(?:secure_)?getenv\s*\(|\brandom_device\b|\bstd::(?:cout|cerr|clog)\b')
UNFINISHED = re.compile(r'\b(?:TODO|FIXME|XXX|HACK)\b|//.*\bfor now\b')
# The last line of a signature, alone or with what may follow the parameters.
BODY_OPENS = re.compile(r'\)\s*(?:const)?\s*(?:noexcept)?\s*(?:override)?\s*(?:final)?\s*(?:->\s*[\w:<>, *&]+)?\s*\{$')
STATEMENT_STARTS = re.compile(r'^(?: {2})?[A-Za-z~]')
CASE_LABEL = re.compile(r'^\s*case .*:$')  # with what follows it, one row of a table
BLOCK_STARTS = re.compile(r'^\s*(?:if|for|while|switch|do|try)\b')
IDENTIFIER = re.compile(r'[A-Za-z_]\w*')
# A function declared or defined in a header: a type, then the name, then the parameters. A statement that calls one
# begins with a keyword of control flow or has an operator before the name.
FUNCTION_IN_HEADER = re.compile(
    r'^\s*(?!(?:return|co_return|co_await|else|throw|new|using|if|for|while)\b)'
    r'(?:[\w\[][\w:<>,*&\[\]\s]*?[\s*&>])(\w+)\s*\(')
DEFINITION_IN_SOURCE = re.compile(r'^(?!return\b)[A-Za-z]')
TYPE_BEFORE_NAME = re.compile(r'[\w>&*]\s+[*&]?$')
# The first sentence of a doc comment has no subject if it begins with one of these. Those of the second kind may begin
# a subordinate clause, whose main clause follows after a comma.
DOC_COMMENT = re.compile(r'^(\s*)///(?!/) ?(?!<)(.*)$')
NO_SUBJECT = re.compile(r'(?:Of|What|How|So many|Whether|Which|Why|Whose|Whom|Who)\b')
NO_MAIN_CLAUSE = re.compile(r'(?:For|Where|When|If)\b')
SENTENCE_END = re.compile(r'[.;:](?:\s|$)')


@dataclass(frozen=True)
class Breach:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f'{self.path}:{self.line}: {self.rule}: {self.text}'


@dataclass
class Layer:
    kind: str
    folder: str
    uses: set


@dataclass
class Rules:
    """The contents of layers.txt."""
    layers: dict = field(default_factory=dict)
    forbidden_in_pure: list = field(default_factory=list)
    forbidden_in_headers: list = field(default_factory=list)
    standard_header_of: dict = field(default_factory=dict)  # "min": "algorithm"
    called_by_others: set = field(default_factory=set)
    sentences_in: list = field(default_factory=list)

    def layer_of(self, path):
        parts = path.split('/')
        while parts:
            layer = self.layers.get('/'.join(parts))
            if layer:
                return layer
            parts.pop()
        return None


def read_rules(path):
    rules, groups = Rules(), {}

    def expand(words):
        for word in words:
            if word.startswith('@'):
                yield from groups[word]
            else:
                yield word

    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split('#')[0].split()
        if not words:
            continue
        if words[0] == 'forbid-in-pure':
            rules.forbidden_in_pure += words[1:]
        elif words[0] == 'forbid-in-headers':
            rules.forbidden_in_headers += words[1:]
        elif words[0] == 'standard' and words[2] == ':':
            rules.standard_header_of.update({name: words[1] for name in words[3:]})
        elif words[0] == 'called-by-others':
            rules.called_by_others |= set(words[1:])
        elif words[0] == 'sentences-in':
            rules.sentences_in += words[1:]
        elif words[0].startswith('@') and words[1] == '=':
            groups[words[0]] = list(expand(words[2:]))
        elif words[0] in ('pure', 'io', 'any') and words[2] == ':':
            rules.layers[words[1]] = Layer(words[0], words[1], set(expand(words[3:])))
        else:
            sys.exit(f'{path}:{number}: cannot be parsed: {line}')
    for layer in rules.layers.values():
        for used in layer.uses - set(rules.layers):
            sys.exit(f'{path}: {layer.folder} uses {used}, which is not a layer')
    return rules


@dataclass
class Source:
    """One file: as written, as code only (comments and literals blanked), and what it includes."""
    path: str
    raw: list
    code: list
    includes: list  # (line number, '<' or '"', what)

    @property
    def is_header(self):
        return self.path.endswith('.hpp')

    def lines_matching(self, pattern):
        return [number for number, line in enumerate(self.code, 1) if pattern.search(line)]


def read_source(root, path):
    text = (root / path).read_text()
    code = NOT_CODE.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)
    raw = text.splitlines()
    includes = []
    for number, line in enumerate(raw, 1):
        match = INCLUDE.match(line)
        if match:
            includes.append((number, match.group(1), match.group(2)))
    return Source(path, raw, [line.rstrip() for line in code.splitlines()], includes)


def files(root, *suffixes):
    """Paths below root, without build/, which has hundreds of thousands beside a node of Kubernetes."""
    found = []
    for folder, folders, names in os.walk(root):
        if folder == str(root):
            folders[:] = [name for name in folders if name != 'build' and not name.startswith('.')]
        found += [os.path.join(folder, name) for name in names if name.endswith(suffixes)]
    return sorted(os.path.relpath(path, root) for path in found)


def starts_with_any(include, prefixes):
    return any(include == p or include.startswith(p.rstrip('/') + '/') for p in prefixes)


def check_edges(root, rules, source):
    layer = rules.layer_of(source.path)
    if layer is None:
        yield Breach(source.path, 1, 'layers', 'its folder is not in tools/layers.txt')
        return
    for line, quote, include in source.includes:
        if quote == '<':
            continue
        target = rules.layer_of(include)
        if layer.kind == 'any' or target is None or target is layer or target.folder in layer.uses:
            continue
        allowed = ', '.join(sorted(layer.uses)) or 'nothing else'
        yield Breach(source.path, line, 'layers',
                     f'{layer.folder} may not include "{include}" ({target.folder}); it may use {allowed}')


def check_include_form(root, rules, source):
    for line, quote, include in source.includes:
        ours = (root / include).is_file()
        if quote == '"' and not ours:
            yield Breach(source.path, line, 'includes',
                         f'"{include}": our headers are written from the repository root, others in <>')
        if quote == '<' and ours:
            yield Breach(source.path, line, 'includes', f'<{include}> is ours: want "{include}"')


def check_own_header_first(root, rules, source):
    own = source.path[:-len('.cpp')] + '.hpp'
    if source.is_header or not (root / own).is_file():
        return
    if not source.includes or source.includes[0][2] != own:
        line = source.includes[0][0] if source.includes else 1
        yield Breach(source.path, line, 'own header first', f'want #include "{own}" before all others')


def check_pure(root, rules, source):
    layer = rules.layer_of(source.path)
    if layer is None or layer.kind != 'pure':
        return
    for line, quote, include in source.includes:
        if quote == '<' and starts_with_any(include, rules.forbidden_in_pure):
            yield Breach(source.path, line, 'pure', f'{layer.folder} is pure: no <{include}> here')
    for line in source.lines_matching(OUTSIDE_WORLD):
        yield Breach(source.path, line, 'pure',
                     f'{layer.folder} is pure: environment, randomness and output come in as arguments')


def check_heavy_headers(root, rules, source):
    for line, quote, include in source.includes:
        if source.is_header and quote == '<' and starts_with_any(include, rules.forbidden_in_headers):
            yield Breach(source.path, line, 'heavy header', f'<{include}> costs seconds a file: include it in a .cpp')


def check_clock(root, rules, source):
    if source.path.startswith('base/sys/'):
        return
    for line in source.lines_matching(CLOCK_READ):
        yield Breach(source.path, line, 'clock', 'only base/sys reads clocks: take a TimePoint or a sys::Clock')


def check_sleep(root, rules, source):
    if not source.path.startswith('tests/'):
        return
    for line in source.lines_matching(SLEEP):
        yield Breach(source.path, line, 'sleep', 'tests do not sleep: move the time by hand or wait for the event')


def check_unfinished(root, rules, source):
    for line, text in enumerate(source.raw, 1):
        match = UNFINISHED.search(text)
        if match:
            yield Breach(source.path, line, 'unfinished', f'"{match.group().strip("/ ")}": finish it or open an issue instead')


def doc_comments(source):
    """(line number, text) of each block of /// above a declaration."""
    block, indent = None, None
    for line, text in enumerate(source.raw, 1):
        match = DOC_COMMENT.match(text)
        if match and block and match.group(1) == indent:
            block = (block[0], f'{block[1]} {match.group(2)}')
            continue
        if block:
            yield block
        block, indent = ((line, match.group(2)), match.group(1)) if match else (None, None)
    if block:
        yield block


def check_doc_sentences(root, rules, source):
    if not source.is_header or not starts_with_any(source.path, rules.sentences_in):
        return
    for line, text in doc_comments(source):
        sentence = SENTENCE_END.split(text, maxsplit=1)[0]
        is_fragment = NO_SUBJECT.match(sentence) or (NO_MAIN_CLAUSE.match(sentence) and ',' not in sentence)
        if is_fragment:
            yield Breach(source.path, line, 'doc sentence',
                         f'"{sentence[:40]}" has no subject: "Returns ...", or a noun for a type or a member')


def check_file_length(root, rules, source):
    if len(source.raw) > MAX_FILE_LINES:
        yield Breach(source.path, len(source.raw), 'file length',
                     f'{len(source.raw)} lines; {MAX_FILE_LINES} is the limit, about 400 the aim')


def signature_start(code, index):
    """Index of the line where the function starts whose body opens at `index`; None for a block of another kind."""
    while index >= 0 and not STATEMENT_STARTS.match(code[index]):
        index -= 1
    is_function = index >= 0 and '(' in code[index] and not BLOCK_STARTS.match(code[index])
    return index if is_function else None


def check_function_length(root, rules, source):
    code = source.code
    for index, line in enumerate(code):
        start = signature_start(code, index) if BODY_OPENS.search(line) else None
        if start is None:
            continue
        indent = code[start][:len(code[start]) - len(code[start].lstrip())]
        end = next((i for i in range(index + 1, len(code)) if code[i].startswith(indent + '}')), len(code) - 1)
        labels = sum(1 for text in code[start:end] if CASE_LABEL.match(text))
        length = end - start + 1 - labels
        if length > MAX_FUNCTION_LINES:
            yield Breach(source.path, start + 1, 'function length',
                         f'{length} lines; {MAX_FUNCTION_LINES} is the limit, about 40 the aim')


def standard_headers_reached(path, sources):
    """What the file at `path` and every header of ours it reaches include in <>."""
    def includes_of(each):
        return [include for _, quote, include in sources[each].includes if quote == '"'] if each in sources else None

    return {include for each in reached(path, includes_of) for _, quote, include in sources[each].includes if quote == '<'}


def check_standard_headers(rules, source, sources):
    """The compiler finds a name also where its header comes along with another one, or is precompiled."""
    layer = rules.layer_of(source.path)
    if layer is None or layer.kind == 'any':
        return
    included = standard_headers_reached(source.path, sources)
    for line, text in enumerate(source.code, 1):
        for name in STANDARD_NAME.findall(text):
            header = rules.standard_header_of.get(name)
            if header and header not in included:
                included.add(header)
                yield Breach(source.path, line, 'standard header', f'std::{name} wants #include <{header}>')


def check_own_headers(sources):
    rule = OwnHeaders(sources, {path: Names(source) for path, source in sources.items()})
    for path in sources:
        for line, name, headers in rule.missing(path):
            yield Breach(path, line, 'own header', f'{name} wants #include "{" or ".join(headers)}"')


CHECKS = [check_edges, check_include_form, check_own_header_first, check_pure, check_heavy_headers, check_clock,
          check_sleep, check_unfinished, check_doc_sentences, check_file_length, check_function_length]


def declares(path, line, start, end):
    """Whether the identifier at start:end of the line is declared or defined there, rather than called."""
    if not line[end:].lstrip().startswith('('):
        return False
    if path.endswith('.hpp'):
        match = FUNCTION_IN_HEADER.match(line)
        return match is not None and match.start(1) == start
    before = line[:start]
    return bool(DEFINITION_IN_SOURCE.match(line)) and (before.endswith('::') or bool(TYPE_BEFORE_NAME.search(before)))


def check_callers(rules, sources):
    """Functions of headers that no program calls. What only tests call shows no behaviour that a user has."""
    programs = [s for s in sources if not s.path.startswith('tests/')]
    called, declared = set(), {}
    for source in programs:
        for number, line in enumerate(source.code, 1):
            for match in IDENTIFIER.finditer(line):
                name = match.group()
                if not declares(source.path, line, match.start(), match.end()):
                    called.add(name)
                elif source.is_header and ' operator' not in line and 'override' not in line:
                    declared.setdefault(name, (source.path, number))
    for name, (path, number) in sorted(declared.items(), key=lambda item: item[1]):
        if name not in called and name not in rules.called_by_others:
            yield Breach(path, number, 'no caller',
                         f'{name}() is called by no program: delete it, or list it in tools/layers.txt with the reason')


def read_vocabulary(path):
    """[(pattern, field word, fixed parts)] of tools/vocabulary.txt, whose lines are "WORDS : FIELD WORD"; none without the file."""
    rows = []
    for line in path.read_text().splitlines() if path.is_file() else []:
        words, _, field_word = line.split('#')[0].partition(' : ')
        if field_word:
            pattern = re.compile(rf'(?<![\w-])(?:{words.strip()})(?![\w-])', re.IGNORECASE)
            rows.append((pattern, field_word.strip(), fixed_parts(words.strip())))
    return rows


def fixed_parts(words):
    """For each alternative of a pattern a part that each text with it has, in lower case: a search for that is fast."""
    longest = [max(re.split(r'\w[?*]', each), key=len).lower() for each in words.split('|')]
    return [part if re.fullmatch(r'[\w -]*', part) else '' for part in longest]


def check_vocabulary(root):
    """Words in sources and pages for which the field has another one."""
    rows = read_vocabulary(root / 'tools' / 'vocabulary.txt')
    for path in files(root, '.hpp', '.cpp', '.py', '.md') if rows else []:
        text = (root / path).read_text()
        lower = text.lower()
        found = [row for row in rows if any(part in lower for part in row[2])]
        for number, line in enumerate(text.splitlines() if found else [], 1):
            for pattern, field_word, _ in found:
                match = pattern.search(line)
                if match:
                    yield Breach(path, number, 'vocabulary', f'"{match.group()}": the field says {field_word}')


def check_readmes(root, paths):
    """Each room with code says in a README what it is for."""
    for room in sorted({path.split('/')[0] for path in paths}):
        if not (root / room / 'README.md').is_file():
            yield Breach(f'{room}/README.md', 1, 'readme', f'missing: what {room} is for, its files, its promises')


def check_tree(root):
    rules = read_rules(root / 'tools' / 'layers.txt')
    paths = files(root, '.hpp', '.cpp')
    breaches = list(check_readmes(root, paths))
    sources = {path: read_source(root, path) for path in paths}
    for source in sources.values():
        for check in CHECKS:
            breaches += check(root, rules, source)
        breaches += check_standard_headers(rules, source, sources)
    breaches += check_own_headers(sources)
    breaches += check_callers(rules, list(sources.values()))
    breaches += check_vocabulary(root)
    return paths, breaches


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root', nargs='?', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    paths, breaches = check_tree(root)
    for breach in breaches:
        print(breach)
    print(f'{len(paths)} files, {len(breaches)} breaches')
    if not paths:
        print(f'{root}: no sources found')
    return 1 if breaches or not paths else 0


if __name__ == '__main__':
    sys.exit(main())
