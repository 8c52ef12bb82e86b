// The pages that list what a decider sees, remembers and decides by name all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/journal/fields.hpp"

namespace bellows::autoscaler::journal::test {
namespace {

/// Visitor of fields.hpp: the keys, those of a part too.
struct Keys {
  std::vector<std::string> found;

  template <class T>
  void operator()(std::string_view key, std::optional<T>& field) {
    (*this)(key, field.emplace());
  }
  template <class T>
  void operator()(std::string_view key, T& field) {
    found.emplace_back(key);
    if constexpr (requires { for_each_field(field, *this); }) for_each_field(field, *this);
  }
};

template <class T>
std::vector<std::string> keys_of() {
  T all;
  Keys keys;
  for_each_field(all, keys);
  return keys.found;
}

std::string page(const std::string& name) {
  std::ifstream file(std::string(BELLOWS_DOCS_DIR) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

void expect_named(const std::vector<std::string>& keys, const std::string& name) {
  const std::string text = page(name);
  for (const std::string& key : keys) {
    EXPECT_NE(text.find("`" + key + "`"), std::string::npos) << name << " does not name " << key;
  }
}

TEST(FieldDocs, OfTheStateFileNameEverythingThatIsRemembered) {
  expect_named(keys_of<Memory>(), "formats/snapshot.md");
}

TEST(FieldDocs, OfTheReplayNameEverythingThatIsSeen) {
  expect_named(keys_of<Observation>(), "formats/replay.md");
}

TEST(FieldDocs, OfADecisionNameEveryRule) {
  std::vector<std::string> rules;
  for (std::size_t rule = 0; rule < kRules; ++rule) {
    rules.emplace_back(to_string(static_cast<Rule>(rule)));
  }
  expect_named(rules, "life_of_a_decision.md");
}

/// The example of the page is a file, so it has the fields too.
TEST(FieldDocs, OfTheStateFileShowNoFieldThatThereIsNot) {
  std::vector<std::string> keys = keys_of<Memory>();
  for (const char* of_the_file :
       {"version", "saved_at_unix_ms", "revisions", "name", "state", "delay", "slots-ago", "pods",
        "calls", "begun-age", "gaps", "gap", "period"}) {
    keys.emplace_back(of_the_file);
  }
  const std::string text = page("formats/snapshot.md");
  const std::string example = text.substr(text.find("```json"), text.find("```\n\n"));
  for (std::size_t at = example.find('"'); at != std::string::npos;) {
    const std::size_t end = example.find('"', at + 1);
    const std::string word = example.substr(at + 1, end - at - 1);
    const bool is_key = example.compare(end + 1, 1, ":") == 0;
    EXPECT_TRUE(!is_key || std::ranges::find(keys, word) != keys.end()) << word;
    at = example.find('"', end + 1);
  }
}

}  // namespace
}  // namespace bellows::autoscaler::journal::test
