#include "base/sys/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace bellows::sys {
namespace {

using ::testing::StartsWith;

class File : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "state") const { return folder_.path(name); }
  void write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name)) << content;
  }

  test::TemporaryFolder folder_;
};

TEST_F(File, IsReadWholeWithEveryByte) {
  const std::string content = std::string("a\0b\n", 4) + std::string(100'000, 'x');
  write("state", content);
  EXPECT_EQ(read_whole_file(path()), content);
  write("empty", "");
  EXPECT_EQ(read_whole_file(path("empty")), "");
}

TEST_F(File, OfTheSystemThatHasNoSizeIsReadToo) {
  EXPECT_THAT(read_whole_file("/proc/self/stat").value(), ::testing::HasSubstr("("));
}

TEST_F(File, ThatIsMissingIsNotFoundUnderItsNameAndPath) {
  const auto read = read_whole_file(path(), "state file");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(to_string(read.error()),
            "state file " + path() + ": cannot be read: No such file or directory (ENOENT)");
  EXPECT_THAT(to_string(read_whole_file(path()).error()), StartsWith(path() + ": cannot be read"));
}

TEST_F(File, ThatIsAFolderCannotBeRead) {
  std::filesystem::create_directory(path());
  const auto read = read_whole_file(path());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind(), ErrorKind::kSystem);
}

TEST_F(File, OfAPathWithANulIsNone) {
  write("state", "secret");
  const std::string hidden = path() + std::string(1, '\0') + ".html";
  EXPECT_EQ(read_whole_file(hidden).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(read_regular_file(hidden, "page", 100).error().kind(), ErrorKind::kNotFound);
}

TEST_F(File, ThatAnyoneNamesIsRegularAndSmall) {
  write("state", "1234");
  EXPECT_EQ(read_regular_file(path(), "page", 4), "1234");
  EXPECT_EQ(to_string(read_regular_file(path(), "page", 3).error()),
            "page " + path() + ": has more than 3 bytes");
  std::filesystem::create_symlink(path(), path("link"));
  EXPECT_EQ(read_regular_file(path("link"), "page", 4), "1234");
  EXPECT_FALSE(read_regular_file(path("link"), "page", 4, Links::kRefuse).has_value());
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& other : {path("pipe"), std::string("/dev/zero"), std::string("/")}) {
    EXPECT_EQ(to_string(read_regular_file(other, "page", 3).error()),
              "page " + other + ": is not a regular file");
  }
}

TEST_F(File, ThatIsReplacedHasTheNewContentAndNothingIsLeftBeside) {
  write("state", "a longer content than the new one");
  write("state.new", "left by a crash, and longer than the new one as well");
  ASSERT_TRUE(replace_file(path(), "new").has_value());
  EXPECT_EQ(read_whole_file(path()), "new");
  EXPECT_FALSE(std::filesystem::exists(path("state.new")));
}

TEST_F(File, IsMadeIfThereWasNoneWithTheModeThatIsWanted) {
  ASSERT_TRUE(replace_file(path(), "secret", {}, 0600).has_value());
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(File, KeepsItsOldContentIfTheFolderIsMissing) {
  const auto replaced = replace_file(path("no/state"), "new", "state file");
  ASSERT_FALSE(replaced.has_value());
  EXPECT_THAT(to_string(replaced.error()), StartsWith("state file " + path("no/state.new") +
                                                      ": cannot be written: No such file"));
}

TEST_F(File, KeepsItsOldContentIfTheDiskIsFull) {
  write("state", "old");
  std::filesystem::create_symlink("/dev/full", path("state.new"));
  const auto replaced = replace_file(path(), "new");
  ASSERT_FALSE(replaced.has_value());
  EXPECT_EQ(to_string(replaced.error()),
            path("state.new") + ": cannot be written: No space left on device (ENOSPC)");
  EXPECT_EQ(read_whole_file(path()), "old");
}

TEST_F(File, ThatCannotBeRenamedOverAFolderIsAnErrorOfItsPath) {
  std::filesystem::create_directories(path() + "/full");
  const auto replaced = replace_file(path(), "new");
  ASSERT_FALSE(replaced.has_value());
  EXPECT_THAT(to_string(replaced.error()), StartsWith(path() + ": cannot be replaced: "));
}

}  // namespace
}  // namespace bellows::sys
