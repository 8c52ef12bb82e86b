#include "autoscaler/history/day_journal.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "autoscaler/history/chart.hpp"
#include "autoscaler/history/saved_days.hpp"
#include "base/random.hpp"
#include "config/revision_schema.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::history::test {
namespace {

using autoscaler::test::active_since;
using autoscaler::test::at;
using autoscaler::test::load;

SettingsPtr settings_with_target(const char* target) {
  const config::Layer layer = {config::flag("target", target)};
  return std::make_shared<const config::RevisionSettings>(
      config::revision_schema().apply({layer}).value());
}

/// A service that is decided every two seconds, as the registry does it.
class Service {
 public:
  explicit Service(std::string_view name) : day_(name) {}

  void see(TimePoint now, const Observation& seen, Bytes limit = kDayLimit) {
    const Decision decision = decide(scaling_spec(*settings_), seen, state_, now);
    day_.add(decision, state_, settings_, limit);
    remember(state_, decision);
    taken_.push_back(decision);
  }
  void follow(SettingsPtr settings) { settings_ = std::move(settings); }

  std::vector<Decision> told(TimePoint from, TimePoint until) const {
    std::vector<Decision> told;
    day_.visit(from, until, [&](const DayEntry& entry) {
      told.push_back(entry.decision);
      return true;
    });
    return told;
  }

  /// Ends the process: the next one reads the day on a time line that began `later`, and its
  /// decider knows nothing.
  void restart(Duration later) {
    SavedDays saved;
    saved.changes[RevisionId("web")] = {{.at = at(0), .shares = {{RevisionId("web-00001"), 100}}}};
    saved.days.push_back(saved_day(TimePoint::min()));
    auto days = read_days(days_text(saved, std::chrono::hours(500'000)),
                          std::chrono::hours(500'000) + later);
    ASSERT_TRUE(days.has_value()) << to_string(days.error());
    ASSERT_EQ(days->days.size(), 1U);
    changes_ = days->changes.at(RevisionId("web"));
    day_ = std::move(*days->days.front().day);
    state_ = {};
  }
  SavedDay saved_day(TimePoint since) const {
    return {RevisionId("web"), RevisionId("web-00001"),
            std::make_unique<DayJournal>(day_.since(since))};
  }
  const std::vector<journal::ShareChange>& changes() const { return changes_; }

  std::vector<TimePoint> begins() const {
    std::vector<TimePoint> begins;
    day_.visit(TimePoint::min(), at(1'000'000), [&](const DayEntry& entry) {
      if (entry.begins) begins.push_back(entry.decision.at);
      return true;
    });
    return begins;
  }

  const DayJournal& day() const { return day_; }
  const std::vector<Decision>& taken() const { return taken_; }

 private:
  DayJournal day_;
  SettingsPtr settings_ = settings_with_target("10");
  DeciderState state_ = active_since(at(0));
  std::vector<Decision> taken_;
  std::vector<journal::ShareChange> changes_;
};

/// Every value moves all the time, and the turns jitter.
class Busy {
 public:
  Observation next(PodCount pods) {
    level_ = std::max(20.0, level_ + random_.fraction() * 40 - 20);
    Observation seen = load(level_ + random_.fraction(), level_ + random_.fraction() * 30, pods);
    seen.newest = level_ + random_.fraction() * 50;
    seen.stable_rate = level_ * 7 + random_.fraction();
    seen.panic_rate = level_ * 7 + random_.fraction() * 90;
    seen.idle_for = Duration(static_cast<std::int64_t>(random_.fraction() * 1e9));
    seen.cpu = 0.3 + random_.fraction() * 0.4;
    seen.memory = 0.5 + random_.fraction() * 0.01;
    seen.start_time = std::chrono::milliseconds(312);
    if (random_.fraction() < 0.05) seen.waiting = random_.next() % 30;
    return seen;
  }
  TimePoint turn(int number) {
    return at(2 * number) + Duration(static_cast<std::int64_t>(random_.fraction() * 2e6));
  }

 private:
  SeededRandom random_{7};
  double level_ = 100;
};

constexpr int kTurnsOfADay = 43'200;

TEST(DayJournal, HoursOfABusyServiceReadBackWithinTheLimit) {
  Service service("web");
  Busy busy;
  constexpr int kHours = 5;
  for (int turn = 0; turn < kHours * 1800; ++turn) {
    const PodCount pods = service.taken().empty() ? 10 : service.taken().back().replicas;
    service.see(busy.turn(turn), busy.next(pods));
  }
  EXPECT_LT(service.day().size(), static_cast<std::size_t>(kDayLimit.value) * kHours / 24);
  const auto told = service.told(TimePoint(), at(1'000'000));
  ASSERT_EQ(told.size(), service.taken().size()) << service.day().size();
  for (std::size_t i = 0; i < told.size(); ++i) ASSERT_EQ(told[i], service.taken()[i]) << i;
  RecordProperty("bytes", static_cast<int>(service.day().size()));
}

TEST(DayJournal, GoesOnInTheNextProcess) {
  for (const Duration later : {Duration::zero(), Duration(std::chrono::hours(100))}) {
    Service service("web");
    Busy busy;
    for (int turn = 0; turn < 700; ++turn) service.see(busy.turn(turn), busy.next(10));
    const std::vector<Decision> before = service.taken();
    service.restart(later);
    // Instants before the boot are negative; nothing else changes.
    const auto told = service.told(TimePoint::min(), at(1'000'000));
    ASSERT_EQ(told.size(), before.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      ASSERT_EQ(told[i].at, before[i].at - later) << i;
      ASSERT_EQ(told[i].replicas, before[i].replicas) << i;
      ASSERT_EQ(told[i].rule, before[i].rule) << i;
    }
    EXPECT_EQ(service.changes().front().at, at(0) - later);
    for (int turn = 800; turn < 1500; ++turn) service.see(busy.turn(turn), busy.next(10));
    EXPECT_EQ(service.told(at(1600), at(1'000'000)).size(), 700U);
    std::vector<TimePoint> begins = {before.front().at, service.taken()[700].at};
    if (later > kDay) begins.erase(begins.begin());  // more than a day old by then
    EXPECT_EQ(service.begins(), begins);
  }
}

TEST(DayJournal, ATextThatIsNoDayIsNamedWithLineAndValue) {
  const std::string head = "{\"wall-ahead\":0,\"at\":0,\"stopped\":true,\"ends\":[]}\n";
  for (const auto& [lines, want] : std::vector<std::pair<std::string, std::string>>{
           {"{}\n", "line 1: wall-ahead"},
           {head + "{\"first\":1}\n", "line 2: first: 1: want a line of a revision before it"},
           {head + "{\"service\":\"web\"}\n", "line 2: changes"},
           {head + "{\"service\":\"web\",\"revision\":\"w\"}\n{\"first\":5,\"last\":4}\n",
            "line 3: last: 4"},
           {head + "hello\n", "line 2"}}) {
    const auto read = read_days(lines, {});
    ASSERT_FALSE(read.has_value()) << lines;
    EXPECT_EQ(to_string(read.error()).substr(0, want.size()), want);
  }
}

/// The newest block grows between the two, and so is in both.
TEST(DayJournal, ATailAddsWhatCameAfterTheWhole) {
  Service service("web");
  for (int turn = 0; turn < 1000; ++turn) service.see(at(2 * turn), load(turn % 40, 20, 2));
  SavedDays whole;
  whole.at = at(2000);
  whole.days.push_back(service.saved_day(TimePoint::min()));
  for (int turn = 1000; turn < 2000; ++turn) service.see(at(2 * turn), load(turn % 40, 20, 2));
  SavedDays later;
  later.at = at(4000);
  later.days.push_back(service.saved_day(whole.at));
  later.ends = {{.at = at(-50), .is_stopped = true}};
  later.failed = {{RevisionId("web-00001"), 7, "KeyError: 'DATABASE_URL'", at(3000)}};
  EXPECT_LT(later.days.front().day->size(), service.day().size());
  const std::string text = days_text(later, {});
  whole.add(*read_days(text, {}));
  whole.add(*read_days(text, {}));  // twice is once
  EXPECT_EQ(whole.end(), (journal::ProcessEnd{.at = at(4000), .is_stopped = false}));
  EXPECT_EQ(whole.ends, later.ends);
  ASSERT_EQ(whole.failed.size(), 1U);
  EXPECT_EQ(whole.failed[0].count, 7);
  EXPECT_EQ(whole.failed[0].last, "KeyError: 'DATABASE_URL'");
  EXPECT_EQ(whole.failed[0].at, at(3000));
  std::vector<Decision> told;
  whole.days.front().day->visit(TimePoint::min(), at(1'000'000), [&](const DayEntry& entry) {
    told.push_back(entry.decision);
    return true;
  });
  EXPECT_EQ(told, service.taken());
}

TEST(DayJournal, AnOlderTailIsIgnored) {
  SavedDays whole;
  whole.at = at(100);
  whole.is_stopped = true;
  SavedDays older;
  older.at = at(50);
  older.changes[RevisionId("web")] = {};
  whole.add(std::move(older));
  EXPECT_TRUE(whole.is_stopped);
  EXPECT_TRUE(whole.changes.empty());
}

/// A third of a day, of a third of the limit.
TEST(DayJournal, AQuietDayTakesASixthOfIt) {
  Service service("web");
  Busy jitter;
  for (int turn = 0; turn < kTurnsOfADay / 3; ++turn) {
    const TimePoint now = jitter.turn(turn);
    Observation seen = load(0, 0, 0);
    seen.idle_for = now - at(0);
    service.see(now, seen);
  }
  EXPECT_LT(service.day().size(), static_cast<std::size_t>(kDayLimit.value) / 18);
  EXPECT_EQ(service.told(TimePoint(), at(1'000'000)).size(), service.taken().size());
  RecordProperty("quiet", static_cast<int>(service.day().size()));
}

TEST(DayJournal, OfTwoDaysTheLastIsKept) {
  Service service("web");
  for (int turn = 0; turn < kTurnsOfADay / 2; ++turn) service.see(at(8 * turn), load(20, 20, 2));
  const TimePoint end = at(4 * kTurnsOfADay);
  ASSERT_TRUE(service.day().oldest());
  EXPECT_LE(end - *service.day().oldest(), kDay + std::chrono::hours(1));
  EXPECT_GE(end - *service.day().oldest(), kDay - std::chrono::hours(1));
}

TEST(DayJournal, ASmallerLimitKeepsTheNewest) {
  Service service("web");
  Busy busy;
  for (int turn = 0; turn < 10'000; ++turn)
    service.see(busy.turn(turn), busy.next(10), kibibytes(64));
  EXPECT_LE(service.day().size(), std::size_t{90} * 1024);
  const auto told = service.told(TimePoint(), at(1'000'000));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), service.taken().back());
}

TEST(DayJournal, TellsAnyTimeOfTheDayWithTheSettingsOfThatTime) {
  Service service("web");
  for (int turn = 0; turn < 5000; ++turn) {
    if (turn % 700 == 0) service.follow(settings_with_target(turn % 1400 == 0 ? "10" : "25"));
    service.see(at(2 * turn), load(10 + turn % 90, 10 + turn % 90, 4));
  }
  const auto told = service.told(at(4000), at(4100));
  ASSERT_EQ(told.size(), 51U);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], service.taken()[2000 + i]) << i;
  const TimePoint start = service.day().start_of_last(100, at(5000));
  EXPECT_GE(service.told(start, at(5000)).size(), 100U);
}

TEST(DayJournal, EveryMemberReadsBackEqual) {
  DayJournal day("web");
  const SettingsPtr settings = settings_with_target("10");
  DeciderState state = active_since(at(0));
  Observation seen = load(1.0 / 3, 2.0 / 7, 3);
  seen.idle_for = Duration(1'234'567);
  seen.cpu = 0.123456789;
  seen.room_more = 4;
  seen.policy = PolicySeenPtr(PolicySeen{.wall = WallTime(std::chrono::hours(500'000)),
                                         .rooms = {},
                                         .kept = 2,
                                         .unreported = 0,
                                         .cpu = {},
                                         .memory = {},
                                         .counter = CounterSum{1.5, 0, 2, 0},
                                         .answers = {}});
  const Decision decision = decide(scaling_spec(*settings), seen, state, at(2));
  day.add(decision, state, settings, kDayLimit);
  int count = 0;
  day.visit(TimePoint(), at(10), [&](const DayEntry& entry) {
    EXPECT_EQ(entry.decision, decision);
    return ++count < 10;
  });
  EXPECT_EQ(count, 1);
}

TEST(Chart, MergesColumnsAndKeepsPeaksAndEveryChange) {
  Service service("web");
  for (int turn = 0; turn < 30; ++turn) {
    Observation seen = load(turn == 11 ? 95 : 20, turn == 11 ? 95 : 20, 2);
    seen.newest = turn == 11 ? 120 : 20;
    service.see(at(2 * turn), seen);
  }
  Chart chart(std::chrono::seconds(20), Duration::zero());
  int changes = 0;
  const Decision* before = nullptr;
  for (const Decision& decision : service.taken()) {
    chart.add(decision);
    if (before != nullptr &&
        (before->replicas != decision.replicas || before->mode != decision.mode))
      ++changes;
    before = &decision;
  }
  const std::string json = chart.json();
  EXPECT_NE(json.find("\"load\":[20,120,20]"), std::string::npos) << json;
  ASSERT_GT(changes, 0);
  std::size_t points = 0;
  for (std::size_t i = json.find("\"because\""); i != std::string::npos;
       i = json.find("\"because\"", i + 1))
    ++points;
  EXPECT_EQ(points, static_cast<std::size_t>(changes));
}

}  // namespace
}  // namespace bellows::autoscaler::history::test
