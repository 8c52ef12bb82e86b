"""Pages point only at what exists, a room's README knows its files, docs/errors.md has a row for each kind of error,
docs/troubleshooting.md each reason."""

import functools
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r'\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)')
HEADING = re.compile(r'#+ (.+)')
LINKED_WORDS = re.compile(r'\[([^\]]*)\]\([^)]*\)')
# A file of ours named in running text or in a comment of a source.
PAGE = re.compile(r'\bdocs/[\w/.-]+\.(?:md|svg)\b')
REASON = re.compile(r'\breason = "([a-z-]+)"')
KIND = re.compile(r'case ErrorKind::(k\w+):\s*return "([a-z-]+)";')


@functools.cache
def all_files():
    """Without build/, which has hundreds of thousands beside a node of Kubernetes."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        if folder == str(ROOT):
            folders[:] = [name for name in folders if name != 'build' and not name.startswith('.')]
        found += [pathlib.Path(folder, name) for name in names]
    return sorted(found)


def files(*suffixes):
    return [path for path in all_files() if path.suffix in suffixes]


@functools.cache
def anchors(page):
    """The fragments of its headings, as GitHub makes them."""
    found, is_code = set(), False
    for line in page.read_text().splitlines():
        is_code ^= line.startswith('```')
        heading = HEADING.match(line)
        if heading and not is_code:
            words = LINKED_WORDS.sub(r'\1', heading[1]).lower()
            found.add(re.sub(r'[^\w\- ]', '', words).replace(' ', '-'))
    return found


def dangling_links():
    for path in files('.md'):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for target, anchor in LINK.findall(line):
                page = (path.parent / target).resolve() if target else path
                if '://' in target:
                    continue
                if not page.exists():
                    yield f'{path.relative_to(ROOT)}:{number}: nothing at {target}'
                elif anchor and page.suffix == '.md' and anchor not in anchors(page):
                    yield f'{path.relative_to(ROOT)}:{number}: no heading #{anchor} in {target or path.name}'


def dangling_mentions():
    for path in files('.hpp', '.cpp', '.cmake', '.txt', '.py', '.md'):
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
    """Words that X-Bellows-Reason may hold and docs/troubleshooting.md neither shows nor mentions."""
    page = (ROOT / 'docs' / 'troubleshooting.md').read_text()
    words = {word for _, word in KIND.findall((ROOT / 'base' / 'error.cpp').read_text())}
    for room in ('proxy', 'activator', 'queue-proxy'):
        for path in (ROOT / room).rglob('*.cpp'):
            words |= set(REASON.findall(path.read_text()))
    for word in sorted(words):
        if f'X-Bellows-Reason: {word}\n' not in page and f'`{word}`' not in page:
            yield f'docs/troubleshooting.md: nothing about the reason {word}'


def files_that_their_room_does_not_know():
    """A README names each source by its name without ending, or its folder as a whole: `folder/`."""
    for readme in sorted(ROOT.glob('*/README.md')):
        room = readme.parent
        if room.name == 'tests':  # its folders mirror the rooms
            continue
        text = readme.read_text()
        names = {path.relative_to(room).with_suffix('') for path in files('.hpp', '.cpp') if room in path.parents}
        for name in sorted(names):
            folders = [f'`{folder}/' for folder in name.parents if str(folder) != '.']
            is_whole = any(f'{folder}`' in text or f'{folder}*.cpp`' in text for folder in folders)
            if name.name not in text and not is_whole:
                yield f'{readme.relative_to(ROOT)}: no word about {name}'


breaches = [*files_that_their_room_does_not_know(), *dangling_links(), *dangling_mentions(), *kinds_without_row(),
            *reasons_not_shown()]
print('\n'.join(breaches))
print(f'{len(breaches)} breaches')
sys.exit(1 if breaches else 0)
