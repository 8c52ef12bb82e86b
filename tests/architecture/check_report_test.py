"""The last lines of tools/check count what passed, failed and was skipped, and never call nothing a success."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

REPORT = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'check_report.py'

PASSED = '<testcase name="A.Passes" status="run" time="0.1"/>'
FAILED = '<testcase name="A.Fails" status="fail" time="0.1"><failure message=""/></testcase>'
SLOW = '<testcase name="A.Slow" status="run" time="3.25"/>'
SKIPPED = ('<testcase name="A.Skips" status="notrun" time="0"><skipped message="SKIP_RETURN_CODE=77"/>'
           '<system-out>looking for nginx\nno nginx here\n</system-out></testcase>')
E2E_SKIPPED = ('<testcase name="e2e.Skips" status="notrun" time="0"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
               "<system-out>test_it (a.Skips.test_it) ... skipped 'no prometheus in PATH'\n\nOK (skipped=1)\n</system-out>"
               '</testcase>')
NOT_BUILT = ('<testcase name="b_NOT_BUILT" status="notrun" time="0">'
             '<skipped message="Unable to find executable"/></testcase>')


PROGRAM = '<testcase name="a_test" status="{}" time="2.0"/>'
CASES = """<testsuites><testsuite>
<testcase name="Passes" classname="A" status="run" result="completed" time="0.01"/>
<testcase name="OfEach/h1" classname="All/A" status="run" result="completed" time="1.5"/>
{}</testsuite></testsuites>"""
FAILED_CASE = """<testcase name="Fails" classname="A" status="run" result="completed" time="0.1">
<failure message="a_test.cpp:3&#x0A;Expected" type=""/></testcase>"""
SKIPPED_CASE = """<testcase name="Skips" classname="A" status="run" result="skipped" time="0">
<skipped message="a_test.cpp:4&#x0A;no control groups here"/></testcase>"""


def report(stages, *cases, programs=None):
    """(exit code, printed lines) of the report about these stages and test cases of the preset dev. `programs`: the reports of
    GoogleTest programs by name."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / 'stages.txt').write_text(''.join(stage + '\n' for stage in stages))
        if cases:
            (place / 'tests-dev.xml').write_text('<testsuite>' + ''.join(cases) + '</testsuite>')
        (place / 'cases-dev').mkdir()
        for name, text in (programs or {}).items():
            (place / 'cases-dev' / f'{name}.xml').write_text(text)
        done = subprocess.run([sys.executable, REPORT, folder, '62'], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


class CheckReport(unittest.TestCase):
    def test_all_passed(self):
        code, lines = report(['build-dev 61.5 ok ', 'tests-dev 3.0 ok '], PASSED, SLOW)
        self.assertEqual((code, lines[-1]), (0, '2 passed, 0 failed'))
        self.assertIn('   61.5  build-dev', lines)
        self.assertIn('   62.0  together', lines)
        self.assertIn('    3.2  A.Slow (dev)', lines)

    def test_a_failed_test_counts_once_though_its_stage_failed_too(self):
        code, lines = report(['tests-dev 3.0 failed '], PASSED, FAILED)
        self.assertEqual((code, lines[-1]), (1, '1 passed, 1 failed'))
        self.assertIn('  A.Fails (dev)', lines)

    def test_a_failed_stage_without_tests_counts_one(self):
        code, lines = report(['format 0.2 failed ', 'tests-dev 3.0 ok '], PASSED)
        self.assertEqual((code, lines[-1]), (1, '1 passed, 1 failed'))
        self.assertIn('  stage format', lines)

    def test_skipped_tests_and_stages_say_why(self):
        code, lines = report(['format 0.1 skipped wants clang-format 14', 'tests-dev 1.0 ok '], PASSED, SKIPPED)
        self.assertEqual((code, lines[-1]), (0, '1 passed, 0 failed, 2 skipped'))
        self.assertIn('  A.Skips (dev): no nginx here', lines)
        self.assertIn('  stage format: wants clang-format 14', lines)

    def test_a_skipped_story_says_why_too(self):
        code, lines = report(['tests-dev 1.0 ok '], PASSED, E2E_SKIPPED)
        self.assertEqual((code, lines[-1]), (0, '1 passed, 0 failed, 1 skipped'))
        self.assertIn('  e2e.Skips (dev): no prometheus in PATH', lines)

    def test_a_test_that_was_not_built_has_failed(self):
        code, lines = report(['tests-dev 1.0 failed '], PASSED, NOT_BUILT)
        self.assertEqual((code, lines[-1]), (1, '1 passed, 1 failed'))

    def test_a_program_counts_as_the_tests_that_it_reports(self):
        code, lines = report(['tests-dev 3.0 ok '], PROGRAM.format('run'), programs={'a_test': CASES.format(SKIPPED_CASE)})
        self.assertEqual((code, lines[-1]), (0, '2 passed, 0 failed, 1 skipped'))
        self.assertIn('    3.0  tests-dev (3 tests)', lines)
        self.assertIn('    1.5  All/A.OfEach/h1 (dev)', lines)
        self.assertIn('  A.Skips (dev): no control groups here', lines)

    def test_a_failed_test_of_a_program_is_named_and_counts_once(self):
        code, lines = report(['tests-dev 3.0 failed '], PROGRAM.format('fail'), programs={'a_test': CASES.format(FAILED_CASE)})
        self.assertEqual((code, lines[-1]), (1, '2 passed, 1 failed'))
        self.assertIn('  A.Fails (dev)', lines)

    def test_a_program_that_fails_after_its_tests_fails(self):
        code, lines = report(['tests-dev 3.0 failed '], PROGRAM.format('fail'), programs={'a_test': CASES.format('')})
        self.assertEqual((code, lines[-1]), (1, '2 passed, 1 failed'))
        self.assertIn('  a_test (dev)', lines)

    def test_a_program_that_leaves_no_report_is_one_failed_test(self):
        code, lines = report(['tests-dev 3.0 failed '], PROGRAM.format('fail'))
        self.assertEqual((code, lines[-1]), (1, '0 passed, 1 failed'))

    def test_no_test_at_all_is_a_failure(self):
        code, lines = report(['setup 0.1 ok '])
        self.assertEqual((code, lines[-1]), (1, '0 passed, 1 failed'))


if __name__ == '__main__':
    unittest.main()
