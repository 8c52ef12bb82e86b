"""Renders the templates of a Helm chart: the part of Go's text/template and of Helm's functions that deploy/chart uses.

A function, a value or an action that is not known here is an Unknown with its name. What Helm makes of the same templates is the same
objects: tried with Helm 3.19 when this was written.
"""

import json
import re

import yaml

ACTION = re.compile(r'\{\{(-)?\s*(/\*.*?\*/|(?:"(?:\\.|[^"\\])*"|[^"}]|\}(?!\}))*?)\s*(-)?\}\}', re.S)
WORD = re.compile(r'\s*("(?:\\.|[^"\\])*"|[^\s()|]+|[()|])')
BEGINS = ('if', 'with', 'range', 'define')


class Unknown(Exception):
    pass


class Refused(Exception):
    """What the functions fail and required say."""


def version(text):
    return [int(number) for number in re.findall(r'\d+', text)[:3]]


def semver_compare(condition, found):
    """The one form that the chart uses: "<1.36-0" and ">=1.23-0", where pre-releases count."""
    relation, wanted = re.fullmatch(r'(<|>=)(\d+\.\d+)-0', condition).groups()
    is_older = version(found)[:2] < version(wanted)
    return is_older if relation == '<' else not is_older


def to_yaml(value):
    return yaml.safe_dump(value, default_flow_style=False, sort_keys=True).rstrip('\n')


def indent(spaces, text):
    return '\n'.join(' ' * spaces + line for line in text.split('\n'))


def fail(text):
    raise Refused(text)


FUNCTIONS = {
    'and': lambda *values: next((value for value in values if not value), values[-1]),
    'default': lambda value, given: given or value,
    'eq': lambda left, right: left == right,
    'fail': fail,
    'has': lambda item, values: item in values,
    'indent': indent,
    'list': lambda *values: list(values),
    'ne': lambda left, right: left != right,
    'nindent': lambda spaces, text: '\n' + indent(spaces, text),
    'not': lambda value: not value,
    'printf': lambda form, *values: form % values,
    'quote': json.dumps,
    'replace': lambda old, new, text: text.replace(old, new),
    'required': lambda text, value: value or fail(text),
    'semverCompare': semver_compare,
    'toJson': lambda value: json.dumps(value, sort_keys=True, separators=(',', ':')),
    'toYaml': to_yaml,
}


class Parts:
    """Texts and actions of a template as a tree: a text, (action words), or [action words, body, body of else]."""

    def __init__(self, text):
        self.pieces, start, trims = [], 0, False
        for found in ACTION.finditer(text):
            before = text[start:found.start()]
            before = before.lstrip() if trims else before
            self.pieces.append(before.rstrip() if found[1] else before)
            self.pieces.append(tuple(WORD.findall(found[2])) if not found[2].startswith('/*') else ())
            start, trims = found.end(), bool(found[3])
        self.pieces.append(text[start:].lstrip() if trims else text[start:])
        self.at = 0

    def body(self):
        """Everything up to `end` or `else`; returns it with that action, None at the end of the text."""
        found = []
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            self.at += 1
            if isinstance(piece, str) or not piece:
                found.append(piece)
            elif piece[0] in ('end', 'else'):
                return found, piece
            elif piece[0] in BEGINS:
                body, closed = self.body()
                otherwise = []
                if closed == ('else',):
                    otherwise, closed = self.body()
                if closed != ('end',):
                    raise Unknown(f'{" ".join(piece)}: ends with {closed}')
                found.append([piece, body, otherwise])
            else:
                found.append(piece)
        return found, None


class Renderer:
    def __init__(self, root, files=None):
        """root: what `$` is. files: {name: text}, for .Files.Get."""
        self.root, self.files, self.defined, self.used = root, files or {}, {}, set()

    def add(self, text):
        """Reads a template; what it defines is known from then on. Returns its body."""
        body, closed = Parts(text).body()
        if closed:
            raise Unknown(f'{closed[0]} without a beginning')
        for each in body:
            if isinstance(each, list) and each[0][0] == 'define':
                self.defined[json.loads(each[0][1])] = each[1]
        return body

    def render(self, body, dot):
        return ''.join(self.shown(each, dot) for each in body)

    def shown(self, each, dot):
        if isinstance(each, str):
            return each
        if isinstance(each, tuple):
            value = self.value(list(each), dot) if each else ''
            return {True: 'true', False: 'false'}.get(value) if isinstance(value, bool) else str(value)
        (word, *condition), body, otherwise = each
        if word == 'define':
            return ''
        value = self.value(condition, dot)
        if not value:
            return self.render(otherwise, dot)
        if word == 'range':
            return ''.join(self.render(body, item) for item in value)
        return self.render(body, value if word == 'with' else dot)

    def value(self, words, dot):
        """The value of a pipeline; its words are taken away up to a closing parenthesis."""
        has_value, value = False, None
        while words and words[0] != ')':
            arguments = []
            while words and words[0] not in ('|', ')'):
                arguments.append(self.operand(words, dot, is_first=not arguments))
            value = self.call(arguments + ([value] if has_value else []), dot)
            has_value = True
            if words and words[0] == '|':
                words.pop(0)
        return value

    def call(self, arguments, dot):
        first = arguments[0]
        if not isinstance(first, Name):
            if len(arguments) > 1:
                raise Unknown(f'{first} is no function')
            return first
        if first == 'include':
            return self.render(self.defined[arguments[1]], arguments[2])
        if first == '.Files.Get':
            return self.files[arguments[1]]
        if first not in FUNCTIONS:
            raise Unknown(f'function {first}')
        return FUNCTIONS[first](*arguments[1:])

    def operand(self, words, dot, is_first):
        word = words.pop(0)
        if word == '(':
            value = self.value(words, dot)
            words.pop(0)
            return value
        if word.startswith('"'):
            return json.loads(word)
        if re.fullmatch(r'-?\d+', word):
            return int(word)
        if word in ('true', 'false'):
            return word == 'true'
        if word.startswith(('.', '$')) and word != '.Files.Get':
            return self.field(word, dot)
        if not is_first:
            raise Unknown(f'word {word}')
        return Name(word)

    def field(self, word, dot):
        value = self.root if word.startswith('$') else dot
        path = [name for name in word.lstrip('$').split('.') if name]
        if path[:1] == ['Values']:
            self.used.add('.'.join(path[1:]))
        for depth, name in enumerate(path):
            if name not in value and path[0] == 'Values':
                raise Unknown('value ' + '.'.join(path[1:depth + 1]))
            value = value.get(name)
        return value


class Name(str):
    """The name of a function, apart from a text."""
