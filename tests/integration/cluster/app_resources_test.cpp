// How a LocalCluster reports the usage and the events of apps and sizes them: with the control
// groups of this machine if it allows them, with a folder that stands for them, and without any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "cluster/local/local_cluster.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/fake_cgroups.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::AppEvent;
using cluster::AppUsage;
using cluster::LocalCluster;
using config::ResourcesMode;
using testing::HasSubstr;

const RevisionId kSized("web");
const PodName kSizedReplica("web-1");

class Diary final : public cluster::ResourceListener {
 public:
  void on_usage(const AppUsage& usage) override { usages.push_back(usage); }
  void on_event(const AppEvent& event) override { events.push_back(event); }

  int count(AppEvent::What what) const {
    return static_cast<int>(std::ranges::count(events, what, &AppEvent::what));
  }

  std::vector<AppUsage> usages;
  std::vector<AppEvent> events;
};

config::Service sized(std::vector<std::string> command, ResourcesMode mode = ResourcesMode::kAuto) {
  config::Service service = web_service(std::move(command));
  service.settings.resources = {mode, Millicores{200}, mebibytes(64)};
  return service;
}

class AppResourcesTest : public testing::Test {
 protected:
  AppResourcesTest() { options_.usage_period = 20ms; }
  ~AppResourcesTest() override {
    if (cluster_) shut_down();
  }

  /// Starts one replica; new replicas have `size` if it is set.
  void serve(config::Service service, std::optional<ReplicaSize> size = {}) {
    auto made =
        LocalCluster::create(io_, sys::system_clock(), random_, {std::move(service)}, options_);
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    cluster_ = std::move(*made);
    cluster_->set_resource_listener(&diary_);
    if (size) {
      ASSERT_TRUE(run_task<Result<void>>(io_, [&] {
                    return cluster_->set_size_of_new_replicas(kSized, *size);
                  }).has_value());
    }
    ASSERT_TRUE(run_task<Result<void>>(io_, [&] {
                  return cluster_->scale(kSized, {1, {}, "test"});
                }).has_value());
  }
  /// Why this machine allows no groups; empty: it does.
  static std::string why_no_groups_here() {
    const auto tree = cluster::system_cgroup_tree();
    return tree ? "" : to_string(tree.error());
  }
  void use_a_folder_as_groups() {
    groups_ = std::make_unique<FakeCgroups>(folder_.path("own"), "4711\n");
    options_.make_groups = [this] {
      return cluster::CgroupTree::create(
          *groups_, {groups_->places(), "bellows-4711-1", 4711, [](const auto&) { return false; }});
    };
  }
  Result<void> resize(ReplicaSize size) {
    return run_task<Result<void>>(io_,
                                  [&] { return cluster_->resize(kSized, kSizedReplica, size); });
  }
  ReplicaSize shown_size() {
    const cluster::RevisionPtr web = cluster_->revisions().find(kSized);
    const cluster::Replica* replica = web->find(kSizedReplica);
    return replica == nullptr ? ReplicaSize{} : replica->size;
  }
  std::string group_file(const std::string& name) {
    return cluster::system_cgroup_files()
        .read(folder_.path("own/bellows-4711-1/web-1/" + name))
        .value_or("(none)");
  }
  bool wait_for(const std::function<bool()>& is_true) { return run_until(io_, is_true); }
  bool wait_for_use() {
    const std::size_t before = diary_.usages.size();
    return wait_for([&] { return diary_.usages.size() > before + 1; });
  }
  void shut_down() {
    run_task<void>(io_, [&] { return cluster_->shut_down(sys::system_clock().now() + 5s); });
    cluster_->set_resource_listener(nullptr);
    cluster_.reset();
  }

  TemporaryFolder folder_;
  http::net::io_context io_;
  SeededRandom random_{1};
  cluster::LocalClusterOptions options_ = stub_options();
  Diary diary_;
  std::unique_ptr<FakeCgroups> groups_;
  std::unique_ptr<LocalCluster> cluster_;
};

TEST_F(AppResourcesTest, WithoutGroupsUsageIsFromProcAndSizesAreAdvice) {
  options_.make_groups = []() -> Result<std::unique_ptr<cluster::CgroupTree>> {
    return fail(ErrorKind::kSystem, "/sys/fs/cgroup", "read-only");
  };
  serve(sized({TEST_APP, "grow", "20", "listen", "$PORT", "wait"}));
  ASSERT_TRUE(wait_for(
      [&] { return !diary_.usages.empty() && diary_.usages.back().memory > mebibytes(20); }));
  EXPECT_EQ(diary_.usages.back().replica, kSizedReplica);
  EXPECT_EQ(cluster_->unsupported_reason(), "/sys/fs/cgroup: read-only");
  EXPECT_EQ(shown_size(), ReplicaSize{});
  const auto resized = resize({.memory = mebibytes(64)});
  ASSERT_FALSE(resized.has_value());
  EXPECT_EQ(resized.error().kind(), ErrorKind::kUnsupported);
}

TEST_F(AppResourcesTest, AServiceThatIsNotMeasuredIsNotReported) {
  serve(sized({TEST_APP, "exit", "1"}, ResourcesMode::kOff));
  ASSERT_TRUE(wait_for(
      [&] { return cluster_->revisions().find(kSized)->find(kSizedReplica)->restarts > 0; }));
  EXPECT_TRUE(diary_.events.empty());
  EXPECT_TRUE(diary_.usages.empty());
  EXPECT_EQ(cluster_->unsupported_reason(), "resources-mode is off");
}

TEST_F(AppResourcesTest, CrashesAreReportedOneByOneAndThenAsALoop) {
  serve(sized({TEST_APP, "exit", "1"}, ResourcesMode::kAdvise));
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kCrashLoop) == 1; }));
  EXPECT_EQ(diary_.count(AppEvent::What::kStarted), 3);
  EXPECT_EQ(diary_.count(AppEvent::What::kCrashed), 3);
  EXPECT_EQ(diary_.count(AppEvent::What::kOomKilled), 0);
}

TEST_F(AppResourcesTest, ARequestedEndIsNoCrash) {
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}, ResourcesMode::kAdvise));
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kStarted) == 1; }));
  run_task<void>(io_, [&] { return cluster_->shut_down(sys::system_clock().now() + 5s); });
  EXPECT_EQ(diary_.count(AppEvent::What::kCrashed), 0);
  EXPECT_EQ(diary_.count(AppEvent::What::kGone), 1);
  cluster_->set_resource_listener(nullptr);
  cluster_.reset();
}

TEST_F(AppResourcesTest, AnAppInAControlGroupIsResizedInPlace) {
  use_a_folder_as_groups();
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}));
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kStarted) == 1; }));
  EXPECT_EQ(group_file("cgroup.procs"), "0") << "the app entered its group itself";
  EXPECT_EQ(group_file("memory.low"), "67108864\n");
  EXPECT_EQ(group_file("memory.max"), "max\n") << "no hard limit before the first recommendation";
  EXPECT_EQ(shown_size(), (ReplicaSize{Millicores{200}, mebibytes(64), std::nullopt}));

  ASSERT_TRUE(resize({Millicores{400}, mebibytes(128), mebibytes(256)}).has_value());
  EXPECT_EQ(group_file("memory.max"), "268435456\n");
  EXPECT_EQ(shown_size().cpu, Millicores{400});
  shut_down();
  EXPECT_FALSE(std::filesystem::exists(folder_.path("own/bellows-4711-1")));
}

TEST_F(AppResourcesTest, NewReplicasGetTheSizeThatWasSetLast) {
  use_a_folder_as_groups();
  const ReplicaSize size{Millicores{100}, mebibytes(96), mebibytes(192)};
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}, ResourcesMode::kInitial), size);
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kStarted) > 0; }));
  EXPECT_EQ(shown_size(), size);
}

TEST_F(AppResourcesTest, AnAddedRevisionMayHaveASizeOfItsOwn) {
  use_a_folder_as_groups();
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}));
  const RevisionId next("web-00002");
  const ReplicaSize known = {Millicores{300}, mebibytes(96), mebibytes(192)};
  config::Service service = sized({TEST_APP, "listen", "$PORT", "wait"});
  service.name = next;
  ASSERT_TRUE(cluster_->add(service, known).has_value());
  const auto size_of = [&](const char* name) {
    const cluster::Replica* replica = cluster_->revisions().find(next)->find(PodName(name));
    return replica == nullptr ? ReplicaSize() : replica->size;
  };
  const auto scale_to = [&](PodCount replicas) {
    return run_task<Result<void>>(io_,
                                  [&] {
                                    return cluster_->scale(next, {replicas, {}, "test"});
                                  })
        .has_value();
  };
  ASSERT_TRUE(scale_to(1));
  ASSERT_TRUE(wait_for([&] { return size_of("web-00002-1") == known; }));
  service.settings.resources.max_allowed_cpu = Millicores{500};
  ASSERT_TRUE(cluster_->configure(next, service.settings).has_value());
  ASSERT_TRUE(scale_to(2));
  ASSERT_TRUE(wait_for([&] { return size_of("web-00002-2") == known; }));
  service.settings.resources.cpu = Millicores{250};
  ASSERT_TRUE(cluster_->configure(next, service.settings).has_value());
  ASSERT_TRUE(scale_to(3));
  const ReplicaSize first = {Millicores{250}, mebibytes(64), std::nullopt};
  ASSERT_TRUE(wait_for([&] { return size_of("web-00002-3") == first; })) << "a new first request";
}

TEST_F(AppResourcesTest, AnAppThatCannotEnterItsGroupRunsOutsideWithoutASize) {
  use_a_folder_as_groups();
  groups_->close_doors();
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}));
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kStarted) == 1; }));
  EXPECT_TRUE(wait_for([&] { return shown_size() == ReplicaSize{}; }));
  ASSERT_TRUE(wait_for([&] { return !diary_.usages.empty(); })) << "measured with /proc";
}

TEST_F(AppResourcesTest, AGroupWithMissingFilesIsNamedAndItsUsageIsUnknownMeanwhile) {
  static std::vector<std::string> shown_lines;
  shown_lines.clear();
  sys::log::set_sink([](std::string_view line) { shown_lines.emplace_back(line); });
  const auto is_logged = [](const std::string& text) {
    return std::ranges::any_of(
        shown_lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  use_a_folder_as_groups();
  serve(sized({TEST_APP, "listen", "$PORT", "wait"}));
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kStarted) == 1; }));
  const std::string group = folder_.path("own/bellows-4711-1/web-1/");
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(group + name) << text;
  };
  put("cpu.stat", "usage_usec 2500000\n");
  put("memory.current", "3000\n");
  ASSERT_TRUE(wait_for_use());
  std::filesystem::rename(group + "memory.current", group + "gone");
  ASSERT_TRUE(wait_for([&] { return is_logged("replica not measured"); }));
  EXPECT_TRUE(is_logged(group + "memory.current"));
  EXPECT_EQ(diary_.usages.back().memory, Bytes{3000}) << "an unknown usage is not reported";
  EXPECT_EQ(diary_.count(AppEvent::What::kCrashed), 0);
  std::filesystem::rename(group + "gone", group + "memory.current");
  ASSERT_TRUE(wait_for_use());
  EXPECT_TRUE(is_logged("replica measured again"));
  sys::log::set_sink(nullptr);
}

TEST_F(AppResourcesTest, OnThisMachineTheAppIsMeasuredAndLimitedByItsGroup) {
  if (const std::string why = why_no_groups_here(); !why.empty()) GTEST_SKIP() << why;
  serve(sized({TEST_APP, "grow", "20", "listen", "$PORT", "wait"}));
  ASSERT_TRUE(wait_for(
      [&] { return !diary_.usages.empty() && diary_.usages.back().memory > mebibytes(20); }));
  ASSERT_TRUE(wait_for_use());
  const AppUsage& last = diary_.usages.back();
  EXPECT_LT(last.memory, mebibytes(60)) << "without the queue-proxy";
  EXPECT_GT(last.over, Duration::zero());
  ASSERT_TRUE(resize({Millicores{400}, mebibytes(8), mebibytes(10)}).has_value());
  EXPECT_GE(*shown_size().memory_limit, mebibytes(24)) << "20 % above its usage";
}

TEST_F(AppResourcesTest, OnThisMachineAnAppAboveItsLimitIsKilledAndTheKillIsReported) {
  if (const std::string why = why_no_groups_here(); !why.empty()) GTEST_SKIP() << why;
  serve(sized({TEST_APP, "grow", "200", "listen", "$PORT", "wait"}),
        ReplicaSize{{}, mebibytes(16), mebibytes(32)});
  ASSERT_TRUE(wait_for([&] { return diary_.count(AppEvent::What::kCrashed) > 0; }));
  ASSERT_GE(diary_.count(AppEvent::What::kOomKilled), 1);
  EXPECT_EQ(std::ranges::find(diary_.events, AppEvent::What::kOomKilled, &AppEvent::what)->memory,
            mebibytes(32));

  // While it is down it gets the size that it needs, and becomes ready.
  ASSERT_TRUE(resize({{}, mebibytes(256), mebibytes(512)}).has_value());
  EXPECT_TRUE(wait_for([&] {
    return cluster_->revisions().find(kSized)->count(cluster::ReplicaPhase::kReady) == 1;
  }));
}

}  // namespace
}  // namespace bellows::test
