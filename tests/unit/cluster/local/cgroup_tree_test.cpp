#include "cluster/local/cgroup_tree.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/fake_cgroups.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::cluster {
namespace {

using test::FakeCgroups;

constexpr std::int64_t kUs = 4711;

class CgroupTreeTest : public testing::Test {
 protected:
  CgroupTree::Options options(const FakeCgroups& groups) const {
    return {groups.places(), run_folder(kUs, 1), kUs,
            [](const RunOwner& owner) { return owner.pid == 15; }};
  }
  std::string text(const std::string& file) const {
    std::string found = system_cgroup_files().read(root_ + "/" + file).value_or("(none)");
    while (found.ends_with('\n')) found.pop_back();
    return found;
  }
  void put(const std::string& file, const std::string& contents) const {
    std::ofstream(root_ + "/" + file, std::ios::trunc) << contents;
  }
  bool is_there(const std::string& file) const {
    return std::filesystem::exists(root_ + "/" + file);
  }

  test::TemporaryFolder folder_;
  const std::string root_ = folder_.path("own");
};

TEST_F(CgroupTreeTest, AReplicaGetsAGroupWithItsSizeAndItIsRemovedAtTheEnd) {
  const FakeCgroups groups(root_, "4711\n");
  auto tree = CgroupTree::create(groups, options(groups));
  ASSERT_TRUE(tree.has_value()) << to_string(tree.error());
  EXPECT_EQ(text("bellows-4711-1/main/cgroup.procs"), "4711");

  auto group = (*tree)->make_group("web-1");
  ASSERT_TRUE(group.has_value()) << to_string(group.error());
  const std::string place = "bellows-4711-1/web-1/";
  EXPECT_EQ((*group)->entrances(), std::vector<std::string>{root_ + "/" + place + "cgroup.procs"});
  ASSERT_TRUE((*group)->resize({Millicores{500}, mebibytes(64), mebibytes(128)}).has_value());
  EXPECT_EQ(text(place + "cpu.weight"), "20");
  EXPECT_EQ(text(place + "memory.low"), "67108864");
  EXPECT_EQ(text(place + "memory.max"), "134217728");
  EXPECT_EQ((*group)->size().memory, mebibytes(64));

  group->reset();
  EXPECT_FALSE(is_there("bellows-4711-1/web-1"));
  tree->reset();
  EXPECT_FALSE(is_there("bellows-4711-1"));
  EXPECT_EQ(text("cgroup.procs"), "4711");
  EXPECT_EQ(text("cgroup.subtree_control"), "");
}

TEST_F(CgroupTreeTest, AHardLimitIsNotSetBelowThePresentUsage) {
  const FakeCgroups groups(root_, "4711\n");
  auto tree = CgroupTree::create(groups, options(groups));
  auto group = (*tree)->make_group("web-1");
  put("bellows-4711-1/web-1/memory.current", "100000000\n");
  ASSERT_TRUE((*group)->resize({.memory_limit = Bytes{50'000'000}}).has_value());
  EXPECT_EQ((*group)->size().memory_limit, Bytes{120'000'000});
  EXPECT_EQ(text("bellows-4711-1/web-1/memory.max"), "120000000");
}

TEST_F(CgroupTreeTest, UsageAndKillsAreReadFromItsFiles) {
  const FakeCgroups groups(root_, "4711\n");
  auto tree = CgroupTree::create(groups, options(groups));
  auto group = (*tree)->make_group("web-1");
  put("bellows-4711-1/web-1/cpu.stat", "usage_usec 2500000\n");
  put("bellows-4711-1/web-1/memory.current", "3000\n");
  put("bellows-4711-1/web-1/memory.events", "oom 1\noom_kill 1\n");
  EXPECT_EQ((*group)->read(), (GroupUsage{std::chrono::milliseconds(2500), Bytes{3000}, 1}));
}

TEST_F(CgroupTreeTest, AFileThatIsMissingOrMalformedIsNamed) {
  const FakeCgroups groups(root_, "4711\n");
  auto tree = CgroupTree::create(groups, options(groups));
  auto group = (*tree)->make_group("web-1");
  put("bellows-4711-1/web-1/cpu.stat", "usage_usec 2500000\n");
  put("bellows-4711-1/web-1/memory.current", "3000\n");
  EXPECT_TRUE((*group)->check().has_value());
  put("bellows-4711-1/web-1/memory.current", "much\n");
  EXPECT_EQ(to_string((*group)->check().error()),
            root_ + "/bellows-4711-1/web-1/memory.current: \"much\": want what was used so far");
  std::filesystem::remove(root_ + "/bellows-4711-1/web-1/cpu.stat");
  EXPECT_EQ((*group)->check().error().culprit(), root_ + "/bellows-4711-1/web-1/cpu.stat");
  EXPECT_FALSE((*group)->read().cpu.has_value()) << "unknown, not zero";
}

TEST_F(CgroupTreeTest, AControlFileThatRejectsAWriteIsNamedAndTheOldSizeStays) {
  const FakeCgroups groups(root_, "4711\n");
  auto tree = CgroupTree::create(groups, options(groups));
  auto group = (*tree)->make_group("web-1");
  const std::string file = root_ + "/bellows-4711-1/web-1/memory.max";
  std::filesystem::remove(file);
  const auto resized = (*group)->resize({.memory_limit = mebibytes(64)});
  ASSERT_FALSE(resized.has_value());
  EXPECT_EQ(resized.error().culprit(), file);
  EXPECT_EQ((*group)->size(), ReplicaSize{});
}

TEST_F(CgroupTreeTest, OtherProcessesInItsGroupAreAnErrorThatSaysWhatHelps) {
  const FakeCgroups groups(root_, "12\n4711\n");
  const auto tree = CgroupTree::create(groups, options(groups));
  ASSERT_FALSE(tree.has_value());
  EXPECT_EQ(tree.error().culprit(), root_);
  EXPECT_NE(tree.error().message().find("systemd-run --user --scope"), std::string::npos);
  EXPECT_FALSE(is_there("bellows-4711-1")) << "no folder is left";
  EXPECT_EQ(text("cgroup.procs"), "12\n4711");
}

TEST_F(CgroupTreeTest, AGroupWithoutTheControllersIsAnError) {
  const FakeCgroups groups(root_, "4711\n", "cpuset io pids\n");
  const auto tree = CgroupTree::create(groups, options(groups));
  ASSERT_FALSE(tree.has_value());
  EXPECT_NE(tree.error().message().find("has no cpu controller"), std::string::npos);
  EXPECT_FALSE(is_there("bellows-4711-1"));
}

TEST_F(CgroupTreeTest, FoldersOfDeadProcessesAreRemovedAndOthersStay) {
  const FakeCgroups groups(root_, "4711\n");
  ASSERT_TRUE(groups.make_group(root_ + "/bellows-14-3").has_value());
  ASSERT_TRUE(groups.make_group(root_ + "/bellows-14-3/web-1").has_value());
  ASSERT_TRUE(groups.make_group(root_ + "/bellows-15-3").has_value());
  ASSERT_TRUE(groups.make_group(root_ + "/user.slice").has_value());
  const auto tree = CgroupTree::create(groups, options(groups));
  ASSERT_TRUE(tree.has_value());
  EXPECT_FALSE(is_there("bellows-14-3"));
  EXPECT_TRUE(is_there("bellows-15-3")) << "its process still runs";
  EXPECT_TRUE(is_there("user.slice"));
}

TEST_F(CgroupTreeTest, AGroupIsMadeEvenIfAShimRemovedTheFolderOfTheProcess) {
  CgroupPlaces places{.version = CgroupVersion::kV1};
  places.folders.fill(root_);
  const FakeCgroups groups(root_);
  auto tree = CgroupTree::create(groups, {places, "bellows-4711-1", kUs, {}});
  ASSERT_TRUE(tree.has_value());
  ASSERT_TRUE(groups.remove_group(root_ + "/bellows-4711-1").has_value());
  const auto group = (*tree)->make_group("web-2");
  EXPECT_TRUE(group.has_value());
  EXPECT_TRUE(is_there("bellows-4711-1/web-2"));
}

}  // namespace
}  // namespace bellows::cluster
