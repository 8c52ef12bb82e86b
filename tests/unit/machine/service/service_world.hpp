// The services of a machine without processes and io: "web" runs, what it needs is set by the test.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/core/difference.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/order_checks.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_orders.hpp"
#include "machine/service/service_page.hpp"
#include "machine/service/service_store.hpp"
#include "machine/service/tag_orders.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/machine/core/sample_service.hpp"
#include "tests/unit/machine/service/fake_host.hpp"

namespace bellows::machine::test {

/// "web" has all requests and `ready` replicas.
struct ServiceWorld {
  explicit ServiceWorld(PodCount ready = 2) {
    std::filesystem::create_directory(folder.path("state"));
    (void)host.add(runnable(web(), web().revisions.front()), {});
    host.set_ready("web-00001", ready);
  }

  const ServiceRecord& web() const { return store.records().at(RevisionId("web")); }
  std::string state_path() const { return folder.path("state/file"); }
  Records saved() const { return read_state_file(state_path()).value(); }
  void break_file() const { std::filesystem::remove_all(folder.path("state")); }
  void repair_file() const { std::filesystem::create_directory(folder.path("state")); }

  /// "web" as ./two, a new revision.
  static config::Service two() { return sample_service("web", "./two"); }
  static RevisionId id(const std::string& name) { return RevisionId(name); }

  Result<ServiceAnswer> deploy(const ServiceOrder& order = {}) {
    return orders.deploy(two(), order);
  }
  /// As often as the deployer does.
  void look() {
    rollouts.look();
    canaries.look();
    placer.look(store.records());
  }
  void pass(Duration time) {
    clock.advance(time);
    look();
  }
  bool has_work() const { return rollouts.has_work() || canaries.has_work() || placer.has_work(); }

  bellows::test::TemporaryFolder folder;
  bellows::test::ManualClock clock;
  FakeHost host;
  std::set<RevisionId> busy;            ///< have requests
  std::map<RevisionId, Served> served;  ///< by revision
  std::vector<std::pair<RevisionId, PodCount>> scaled;
  ServiceStore store{at_start({}, {sample_service()}).records, folder.path("state/file")};
  RevisionPlacer placer{
      host,
      clock,
      {.has_requests = [this](const RevisionId& of) { return busy.contains(of); },
       .size_of_first = nullptr,
       .scale = [this](const RevisionId& of, PodCount count) { scaled.emplace_back(of, count); }}};
  RolloutRunner rollouts{store, placer, clock, 5};
  CanaryRunner canaries{store, rollouts, clock,
                        [this](const RevisionId& of, Duration) { return served[of]; }};
  OrderChecks checks{host, store, rollouts, canaries, clock, {}, false};
  TagOrders tags{checks, store, placer, rollouts, canaries};
  ServiceOrders orders{checks, store, placer, rollouts, canaries, tags};
  ServicePage page{store, placer, rollouts, canaries, clock};
};

}  // namespace bellows::machine::test
