#include "autoscaler/service/stat_guard.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/listed_cluster.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;
using Kind = SenderIdentity::Kind;

struct Believed final : metrics::StatSink {
  void accept(const metrics::Stat& stat) override { stats.push_back(stat); }
  void accept(const metrics::ScaleFromZeroTrigger& trigger) override {
    triggers.push_back(trigger);
  }
  std::vector<metrics::Stat> stats;
  std::vector<metrics::ScaleFromZeroTrigger> triggers;
};

class StatGuardTest : public ::testing::Test {
 protected:
  StatGuardTest() { list({"web-1", "web-2"}); }

  /// The cluster lists these pods of web from now on.
  void list(const std::vector<std::string>& pods) {
    cluster.set_listed(RevisionId("web"), pods);
    guard.list_changed();
  }
  std::unique_ptr<metrics::StatSink> anybody() { return guard.connection({}, "10.0.0.9:1"); }

  metrics::Stat stat(const std::string& pod, double load = 5, std::uint64_t boot = 1) {
    metrics::Stat made;
    made.revision = RevisionId("web");
    made.pod = PodName(pod);
    made.boot = boot;
    made.sequence = ++sequence;
    made.concurrency = load;
    return made;
  }
  metrics::ScaleFromZeroTrigger trigger(const std::string& pod) {
    return {.revision = RevisionId("web"), .pod = PodName(pod), .boot = 1, .waiting = 3};
  }

  http::net::io_context io;
  test::ManualClock clock;
  test::ListedCluster cluster{io};
  Believed believed;
  std::uint64_t sequence = 0;
  StatGuard guard{believed, cluster, clock, 3s};
};

TEST_F(StatGuardTest, APodThatIsNotListedCountsNothing) {
  const auto forger = anybody();
  for (int i = 0; i < 100; ++i) forger->accept(stat("web-ghost", 1000));
  clock.advance(11s);
  forger->accept(stat("web-ghost", 1000));
  EXPECT_TRUE(believed.stats.empty());
  EXPECT_EQ(guard.refused(Refusal::kUnlisted), StatGuard::kHeld);
  EXPECT_EQ(guard.last_refusal()->subject, "pod web-ghost of web");
  EXPECT_EQ(guard.last_refusal()->peer, "10.0.0.9:1");
}

TEST_F(StatGuardTest, APodThatIsListedLaterCountsFromItsFirstSecond) {
  const auto sender = anybody();
  sender->accept(stat("web-3", 7));
  clock.advance(2s);
  list({"web-1", "web-2", "web-3"});
  ASSERT_EQ(believed.stats.size(), 1U);
  EXPECT_EQ(believed.stats[0].concurrency, 7);
  EXPECT_EQ(believed.stats[0].age, 2s) << "it ended two seconds ago";
  EXPECT_EQ(guard.refused(), 0U);
}

TEST_F(StatGuardTest, NamesWithoutEndTakeNoMemoryWithoutEnd) {
  const auto forger = anybody();
  for (int i = 0; i < 1'000; ++i) forger->accept(stat("ghost-" + std::to_string(i)));
  EXPECT_EQ(guard.refused(Refusal::kUnlisted), 1'000 - StatGuard::kHeldPods);
}

TEST_F(StatGuardTest, TheLastSecondsOfAPodThatHasJustGoneCount) {
  const auto sender = anybody();
  sender->accept(stat("web-1"));
  list({"web-2"});
  clock.advance(1s);
  sender->accept(stat("web-1"));
  EXPECT_EQ(believed.stats.size(), 2U);
  clock.advance(10s);
  sender->accept(stat("web-1"));
  EXPECT_EQ(believed.stats.size(), 2U);
}

TEST_F(StatGuardTest, APodThatFinishesItsRequestsUnlistedIsNoForger) {
  const auto sender = anybody();
  sender->accept(stat("web-1"));
  list({"web-2"});
  for (int second = 0; second < 60; ++second) {
    clock.advance(1s);
    sender->accept(stat("web-1"));
  }
  EXPECT_EQ(guard.refused(), 0U);
  list({"web-1", "web-2"});
  sender->accept(stat("web-1"));
  EXPECT_EQ(believed.stats.size(), 12U) << "it counts again";
  const auto forger = anybody();
  list({"web-2"});
  clock.advance(11s);
  forger->accept(stat("web-1"));
  clock.advance(11s);
  forger->accept(stat("web-1"));
  EXPECT_EQ(guard.refused(Refusal::kUnlisted), 1U);
}

TEST_F(StatGuardTest, ForgedZerosBesideTheRealSenderAreNoticedAndNotAveraged) {
  const auto real = anybody();
  const auto forger = anybody();
  for (int second = 0; second < 10; ++second) {
    real->accept(stat("web-1", 20, 1));
    forger->accept(stat("web-1", 0, 2));
    clock.advance(1s);
  }
  EXPECT_EQ(guard.refused(Refusal::kTwoSenders), 10U);
  for (const metrics::Stat& each : believed.stats) EXPECT_EQ(each.concurrency, 20);
}

TEST_F(StatGuardTest, AReplicaThatRestartsOrConnectsAnewGoesOn) {
  auto first = anybody();
  first->accept(stat("web-1", 1, 1));
  const auto again = anybody();
  again->accept(stat("web-1", 2, 1));  // the same process, its old connection not yet known as lost
  const auto restarted = anybody();
  clock.advance(4s);  // the process before is silent
  restarted->accept(stat("web-1", 3, 2));
  first.reset();
  EXPECT_EQ(believed.stats.size(), 3U);
  auto last = anybody();
  last->accept(stat("web-2", 4, 3));
  last.reset();  // closed, as by the kernel when its process ends
  const auto next = anybody();
  next->accept(stat("web-2", 5, 4));
  EXPECT_EQ(believed.stats.size(), 5U);
  EXPECT_EQ(guard.refused(), 0U);
}

TEST_F(StatGuardTest, WithoutSecretsAnyConnectionIsUnproven) {
  EXPECT_EQ(guard.identify("")->kind, Kind::kUnproven);
  EXPECT_EQ(guard.identify("whatever")->kind, Kind::kUnproven);
}

TEST_F(StatGuardTest, ASecretIsThatOfOneReplica) {
  cluster.use_secrets();
  EXPECT_EQ(guard.identify(""), std::nullopt);
  EXPECT_EQ(guard.identify("guessed"), std::nullopt);
  const auto replica = guard.identify("secret of web-2");
  ASSERT_TRUE(replica);
  EXPECT_EQ(replica->kind, Kind::kReplica);
  EXPECT_EQ(replica->pod, PodName("web-2"));
  EXPECT_EQ(replica->revision, RevisionId("web"));
}

TEST_F(StatGuardTest, AReplicaThatWasRemovedBeforeItsFirstStatIsNoForger) {
  cluster.use_secrets();
  const auto replica = guard.connection(*guard.identify("secret of web-1"), "127.0.0.1:2");
  list({"web-2"});
  replica->accept(stat("web-1"));
  clock.advance(11s);
  replica->accept(stat("web-1"));
  list({});
  EXPECT_EQ(guard.refused(), 0U);
  EXPECT_TRUE(believed.stats.empty());
}

TEST_F(StatGuardTest, AReplicaIsBelievedForItselfOnly) {
  cluster.use_secrets();
  const auto replica = guard.connection(*guard.identify("secret of web-1"), "127.0.0.1:2");
  replica->accept(stat("web-1"));
  replica->accept(stat("web-2"));
  metrics::Stat other = stat("web-1");
  other.revision = RevisionId("api");
  replica->accept(other);
  metrics::Stat activator = stat("web-1");
  activator.source = metrics::StatSource::kActivator;
  replica->accept(activator);
  replica->accept(trigger("activator"));
  EXPECT_EQ(believed.stats.size(), 1U);
  EXPECT_TRUE(believed.triggers.empty());
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 4U);
}

TEST_F(StatGuardTest, OnlyActivatorsOfTheListWakeARevision) {
  cluster.set_activators({"activator-a"});
  const auto sender = anybody();
  sender->accept(trigger("activator-a"));
  sender->accept(trigger("forger"));
  EXPECT_EQ(believed.triggers.size(), 1U);
  EXPECT_EQ(guard.refused(Refusal::kUnlisted), 1U);
}

/// Revision shop/web lists web-1 and web-2; other namespaces have a web too.
class TokenGuardTest : public StatGuardTest {
 protected:
  TokenGuardTest() { list_in_shop({"web-1", "web-2"}); }

  void list_in_shop(const std::vector<std::string>& pods) {
    cluster.set_listed(RevisionId("shop/web"), pods);
    guard.list_changed();
  }
  std::unique_ptr<metrics::StatSink> with_token(const std::string& ns, const std::string& pod,
                                                const std::string& uid, bool is_activator = false) {
    const cluster::TokenSender sender{
        .ns = ns, .pod = PodName(pod), .uid = uid, .is_activator = is_activator, .expires = {}};
    return guard.connection(identity_of(sender), "10.0.0.9:1");
  }
  metrics::Stat stat_of(const std::string& revision, const std::string& pod,
                        metrics::StatSource source = metrics::StatSource::kReplica) {
    metrics::Stat made = stat(pod);
    made.revision = RevisionId(revision);
    made.source = source;
    return made;
  }
};

TEST_F(TokenGuardTest, APodIsBelievedForItselfOnly) {
  using Source = metrics::StatSource;
  struct Row {
    const char* what;
    const char* ns;  // of the token
    const char* pod;
    const char* uid;
    bool is_activator;
    const char* revision;  // of the stat
    const char* of;
    Source source;
  };
  const Row rows[] = {
      {"another pod", "shop", "web-1", "uid of web-1", false, "shop/web", "web-2",
       Source::kReplica},
      {"a pod of its name elsewhere", "bank", "web-1", "uid of web-1", false, "shop/web", "web-1",
       Source::kReplica},
      {"a namespace whose name begins so", "sho", "web-1", "uid of web-1", false, "shop/web",
       "web-1", Source::kReplica},
      {"a namespace whose name goes on", "shop/web", "web-1", "uid of web-1", false, "shop/web",
       "web-1", Source::kReplica},
      {"no namespace", "", "web-1", "uid of web-1", false, "shop/web", "web-1", Source::kReplica},
      {"a revision of another namespace", "shop", "web-1", "uid of web-1", false, "bank/web",
       "web-1", Source::kReplica},
      {"a revision without a namespace", "shop", "web-1", "uid of web-1", false, "web", "web-1",
       Source::kReplica},
      {"its predecessor", "shop", "web-1", "uid of web-0", false, "shop/web", "web-1",
       Source::kReplica},
      {"the uid of its neighbour", "shop", "web-1", "uid of web-2", false, "shop/web", "web-1",
       Source::kReplica},
      {"an activator", "shop", "web-1", "uid of web-1", false, "shop/web", "web-1",
       Source::kActivator},
      {"an activator of another name", "shop", "web-1", "uid of web-1", false, "shop/web", "a-1",
       Source::kActivator},
      {"an activator for a replica", "bellows-system", "a-1", "uid", true, "shop/web", "web-1",
       Source::kReplica},
      {"an activator as a replica", "bellows-system", "a-1", "uid", true, "shop/web", "a-1",
       Source::kReplica},
      {"an activator for another one", "bellows-system", "a-1", "uid", true, "shop/web", "a-2",
       Source::kActivator}};
  std::uint64_t refused = 0;
  for (const Row& row : rows) {
    const auto sender = with_token(row.ns, row.pod, row.uid, row.is_activator);
    sender->accept(stat_of(row.revision, row.of, row.source));
    EXPECT_EQ(guard.refused(Refusal::kOtherPod), ++refused) << row.what;
  }
  EXPECT_TRUE(believed.stats.empty());
  with_token("shop", "web-1", "uid of web-1")->accept(stat_of("shop/web", "web-1"));
  EXPECT_EQ(believed.stats.size(), 1U);
}

TEST_F(TokenGuardTest, OnlyAnActivatorWakesARevision) {
  const auto wake = [&](metrics::StatSink& sender, const std::string& name) {
    metrics::ScaleFromZeroTrigger made = trigger(name);
    made.revision = RevisionId("shop/web");
    sender.accept(made);
  };
  wake(*with_token("shop", "web-1", "uid of web-1"), "web-1");
  wake(*with_token("shop", "web-1", "uid of web-1"), "a-1");
  wake(*with_token("bellows-system", "a-1", "uid", true), "a-2");
  EXPECT_TRUE(believed.triggers.empty());
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 3U);
  wake(*with_token("bellows-system", "a-1", "uid", true), "a-1");
  EXPECT_EQ(believed.triggers.size(), 1U);
}

TEST_F(TokenGuardTest, APodThatIsListedLaterIsComparedThen) {
  const auto late = with_token("shop", "web-3", "uid of web-3");
  late->accept(stat_of("shop/web", "web-3"));
  const auto predecessor = with_token("shop", "web-4", "uid of the one before");
  predecessor->accept(stat_of("shop/web", "web-4"));
  list_in_shop({"web-1", "web-2", "web-3", "web-4"});
  ASSERT_EQ(believed.stats.size(), 1U);
  EXPECT_EQ(believed.stats[0].pod, PodName("web-3"));
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 1U);
}

}  // namespace
}  // namespace bellows::autoscaler
