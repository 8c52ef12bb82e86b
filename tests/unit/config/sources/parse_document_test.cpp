#include <gtest/gtest.h>

#include "base/yaml/document_reader.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using Strings = std::vector<std::string>;

Strings refused(std::string_view yaml) {
  return problems(yaml::parse_document("b.yaml", yaml));
}

TEST(ParseDocument, KeepsTextsAndLines) {
  const auto document =
      yaml::parse_document("b.yaml", "a: 010\nb:\n  - yes\n  - \"x\"\nc:\nd: {e: f}\n");
  ASSERT_TRUE(document.has_value());
  const DocumentNode& root = document->root;
  ASSERT_EQ(root.members.size(), 4U);
  EXPECT_EQ(root.members[0].key, "a");
  EXPECT_EQ(root.members[0].value.text, "010");
  EXPECT_EQ(root.members[1].value.kind, DocumentNode::Kind::kList);
  EXPECT_EQ(root.members[1].value.items[0].text, "yes");
  EXPECT_EQ(root.members[1].value.items[1].line, 4);
  EXPECT_EQ(root.members[2].value.kind, DocumentNode::Kind::kNothing);
  EXPECT_EQ(root.members[3].line, 6);
  EXPECT_EQ(root.members[3].value.members[0].key, "e");
}

TEST(ParseDocument, DistinguishesNullFromTheQuotedWord) {
  const auto document = yaml::parse_document("b.yaml", "a: null\nb: \"null\"\nc: ~\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root.members[0].value.kind, DocumentNode::Kind::kNothing);
  EXPECT_EQ(document->root.members[1].value.text, "null");
  EXPECT_EQ(document->root.members[2].value.kind, DocumentNode::Kind::kNothing);
}

TEST(ParseDocument, RejectsAKeyTwice) {
  EXPECT_EQ(refused("a: 1\nb: 2\na: 3\n"),
            (Strings{"b.yaml:3: a: the key is set in line 1 already; want it once"}));
  EXPECT_EQ(refused("x: {a: 1, a: 1}\n"),
            (Strings{"b.yaml:1: a: the key is set in line 1 already; want it once"}));
  EXPECT_EQ(refused("x: {a: 1}\ny: {a: 1}\n"), Strings{});
}

TEST(ParseDocument, NamesALineThatIsIndentedByATab) {
  EXPECT_EQ(refused("services:\n\t- name: web\n"),
            (Strings{"b.yaml:2: YAML: the line is indented by a tab; want blanks"}));
  EXPECT_EQ(refused("services:\n  - name: web\n    command:\n  \t  - x\n"),
            (Strings{"b.yaml:4: YAML: the line is indented by a tab; want blanks"}));
  EXPECT_EQ(refused("a: x\ty\n"), Strings{});
}

TEST(ParseDocument, RejectsFeaturesOfYamlThatSettingsDoNotNeed) {
  EXPECT_EQ(refused("a: &x 1\nb: *x\n"), (Strings{"b.yaml:1: anchor: want the value without &NAME",
                                                  "b.yaml:2: alias: want the value written out"}));
  EXPECT_EQ(refused("a: !!str 1\n"),
            (Strings{"b.yaml:1: tag tag:yaml.org,2002:str: want the value without it"}));
  EXPECT_EQ(refused("a: 1\n---\nb: 1\n"),
            (Strings{"b.yaml:2: document: a second one begins here; want one in a file"}));
  EXPECT_EQ(refused("? [a]\n: b\n"), (Strings{"b.yaml:1: key: want a plain word"}));
}

// yaml-cpp 0.7 hands out empty documents for ever here. Found by bellows_yaml_fuzz.
TEST(ParseDocument, RejectsATextThatStartsNoYamlValue) {
  EXPECT_EQ(refused(",listen: 127.0.0.1:8080\n"),
            (Strings{"b.yaml:1: YAML: nothing can begin like this; want \"key: value\""}));
}

TEST(ParseDocument, NamesTheLineOfASyntaxError) {
  for (const auto& [yaml, line] :
       std::vector<std::pair<std::string, std::string>>{{"a: 1\nb: [1, 2\n", "b.yaml:3: YAML: "},
                                                        {"a: 1\n\tb: 2\n", "b.yaml:2: YAML: "},
                                                        {"a: *nowhere\n", "b.yaml:1: YAML: "},
                                                        {"a: b: c\n", "b.yaml:1: YAML: "}}) {
    const Strings errors = refused(yaml);
    ASSERT_EQ(errors.size(), 1U) << yaml;
    EXPECT_TRUE(errors[0].starts_with(line)) << errors[0];
  }
}

TEST(ParseDocument, SaysThatALineIsIndentedWrongly) {
  for (const auto& [yaml, line] : std::vector<std::pair<std::string, std::string>>{
           {"a:\n  - b: 1\n    c: 2\n   - d: 3\n", "4"},
           {"a:\n  - b: 1\n     c: 2\n", "3"},
           {"a:\n  - b: 1\n  c: 2\n", "3"}}) {
    const Strings errors = refused(yaml);
    ASSERT_EQ(errors.size(), 1U) << yaml;
    EXPECT_NE(errors[0].find("look at the indentation of line " + line), std::string::npos)
        << errors[0];
  }
}

// yaml-cpp 0.7 by itself takes the rest of the file for the text if it ends with a newline.
TEST(ParseDocument, RejectsAQuoteThatIsNeverClosed) {
  for (const char* yaml :
       {"a: 1\nb: \"open\nc: 2\n", "a: 1\nb: 'it''s open\n", "ä: ö\nb: \"x\\\"", "a: 1\nb: [\"x"}) {
    const Strings errors = refused(yaml);
    ASSERT_FALSE(errors.empty()) << yaml;
    EXPECT_TRUE(errors[0].starts_with("b.yaml:2: YAML: ")) << errors[0];
  }
  EXPECT_EQ(refused("ä: \"ö\"\nb: \"x\\\"y\"\nc: 'it''s'\nd: x\"y\ne: \"\"\n\"f\": ''\n"),
            Strings{});
}

TEST(ParseDocument, RejectsDeepNestingAndInvalidBytes) {
  EXPECT_EQ(refused(std::string(100'000, '[')).size(), 1U);
  EXPECT_FALSE(refused(std::string(50'000, '{')).empty());
  yaml::parse_document("b.yaml", std::string("\xff\xfe\x00\x01", 4));
  yaml::parse_document("b.yaml", std::string(1000, '\0'));
}

}  // namespace
}  // namespace bellows::config
