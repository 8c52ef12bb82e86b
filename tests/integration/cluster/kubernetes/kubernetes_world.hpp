// A KubernetesCluster with the API server that it talks to.
#pragma once

#include <memory>
#include <string>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/io/api_client.hpp"
#include "tests/integration/cluster/kubernetes/pretended_controllers.hpp"
#include "tests/support/fake_api_server.hpp"
#include "tests/support/open_credentials.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::test {

inline const kubernetes::Resource kRevisions = cluster::revisions_resource();

/// Owner: a test. start() begins; the destructor stops everything.
class KubernetesWorld {
 public:
  explicit KubernetesWorld(FakeApiServerOptions options = {},
                           cluster::KubernetesOptions cluster_options = {})
      : server(io, std::move(options)),
        cluster(io, sys::system_clock(), random, client, std::move(cluster_options)) {
    add_revision_kind(server);
  }
  ~KubernetesWorld() {
    run_task<void>(io, [this]() -> http::Awaitable<void> {
      co_await controllers.stop();
      co_await cluster.stop(sys::system_clock().now() + std::chrono::seconds(5));
    });
  }

  void start() {
    controllers.start();
    cluster.start();
  }
  bool wait_for(const std::function<bool()>& is_true) { return run_until(io, is_true); }
  cluster::RevisionPtr find(const std::string& id) {
    return cluster.revisions().find(RevisionId(id));
  }
  bool wait_ready() {
    return wait_for([this] { return cluster.ready(); });
  }
  Result<void> scale(const std::string& id, PodCount desired) {
    return run_task<Result<void>>(io, [&]() -> http::Awaitable<Result<void>> {
      const RevisionId revision(id);
      cluster::ScaleOrder order{.desired = desired, .drain_first = {}, .reason = "the test"};
      return cluster.scale(revision, std::move(order));
    });
  }
  /// Nobody listens, as after the end of the process.
  void stop_server() {
    run_task<void>(io, [this]() -> http::Awaitable<void> {
      server.stop();
      co_return;
    });
  }
  /// The object as text, or empty.
  std::string object(const kubernetes::Resource& resource, const std::string& name,
                     const std::string& ns = "shop") {
    const auto found = server.store().find(resource, ns, name);
    return found ? *found : std::string();
  }
  bool has(const kubernetes::Resource& resource, const std::string& name, const std::string& part) {
    return object(resource, name).find(part) != std::string::npos;
  }
  /// Every event as text.
  std::string events() {
    std::string all;
    server.store().each_matching(*server.store().find_kind(kubernetes::events()), {},
                                 [&](const std::string& text) { all += text + "\n"; });
    return all;
  }

  http::net::io_context io;
  SeededRandom random{7};
  FakeApiServer server;
  kubernetes::ApiClient client{io, std::make_shared<OpenCredentials>(server), random};
  cluster::KubernetesCluster cluster;
  PretendedControllers controllers{io, server};
};

}  // namespace bellows::test
