#!/usr/bin/env python3
"""The summary of tools/check: times, skipped tests with reasons, failures, and the last line.

    tools/check_report.py FOLDER    FOLDER holds stages.txt and the JUnit files tests-PRESET.xml; tests-PRESET.again.xml
                                    has what ran a second time
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass

SLOW_SECONDS = 1.0
MAX_SLOW_SHOWN = 10


@dataclass
class Stage:
    name: str
    seconds: float
    result: str
    reason: str


@dataclass
class Test:
    name: str
    preset: str
    seconds: float
    result: str
    reason: str


def read_stages(path):
    for line in path.read_text().splitlines():
        name, seconds, result, *reason = line.split(' ', 3)
        yield Stage(name, float(seconds), result, ' '.join(reason).strip())


def skip_reason(output):
    """The reason given to GTEST_SKIP(), on the line after "file:line: Skipped", or to skipTest()."""
    match = re.search(r": Skipped\n(.*)| [.]{3} skipped '(.*)'", output)
    reason = match and (match.group(1) or match.group(2))
    return reason.strip() if reason and reason.strip() else 'no reason given'


def result_of(case):
    """("ok", "failed" or "skipped", reason). A test whose program is missing has status "notrun" too, but counts as failed."""
    status = case.get('status')
    if status == 'run':
        return 'ok', ''
    if status == 'disabled':
        return 'skipped', 'disabled in the source'
    skipped = case.find('skipped')
    if skipped is not None and skipped.get('message', '').startswith('SKIP_'):
        return 'skipped', skip_reason(case.findtext('system-out') or '')
    return 'failed', ''


def read_tests(path, preset):
    for case in xml.parse(path).getroot().iter('testcase'):
        result, reason = result_of(case)
        yield Test(case.get('name'), preset, float(case.get('time') or 0), result, reason)


def tests_of(path):
    """The tests of a preset, each with its last result, and the names of those that passed only the second time."""
    preset = path.stem.removeprefix('tests-')
    tests = {test.name: test for test in read_tests(path, preset)}
    again = path.with_suffix('.again.xml')
    if not again.exists():
        return list(tests.values()), []
    second = {test.name: test for test in read_tests(again, preset)}
    late = [f'{name} ({preset})' for name, test in second.items()
            if test.result == 'ok' and name in tests and tests[name].result == 'failed']
    return list({**tests, **second}.values()), late


def report_times(stages, tests):
    print('\nseconds  stage')
    for stage in stages:
        count = sum(1 for test in tests if stage.name == f'tests-{test.preset}')
        note = '' if stage.result == 'ok' else f'  {stage.result}'
        print(f'{stage.seconds:7.1f}  {stage.name}' + (f' ({count} tests)' if count else '') + note)
    print(f'{sum(stage.seconds for stage in stages):7.1f}  together')
    slow = sorted((test for test in tests if test.seconds >= SLOW_SECONDS), key=lambda test: -test.seconds)
    if slow:
        print(f'\nseconds  tests of {SLOW_SECONDS:.0f} s and more')
    for test in slow[:MAX_SLOW_SHOWN]:
        print(f'{test.seconds:7.1f}  {test.name} ({test.preset})')
    if len(slow) > MAX_SLOW_SHOWN:
        print(f'         and {len(slow) - MAX_SLOW_SHOWN} more')


def failures_of(stages, tests):
    """Failed tests, and failed stages without a failed test."""
    failed = [f'{test.name} ({test.preset})' for test in tests if test.result == 'failed']
    explained = {f'tests-{test.preset}' for test in tests if test.result == 'failed'}
    failed += [f'stage {stage.name}' for stage in stages if stage.result == 'failed' and stage.name not in explained]
    return failed


def main():
    folder = pathlib.Path(sys.argv[1])
    stages = list(read_stages(folder / 'stages.txt'))
    tests, late = [], []
    for path in sorted(folder.glob('tests-*.xml')):
        if not path.name.endswith('.again.xml'):
            found, only_then = tests_of(path)
            tests += found
            late += only_then
    passed = sum(1 for test in tests if test.result == 'ok')
    skipped = [(f'{t.name} ({t.preset})', t.reason) for t in tests if t.result == 'skipped']
    skipped += [(f'stage {stage.name}', stage.reason) for stage in stages if stage.result == 'skipped']
    failed = failures_of(stages, tests)
    if not passed and not failed:
        failed = ['no test ran']

    report_times(stages, tests)
    for title, lines in (('skipped', [f'{name}: {reason}' for name, reason in skipped]),
                         ('passed the second time, alone', late), ('failed', failed)):
        if lines:
            print(f'\n{title}')
        for line in lines:
            print(f'  {line}')
    print()
    print(f'{passed} passed, {len(failed)} failed' + (f', {len(skipped)} skipped' if skipped else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
