// Election: which of several autoscalers acts. Times are moved by hand; `Api` keeps the Lease as
// the API server does, with a new version for each write.
#include "kubernetes/core/election.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;
using Kind = ElectionStep::Kind;

Endpoint at_host(const std::string& host) {
  return {.host = host, .port = 8080, .unix_path = {}};
}

struct Api {
  std::optional<Lease> lease;
  int version = 0;

  void change(Lease next) {
    next.meta.resource_version = std::to_string(++version);
    lease = std::move(next);
  }
};

/// One member and what it last did.
class Node {
 public:
  Node(Api& api, std::string name, const std::string& host, std::uint64_t start = 1)
      : api_(api),
        election({.ns = "bellows-system", .name = "bellows-autoscaler"},
                 {.name = std::move(name), .address = at_host(host), .start = start}) {}

  /// Does everything that is due at `now`; without the server each call fails.
  void act(TimePoint now) {
    for (;;) {
      const ElectionStep step = election.next(now, WallTime() + 1000000h);
      if (step.kind == Kind::kWait || election.is_lost()) return;
      calls.push_back(step.kind);
      if (!reaches_server) {
        election.failed(false, now);
      } else if (step.kind == Kind::kRead) {
        election.read(api_.lease, now);
      } else {
        write(step, now);
      }
    }
  }
  bool acts(TimePoint now) const { return election.is_holder(now); }

 private:
  void write(const ElectionStep& step, TimePoint now) {
    const std::string& version = step.lease.meta.resource_version;
    const bool fits = step.kind == Kind::kCreate
                          ? !api_.lease
                          : api_.lease && api_.lease->meta.resource_version == version;
    if (!fits) {
      election.failed(true, now);
      return;
    }
    api_.change(step.lease);
    election.written(*api_.lease, now, now);
  }

  Api& api_;

 public:
  Election election;
  std::vector<Kind> calls;
  bool reaches_server = true;
};

class AnElection : public ::testing::Test {
 protected:
  AnElection() {
    first.act(now);
    second.act(now);
  }

  /// Moves the time in steps, and lets all who are there act.
  void pass(Duration time, const std::vector<Node*>& there) {
    for (const TimePoint end = now + time; now < end;) {
      now += 250ms;
      for (Node* node : there) node->act(now);
    }
  }

  TimePoint now = TimePoint() + 1h;
  Api api;
  Node first{api, "first", "10.0.0.1"};
  Node second{api, "second", "10.0.0.2"};
};

TEST_F(AnElection, FirstMemberHoldsItAndOthersWait) {
  EXPECT_TRUE(first.acts(now));
  EXPECT_FALSE(second.acts(now));
  EXPECT_EQ(second.election.holder(), "first_10.0.0.1:8080_1");
}

TEST_F(AnElection, HolderRenewsEveryFiveSecondsAndOthersReadEveryTwo) {
  first.calls.clear();
  second.calls.clear();
  pass(60s, {&first, &second});
  EXPECT_EQ(first.calls, std::vector<Kind>(12, Kind::kReplace));
  EXPECT_EQ(second.calls, std::vector<Kind>(30, Kind::kRead));
  EXPECT_TRUE(first.acts(now));
  EXPECT_EQ(api.lease->transitions, 0);
}

TEST_F(AnElection, HolderThatDiedIsReplacedAfterItsLifetime) {
  pass(14s, {&second});
  EXPECT_FALSE(second.acts(now));
  pass(3s, {&second});
  EXPECT_TRUE(second.acts(now));
  EXPECT_EQ(api.lease->transitions, 1);
}

TEST_F(AnElection, HolderWithoutServerStopsBeforeAnotherStarts) {
  first.reaches_server = false;
  pass(9s, {&first, &second});
  EXPECT_TRUE(first.acts(now));
  pass(2s, {&first, &second});
  EXPECT_FALSE(first.acts(now));
  EXPECT_FALSE(second.acts(now));
  pass(6s, {&first, &second});
  EXPECT_TRUE(second.acts(now));
  first.reaches_server = true;
  pass(1s, {&first, &second});
  EXPECT_TRUE(first.election.is_lost());
}

TEST_F(AnElection, HolderActsAgainIfNobodyTookItDuringAnOutage) {
  first.reaches_server = false;
  pass(60s, {&first});
  EXPECT_FALSE(first.acts(now));
  first.reaches_server = true;
  pass(1s, {&first});
  EXPECT_TRUE(first.acts(now));
}

TEST_F(AnElection, ProcessThatWasStoppedActsNotBeforeItHasLooked) {
  pass(30s, {&second});  // the first is stopped meanwhile
  EXPECT_FALSE(first.acts(now)) << "at once when it goes on";
  first.act(now);
  EXPECT_TRUE(first.election.is_lost());
  EXPECT_FALSE(first.acts(now));
}

TEST_F(AnElection, LeaseThatIsGivenUpIsTakenAtTheNextLook) {
  api.change(*first.election.release());
  pass(2s, {&second});
  EXPECT_TRUE(second.acts(now));
}

TEST_F(AnElection, SuspectedHolderIsReplacedAtOnce) {
  second.election.suspect(second.election.holder());
  second.act(now);
  EXPECT_TRUE(second.acts(now));
  pass(5s, {&first, &second});
  EXPECT_TRUE(first.election.is_lost());
}

TEST_F(AnElection, SuspicionOfAnEarlierHolderIsIgnored) {
  second.election.suspect("somebody_10.0.0.9:8080_1");
  second.act(now);
  EXPECT_FALSE(second.acts(now));
}

TEST_F(AnElection, EarlierProcessAtTheOwnAddressHasEnded) {
  Node restarted{api, "first", "10.0.0.1", 2};
  restarted.act(now);
  EXPECT_TRUE(restarted.acts(now));
}

TEST_F(AnElection, MembersWithoutAnAddressAreNotTakenForEarlierOnes) {
  Api other;
  Node one{other, "one", ""};
  Node two{other, "two", ""};
  one.act(now);
  two.act(now);
  EXPECT_TRUE(one.acts(now));
  EXPECT_FALSE(two.acts(now));
}

TEST_F(AnElection, DeletedLeaseIsMadeAgain) {
  api.lease.reset();
  pass(6s, {&first});
  EXPECT_TRUE(first.acts(now));
  ASSERT_TRUE(api.lease);
  EXPECT_EQ(api.lease->holder, "first_10.0.0.1:8080_1");
}

TEST_F(AnElection, HolderStillActsWhileTheNamespaceIsDeleted) {
  api.lease.reset();
  pass(5s, {});
  EXPECT_EQ(first.election.next(now, WallTime()).kind, Kind::kReplace);
  first.election.failed(true, now);
  first.election.read(std::nullopt, now);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(first.election.next(now, WallTime()).kind, Kind::kCreate);
    first.election.forbidden(now);
    now += 1s;
    EXPECT_TRUE(first.acts(now));
  }
}

TEST_F(AnElection, EditedLeaseIsBelievedAsItIs) {
  Lease edited = *api.lease;
  edited.holder.clear();
  api.change(edited);
  pass(5s, {&first});
  EXPECT_TRUE(first.acts(now)) << "nobody held it, so it was taken again";

  edited = *api.lease;
  edited.holder = "kubectl";
  edited.renewed = WallTime() + 2000000h;  // of the future
  edited.duration_seconds = 1 << 30;
  api.change(edited);
  pass(5s, {&first, &second});
  EXPECT_TRUE(first.election.is_lost());
  pass(20s, {&second});
  EXPECT_TRUE(second.acts(now)) << "only what it saw itself counts";
}

/// Two never act at the same time, whatever fails or is stopped.
TEST(Elections, HaveAtMostOneHolder) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeededRandom random(seed);
    Api api;
    std::vector<std::unique_ptr<Node>> nodes;
    for (int i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i);
      nodes.push_back(std::make_unique<Node>(api, "node" + number, "10.0.0." + number));
    }
    std::vector<TimePoint> stopped_until(nodes.size());
    int seconds_with_holder = 0;
    TimePoint now = TimePoint() + 1h;
    for (int step = 0; step < 2000; ++step) {
      now += 100ms;
      int holders = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (random.fraction() < 0.002)
          stopped_until[i] = now + from_seconds(30 * random.fraction());
        if (random.fraction() < 0.01) nodes[i]->reaches_server = random.fraction() < 0.5;
        if (now >= stopped_until[i]) nodes[i]->act(now);
        holders += nodes[i]->acts(now) ? 1 : 0;
      }
      ASSERT_LE(holders, 1) << "seed " << seed << " step " << step;
      seconds_with_holder += holders;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i]->election.is_lost()) continue;
        const std::string number = std::to_string(i);
        nodes[i] = std::make_unique<Node>(api, "node" + number, "10.0.1." + std::to_string(step));
      }
    }
    EXPECT_GT(seconds_with_holder, 500) << "seed " << seed;
  }
}

TEST(MemberText, IsReadBack) {
  for (const Member& member :
       {Member{
            .name = "bellows-autoscaler-7d9f8-x2x4z", .address = at_host("10.1.2.3"), .start = 7},
        Member{.name = "a", .address = at_host("fd00::1"), .start = ~std::uint64_t{0}},
        Member{.name = "a", .address = {}, .start = 0}}) {
    EXPECT_EQ(read_member(to_string(member)), member) << to_string(member);
  }
}

TEST(MemberText, OfOthersIsNone) {
  for (const char* text : {"", "kubectl", "a_b", "a_10.0.0.1:8080_", "a_10.0.0.1:8080_xyz",
                           "a_10.0.0.1:99999_1", "__"}) {
    EXPECT_EQ(read_member(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bellows::kubernetes
