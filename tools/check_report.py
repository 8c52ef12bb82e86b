#!/usr/bin/env python3
"""The summary of tools/check: times, skipped tests with reasons, failures, and the last line.

    tools/check_report.py FOLDER SECONDS    FOLDER holds stages.txt and JUnit files: tests-PRESET.xml or tests-PRESET-PART.xml of
                                            ctest, and cases-PRESET/NAME.xml of each GoogleTest program that ctest ran as the
                                            test NAME. SECONDS: of all stages, of which some run side by side
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
    """The reason given to skipTest(), or the last line of a program that ended with the code for it."""
    match = re.search(r" [.]{3} skipped '(.*)'", output)
    if match:
        return match.group(1).strip() or 'no reason given'
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else 'no reason given'


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


def read_cases(path, preset):
    """The tests of one run of a GoogleTest program."""
    for case in xml.parse(path).getroot().iter('testcase'):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find('skipped')
        if case.find('failure') is not None:
            result, reason = 'failed', ''
        elif case.get('status') == 'notrun':
            result, reason = 'skipped', 'disabled in the source'
        elif skipped is not None:
            # "file.cpp:12", then the text of GTEST_SKIP() on a line of its own
            result, reason = 'skipped', (skipped.get('message') or '').split('\n', 1)[-1].strip() or 'no reason given'
        else:
            result, reason = 'ok', ''
        yield Test(name, preset, float(case.get('time') or 0), result, reason)


def tests_of(path):
    """The tests of a JUnit file of ctest. A program that left a report is replaced by the tests in it; one that failed although they
    passed, say because it crashed at its end, is a failed test too."""
    preset = path.stem.removeprefix('tests-').split('-')[0]
    for test in read_tests(path, preset):
        report = path.parent / f'cases-{preset}' / f'{test.name}.xml'
        if not report.exists():
            yield test
            continue
        cases = list(read_cases(report, preset))
        yield from cases
        if test.result == 'failed' and not any(case.result == 'failed' for case in cases):
            yield test


def report_times(stages, together, counts, tests):
    print('\nseconds  stage')
    for stage in stages:
        count = counts.get(stage.name)
        note = '' if stage.result == 'ok' else f'  {stage.result}'
        print(f'{stage.seconds:7.1f}  {stage.name}' + (f' ({count} tests)' if count else '') + note)
    print(f'{together:7.1f}  together')
    slow = sorted((test for test in tests if test.seconds >= SLOW_SECONDS), key=lambda test: -test.seconds)
    if slow:
        print(f'\nseconds  tests of {SLOW_SECONDS:.0f} s and more')
    for test in slow[:MAX_SLOW_SHOWN]:
        print(f'{test.seconds:7.1f}  {test.name} ({test.preset})')
    if len(slow) > MAX_SLOW_SHOWN:
        print(f'         and {len(slow) - MAX_SLOW_SHOWN} more')


def failures_of(stages, tests):
    """Failed tests, and failed stages without a failed test."""
    failed = [f'{test.name} ({test.preset})' for _, found in tests for test in found if test.result == 'failed']
    explained = {name for name, found in tests if any(test.result == 'failed' for test in found)}
    failed += [f'stage {stage.name}' for stage in stages if stage.result == 'failed' and stage.name not in explained]
    return failed


def main():
    folder = pathlib.Path(sys.argv[1])
    stages = list(read_stages(folder / 'stages.txt'))
    by_stage = [(path.stem, list(tests_of(path))) for path in sorted(folder.glob('tests-*.xml'))]
    tests = [test for _, found in by_stage for test in found]
    passed = sum(1 for test in tests if test.result == 'ok')
    skipped = [(f'{t.name} ({t.preset})', t.reason) for t in tests if t.result == 'skipped']
    skipped += [(f'stage {stage.name}', stage.reason) for stage in stages if stage.result == 'skipped']
    failed = failures_of(stages, by_stage)
    if not passed and not failed:
        failed = ['no test ran']

    report_times(stages, float(sys.argv[2]), {name: len(found) for name, found in by_stage}, tests)
    for title, lines in (('skipped', [f'{name}: {reason}' for name, reason in skipped]), ('failed', failed)):
        if lines:
            print(f'\n{title}')
        for line in lines:
            print(f'  {line}')
    print()
    print(f'{passed} passed, {len(failed)} failed' + (f', {len(skipped)} skipped' if skipped else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
