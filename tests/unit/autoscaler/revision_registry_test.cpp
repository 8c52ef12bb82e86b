#include "autoscaler/service/revision_registry.hpp"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::autoscaler::test {
namespace {

/// A revision at zero whose decisions are counted.
class AtZero : public testing::Test, private DecisionListener {
 protected:
  AtZero() {
    cluster::Revision revision;
    revision.id = RevisionId("web");
    revision.settings.initial_scale = 0;
    cluster::Snapshot snapshot;
    snapshot.version = 1;
    snapshot.revisions.push_back(std::make_shared<const cluster::Revision>(revision));
    registry_.follow(snapshot);
    decisions_ = 0;
  }

  int decisions_after(double concurrency) {
    clock_.advance(std::chrono::milliseconds(100));
    registry_.accept(bellows::test::StatDiary::stat("activator-1", ++second_, concurrency,
                                                    metrics::StatSource::kActivator));
    return decisions_;
  }

 private:
  void decided(const ScaledRevision&, const Decision&, const Memory&) override { ++decisions_; }
  void gone(const RevisionId&) override {}

  bellows::test::ManualClock clock_;
  RevisionRegistry registry_{clock_, std::chrono::seconds(3), {}, *this};
  std::int64_t second_ = 0;
  int decisions_ = 0;
};

// knative.md 7.2, case 35.
TEST_F(AtZero, AStatWithLoadIsDecidedAtOnce) {
  EXPECT_EQ(decisions_after(1), 1);
}

TEST_F(AtZero, AStatWithoutLoadWaitsForTheNextTurn) {
  EXPECT_EQ(decisions_after(0), 0);
}

}  // namespace
}  // namespace bellows::autoscaler::test
