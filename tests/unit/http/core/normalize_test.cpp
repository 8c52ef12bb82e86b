#include "http/core/normalize.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::http {
namespace {

struct Path {
  const char* what;
  std::string in;
  std::string out;  // empty: nothing is changed
};

TEST(NormalizeResponseHead, ChangesInPlaceAndKeepsTheLength) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Path> table = {
      {"a space before a colon", ok + "X : a\r\n\r\n", ok + "X:  a\r\n\r\n"},
      {"blanks before a colon", ok + "X \t :a\r\n\r\n", ok + "X:   a\r\n\r\n"},
      {"a fold", ok + "X: a\r\n b\r\n\r\n", ok + "X: a   b\r\n\r\n"},
      {"a fold with tabs", ok + "X: a\r\n\t\tb\r\n\r\n", ok + "X: a    b\r\n\r\n"},
      {"two folds", ok + "X: a\r\n b\r\n c\r\n\r\n", ok + "X: a   b   c\r\n\r\n"},
      {"a fold of blanks", ok + "X: a\r\n \r\n\r\n", ok + "X: a   \r\n\r\n"},
      {"a colon in a fold", ok + "X: a\r\n b : c\r\n\r\n", ok + "X: a   b : c\r\n\r\n"},
      {"a colon that comes with a fold", ok + "X\r\n : a\r\n\r\n", ok + "X:    a\r\n\r\n"},
      {"both", ok + "X : a\r\n b\r\n\r\n", ok + "X:  a   b\r\n\r\n"},
      {"the body stays", ok + "X : a\r\n\r\nY : b\r\n c\r\n", ok + "X:  a\r\n\r\nY : b\r\n c\r\n"},
      {"what has come of the head", ok + "X : a\r\nY : b", ok + "X:  a\r\nY : b"},
      {"nothing", ok + "X: a b : c\r\n\r\n", ""},
      {"a fold behind the status line", ok + " X: a\r\n\r\n", ""},
      {"no name", ok + ": a\r\n\r\n", ""},
      {"no field", ok + "\r\n", ""},
      {"no line", "HTTP/1.1", ""},
      {"nothing at all", "", ""},
  };
  for (const Path& row : table) {
    std::string bytes = row.in;
    EXPECT_EQ(normalize_response_head(bytes), !row.out.empty()) << row.what;
    EXPECT_EQ(bytes, row.out.empty() ? row.in : row.out) << row.what;
    EXPECT_FALSE(normalize_response_head(bytes)) << row.what << ": once is enough";
  }
}

RC_GTEST_PROP(NormalizeResponseHeadProperty, NeverChangesAHeadThatCanBeRead, ()) {
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "X: a", "\r\n", "\r\n ", " :", "b", "\t", "\n", "Content-Length: 1"}));
  std::string bytes = "HTTP/1.1 200 OK\r\n";
  for (const std::string& piece : pieces) bytes += piece;
  HeadParser parser;
  const auto head = std::make_unique<ResponseHead>();
  const bool is_good = parser.read(bytes, *head).is_complete();
  const std::string before = bytes;
  const bool has_changed = normalize_response_head(bytes);
  RC_ASSERT(!is_good || !has_changed);
  RC_ASSERT(has_changed == (bytes != before));
  RC_ASSERT(bytes.size() == before.size());
}

}  // namespace
}  // namespace bellows::http
