#include "autoscaler/service/history_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "autoscaler/journal/decision_replay.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

using journal::JournalContents;

std::string header_of(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

/// A revision that an activator reports a changing load for, for an hour.
class AnHour : public testing::Test, private DecisionListener {
 protected:
  AnHour() {
    registry_.keep_days(mebibytes(64));
    cluster::Revision revision;
    revision.id = RevisionId("web");
    cluster::RevisionList list;
    list.put(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(list);
    for (int second = 1; second <= 3600; ++second) {
      clock_.advance(std::chrono::seconds(1));
      registry_.accept(bellows::test::StatDiary::stat("activator-1", second, second % 200,
                                                      metrics::StatSource::kActivator));
      registry_.tick();
    }
  }

  RevisionHistory revision() { return *RevisionHistory::of(registry_, RevisionId("web")); }
  ClockPair now() { return {clock_.now(), clock_.wall_now()}; }
  std::int64_t unix_milliseconds(Duration ago) {
    return to_milliseconds(clock_.wall_now().time_since_epoch() - ago);
  }
  http::Response journal(const std::string& query) {
    return journal_page(revision(),
                        {.method = "GET", .path = "", .query = query, .headers = {}, .body = {}},
                        now())
        .value();
  }
  static JournalContents read(const std::string& lines) {
    std::istringstream stream(lines);
    return journal::read_journal(stream).value();
  }

  std::vector<PodCount> decided_;

 private:
  void decided(ScaledRevision&, const Decision& decision, const Memory&) override {
    decided_.push_back(decision.replicas);
  }
  void removed(const RevisionId&) override {}

  bellows::test::ManualClock clock_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
};

TEST_F(AnHour, IsToldInPartsThatAreOneJournal) {
  http::Response part = journal("from=" + std::to_string(unix_milliseconds(std::chrono::hours(2))));
  EXPECT_FALSE(header_of(part, kBeginsAt).empty()) << "it does not reach back two hours";
  std::string lines = part.body;
  int parts = 1;
  while (!header_of(part, kNextPart).empty()) {
    part = journal("next=" + header_of(part, kNextPart));
    lines += part.body;
    ++parts;
  }
  EXPECT_GE(parts, 3);
  const JournalContents contents = read(lines);
  ASSERT_EQ(contents.decisions.size(), decided_.size());
  for (std::size_t i = 0; i < decided_.size(); ++i) {
    ASSERT_EQ(contents.decisions[i].replicas, decided_[i]) << i;
  }
}

TEST_F(AnHour, OfATimeTheDecisionInForceIsTheLast) {
  const JournalContents contents =
      read(journal("until=" + std::to_string(unix_milliseconds(std::chrono::minutes(30)))).body);
  ASSERT_GE(contents.decisions.size(), kJournalBefore);
  const TimePoint at = contents.decisions.back().at + contents.wall_ahead;
  const Duration before = now().wall.time_since_epoch() - at.time_since_epoch();
  EXPECT_GE(before, std::chrono::minutes(30));
  EXPECT_LT(before, std::chrono::minutes(30) + std::chrono::seconds(3));
}

TEST_F(AnHour, BeforeItsBeginningTheFirstDecisionIsTold) {
  const JournalContents contents =
      read(journal("until=" + std::to_string(unix_milliseconds(std::chrono::hours(5)))).body);
  EXPECT_EQ(contents.decisions.size(), 1U);
}

TEST_F(AnHour, WithoutParametersTheLastThirtyTwoAreTold) {
  EXPECT_EQ(read(journal("").body).decisions.size(), Journal::kKept);
}

TEST_F(AnHour, AParameterThatIsNoneIsMalformed) {
  for (const char* const query :
       {"from=now", "until=-5", "next=12", "next=a-b", "from=99999999999999999999"}) {
    const http::Request request{
        .method = "GET", .path = "", .query = query, .headers = {}, .body = {}};
    const auto page = journal_page(revision(), request, now());
    ASSERT_FALSE(page) << query;
    EXPECT_EQ(page.error().kind(), ErrorKind::kMalformed) << query;
  }
}

TEST_F(AnHour, AChartHasItsColumnsAndTheChanges) {
  const http::Request request{
      .method = "GET",
      .path = "",
      .query = "step=60000&from=" + std::to_string(unix_milliseconds(std::chrono::minutes(10))),
      .headers = {},
      .body = {}};
  const std::string text = chart_page(revision(), request, now()).value().body;
  EXPECT_NE(text.find("\"oldest\":"), std::string::npos) << text.substr(0, 300);
  EXPECT_NE(text.find("\"because\":"), std::string::npos) << text.substr(0, 300);
  const std::size_t begin = text.find("\"ready\":[");
  const std::size_t end = text.find(']', begin);
  const auto columns = 1 + std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text.begin() + static_cast<std::ptrdiff_t>(end), ',');
  EXPECT_GE(columns, 9);
  EXPECT_LE(columns, 11);
}

/// The service web for ten minutes, in the middle of which a second revision is deployed.
class ADeploy : public testing::Test, private DecisionListener {
 protected:
  ADeploy() {
    registry_.keep_days(mebibytes(64));
    set_shares({{"web", 100}});
    run_for(298, "web");
    set_shares({{"web", 100}, {"web-00002", 0}});
    run_for(4, "web");
    deployed_ = clock_.wall_now();
    set_shares({{"web", 100}, {"web-00002", 100}});
    clock_.advance(std::chrono::milliseconds(1));
    set_shares({{"web", 0}, {"web-00002", 100}});
    run_for(8, "web-00002");
    set_shares({{"web-00002", 100}});
    run_for(290, "web-00002");
  }

  void set_shares(const std::map<std::string, std::int32_t>& shares) {
    cluster::RevisionList list;
    for (const auto& [name, share] : shares) {
      cluster::Revision revision;
      revision.id = RevisionId(name);
      revision.service = RevisionId("web");
      revision.share = share;
      list.put(std::make_shared<const cluster::Revision>(revision));
    }
    registry_.follow(list);
  }
  void run_for(int turns, const std::string& revision,
               std::chrono::seconds each = std::chrono::seconds(1)) {
    for (int i = 0; i < turns; ++i) {
      clock_.advance(each);
      second_ += static_cast<int>(each.count());
      metrics::Stat stat = bellows::test::StatDiary::stat("activator-1", second_, second_ % 70,
                                                          metrics::StatSource::kActivator);
      stat.revision = RevisionId(revision);
      registry_.accept(stat);
      registry_.tick();
    }
  }
  std::string journal(const std::string& query, const std::string& name = "web") {
    return journal_of(registry_, query, name);
  }
  std::string journal_of(const RevisionRegistry& registry, const std::string& query,
                         const std::string& name) {
    std::string lines;
    for (std::string part = query; !part.empty();) {
      const http::Response page =
          journal_page(*RevisionHistory::of(registry, RevisionId(name)),
                       {.method = "GET", .path = "", .query = part, .headers = {}, .body = {}},
                       {clock_.now(), clock_.wall_now()})
              .value();
      lines += page.body;
      const std::string next = header_of(page, kNextPart);
      part = next.empty() ? "" : "next=" + next;
    }
    return lines;
  }
  std::int64_t unix_milliseconds(WallTime at) { return to_milliseconds(at.time_since_epoch()); }
  static JournalContents read(const std::string& lines) {
    std::istringstream stream(lines);
    return journal::read_journal(stream).value();
  }

  RevisionRegistry successor() { return {clock_, std::chrono::seconds(3), {}, *this}; }

  WallTime deployed_;
  std::map<std::string, std::vector<Decision>> decided_;

 private:
  void decided(ScaledRevision& revision, const Decision& decision, const Memory&) override {
    decided_[revision.id().text()].push_back(decision);
  }
  void removed(const RevisionId&) override {}

 protected:
  bellows::test::ManualClock clock_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  int second_ = 0;
};

TEST_F(ADeploy, IsWithinTheJournalOfItsService) {
  const std::string lines = journal("from=0");
  const JournalContents contents = read(lines);
  EXPECT_EQ(contents.service, "web");
  ASSERT_EQ(contents.revisions.size(), 2U);
  EXPECT_EQ(contents.revisions[0].revision, "web");
  EXPECT_FALSE(contents.revisions[0].since);
  EXPECT_EQ(contents.revisions[1].revision, "web-00002");
  EXPECT_EQ(contents.revisions[1].since, deployed_);
  EXPECT_GE(contents.decisions.size(), 290U) << "ten minutes";
  const std::vector<Decision>& first = decided_["web"];
  for (std::size_t i = 0; i < contents.revisions[1].first; ++i) {
    ASSERT_EQ(contents.decisions[i].replicas, first[i].replicas) << i;
  }
  for (const char* const shares :
       {R"("shares":{"web":100,"web-00002":0})", R"("shares":{"web":0,"web-00002":100})",
        R"("shares":{"web-00002":100})"}) {
    EXPECT_NE(lines.find(shares), std::string::npos) << shares;
  }
  EXPECT_EQ(lines.find(R"("shares":{"web":100,"web-00002":100})"), std::string::npos)
      << "a step of a deploy is none itself";
}

TEST_F(ADeploy, LeavesTheTimeBeforeIt) {
  const WallTime before = deployed_ - std::chrono::minutes(2);
  const JournalContents contents =
      read(journal("until=" + std::to_string(unix_milliseconds(before))));
  ASSERT_FALSE(contents.decisions.empty());
  EXPECT_EQ(contents.revisions.back().revision, "web");
  const Duration at = (contents.decisions.back().at + contents.wall_ahead).time_since_epoch();
  EXPECT_LE(at, before.time_since_epoch());
  EXPECT_GT(at, before.time_since_epoch() - std::chrono::seconds(3));
}

TEST_F(ADeploy, IsSaidAfterTheLastDecisions) {
  const JournalContents contents = read(journal("x"));
  ASSERT_EQ(contents.revisions.size(), 1U);
  EXPECT_EQ(contents.revisions[0].revision, "web-00002");
  EXPECT_EQ(contents.revisions[0].since, deployed_);
}

TEST_F(ADeploy, OfOneRevisionOnlyItsOwnDecisionsAreTold) {
  const JournalContents contents = read(journal("from=0", "web-00002"));
  EXPECT_EQ(contents.decisions.size(), decided_["web-00002"].size());
}

TEST_F(ADeploy, IsAnEventOfTheChart) {
  const http::Request request{
      .method = "GET", .path = "", .query = "from=0", .headers = {}, .body = {}};
  const std::string text = chart_page(*RevisionHistory::of(registry_, RevisionId("web")), request,
                                      {clock_.now(), clock_.wall_now()})
                               .value()
                               .body;
  for (const char* const event :
       {R"("before":{"web":100},"shares":{"web":100,"web-00002":0}})",
        R"("before":{"web":100,"web-00002":0},"shares":{"web":0,"web-00002":100}})"}) {
    EXPECT_NE(text.find(event), std::string::npos) << event;
  }
  EXPECT_EQ(text.find(R"("before":{})"), std::string::npos) << "the first list is no deploy";
}

TEST_F(ADeploy, OfARevisionThatIsGoneItsPartIsTold) {
  set_shares({{"web-00003", 100}});
  run_for(10, "web-00003");
  const JournalContents contents = read(journal("from=0", "web"));
  const JournalContents part = read(journal("from=0", "web-00002"));
  EXPECT_EQ(part.service, "web");
  ASSERT_FALSE(part.decisions.empty());
  EXPECT_LT(part.decisions.size(), contents.decisions.size());
  const auto history = RevisionHistory::of(registry_, RevisionId("web-00002"));
  const http::Request now_request{
      .method = "GET", .path = "", .query = "", .headers = {}, .body = {}};
  const auto now = journal_page(*history, now_request, {clock_.now(), clock_.wall_now()});
  ASSERT_FALSE(now) << "it decides nothing any more";
  EXPECT_EQ(now.error().kind(), ErrorKind::kNotFound);
}

TEST_F(ADeploy, IsForgottenADayLater) {
  run_for(25 * 60, "web-00002", std::chrono::minutes(1));
  const JournalContents contents = read(journal("from=0"));
  ASSERT_EQ(contents.revisions.size(), 1U);
  EXPECT_EQ(contents.revisions[0].revision, "web-00002");
}

/// The next process, which begins a minute after the last save.
TEST_F(ADeploy, IsToldByTheNextProcessWithTheEndOfThisOne) {
  const history::SavedDays saved = registry_.days(TimePoint::min());
  RevisionRegistry next = successor();
  next.keep_days(mebibytes(64));
  const std::string text = history::days_text(saved, {});
  clock_.advance(std::chrono::minutes(1));
  next.restore_days(*history::read_days(text, {}));
  cluster::RevisionList list;
  cluster::Revision revision;
  revision.id = RevisionId("web-00002");
  revision.service = RevisionId("web");
  revision.share = 100;
  list.put(std::make_shared<const cluster::Revision>(revision));
  next.follow(list);
  const JournalContents contents = read(journal_of(next, "from=0", "web"));
  EXPECT_GE(contents.decisions.size(), 290U);
  ASSERT_EQ(contents.ends.size(), 1U);
  EXPECT_FALSE(contents.ends[0].is_stopped);
  EXPECT_EQ(contents.decisions.back().at - contents.ends[0].at, std::chrono::minutes(1));
}

TEST_F(ADeploy, EndsWithTheService) {
  set_shares({});
  EXPECT_FALSE(RevisionHistory::of(registry_, RevisionId("web")));
  EXPECT_EQ(registry_.past_of(RevisionId("web")), nullptr);
}

}  // namespace
}  // namespace bellows::autoscaler::test
