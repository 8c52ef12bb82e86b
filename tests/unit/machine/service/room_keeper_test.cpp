// Diaries of two services on one machine: at t, with this load, expect that.
#include "machine/service/room_keeper.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/explain/catalogue.hpp"
#include "base/sys/log.hpp"
#include "config/revision_schema.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::machine {
namespace {

using autoscaler::Decision;
using autoscaler::Memory;
using autoscaler::Rule;
using autoscaler::ScaledRevision;

constexpr std::int64_t kMi = std::int64_t{1} << 20U;

/// A machine of 1000Mi. Orders are carried out at once: what is wanted runs and is ready in the
/// next second.
class MachineDiary : private autoscaler::DecisionListener {
 public:
  explicit MachineDiary(std::int64_t mebibytes = 1000)
      : keeper_(
            registry_,
            {.amounts = {slack::kNotCounted, mebibytes * kMi, slack::kNotCounted}, .note = {}},
            [](const RevisionId&) { return ReplicaSize(); }, metrics_) {
    registry_.use(keeper_);
  }

  /// One replica for each request in flight, so that the numbers are those of the load.
  void add(const std::string& name, std::int64_t mebibytes, Duration keep = Duration::zero()) {
    cluster::Revision& revision = revisions_[name];
    revision.id = RevisionId(name);
    revision.settings = config::one_machine_settings();
    revision.settings.target = 1;
    revision.settings.target_utilization_percentage = 100;
    revision.settings.rules.headroom = config::Headroom::kUtilization;
    revision.settings.window = std::chrono::seconds(6);
    revision.settings.scale_down_delay = keep;
    revision.settings.resources.memory =
        mebibytes * kMi > 0 ? std::optional(Bytes{mebibytes * kMi}) : std::nullopt;
    publish(name);
  }

  void load(const std::string& name, double in_flight) { load_[name] = in_flight; }

  /// Each second: replicas report their share, what is due is decided, orders are carried out.
  void pass(int times) {
    for (int i = 0; i < times; ++i) {
      clock_.advance(std::chrono::seconds(1));
      for (const auto& [name, revision] : revisions_) report(name, revision);
      registry_.tick();
      for (const auto& [name, want] : std::exchange(wanted_, {})) order(name, want);
      for (const auto& [name, revision] : revisions_) {
        history_[name].push_back(revision.requested);
      }
    }
  }

  PodCount replicas(const std::string& name) const { return revisions_.at(name).requested; }
  const Decision& last(const std::string& name) const { return last_.at(name); }
  std::string status() { return keeper_.status(clock_.now()); }
  std::string metrics() { return metrics_.expose(); }
  /// How often the number of replicas went up in the last so many seconds.
  int rises(const std::string& name, std::size_t period) const {
    const std::vector<PodCount>& past = history_.at(name);
    int count = 0;
    for (std::size_t i = past.size() - std::min(past.size() - 1, period); i < past.size(); ++i) {
      if (past[i] > past[i - 1]) ++count;
    }
    return count;
  }

 private:
  void decided(ScaledRevision& revision, const Decision& decision, const Memory&) override {
    wanted_[revision.id().text()] = decision.replicas;
    last_[revision.id().text()] = decision;
  }
  void removed(const RevisionId&) override {}

  void order(const std::string& name, PodCount want) {
    cluster::Revision& revision = revisions_.at(name);
    if (revision.requested == want) return;
    std::vector<cluster::Replica> replicas;
    for (PodCount i = 1; i <= want; ++i) {
      replicas.push_back({.name = PodName(name + "-" + std::to_string(i)),
                          .phase = cluster::ReplicaPhase::kReady});
    }
    revision.requested = want;
    revision.replicas = cluster::next_replicas(std::move(replicas), revision.replicas);
    publish(name);
  }

  void publish(const std::string& name) {
    const cluster::Revision& revision = revisions_.at(name);
    list_.put(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(list_, {.added = {}, .changed = {revision.id}, .removed = {}});
  }

  void report(const std::string& name, const cluster::Revision& revision) {
    const double load = load_[name];
    const auto count = static_cast<double>(revision.replicas.size());
    for (const cluster::ReplicaPtr& replica : revision.replicas) {
      send(revision.id, replica->name, metrics::StatSource::kReplica, load / count);
    }
    const double waits = count > 0 ? 0 : load;
    send(revision.id, PodName("activator-1"), metrics::StatSource::kActivator, waits);
  }

  void send(const RevisionId& revision, const PodName& pod, metrics::StatSource source,
            double in_flight) {
    metrics::Stat stat;
    stat.revision = revision;
    stat.pod = pod;
    stat.source = source;
    stat.boot = 1;
    stat.sequence = ++sequence_;
    stat.concurrency = stat.peak = in_flight;
    registry_.accept(stat);
  }

  bellows::test::ManualClock clock_;
  std::map<std::string, cluster::Revision> revisions_;
  std::map<std::string, double> load_;
  std::map<std::string, PodCount> wanted_;
  std::map<std::string, Decision> last_;
  std::map<std::string, std::vector<PodCount>> history_;
  cluster::RevisionList list_;
  bellows::metrics::prometheus::Registry metrics_{"test"};
  autoscaler::RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  RoomKeeper keeper_;
  std::uint64_t sequence_ = 0;
};

TEST(OneMachineDiary, TheOtherServiceComesDownBeforeTheBusiestGrows) {
  MachineDiary diary;
  diary.add("blog", 100, std::chrono::minutes(10));
  diary.add("web", 200);
  diary.load("blog", 5);
  diary.load("web", 2);
  diary.pass(30);  // 500Mi and 400Mi
  ASSERT_EQ(diary.replicas("blog"), 5);
  ASSERT_EQ(diary.replicas("web"), 2);
  diary.load("blog", 1);  // its delay keeps five, and no room is left for a third replica of web
  diary.pass(30);
  EXPECT_EQ(diary.replicas("blog"), 4) << "one of 100Mi is enough";
  EXPECT_EQ(diary.last("blog").rule, Rule::kMachineRoom);
  EXPECT_EQ(diary.replicas("web"), 2);
  diary.load("web", 3);  // the room is there already: 400Mi and 600Mi
  diary.pass(4);
  EXPECT_EQ(diary.replicas("web"), 3);
  diary.pass(20);  // and for the fourth others come down first again
  EXPECT_EQ(diary.replicas("blog"), 2);
  EXPECT_EQ(diary.replicas("web"), 3);
}

TEST(OneMachineDiary, NothingComesDownBelowItsLoadAndThatIsTold) {
  MachineDiary diary;
  diary.add("blog", 100, std::chrono::minutes(10));
  diary.add("web", 200);
  diary.load("blog", 4);
  diary.load("web", 3);
  diary.pass(60);
  EXPECT_EQ(diary.replicas("blog"), 4) << "its load needs four";
  EXPECT_EQ(diary.replicas("web"), 3);
  EXPECT_EQ(diary.last("web").seen.room_more, 0);
  const std::string status = diary.status();
  EXPECT_NE(status.find("its next replica would not fit: 0 of 1000Mi are free; 3 replicas of this "
                        "size fit beside the other services"),
            std::string::npos)
      << status;
  EXPECT_NE(status.find(R"("room_kept":false)"), std::string::npos);
}

TEST(OneMachineDiary, AnIdleServiceGoesFirst) {
  MachineDiary diary;
  diary.add("blog", 300, std::chrono::minutes(10));
  diary.add("docs", 300, std::chrono::minutes(10));
  diary.add("web", 200);
  diary.load("docs", 0.5);
  diary.load("blog", 0.5);
  diary.load("web", 1);
  diary.pass(20);
  diary.load("blog", 0);
  diary.pass(20);
  EXPECT_EQ(diary.replicas("blog"), 1) << "200Mi are free for the next replica of web";
  diary.load("web", 2);
  diary.pass(20);  // 300, 300, 400: no room for the third
  EXPECT_EQ(diary.replicas("blog"), 0);
  EXPECT_EQ(diary.replicas("docs"), 1);
  diary.load("blog", 1);  // a request starts it, whether it fits or not
  diary.pass(4);
  EXPECT_EQ(diary.replicas("blog"), 1);
}

TEST(OneMachineDiary, WhatCameDownDoesNotComeAndGo) {
  MachineDiary diary;
  diary.add("blog", 100, std::chrono::minutes(10));
  diary.add("web", 200);
  diary.load("blog", 5);
  diary.load("web", 2);
  diary.pass(30);
  diary.load("blog", 1);
  diary.pass(60);
  // web comes and goes at the edge; blog has been asked once and keeps what it has.
  for (int turn = 0; turn < 20; ++turn) {
    diary.load("web", turn % 2 == 0 ? 2.9 : 2);
    diary.pass(10);
  }
  EXPECT_EQ(diary.rises("blog", 200), 0);
  EXPECT_GE(diary.replicas("blog"), 1);
}

TEST(OneMachineDiary, WithoutSizesNothingIsToldAndNothingComesDown) {
  MachineDiary diary;
  diary.add("blog", 0, std::chrono::minutes(10));
  diary.add("web", 0);
  diary.load("blog", 5);
  diary.load("web", 5);
  diary.pass(30);
  diary.load("blog", 1);
  diary.pass(20);
  EXPECT_EQ(diary.replicas("blog"), 5);
  EXPECT_EQ(diary.status(), "");
  EXPECT_EQ(diary.last("web").seen.room_more, std::nullopt);
  EXPECT_EQ(diary.metrics().find("bellows_machine"), std::string::npos);
}

TEST(OneMachineDiary, AServiceThatHasJustComeIsToldOfAtOnce) {
  MachineDiary diary(500);
  diary.add("web", 2048);
  EXPECT_NE(diary.status().find("a replica takes more than the machine has: want memory of at most "
                                "500Mi"),
            std::string::npos)
      << diary.status();
}

TEST(OneMachineDiary, TheMetricsShowCapacityRequestsAndWhatFits) {
  MachineDiary diary;
  diary.add("web", 200);
  diary.load("web", 2);
  diary.pass(20);
  const std::string text = diary.metrics();
  EXPECT_NE(text.find("bellows_machine_memory_bytes{kind=\"capacity\"} 1048576000\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bellows_machine_memory_bytes{kind=\"requested\"} 419430400\n"),
            std::string::npos);
  EXPECT_NE(text.find("bellows_machine_more_replicas{revision=\"web\",service=\"web\"} 3\n"),
            std::string::npos);
  EXPECT_EQ(text.find("bellows_machine_cpu"), std::string::npos) << "CPU is not counted";
}

std::vector<std::string> lines_of_test;  // of one test

TEST(OneMachineDiary, TheLogTellsOnceWhatWouldNotFit) {
  lines_of_test.clear();
  sys::log::set_sink([](std::string_view line) { lines_of_test.emplace_back(line); });
  MachineDiary diary(500);
  diary.add("web", 200);
  diary.load("web", 2);
  diary.pass(60);
  sys::log::set_sink(nullptr);
  std::erase_if(lines_of_test, [](const std::string& line) {
    return line.find("no room on the machine") == std::string::npos;
  });
  ASSERT_EQ(lines_of_test.size(), 1U);
  EXPECT_NE(lines_of_test[0].find("service web: memory 200Mi: its next replica would not fit"),
            std::string::npos)
      << lines_of_test[0];
}

/// Two replicas, of which the second one was resized and the third one leaves.
cluster::Revision three_replicas() {
  cluster::Revision revision;
  revision.id = RevisionId("web");
  revision.settings = config::one_machine_settings();
  revision.settings.resources.memory = mebibytes(100);
  revision.settings.resources.cpu_limit = Millicores{500};
  std::vector<cluster::Replica> replicas(3);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    replicas[i].name = PodName("web-" + std::to_string(i + 1));
    replicas[i].phase = cluster::ReplicaPhase::kReady;
  }
  replicas[1].size.memory = mebibytes(300);
  replicas[2].phase = cluster::ReplicaPhase::kDraining;
  revision.replicas = cluster::next_replicas(std::move(replicas), {});
  return revision;
}

TEST(MachineService, HasTheSizesInEffectThenThoseOfTheSettings) {
  const ScaledRevision web(std::make_shared<const cluster::Revision>(three_replicas()),
                           std::chrono::seconds(3), TimePoint());
  const slack::MachineService service = machine_service(web, {});
  EXPECT_EQ(service.next, (slack::Resources{500, 100 * kMi, 0})) << "a limit is a request too";
  ASSERT_EQ(service.replicas.size(), 2U) << "one that leaves is no room that is taken for long";
  EXPECT_EQ(service.replicas[0].size.memory_bytes, 100 * kMi);
  EXPECT_EQ(service.replicas[1].size.memory_bytes, 300 * kMi);
  EXPECT_EQ(service.needed, 2) << "nothing was decided yet";
}

TEST(MachineService, TakesWhatIsRecommendedForItsNextReplica) {
  const ScaledRevision web(std::make_shared<const cluster::Revision>(three_replicas()),
                           std::chrono::seconds(3), TimePoint());
  const ReplicaSize advice{.cpu = {}, .memory = mebibytes(250), .memory_limit = {}};
  const slack::MachineService service = machine_service(web, advice);
  EXPECT_EQ(service.next, (slack::Resources{500, 250 * kMi, 0}));
}

TEST(MachineCapacity, IsThatOfTheMachineUnlessItIsSet) {
  const ReplicaSize has{.cpu = Millicores{2000}, .memory = mebibytes(8192), .memory_limit = {}};
  const MachineCapacity unset = capacity_of(std::nullopt, std::nullopt, has);
  EXPECT_EQ(unset.amounts, (slack::Resources{2000, 8192 * kMi, slack::kNotCounted}));
  const MachineCapacity set = capacity_of(Millicores{500}, mebibytes(1024), has);
  EXPECT_EQ(set.amounts, (slack::Resources{500, 1024 * kMi, slack::kNotCounted}));
  EXPECT_EQ(set.note, "");
  const MachineCapacity none = capacity_of(Millicores{0}, Bytes{0}, has);
  EXPECT_EQ(none.amounts,
            (slack::Resources{slack::kNotCounted, slack::kNotCounted, slack::kNotCounted}));
}

TEST(MachineCapacity, MoreThanTheMachineHasIsRemarkedWithWhatItHas) {
  const ReplicaSize has{.cpu = Millicores{2000}, .memory = mebibytes(8192), .memory_limit = {}};
  const MachineCapacity capacity = capacity_of(Millicores{3000}, mebibytes(16384), has);
  EXPECT_EQ(capacity.amounts.cpu_millicores, 3000);
  EXPECT_EQ(capacity.note,
            "machine-cpu: 3000m is more than the 2000m of this machine: want at most that; "
            "machine-memory: 16Gi is more than the 8Gi of this machine: want at most that");
}

/// How often the plan looks at a service while `services` come one after the other within an
/// instant.
std::size_t looks_while_coming(std::size_t services) {
  struct Nobody final : autoscaler::DecisionListener {
    void decided(ScaledRevision& /*revision*/, const Decision& /*decision*/,
                 const Memory& /*before*/) override {}
    void removed(const RevisionId& /*revision*/) override {}
  } nobody;
  bellows::test::ManualClock clock;
  metrics::prometheus::Registry metrics("test");
  autoscaler::RevisionRegistry registry(clock, std::chrono::seconds(10), {}, nobody);
  std::size_t looks = 0;
  RoomKeeper room(
      registry, {.amounts = {slack::kNotCounted, kMi, slack::kNotCounted}, .note = {}},
      [&looks](const RevisionId&) {
        ++looks;
        return ReplicaSize();
      },
      metrics);
  registry.use(room);
  cluster::RevisionList list;
  for (std::size_t i = 0; i < services; ++i) {
    auto revision = std::make_shared<cluster::Revision>();
    revision->id = RevisionId("s" + std::to_string(i));
    revision->settings = config::one_machine_settings();
    list.put(revision);
  }
  registry.follow(list);
  return looks;
}

TEST(RoomForThousandsOfServices, CostsWhatTheirNumberCostsAndNotItsSquare) {
  const std::size_t once = looks_while_coming(500);
  EXPECT_GT(once, 500U) << "they are looked at";
  EXPECT_LT(looks_while_coming(4000), 12 * once) << "8 times as many";
}

}  // namespace
}  // namespace bellows::machine
