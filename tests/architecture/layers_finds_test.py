"""tools/layers.py finds each kind of breach in a small bad tree, and nothing in a small good one."""

import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / 'tools'))
import layers  # noqa: E402

LAYERS = """
pure base      :
io   base/sys  : base
@low = base base/sys
io   http/io   : @low
pure proxy/core : base
io   base/tool.cpp : base/sys
any  tests     :
forbid-in-pure boost/asio thread sys/ filesystem
forbid-in-headers boost/beast
standard string : string to_string
standard algorithm : min
sentences-in proxy/core
"""

GOOD = {
    'base/README.md': 'base',
    'http/README.md': 'http',
    'proxy/README.md': 'proxy',
    'tests/README.md': 'tests',
    'base/word.hpp': '#pragma once\n',
    'base/word.cpp': '#include "base/word.hpp"\n\n#include <string>\n',
    'base/sys/clock.cpp': '#include "base/sys/clock.hpp"\n\nauto t = std::chrono::steady_clock::now();\n',
    'http/io/server.hpp': '#include "base/sys/clock.hpp"\n',
    'base/sys/clock.hpp': '// reads now: steady_clock::now()\n#include "base/word.hpp"\n',
    'proxy/core/rule.cpp': '#include "base/word.hpp"\nconst char* kText = "getenv(";\nint kMany = 1\'000\'000;\n',
    'tests/story_test.cpp': '#include "http/io/server.hpp"\nauto x = "sleep(5)";\nTask<> f() { co_await sleep_for(1h); }\n',
}


def breaches_of(changed_files):
    """(path, line, rule) of each breach in the good tree with `changed_files` put over it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for path, text in {**GOOD, 'tools/layers.txt': LAYERS, **changed_files}.items():
            if text is None:
                continue
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        return [(b.path, b.line, b.rule) for b in layers.check_tree(tree)[1]]


class LayersFinds(unittest.TestCase):
    def only(self, path, text, line, rule):
        self.assertEqual(breaches_of({path: text}), [(path, line, rule)])

    def test_nothing_in_a_good_tree(self):
        self.assertEqual(breaches_of({}), [])

    def test_an_edge_against_the_direction(self):
        self.only('base/up.cpp', '\n#include "http/io/server.hpp"\n', 2, 'layers')

    def test_an_edge_between_neighbours_that_must_not_know_each_other(self):
        self.only('proxy/core/peek.cpp', '#include "base/sys/clock.hpp"\n', 1, 'layers')

    def test_a_folder_that_has_no_layer(self):
        self.assertEqual(breaches_of({'stray/a.cpp': 'int a;\n', 'stray/README.md': ''}), [('stray/a.cpp', 1, 'layers')])

    def test_an_include_that_is_not_from_the_root(self):
        self.only('base/near.cpp', '#include "word.hpp"\n', 1, 'includes')

    def test_one_of_our_headers_in_angle_brackets(self):
        self.only('base/angle.cpp', '#include <base/word.hpp>\n', 1, 'includes')

    def test_a_source_that_includes_its_own_header_late(self):
        self.only('base/word.cpp', '#include <string>\n#include "base/word.hpp"\n', 1, 'own header first')

    def test_threads_in_pure_code(self):
        self.only('proxy/core/fast.hpp', '#include <thread>\n', 1, 'pure')

    def test_a_socket_header_in_pure_code_by_its_folder(self):
        self.only('proxy/core/fast.hpp', '#include <sys/socket.h>\n', 1, 'pure')

    def test_the_environment_in_pure_code(self):
        self.only('proxy/core/env.cpp', '\n\nauto* home = std::getenv("HOME");\n', 3, 'pure')

    def test_a_heavy_header_in_a_header(self):
        self.only('http/io/heavy.hpp', '#include <boost/beast/http.hpp>\n', 1, 'heavy header')

    def test_a_standard_name_without_its_header(self):
        self.only('base/least.cpp', '#include <vector>\n\nauto a = std::min(1, 2);\nauto b = std::min(3, 4);\n', 3, 'standard header')

    def test_an_algorithm_of_ranges_without_its_header(self):
        self.only('base/least.hpp', 'auto a = std::ranges::min(many);\n', 1, 'standard header')

    def test_a_standard_header_reached_through_a_header_of_ours(self):
        self.assertEqual(breaches_of({'base/word.hpp': '#include <string>\n', 'base/sys/clock.cpp':
                                      '#include "base/sys/clock.hpp"\nstd::string word = std::to_string(5);\n'}), [])

    def test_a_standard_name_in_a_test_or_a_comment(self):
        self.assertEqual(breaches_of({'tests/story_test.cpp': 'auto a = std::min(1, 2);\n', 'base/a.cpp': '// std::min\n'}), [])

    def test_a_name_of_ours_without_its_header(self):
        declares = {'base/text.hpp': 'namespace bellows {\nstd::string text_of(int number) { return {}; }\nstruct Text {};\n'
                                     'using TextList = int;\n#define CHECK_TEXT(text)\n'
                                     'int size_of(int) { return 0; }\n}  // namespace bellows\n'}
        for use in ('auto a = text_of(size_of(1));', 'void f(const Text& text);', 'TextList all;', 'int b = bellows::size_of(1);',
                    'void f() { CHECK_TEXT(1); }'):
            with self.subTest(use):
                source = f'namespace bellows {{\n{use}\n}}  // namespace bellows\n'
                found = {breach[2] for breach in breaches_of({**declares, 'base/sys/use.cpp': source}) if breach[0] == 'base/sys/use.cpp'}
                self.assertEqual(found, {'own header'})
                includes = '#include "base/text.hpp"\n' + source
                self.assertEqual([b for b in breaches_of({**declares, 'base/sys/use.cpp': includes}) if b[2] == 'own header'], [])

    def test_a_name_of_a_header_that_is_only_declared_there(self):
        files = {'base/text.hpp': 'struct Text {\n  int size = 0;\n};\n', 'base/near.hpp': 'struct Text;\n'}
        source = '#include "base/near.hpp"\nauto a = [](const Text& text) { return text.size; };\n'
        self.assertEqual(breaches_of({**files, 'base/sys/use.cpp': source}), [('base/sys/use.cpp', 2, 'own header')])
        self.assertEqual(breaches_of({**files, 'base/sys/use.hpp': source}), [])

    def test_a_name_that_is_one_of_the_file_itself(self):
        header = {'base/text.hpp': 'namespace bellows {\nstruct Text {};\nusing List = int;\nconstexpr int kMost = 1;\n'
                                   '}  // namespace bellows\n'}
        for line in ('namespace {\nstruct Text {};\n}  // namespace\nText a;', 'void f(int List) { g(List); }', 'int a = other::kMost;',
                     'enum class Size { kMost };', 'auto [kMost, b] = c;\nint d = kMost;', 'a.kMost = 1;',
                     'struct A {\n  struct Text {\n  };\n  Text text;\n};', 'template <class Text> void g(Text text);'):
            with self.subTest(line):
                source = f'namespace bellows {{\n{line}\n}}  // namespace bellows\n'
                self.assertEqual([b for b in breaches_of({**header, 'base/sys/use.cpp': source}) if b[2] == 'own header'], [])

    def test_clock_reads_outside_base_sys(self):
        for read in ('std::chrono::steady_clock::now()', 'Timer::clock_type::now()', 'clock_gettime(CLOCK_REALTIME, &t)',
                     'gettimeofday(&t, nullptr)', 'time(nullptr)', 'std::time(0)'):
            with self.subTest(read):
                self.only('http/io/when.cpp', f'auto t = {read};\n', 1, 'clock')

    def test_no_clock_read_where_a_clock_is_asked(self):
        self.assertEqual(breaches_of({'http/io/when.cpp': 'auto t = clock.now(); auto u = run_time(0);\n'}), [])

    def test_sleeping_tests(self):
        for call in ('std::this_thread::sleep_for(1s)', 'usleep(10)', '::sleep(1)'):
            with self.subTest(call):
                self.only('tests/tired_test.cpp', f'void f() {{ {call}; }}\n', 1, 'sleep')

    def test_unfinished_work(self):
        for word in ('TODO', 'FIXME', 'XXX', 'HACK', 'good enough for now'):
            with self.subTest(word):
                self.only('base/half.hpp', f'// {word}: the rest\n', 1, 'unfinished')

    def test_a_doc_comment_without_a_subject(self):
        for comment in ('Of a stream that was reset: its code.', 'What the rule decides on.', 'How long it waits.',
                        'So many are sent at once.', 'Whether a connection waits.', 'Whose changes are taken.', 'Why it fails.',
                        'For the next request.', 'Where it listens.', 'When to probe next.', 'If it is the first time.'):
            with self.subTest(comment):
                self.only('proxy/core/plan.hpp', f'struct A {{\n  /// {comment}\n  int a = 0;\n}};\n', 2, 'doc sentence')

    def test_a_doc_comment_with_a_subject(self):
        for text in ('/// Returns how long it waits.', '/// If set, it replaces the default.', '/// Where a cluster has none, it is empty.',
                     '/// Whatever it returns counts.', '/// The requests that wait.\n/// Of these, some are old.', '// What it does.',
                     'int a = 0;  ///< of the request'):
            with self.subTest(text):
                self.assertEqual(breaches_of({'proxy/core/plan.hpp': f'{text}\nint b = 0;\n'}), [])

    def test_doc_comments_are_read_in_headers_of_the_listed_folders(self):
        text = '/// What it does.\nint a = 0;\n'
        self.assertEqual(breaches_of({'base/plan.hpp': text, 'proxy/core/plan.cpp': text}), [])
        both = {'tools/layers.txt': LAYERS + 'sentences-in base\n', 'base/plan.hpp': f'\n{text}\n{text}'}
        self.assertEqual(breaches_of(both), [('base/plan.hpp', 2, 'doc sentence'), ('base/plan.hpp', 5, 'doc sentence')])

    def test_words_to_a_user_are_no_unfinished_work(self):
        self.assertEqual(breaches_of({'base/text.hpp': 'auto kText = "one replica stays for now";\n'}), [])

    def test_a_single_file_may_be_a_layer_of_its_own(self):
        self.assertEqual(breaches_of({'base/tool.cpp': '#include "base/sys/clock.hpp"\n#include <thread>\n'}), [])

    def test_a_file_of_501_lines(self):
        self.only('base/long.hpp', '\n' * 501, 501, 'file length')

    def test_a_function_of_61_lines_but_not_of_60(self):
        body = '  work();\n'
        self.assertEqual(breaches_of({'base/long.cpp': 'int a() {\n' + body * 58 + '}\n'}), [])
        self.only('base/long.cpp', '\nint a() {\n' + body * 59 + '}\n', 2, 'function length')

    def test_a_long_function_whose_parameters_are_wrapped(self):
        self.only('base/long.cpp', 'int a(int b,\n      int c) {\n' + '  work();\n' * 58 + '}\n', 1, 'function length')

    def test_a_case_and_its_return_count_as_one_line(self):
        def table(rows):
            return 'int a(E e) {\n  switch (e) {\n' + '    case E::kX:\n      return 1;\n' * rows + '  }\n}\n'
        self.assertEqual(breaches_of({'base/table.cpp': table(56)}), [])
        self.only('base/table.cpp', table(57), 1, 'function length')

    def test_a_long_method_inside_its_class(self):
        text = 'class A {\n  int a() const override {\n' + '    work();\n' * 59 + '  }\n};\n'
        self.only('base/long.hpp', text, 2, 'function length')

    def test_a_function_that_only_tests_call(self):
        header = '#pragma once\n\nint used();\nint unused(int a);\n'
        source = '#include "base/api.hpp"\n\nint used() {\n  return 1;\n}\nint unused(int a) {\n  return a;\n}\n'
        caller = '#include "base/api.hpp"\n\nint x() {\n  return used();\n}\n'
        test = '#include "base/api.hpp"\nint y = unused(1);\n'
        self.assertEqual(breaches_of({'base/api.hpp': header, 'base/api.cpp': source, 'base/caller.cpp': caller,
                                      'tests/api_test.cpp': test}), [('base/api.hpp', 4, 'no caller')])

    def test_a_method_that_nobody_calls(self):
        self.only('base/api.hpp', 'class A {\n public:\n  void go() const { run(); }\n', 3, 'no caller')

    def test_a_call_within_a_header_is_a_call(self):
        text = 'inline int a() { return 1; }\ninline int run() {\n  a();\n  return run();\n}\n'
        self.assertEqual(breaches_of({'base/api.hpp': text}), [])

    def test_a_function_that_the_compiler_calls(self):
        text = 'struct Promise {\n  bool await_ready() { return false; }\n};\n'
        self.only('base/api.hpp', text, 2, 'no caller')
        self.assertEqual(breaches_of({'base/api.hpp': text,
                                      'tools/layers.txt': LAYERS + 'called-by-others await_ready\n'}), [])

    def test_a_word_that_the_field_has_another_one_for(self):
        words = {'tools/vocabulary.txt': '# comment\nhourglass(?:es)? : timer wheel\n'}
        self.assertEqual(breaches_of({**words, 'base/word.hpp': '#pragma once\n// Ends when the Hourglass is empty.\n'}),
                         [('base/word.hpp', 2, 'vocabulary')])
        self.assertEqual(breaches_of({**words, 'base/README.md': 'two hourglasses\n'}), [('base/README.md', 1, 'vocabulary')])
        self.assertEqual(breaches_of({**words, 'base/README.md': 'an hourglassful\n'}), [])

    def test_a_room_without_readme(self):
        self.assertEqual(breaches_of({'http/README.md': None}), [('http/README.md', 1, 'readme')])


if __name__ == '__main__':
    unittest.main()
