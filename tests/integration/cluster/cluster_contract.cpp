#include "tests/integration/cluster/cluster_contract.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::test {

using cluster::Replica;
using cluster::ReplicaPhase;
using cluster::ReplicaPtr;
using cluster::RevisionList;
using cluster::RevisionPtr;
using cluster::RevisionState;

namespace {

std::set<PodName> names(const cluster::Revision& revision) {
  std::set<PodName> names;
  for (const ReplicaPtr& replica : revision.replicas) names.insert(replica->name);
  return names;
}

}  // namespace

ClusterContract::ClusterContract() : rig_(GetParam().make()) {}

ClusterContract::~ClusterContract() {
  rig_->shut_down();
}

const cluster::Revision& ClusterContract::web() {
  held_ = cluster().revisions().find(web_id_);
  return *held_;
}

Result<void> ClusterContract::scale(PodCount want, std::vector<PodName> drain_first) {
  return scale(web_id_, {want, std::move(drain_first), "the test wants it"});
}

Result<void> ClusterContract::scale(const RevisionId& revision, cluster::ScaleOrder order) {
  return run_task<Result<void>>(rig_->io(), [&]() -> http::Awaitable<Result<void>> {
    return cluster().scale(revision, order);
  });
}

Result<void> ClusterContract::set_state(const RevisionId& revision, RevisionState state) {
  return run_task<Result<void>>(rig_->io(), [&]() -> http::Awaitable<Result<void>> {
    return cluster().set_state(revision, state);
  });
}

bool ClusterContract::wait_for(const std::function<bool()>& is_true) {
  return run_until(rig_->io(), is_true);
}

bool ClusterContract::settle(PodCount count) {
  return wait_for([&] {
    return web().count(ReplicaPhase::kReady) == count &&
           web().replicas.size() == static_cast<std::size_t>(count);
  });
}

std::string rig_name(const testing::TestParamInfo<RigMaker>& info) {
  return info.param.name;
}

TEST_P(ClusterContract, BeginsWithTheServiceAtZero) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  EXPECT_EQ(web().requested, 0);
  EXPECT_TRUE(web().replicas.empty());
  EXPECT_EQ(web().state, RevisionState::kActive);
  EXPECT_EQ(web().saved_state, "");
  EXPECT_FALSE(cluster().unreachable_since());
  EXPECT_EQ(web().settings.max_scale, 8);
  EXPECT_EQ(web().route.host, rig_->host());
}

TEST_P(ClusterContract, ScalesUpToReadyReplicasWithAddressesAndTimes) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(settle(3));
  EXPECT_EQ(web().requested, 3);
  EXPECT_EQ(names(web()).size(), 3u);
  std::set<std::string> addresses;
  for (const ReplicaPtr& replica : web().replicas) {
    EXPECT_FALSE(replica->address.empty());
    addresses.insert(to_string(replica->address));
    const cluster::StartTimes& start = replica->start;
    ASSERT_TRUE(start.process_started && start.ready);
    EXPECT_LE(start.ordered, *start.process_started);
    EXPECT_LE(*start.process_started, *start.ready);
    EXPECT_EQ(replica->failure_message, "");
  }
  EXPECT_EQ(addresses.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(web().replicas, {},
                                     [](const ReplicaPtr& replica) { return replica->name; }));
}

TEST_P(ClusterContract, ARepeatedOrderChangesNothing) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(settle(2));
  const auto before = names(web());
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(settle(2));
  EXPECT_EQ(names(web()), before);
}

TEST_P(ClusterContract, ScalesDownTheIdleReplicaFirst) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(settle(3));
  std::set<PodName> staying = names(web());
  const PodName idle = *std::next(staying.begin());
  ASSERT_TRUE(scale(2, {idle}).has_value());
  ASSERT_TRUE(settle(2));
  staying.erase(idle);
  EXPECT_EQ(names(web()), staying);
}

TEST_P(ClusterContract, ScalesDownAnyButTheOccupiedReplica) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(settle(3));
  const PodName occupied = *names(web()).rbegin();  // the youngest would go first
  cluster::ScaleOrder order{1, {occupied}, "the test wants it", {occupied}};
  ASSERT_TRUE(scale(web_id_, std::move(order)).has_value());
  ASSERT_TRUE(settle(1));
  EXPECT_EQ(names(web()), std::set<PodName>{occupied});
}

TEST_P(ClusterContract, ScalesToZeroAndUpAgainUnderNewNames) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
  const auto first = names(web());
  ASSERT_TRUE(scale(0).has_value());
  ASSERT_TRUE(settle(0));
  EXPECT_EQ(web().requested, 0);
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
  EXPECT_NE(names(web()), first) << "stats of the old one may still be in the windows";
}

TEST_P(ClusterContract, RejectsAnUnknownRevision) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const auto scaled = scale(RevisionId("ghost"), {1, {}, "why not"});
  ASSERT_FALSE(scaled.has_value());
  EXPECT_EQ(scaled.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(to_string(scaled.error()).find("ghost"), std::string::npos);
  for (const RevisionState state :
       {RevisionState::kActive, RevisionState::kPaused, RevisionState::kRetired}) {
    EXPECT_EQ(set_state(RevisionId("ghost"), state).error().kind(), ErrorKind::kNotFound);
  }
}

TEST_P(ClusterContract, RetiresUntilItIsActiveAgain) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(settle(2));
  ASSERT_TRUE(set_state(web_id_, RevisionState::kRetired).has_value());
  ASSERT_TRUE(settle(0));
  EXPECT_EQ(web().state, RevisionState::kRetired);
  EXPECT_EQ(web().requested, 0);
  EXPECT_EQ(scale(1).error().kind(), ErrorKind::kGone);
  EXPECT_EQ(set_state(web_id_, RevisionState::kPaused).error().kind(), ErrorKind::kGone);
  EXPECT_TRUE(set_state(web_id_, RevisionState::kRetired).has_value()) << "it is in that state";
  ASSERT_TRUE(set_state(web_id_, RevisionState::kActive).has_value());
  ASSERT_TRUE(wait_for([&] { return web().state == RevisionState::kActive; }));
  ASSERT_TRUE(scale(1).has_value());
  EXPECT_TRUE(settle(1));
}

TEST_P(ClusterContract, PausesWithoutAnEffectOnReplicasAndGoesOn) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(settle(2));
  const auto before = names(web());
  ASSERT_TRUE(set_state(web_id_, RevisionState::kPaused).has_value());
  ASSERT_TRUE(wait_for([&] { return web().state == RevisionState::kPaused; }));
  EXPECT_EQ(names(web()), before);
  EXPECT_EQ(web().requested, 2);
  ASSERT_TRUE(scale(1).has_value()) << "who orders by hand may do so";
  ASSERT_TRUE(settle(1));
  ASSERT_TRUE(set_state(web_id_, RevisionState::kActive).has_value());
  ASSERT_TRUE(wait_for([&] { return web().state == RevisionState::kActive; }));
}

TEST_P(ClusterContract, KeepsListedRevisionsUnchangedAndIncreasesVersions) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionList before = cluster().revisions();
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
  EXPECT_TRUE(before.find(web_id_)->replicas.empty());
  EXPECT_GT(cluster().revisions().version(), before.version());
}

TEST_P(ClusterContract, KeepsThePointersOfReplicasThatDidNotChange) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
  std::map<PodName, ReplicaPtr> seen;  // as listed last: a replica may become what it was before
  ASSERT_TRUE(scale(2).has_value());
  const bool is_settled = wait_for([&] {
    for (const ReplicaPtr& replica : web().replicas) {
      const ReplicaPtr known = std::exchange(seen[replica->name], replica);
      EXPECT_TRUE(!known || replica == known || *replica != *known) << replica->name.text();
    }
    return web().count(ReplicaPhase::kReady) == 2;
  });
  EXPECT_TRUE(is_settled);
}

TEST_P(ClusterContract, TakesOrdersOfPathsOfKnownAndUnknownRevisions) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  EXPECT_TRUE(cluster().activators().empty()) << "no rig has activators of its own";
  cluster().route(web_id_, cluster::PathOrder());
  cluster().route(RevisionId("ghost"), cluster::PathOrder());
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
  EXPECT_EQ(cluster().revisions().find(web_id_)->path, cluster::Path())
      << "callers reach nothing but the activator";
}

TEST_P(ClusterContract, TakesReportsOfKnownAndUnknownRevisions) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  cluster::Report report;
  report.desired = 1;
  report.mode = "stable";
  report.saved_state = "{}";
  cluster().report(web_id_, report);
  cluster().report(RevisionId("ghost"), report);
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(settle(1));
}

TEST_P(ClusterContract, TellsSubscribersTheIdsUntilTheyEndAndNeverFromInsideACall) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  wait_for([] { return true; });
  bool is_inside = false;
  int calls = 0;
  std::uint64_t seen = 0;
  RevisionPtr told = cluster().revisions().find(web_id_);
  auto subscription = cluster().subscribe([&](const cluster::Changes& changes) {
    EXPECT_FALSE(is_inside);
    ++calls;
    EXPECT_GE(cluster().revisions().version(), seen);
    seen = cluster().revisions().version();
    EXPECT_TRUE(changes.removed.empty());
    for (const RevisionId& id : changes.changed) EXPECT_EQ(id, web_id_);
    const RevisionPtr now = cluster().revisions().find(web_id_);
    EXPECT_TRUE(now == told || !changes.changed.empty()) << "a change without its id";
    told = now;
  });
  is_inside = true;
  http::Awaitable<Result<void>> order = cluster().scale(web_id_, {1, {}, "up"});
  is_inside = false;
  ASSERT_TRUE(run_task<Result<void>>(rig_->io(), [&] { return std::move(order); }).has_value());
  ASSERT_TRUE(wait_for([&] { return web().count(ReplicaPhase::kReady) == 1; }));
  ASSERT_TRUE(wait_for([&] { return seen == cluster().revisions().version(); }));
  EXPECT_GT(calls, 0);
  subscription.reset();
  const int calls_before = calls;
  ASSERT_TRUE(scale(0).has_value());
  ASSERT_TRUE(settle(0));
  EXPECT_EQ(calls, calls_before);
}

TEST_P(ChangingClusterContract, TellsWhichServicesCameAndWentAndNoOthers) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionId shop("team-a/shop");
  cluster::Changes told;
  const auto subscription = cluster().subscribe([&](const cluster::Changes& changes) {
    const auto append = [](std::vector<RevisionId>& all, const std::vector<RevisionId>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(told.added, changes.added);
    append(told.changed, changes.changed);
    append(told.removed, changes.removed);
  });
  rig().add(shop);
  // The first list may be told too: it came just before.
  ASSERT_TRUE(wait_for([&] { return std::ranges::count(told.added, shop) == 1; }));
  ASSERT_NE(cluster().revisions().find(shop), nullptr);
  const RevisionPtr web = cluster().revisions().find(web_id_);
  rig().remove(shop);
  ASSERT_TRUE(wait_for([&] { return !told.removed.empty(); }));
  EXPECT_EQ(told.removed, std::vector<RevisionId>{shop});
  EXPECT_EQ(cluster().revisions().find(shop), nullptr);
  EXPECT_EQ(cluster().revisions().find(web_id_), web) << "it did not change";
  EXPECT_TRUE(told.changed.empty());
  EXPECT_EQ(scale(shop, {1, {}, "too late"}).error().kind(), ErrorKind::kNotFound);
}

TEST_P(SharingClusterContract, ListsTheServiceTheRouteAndTheShareOfEachRevision) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionId second("web-00002");
  rig().add_revision(second, 0);
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(second) != nullptr; }));
  const RevisionPtr listed = cluster().revisions().find(second);
  EXPECT_EQ(listed->service, web_id_);
  EXPECT_EQ(listed->share, 0) << "it gets no new requests yet";
  EXPECT_EQ(listed->route, web().route);
  EXPECT_EQ(listed->requested, 0);
  ASSERT_TRUE(scale(second, {1, {}, "it is to take over"}).has_value());
  ASSERT_TRUE(wait_for([&] {
    return cluster().revisions().find(second)->count(cluster::ReplicaPhase::kReady) == 1;
  })) << "a revision without a share is scaled as any other";
  EXPECT_EQ(web().requested, 0);
}

TEST_P(SharingClusterContract, ListsTheTargetThatWasLearnedForActivators) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  EXPECT_EQ(web().learned_target, std::nullopt);
  cluster::Report report;
  report.learned_target = 12.5;
  cluster().report(web_id_, report);
  EXPECT_TRUE(wait_for([&] { return web().learned_target == 12.5; }));
  report.learned_target = 6.4;
  cluster().report(web_id_, report);
  EXPECT_TRUE(wait_for([&] { return web().learned_target == 6.4; }));
  cluster().report(web_id_, cluster::Report());
  EXPECT_TRUE(wait_for([&] { return !web().learned_target; })) << "slow-brain is not auto any more";
}

TEST_P(SharingClusterContract, TellsSharesThatChangeTogetherTogether) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionId second("web-00002");
  const RevisionId third("web-00003");
  rig().add_revision(second, 100);
  rig().add_revision(third, 0);
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(third) != nullptr; }));
  bool was_torn = false;
  bool is_shared = false;
  const auto subscription = cluster().subscribe([&](const cluster::Changes& /*changes*/) {
    const std::int32_t first = cluster().revisions().find(second)->share;
    const std::int32_t other = cluster().revisions().find(third)->share;
    was_torn |= first + other != 100;
    is_shared = first == 90 && other == 10;
  });
  rig().share(second, 90);
  rig().share(third, 10);
  ASSERT_TRUE(wait_for([&] { return is_shared; }));
  EXPECT_FALSE(was_torn) << "nobody routes by a mixture of the old shares and the new ones";
}

TEST_P(SharingClusterContract, ARevisionThatGoesIsListedNoMoreAndMayComeBack) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionId second("web-00002");
  rig().add_revision(second, 0);
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(second) != nullptr; }));
  rig().remove(second);
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(second) == nullptr; }));
  EXPECT_EQ(scale(second, {1, {}, "too late"}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(web().share, 100);
  rig().add_revision(second, 0);
  EXPECT_TRUE(wait_for([&] { return cluster().revisions().find(second) != nullptr; }));
}

TEST_P(ChangingClusterContract, TakesOrdersForANameWithANamespace) {
  ASSERT_TRUE(wait_for([&] { return cluster().ready(); }));
  const RevisionId shop("team-a/shop");
  rig().add(shop);
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(shop) != nullptr; }));
  ASSERT_TRUE(scale(shop, {2, {}, "up"}).has_value());
  ASSERT_TRUE(
      wait_for([&] { return cluster().revisions().find(shop)->count(ReplicaPhase::kReady) == 2; }));
  EXPECT_TRUE(web().replicas.empty());
  ASSERT_TRUE(set_state(shop, RevisionState::kPaused).has_value());
  ASSERT_TRUE(wait_for([&] { return cluster().revisions().find(shop)->is_paused(); }));
  EXPECT_EQ(web().state, RevisionState::kActive);
}

}  // namespace bellows::test
