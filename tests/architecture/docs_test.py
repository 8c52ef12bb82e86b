"""Pages point only at what exists, docs/errors.md has a row for each kind of error, docs/refusals.md each reason, and
a room's README each of its files."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r'\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)')
# A file of ours named in running text or in a comment of a source.
PAGE = re.compile(r'\bdocs/[\w/.-]+\.(?:md|svg)\b|(?<![\w/])tests/[\w/-]+\.(?:hpp|cpp|py|md)\b')
REASON = re.compile(r'\breason = "([a-z-]+)"')
KIND = re.compile(r'case ErrorKind::(k\w+):\s*return "([a-z-]+)";')


def files(*suffixes):
    for path in sorted(ROOT.rglob('*')):
        inside = path.relative_to(ROOT).parts[0]
        if path.suffix in suffixes and inside != 'build' and not inside.startswith('.'):
            yield path


def dangling_links():
    for path in files('.md'):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if '://' not in target and not (path.parent / target).exists():
                    yield f'{path.relative_to(ROOT)}:{number}: nothing at {target}'


def dangling_mentions():
    for path in files('.hpp', '.cpp', '.cmake', '.txt', '.py', '.md'):
        if path.name == 'layers_finds_test.py':
            continue  # makes up a tree of its own
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for page in PAGE.findall(line):
                if not (ROOT / page).exists():
                    yield f'{path.relative_to(ROOT)}:{number}: there is no {page}'


def kinds_without_row():
    page = (ROOT / 'docs' / 'errors.md').read_text()
    kinds = KIND.findall((ROOT / 'base' / 'error.cpp').read_text())
    if not kinds:
        yield 'base/error.cpp: the kinds were not found'
    for kind, word in kinds:
        if f'| `{kind}` | `{word}` |' not in page:
            yield f'docs/errors.md: no row for {kind}, "{word}"'


def reasons_not_shown():
    """Words that x-bellows-reason may hold and docs/refusals.md neither shows nor mentions."""
    page = (ROOT / 'docs' / 'refusals.md').read_text()
    words = {word for _, word in KIND.findall((ROOT / 'base' / 'error.cpp').read_text())}
    for room in ('proxy', 'activator', 'queue-proxy'):
        for path in (ROOT / room).rglob('*.cpp'):
            words |= set(REASON.findall(path.read_text()))
    for word in sorted(words):
        if f'X-Bellows-Reason: {word}\n' not in page and f'`{word}`' not in page:
            yield f'docs/refusals.md: nothing about the reason {word}'


def files_not_listed():
    """Files of the rooms whose README goes through them one by one."""
    for room in ('activator', 'base', 'cluster', 'http', 'metrics', 'proxy', 'queue-proxy'):
        named = set(re.findall(r'[a-z0-9_]+', (ROOT / room / 'README.md').read_text()))
        stems = {path.stem: path for path in files('.hpp', '.cpp') if path.relative_to(ROOT).parts[0] == room}
        for stem, path in sorted(stems.items()):
            if stem not in named:
                yield f'{room}/README.md: nothing about {path.relative_to(ROOT)}'


breaches = [*dangling_links(), *dangling_mentions(), *kinds_without_row(), *reasons_not_shown(), *files_not_listed()]
print('\n'.join(breaches))
print(f'{len(breaches)} breaches')
sys.exit(1 if breaches else 0)
