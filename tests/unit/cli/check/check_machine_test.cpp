#include "cli/check/machine/check_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using Kind = CheckItem::Result;

config::Service web() {
  config::Service service;
  service.name = RevisionId("web");
  service.command = {"./server"};
  return service;
}

TEST(CheckMachineTest, OpenFilesSayForHowManyReplicasTheySuffice) {
  config::Service service = web();
  EXPECT_EQ(open_files_item(1024, {service}),
            passed("open files", "1024, room for 56 replicas, all services together"));
  service.settings.max_scale = 56;
  EXPECT_EQ(open_files_item(1024, {service}).result, Kind::kOk);
  service.settings.max_scale = 57;
  const CheckItem item = open_files_item(1024, {service});
  EXPECT_EQ(item.result, Kind::kFailed);
  EXPECT_THAT(item.text, HasSubstr("max-scale 57 needs 1"));
  EXPECT_THAT(item.hint, HasSubstr("LimitNOFILE"));
}

TEST(CheckMachineTest, OpenFilesThatSufficeForEachServiceAloneAreANote) {
  config::Service one = web();
  one.settings.max_scale = 40;
  config::Service other = one;
  other.name = RevisionId("shop");
  const CheckItem item = open_files_item(1024, {one, other});
  EXPECT_EQ(item.result, Kind::kNote);
  EXPECT_THAT(item.text, HasSubstr("together is 80"));
}

TEST(CheckMachineTest, AMissingDirectoryIsNotAMissingProgram) {
  config::Service service = web();
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("install it"));
  service.working_directory = "/no/such/folder";
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("make the directory"));
}

TEST(CheckMachineTest, AWaitThatMayTakeTheWholeTimeOfARequestIsNoted) {
  using namespace std::chrono_literals;
  config::Service service = web();
  EXPECT_THAT(time_limit_items({service}), testing::IsEmpty());
  service.settings.request_timeout = 8s;
  EXPECT_THAT(time_limit_items({service}), testing::IsEmpty()) << "nobody has asked for the wait";
  service.settings.queue_age = 10min;
  const auto items = time_limit_items({service});
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].result, Kind::kNote);
  EXPECT_THAT(items[0].text, HasSubstr("queue-age 10m is not below revision-timeout 8s"));
  service.settings.request_timeout = 0s;
  EXPECT_THAT(time_limit_items({service}), testing::IsEmpty());
}

TEST(CheckMachineTest, EachReasonHasItsOwnHint) {
  config::Service service = web();
  service.command = {"/etc/passwd"};
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("chmod +x"));
  service.command = {"/usr"};
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("in that directory"));
  service.command = {"/bin/true"};
  service.environment_file = "/no/such/file";
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("environment-file"));
}

TEST(CheckMachineTest, UsersThatAreNotThereHaveTheirOwnHints) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may change the user of an app";
  config::Service service = web();
  service.command = {"/bin/true"};
  service.user = "no-such-user";
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("useradd"));
  service.user = "root:no-such-group";
  EXPECT_THAT(program_items({service}).front().hint, HasSubstr("groupadd"));
}

TEST(CheckMachineTest, AProgramBelowAClosedFolderIsNotReachedByAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may change the user of an app";
  const bellows::test::TemporaryFolder folder;
  const std::string program = folder.path("closed/app");
  std::filesystem::create_directory(folder.path("closed"));
  std::ofstream(program) << "#!/bin/sh\n";
  using std::filesystem::perms;
  std::filesystem::permissions(program, perms::all);
  std::filesystem::permissions(folder.path(""), perms::all);
  config::Service service = web();
  service.command = {program};
  service.user = "nobody";
  std::filesystem::permissions(folder.path("closed"), perms::all);
  EXPECT_EQ(program_items({service}).front().result, Kind::kOk);
  std::filesystem::permissions(folder.path("closed"), perms::owner_all);
  const CheckItem item = program_items({service}).front();
  EXPECT_EQ(item.result, Kind::kFailed);
  EXPECT_THAT(item.text,
              HasSubstr("user nobody may not enter the folder " + folder.path("closed")));
  EXPECT_THAT(item.hint, HasSubstr("chmod o+x"));
}

TEST(CheckMachineTest, ControlGroupsMatterOnlyToServicesWithSizes) {
  const auto none = size_items({web()}, fail(ErrorKind::kSystem, "/sys/fs/cgroup", "read-only"));
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].result, Kind::kOk);
}

TEST(CheckMachineTest, WithoutControlGroupsSizesAreAdviceAndLimitsCannotBeKept) {
  const bellows::Result<void> refused = fail(ErrorKind::kSystem, "/sys/fs/cgroup", "read-only");
  config::Service service = web();
  service.settings.resources.mode = config::ResourcesMode::kAuto;
  service.settings.resources.cpu = Millicores{100};
  service.settings.resources.memory = mebibytes(64);
  const auto advised = size_items({service}, refused);
  ASSERT_EQ(advised.size(), 1U);
  EXPECT_EQ(advised[0].result, Kind::kNote);
  EXPECT_THAT(advised[0].text, HasSubstr("advice only: /sys/fs/cgroup: read-only"));
  service.settings.resources.memory_limit = mebibytes(128);
  EXPECT_EQ(size_items({service}, refused)[0].result, Kind::kFailed);
  EXPECT_EQ(size_items({service}, {})[0].result, Kind::kOk);
}

TEST(CheckMachineTest, AResourceWithoutAFirstSizeIsAdviceOnly) {
  config::Service service = web();
  service.settings.resources.mode = config::ResourcesMode::kAuto;
  service.settings.resources.cpu = Millicores{100};
  const auto items = size_items({service}, {});
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[1].name, "sizes of web");
  EXPECT_EQ(items[1].text, "advice only for memory: no initial memory is set");
}

TEST(CheckMachineTest, SwapIsNoted) {
  constexpr const char* kTitles = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n";
  EXPECT_EQ(swap_item(kTitles), passed("swap", "none"));
  const CheckItem item = swap_item(std::string(kTitles) + "/dev/sda2 partition\t1048572\t0\t-2\n");
  EXPECT_EQ(item.result, Kind::kNote);
  EXPECT_THAT(item.text, HasSubstr("on (/dev/sda2)"));
}

}  // namespace
}  // namespace bellows::cli
