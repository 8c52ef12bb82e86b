// Waiting pages whose files change.
#include "activator/service/page_files.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "base/sys/file.hpp"
#include "config/waiting_page.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::activator {
namespace {

class PageFilesTest : public testing::Test {
 protected:
  void write(const std::string& text) {
    const auto written = sys::replace_file(path_, text);
    ASSERT_TRUE(written.has_value()) << to_string(written.error());
  }
  void look() {
    test::run_task<void>(io_, [&] { return pages_.look(); });
  }

  std::string text_of(const PageFile& page) {
    const WorkerLock::Hold hold(lock_);
    return page.text;
  }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_.path("wait.html");
  http::net::io_context io_;
  WorkerLock lock_;
  PageFiles pages_{io_, lock_};
};

TEST_F(PageFilesTest, AChangedFileIsReadWhenNobodyWritesToItAnyMore) {
  write("<p>one");
  const auto page = pages_.open(path_);
  EXPECT_EQ(text_of(*page), "<p>one");
  look();
  write("<p>two");
  look();
  EXPECT_EQ(text_of(*page), "<p>one") << "it may be half of it";
  write("<p>three");
  look();
  EXPECT_EQ(text_of(*page), "<p>one");
  look();
  EXPECT_EQ(text_of(*page), "<p>three");
}

TEST_F(PageFilesTest, APageStaysAsItWasWhileItsFileCannotBeShown) {
  write("<p>one");
  const auto page = pages_.open(path_);
  ASSERT_EQ(std::remove(path_.c_str()), 0);
  for (int i = 0; i < 3; ++i) look();
  EXPECT_EQ(text_of(*page), "<p>one") << "it is gone";
  write("");
  for (int i = 0; i < 3; ++i) look();
  EXPECT_EQ(text_of(*page), "<p>one") << "it is empty";
  write(std::string(config::kMaxPageBytes + 1, ' '));
  for (int i = 0; i < 3; ++i) look();
  EXPECT_EQ(text_of(*page), "<p>one") << "it is too large";
  write("<p>two");
  for (int i = 0; i < 2; ++i) look();
  EXPECT_EQ(text_of(*page), "<p>two");
}

TEST_F(PageFilesTest, APathNamesAFileAndNoDeviceAndEndsWhereItEnds) {
  write("<p>one");
  for (const std::string& path : {path_ + std::string(1, '\0') + ".html", std::string("/dev/zero"),
                                  std::string("/"), std::string()}) {
    EXPECT_EQ(text_of(*pages_.open(path)), "") << path;
  }
}

TEST_F(PageFilesTest, ServicesWithTheSameFileShareThePageAndTheLastOneForgetsIt) {
  write("<p>one");
  auto page = pages_.open(path_);
  EXPECT_EQ(pages_.open(path_), page);
  page.reset();
  write("<p>two");
  EXPECT_EQ(text_of(*pages_.open(path_)), "<p>two") << "read anew";
}

}  // namespace
}  // namespace bellows::activator
