#include "base/sys/generated_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::sys {
namespace {

class GeneratedFile : public ::testing::Test {
 protected:
  static int write(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "page");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return write_generated_file(static_cast<int>(pointers.size()), pointers.data(), "# Page\n");
  }
  bool is_empty() const { return std::filesystem::is_empty(folder_.path("")); }

  test::TemporaryFolder folder_;
};

TEST_F(GeneratedFile, IsWhatTheArgumentNames) {
  EXPECT_EQ(write({folder_.path("page.md")}), 0);
  EXPECT_EQ(read_whole_file(folder_.path("page.md")), "# Page\n");
}

TEST_F(GeneratedFile, GoesToStandardOutputWithoutOne) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(write({}), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "# Page\n");
}

TEST_F(GeneratedFile, IsNeverNamedLikeAFlag) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path(""));
  ::testing::internal::CaptureStdout();
  const int help = write({"--help"});
  const int unknown = write({"--out"});
  const std::string printed = ::testing::internal::GetCapturedStdout();
  std::filesystem::current_path(before);
  EXPECT_EQ(help, 0);
  EXPECT_EQ(unknown, 2);
  EXPECT_EQ(printed, "usage: page [FILE]\n");
  EXPECT_TRUE(is_empty());
}

TEST_F(GeneratedFile, ThatCannotBeWrittenIsAnErrorWithItsName) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(write({folder_.path("missing/page.md")}), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("missing/page.md"), std::string::npos);
}

}  // namespace
}  // namespace bellows::sys
