#include "autoscaler/service/history_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

  const ScaledRevision& revision() { return *registry_.find(RevisionId("web")); }
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

}  // namespace
}  // namespace bellows::autoscaler::test
