#include "base/sys/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace bellows::sys {
namespace {

class AGrowingFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  static std::string content(const std::string& path) {
    return read_whole_file(path, "test file").value();
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST(ResolvedPath, IsTheSameForEachLinkToAFileThatNeedNotExist) {
  namespace fs = std::filesystem;
  const bellows::test::TemporaryFolder folder;
  const std::string file = fs::canonical(folder.path(".")).string() + "/state";
  fs::create_symlink("state", folder.path("link"));
  fs::create_symlink(folder.path("link"), folder.path("link of a link"));
  fs::create_directory_symlink(folder.path("."), folder.path("folder"));
  for (const char* const name :
       {"state", "link", "link of a link", "folder/state", "folder/link"}) {
    EXPECT_EQ(resolved_path(folder.path(name)), file) << name;
  }
  std::ofstream(folder.path("state")) << "now it exists";
  EXPECT_EQ(resolved_path(folder.path("link")), file);
  EXPECT_EQ(resolved_path("no such folder/state"), "no such folder/state");
}

TEST_F(AGrowingFile, HasWhatIsAppendedAtOnce) {
  auto file = GrowingFile::create(path("a"), "journal").value();
  EXPECT_EQ(content(path("a")), "");
  EXPECT_TRUE(file.append("one\n"));
  EXPECT_EQ(content(path("a")), "one\n");
  EXPECT_TRUE(file.append("two\n"));
  EXPECT_TRUE(file.sync());
  EXPECT_EQ(content(path("a")), "one\ntwo\n");
  EXPECT_EQ(file.size(), 8U);
}

TEST_F(AGrowingFile, BeginsEmptyWhereAnotherFileWas) {
  std::ofstream(path("a")) << "of yesterday";
  const auto file = GrowingFile::create(path("a"), "journal").value();
  EXPECT_EQ(content(path("a")), "");
  EXPECT_EQ(file.size(), 0U);
}

TEST_F(AGrowingFile, TakesThePlaceOfAnotherAndGrowsThere) {
  std::ofstream(path("a")) << "of yesterday";
  auto file = GrowingFile::create(path("a.new"), "journal").value();
  EXPECT_TRUE(file.append("one\n"));
  EXPECT_EQ(content(path("a")), "of yesterday");
  EXPECT_TRUE(file.move_to(path("a")));
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
  EXPECT_TRUE(file.append("two\n"));
  EXPECT_EQ(content(path("a")), "one\ntwo\n");
}

TEST_F(AGrowingFile, ThatCannotBeCreatedIsNamed) {
  const auto file = GrowingFile::create(path("missing/a"), "journal");
  ASSERT_FALSE(file);
  EXPECT_NE(to_string(file.error()).find("journal " + path("missing/a")), std::string::npos)
      << to_string(file.error());
}

TEST_F(AGrowingFile, OnAFullDiskKeepsItsSize) {
  auto file = GrowingFile::create("/dev/full", "journal").value();
  const auto appended = file.append("one\n");
  ASSERT_FALSE(appended);
  EXPECT_NE(to_string(appended.error()).find("journal /dev/full"), std::string::npos)
      << to_string(appended.error());
  EXPECT_EQ(file.size(), 0U);
}

TEST_F(AGrowingFile, ThatCannotMoveStaysWhereItIs) {
  auto file = GrowingFile::create(path("a.new"), "journal").value();
  const auto moved = file.move_to(path("missing/a"));
  ASSERT_FALSE(moved);
  EXPECT_NE(to_string(moved.error()).find(path("missing/a")), std::string::npos)
      << to_string(moved.error());
  EXPECT_TRUE(file.append("one\n"));
  EXPECT_EQ(content(path("a.new")), "one\n");
}

}  // namespace
}  // namespace bellows::sys
