#include "machine/service/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "machine/core/difference.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/machine/core/sample_service.hpp"

namespace bellows::machine {
namespace {

using testing::HasSubstr;

/// "web" with a second revision, which has no share.
ServiceRecord changed_web() {
  ServiceRecord web = new_service(sample_service());
  revision_for(web, sample_service("web", "./two"));
  return web;
}

class StateFileTest : public testing::Test {
 protected:
  StateFileTest() { repair(); }
  void repair() const { std::filesystem::create_directory(folder_.path("in")); }
  void break_it() const { std::filesystem::remove_all(folder_.path("in")); }

  bellows::test::TemporaryFolder folder_;
  const std::string path_ = folder_.path("in/state");
};

TEST_F(StateFileTest, IsReadAsItWasSaved) {
  StateFile file(path_, {});
  ASSERT_TRUE(file.save({{RevisionId("web"), changed_web()}}));
  EXPECT_EQ(read_state_file(path_).value(), Records({{RevisionId("web"), changed_web()}}));
}

TEST_F(StateFileTest, IsNotWrittenForWhatTheSettingsFileSays) {
  const Records declared = at_start({}, {sample_service()}).records;
  StateFile file(path_, declared);
  ASSERT_TRUE(file.save({{RevisionId("web"), declared.at(RevisionId("web"))}}));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(read_state_file(path_).value().empty());
}

TEST_F(StateFileTest, TwoOwnersAreOneTooMany) {
  auto owner = StateLock::take(path_);
  ASSERT_TRUE(owner);
  const auto other = StateLock::take(path_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(to_string(other.error()),
              HasSubstr(path_ + ": process " + std::to_string(::getpid()) + ", a running Bellows"));
  EXPECT_TRUE(StateLock::take(folder_.path("in/other")));
  *owner = StateLock();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path("in"))) << "an end leaves nothing behind";
  EXPECT_TRUE(StateLock::take(path_));
}

TEST_F(StateFileTest, ALockThatACrashLeftIsTaken) {
  std::ofstream(path_ + ".lock") << "4194304 and more";
  const auto owner = StateLock::take(path_);
  ASSERT_TRUE(owner);
  EXPECT_THAT(to_string(StateLock::take(path_).error()),
              HasSubstr("process " + std::to_string(::getpid()) + ","));
}

TEST_F(StateFileTest, IsNotLockedWhereNothingCanBeWritten) {
  break_it();
  EXPECT_TRUE(StateLock::take(path_));
  EXPECT_TRUE(StateLock::take(path_));
}

TEST_F(StateFileTest, AFailedSaveLeavesItAsItWas) {
  StateFile file(path_, {});
  ASSERT_TRUE(file.save({{RevisionId("web"), changed_web()}}));
  break_it();
  ServiceRecord mail = new_service(sample_service("mail"));
  EXPECT_FALSE(file.save({{RevisionId("mail"), mail}, {RevisionId("web"), std::nullopt}}));
  repair();
  ServiceRecord shop = new_service(sample_service("shop"));
  ASSERT_TRUE(file.save({{RevisionId("shop"), shop}}));
  EXPECT_EQ(read_state_file(path_).value(),
            Records({{RevisionId("shop"), shop}, {RevisionId("web"), changed_web()}}));
}

TEST_F(StateFileTest, WithoutAPathNothingIsWritten) {
  StateFile file("", {});
  EXPECT_TRUE(file.save({{RevisionId("web"), changed_web()}}));
}

TEST_F(StateFileTest, OneThatCannotBeReadIsNamed) {
  std::ofstream(path_) << "{\"version\":1,";
  const auto read = read_state_file(path_);
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("state file " + path_));
}

}  // namespace
}  // namespace bellows::machine
