#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "activator/core/pod_set.hpp"
#include "tests/support/start.hpp"

namespace bellows::activator {
namespace {

using ListedPods = std::map<PodName, ReplicaView>;
using test::kStart;

/// Two sets that see the same replicas: one gets whole views, the other what changed.
class TwoSets {
 public:
  explicit TwoSets(ActivatorShare share) {
    whole_.share = share;
    whole_.settings.container_concurrency = *rc::gen::element(0, 1, 2);
    whole_.settings.load_balancing =
        *rc::gen::element(config::LoadBalancing::kLeastLoaded, config::LoadBalancing::kKnative);
    update({});
  }

  void update(const ListedPods& listed) {
    RevisionView changes = whole_;
    changes.is_whole = is_first_;
    changes.ready.clear();
    whole_.ready.clear();
    for (const auto& [name, view] : listed) {
      whole_.ready.push_back(view);
      const auto before = listed_.find(name);
      if (before == listed_.end() || before->second != view) changes.ready.push_back(view);
      if (before != listed_.end()) listed_.erase(before);
    }
    for (const auto& [name, view] : listed_) changes.gone.push_back(name);
    a_.update(whole_);
    b_.update(changes);
    listed_ = listed;
    is_first_ = false;
  }

  /// A request goes to the same replica of each set.
  void begin_request() {
    PodTracker* const a = a_.pick({}, now_);
    PodTracker* const b = b_.pick({}, now_);
    RC_ASSERT((a == nullptr) == (b == nullptr));
    if (a == nullptr) return;
    RC_ASSERT(a->name() == b->name());
    requests_.push_back({a, a->acquire(now_), b, b->acquire(now_)});
  }

  void end_request(PodOutcome outcome) {
    if (requests_.empty()) return;
    const Request request = requests_.front();
    requests_.erase(requests_.begin());
    RC_ASSERT(a_.release(*request.a, outcome, request.acquired_a, now_) ==
              b_.release(*request.b, outcome, request.acquired_b, now_));
  }

  void check() const {
    RC_ASSERT(a_.ready() == b_.ready());
    RC_ASSERT(a_.ejected() == b_.ejected());
    RC_ASSERT(a_.all_ejected() == b_.all_ejected());
    RC_ASSERT(a_.pods().size() == b_.pods().size());
    for (std::size_t i = 0; i < a_.pods().size(); ++i) {
      const PodTracker& a = *a_.pods()[i];
      const PodTracker& b = *b_.pods()[i];
      RC_ASSERT(a.view() == b.view());
      RC_ASSERT(a.is_usable() == b.is_usable());
      RC_ASSERT(a.is_preferred() == b.is_preferred() || !a.is_listed());
      RC_ASSERT(a.health() == b.health());
      RC_ASSERT(a.in_flight() == b.in_flight());
    }
  }

  void pass(Duration duration) { now_ += duration; }

 private:
  struct Request {
    PodTracker* a;
    std::uint32_t acquired_a;
    PodTracker* b;
    std::uint32_t acquired_b;
  };

  TimePoint now_ = kStart;
  RevisionView whole_;
  ListedPods listed_;
  bool is_first_ = true;
  SeededRandom random_a_{1};
  SeededRandom random_b_{1};
  PodSet a_{random_a_};
  PodSet b_{random_b_};
  std::vector<Request> requests_;
};

RC_GTEST_PROP(PodSetProperty, OfChangesIsThatOfWholeViews, ()) {
  TwoSets sets(*rc::gen::element(ActivatorShare{1, 0}, ActivatorShare{2, 0}, ActivatorShare{3, 2},
                                 ActivatorShare{2, -1}));
  ListedPods listed;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const PodName name("web-" + std::to_string(*rc::gen::inRange(1, 7)));
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        listed.erase(name);
        break;
      case 1:
      case 2:
        listed[name] = {.name = name,
                        .address = {"10.0.0.1", static_cast<std::uint16_t>(step % 2), ""},
                        .ready = kStart + Duration(step % 3)};
        break;
      case 3:
        sets.begin_request();
        break;
      case 4:
        sets.end_request(*rc::gen::element(PodOutcome::kResponded, PodOutcome::kFailed,
                                           PodOutcome::kUnresponsive));
        break;
      default:
        sets.pass(std::chrono::milliseconds(50));
    }
    if (*rc::gen::inRange(0, 2) == 0) sets.update(listed);
    sets.check();
  }
}

}  // namespace
}  // namespace bellows::activator
