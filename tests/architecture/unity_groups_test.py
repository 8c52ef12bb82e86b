"""Test files that are compiled as one have no name twice (cmake/unity_groups.py)."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../cmake"))
import unity_groups  # noqa: E402


def file(*lines):
    return "\n".join(("namespace bellows {", "namespace {", *lines, "}", "}"))


class Groups(unittest.TestCase):
    def groups(self, *files, size=8, root="."):
        return list(unity_groups.groups(files, size, root))

    def test_files_without_a_common_name_share_one(self):
        self.assertEqual(self.groups(file("int first() { return 1; }"), file("int second() { return 2; }")), [0, 0])

    def test_files_with_a_common_name_do_not(self):
        for line in ("int twice() { return 1; }", "constexpr int twice = 1;", "const Name twice{\"a\"};", "struct twice {",
                     "enum class twice { kA };", "using twice = int;", "std::string twice(const Policy& policy,",
                     "TEST(Twice, Passes) {", "template <class T> struct twice;", "const char* const twice[] = {"):
            with self.subTest(line=line):
                self.assertEqual(self.groups(file(line), file(line), file("int other;")), [0, 1, 0])

    def test_a_file_without_a_name_of_the_others_header(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "tests"))
            with open(os.path.join(root, "tests/scene.hpp"), "w") as header:
                header.write(file("struct Caller {"))
            includes, declares = '#include "tests/scene.hpp"\n' + file("int a;"), file("struct Caller {")
            self.assertEqual(self.groups(includes, declares, root=root), [0, 1])
            self.assertEqual(self.groups(declares, includes, root=root), [0, 1])

    def test_a_type_does_not_hide_one_that_another_file_means(self):
        self.assertEqual(self.groups(file("using Amounts = int;"), file("int sum(const Amounts& all) {")), [0, 1])

    def test_files_of_different_namespaces_do_not(self):
        other = file("int b;").replace("bellows", "bellows::test")
        self.assertEqual(self.groups(file("int a;"), other, file("int c;")), [0, 1, 0])

    def test_what_is_indented_is_no_name_of_the_file(self):
        self.assertEqual(self.groups(file("  int twice = 1;"), file("  int twice = 1;")), [0, 0])

    def test_macros_and_aliases_of_namespaces_are_alone(self):
        self.assertEqual(self.groups(file("#define A 1"), file("namespace json = boost::json;"), file("int a;"), file("int b;")),
                         [0, 1, 2, 2])

    def test_a_group_has_at_most_so_many_files(self):
        self.assertEqual(self.groups(*(file(f"int a{n};") for n in range(5)), size=2), [0, 0, 1, 1, 2])


if __name__ == "__main__":
    unittest.main()
