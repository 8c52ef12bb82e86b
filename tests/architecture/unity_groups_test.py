"""Sources that are compiled as one mean the same as alone (cmake/unity_groups.py)."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../cmake"))
import unity_groups  # noqa: E402


def file(*lines, space="bellows"):
    """Lines of an anonymous namespace."""
    return "\n".join((f"namespace {space} {{", "namespace {", *lines, "}  // namespace", f"}}  // namespace {space}", ""))


def shared(*lines, space="bellows"):
    return "\n".join((f"namespace {space} {{", *lines, f"}}  // namespace {space}", ""))


class Groups(unittest.TestCase):
    def groups(self, *texts, lines=1000, headers=None):
        """The groups as lists of places in texts."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in [*((f"{n}.cpp", text) for n, text in enumerate(texts)), *(headers or {}).items()]:
                with open(os.path.join(root, path), "w", encoding="utf-8") as written:
                    written.write(text)
            made = unity_groups.groups([f"{n}.cpp" for n in range(len(texts))], lines, pathlib.Path(root))
            return [[int(path.removesuffix(".cpp")) for path in group] for group in made]

    def test_files_without_a_common_name_share_one(self):
        self.assertEqual(self.groups(file("int first() { return 1; }"), file("int second() { return 2; }")), [[0, 1]])

    def test_files_with_a_common_name_do_not(self):
        for line in ("int twice() { return 1; }", "constexpr int twice = 1;", "const Name twice{\"a\"};", "struct twice {",
                     "enum class twice { kA };", "std::string twice(const Policy& policy,", "TEST(Twice, Passes) {",
                     "template <class T> struct twice;", "const char* const twice[] = {"):
            with self.subTest(line=line):
                self.assertEqual(self.groups(file(line), file(line), file("int other;")), [[0, 2], [1]])

    def test_a_name_of_one_file_that_the_other_shares_with_all(self):
        self.assertEqual(self.groups(file("int twice() { return 1; }"), shared("int twice(int) { return 2; }")), [[0], [1]])

    def test_a_member_defined_outside_its_class_is_no_file_name(self):
        for line in ("void Reader::close() {", "Result<int> Writer<T>::close(", "Reader::Reader(int close)", "Reader::~Reader() {"):
            with self.subTest(line=line):
                self.assertEqual(self.groups(file(line), file(line)), [[0, 1]])
        self.assertEqual(self.groups(file("http::Result close() {"), file("http::Result close() {")), [[0], [1]])

    def test_instances_of_test_suites_are_told_apart_by_both_names(self):
        def instance(suite):
            return file("INSTANTIATE_TEST_SUITE_P(", f"    All, {suite}, testing::Values(1));")
        self.assertEqual(self.groups(instance("A"), instance("B")), [[0, 1]])
        self.assertEqual(self.groups(instance("A"), instance("A")), [[0], [1]])

    def test_a_name_of_both_in_namespaces_that_do_not_see_each_other(self):
        mine = file("int twice() { return 1; }", space="bellows::http")
        self.assertEqual(self.groups(mine, file("int twice() { return 2; }", space="bellows::proxy")), [[0, 1]])

    def test_a_name_that_the_other_has_further_within(self):
        outer, inner = (file("const int most = 1;", "int all() { return most; }", space=space) for space in ("bellows", "bellows::http"))
        self.assertEqual(self.groups(outer, inner), [[0, 1]])
        both = outer + file("int more() { return most; }", space="bellows::http")
        self.assertEqual(self.groups(both, inner), [[0], [1]])

    def test_a_name_that_a_header_of_the_other_declares_further_out(self):
        headers = {"text.hpp": shared("std::string twice(int number);")}
        mine = file("std::string twice(Stage stage) {", space="bellows::http")
        silent, asks = ('#include "text.hpp"\n' + file(line, space="bellows::http") for line in ("int a;", "int a = size(twice(1));"))
        self.assertEqual(self.groups(mine, silent, headers=headers), [[0, 1]])
        self.assertEqual(self.groups(mine, asks, headers=headers), [[0], [1]])
        headers["inline.hpp"] = '#include "text.hpp"\n' + shared("inline int b = size(twice(1));", space="bellows::http")
        self.assertEqual(self.groups(mine, '#include "inline.hpp"\n' + file("int a;"), headers=headers), [[0], [1]])

    def test_a_base_class_or_a_parameter_is_no_name_of_the_file(self):
        self.assertEqual(self.groups(file("class First : public Policy {"), file("class Second : public Policy {")), [[0, 1]])
        self.assertEqual(self.groups(file("struct First : testing::Test {"), file("struct Second : testing::Test {")), [[0, 1]])

    def test_the_same_alias_in_both(self):
        for line in ("using Clock = std::chrono::steady_clock;", "using http::Response;", "namespace json = boost::json;"):
            with self.subTest(line=line):
                self.assertEqual(self.groups(file(line), file(line)), [[0, 1]])
        self.assertEqual(self.groups(file("using Text = A;"), file("using Text = B;")), [[0], [1]])

    def test_a_name_that_a_header_of_the_other_declares(self):
        headers = {"scene.hpp": shared("struct Caller {};")}
        includes, declares = '#include "scene.hpp"\n' + file("int a;"), file("struct Caller {};")
        self.assertEqual(self.groups(includes, declares, headers=headers), [[0], [1]])
        self.assertEqual(self.groups(declares, includes, headers=headers), [[0], [1]])

    def test_a_name_that_a_header_declares_in_a_namespace_aside(self):
        headers = {"scene.hpp": shared("struct Caller {};", space="bellows::http")}
        declares = file("struct Caller {};", space="bellows::proxy")
        aside, inside = ('#include "scene.hpp"\n' + file("int a;", space=space) for space in ("bellows::proxy", "bellows::http"))
        self.assertEqual(self.groups(declares, aside, headers=headers), [[0, 1]])
        self.assertEqual(self.groups(declares, inside, headers=headers), [[0, 1]])

    def test_a_namespace_of_one_line_ends_there(self):
        forward = "namespace bellows::json {\nclass Writer;\n}\n"
        headers = {"scene.hpp": forward + shared("struct Caller {};", space="bellows::http")}
        self.assertEqual(self.groups(file("struct Caller {};", space="bellows::http"),
                                     '#include "scene.hpp"\n' + file("int a;"), headers=headers), [[0], [1]])

    def test_a_variable_or_a_namespace_that_the_other_means_differently(self):
        self.assertEqual(self.groups(file("const int most = 1;"), file("int all(int most) { return most; }")), [[0], [1]])
        self.assertEqual(self.groups(file("namespace json = boost::json;"), file("json::Writer out;")), [[0], [1]])
        self.assertEqual(self.groups(file("const int most = 1;"), file("int all(Row row) { return row.most; }")), [[0, 1]])

    def test_a_namespace_that_a_header_of_the_other_means_differently(self):
        headers = {"written.hpp": shared("void write(json::Writer& out);")}
        alias = file("namespace json = boost::json;")
        for other in ('#include "written.hpp"\n' + file("int a;"), '#include "written.hpp"\n' + alias):
            with self.subTest(other=other):
                self.assertEqual(self.groups(alias, other, headers=headers), [[0], [1]])

    def test_a_namespace_of_the_other_within_the_own(self):
        inner = file("int a;", space="bellows::proxy::test")
        self.assertEqual(self.groups(inner, file("test::Folder folder;", space="bellows::proxy")), [[0], [1]])
        self.assertEqual(self.groups(inner, file("Folder folder;", space="bellows::proxy")), [[0, 1]])
        self.assertEqual(self.groups(inner, file("test::Folder folder;", space="bellows::http")), [[0, 1]])

    def test_a_type_that_a_function_of_the_other_has_too(self):
        self.assertEqual(self.groups(file("using Row = A;"), file("int all() {", "  using Row = B;", "  return 1;", "}")), [[0], [1]])

    def test_a_standard_type_named_like_a_local_variable(self):
        imports = file("using std::chrono::minutes;")
        self.assertEqual(self.groups(imports, file("int all(int minutes) {", "  return minutes;", "}")), [[0], [1]])
        self.assertEqual(self.groups(imports, imports), [[0, 1]])

    def test_what_is_indented_is_no_name_of_the_file(self):
        self.assertEqual(self.groups(file("  int twice = 1;"), file("  int twice = 1;")), [[0, 1]])

    def test_a_file_with_macros_or_all_names_of_a_namespace_is_alone(self):
        self.assertEqual(self.groups(file("#define A 1"), "using namespace bellows;\n", file("int a;"), file("int b;")),
                         [[0], [1], [2, 3]])
        self.assertEqual(self.groups(file("#define A 1", "int c = A;", "#undef A"), file("int a;")), [[0, 1]])
        self.assertEqual(self.groups(file("using namespace std::chrono_literals;"), file("int a;")), [[0, 1]])

    def test_a_group_has_at_most_so_many_lines(self):
        self.assertEqual(self.groups(*(file(f"int a{n};") for n in range(5)), lines=10), [[0, 3], [1, 4], [2]])

    def test_there_are_as_few_groups_as_possible(self):
        # Each of the first ones collides with each of the second ones but its own: who takes the first group that fits needs four.
        texts = []
        for n in range(4):
            texts += [file(*(f"int n{n}_{other};" for other in range(4) if other != n)),
                      file(*(f"int n{other}_{n};" for other in range(4) if other != n))]
        self.assertEqual(self.groups(*texts), [[0, 2, 4, 6], [1, 3, 5, 7]])

    def test_groups_are_of_about_one_size(self):
        texts = [file(*(f"int a{n}_{line};" for line in range(n))) for n in range(1, 7)]
        made = self.groups(*texts, lines=30)
        lengths = [sum(len(texts[n].splitlines()) for n in group) for group in made]
        self.assertLessEqual(max(lengths) - min(lengths), 2, made)


if __name__ == "__main__":
    unittest.main()
