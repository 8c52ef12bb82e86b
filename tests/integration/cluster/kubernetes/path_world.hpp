// One Service with a path, an API server and activators that answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/kubernetes/io/requests.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"
#include "tests/integration/cluster/kubernetes/pretended_activators.hpp"

namespace bellows::test {

inline const kubernetes::Resource kDeployments = kubernetes::deployments();

inline cluster::KubernetesOptions with_paths() {
  cluster::KubernetesOptions options;
  options.paths = {.activator_service = "bellows-system/bellows-activator",
                   .ports = {.first = 21000, .last = 21999},
                   .settle = std::chrono::milliseconds(60),
                   .has_last_resort = true};
  return options;
}

/// Deployment, Service and Revision web with one replica; activators a and b.
class PathWorld : public KubernetesWorld {
 public:
  explicit PathWorld(int replicas = 1, FakeApiServerOptions server_options = {},
                     cluster::KubernetesOptions options = with_paths())
      : KubernetesWorld(std::move(server_options), std::move(options)) {
    apply(server, {.replicas = replicas});
    apply_service(server, "shop", "web");
    apply_revision(server, "shop", "web");
    activators.set("a", true);
    activators.set("b", true, "zone-b");
  }
  ~PathWorld() {
    run_task<void>(io, [this]() -> http::Awaitable<void> { co_await activators.stop(); });
  }
  void begin() {
    activators.start();
    start();
  }
  void route(bool through, std::vector<PodName> names = {}) {
    run_task<void>(io, [&]() -> http::Awaitable<void> {
      cluster::PathOrder order;
      order.is_through_activators = through;
      order.activators = names;
      cluster.route(RevisionId("shop/web"), std::move(order));
      co_return;
    });
  }
  bool wait_state(cluster::PathState state) {
    return wait_for([&] {
      const auto web = find("shop/web");
      return web != nullptr && web->path.state == state;
    });
  }
  bool tells(const std::string& part) {
    return wait_for([&] { return has(kRevisions, "web", part); });
  }
  std::string slice(const std::string& name = "web-bellows") {
    return object(endpoint_slices(), name);
  }
  bool wait_slice(const std::string& part) {
    return wait_for([&] { return slice().find(part) != std::string::npos; });
  }

  PretendedActivators activators{io, server, cluster};
};

inline constexpr const char* kLastResort =
    R"("conditions":{"ready":false,"serving":true,"terminating":true})";
inline constexpr const char* kReady =
    R"("conditions":{"ready":true,"serving":true,"terminating":false})";

}  // namespace bellows::test
