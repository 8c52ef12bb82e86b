#include "command/input.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace bellows::command {
namespace {

/// Standard input that holds `text` while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& text) : text_(text) { std::cin.rdbuf(text_.rdbuf()); }
  ~StandardInput() {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  std::streambuf* before_ = std::cin.rdbuf();
  std::istringstream text_;
};

TEST(Input, ADashIsStandardInput) {
  const StandardInput input("period,count\n0,1\n");
  const auto text = read_input("-", "the trace");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "period,count\n0,1\n");
  EXPECT_EQ(input_name("-"), "standard input");
}

TEST(Input, AMissingFileIsAnErrorWithItsNameAndTheCause) {
  const auto text = read_input("/nowhere/day.csv", "the trace");
  ASSERT_FALSE(text);
  EXPECT_EQ(to_string(text.error()),
            "the trace /nowhere/day.csv: cannot be read: No such file or directory (ENOENT)");
}

TEST(Input, AFolderIsAnError) {
  const auto text = read_input("/", "the trace");
  ASSERT_FALSE(text);
  EXPECT_EQ(to_string(text.error()), "the trace /: cannot be read: Is a directory (EISDIR)");
}

}  // namespace
}  // namespace bellows::command
