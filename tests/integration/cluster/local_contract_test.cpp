#include "base/sys/clock.hpp"
#include "cluster/local/local_cluster.hpp"
#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::test {
namespace {

/// Real processes with this queue-proxy.
class LocalRig final : public ClusterRig {
 public:
  explicit LocalRig(const char* queue_proxy)
      : cluster_(cluster::LocalCluster::create(io_, sys::system_clock(), random_,
                                               {listening_service()},
                                               {.queue_proxy = queue_proxy, .shim = SHIM})
                     .value()) {}
  http::net::io_context& io() override { return io_; }
  cluster::Cluster& cluster() override { return *cluster_; }
  void shut_down() override {
    run_task<void>(io_, [this] {
      return cluster_->shut_down(sys::system_clock().now() + std::chrono::seconds(5));
    });
  }

 private:
  http::net::io_context io_;
  SeededRandom random_{1};
  std::unique_ptr<cluster::LocalCluster> cluster_;
};

RigMaker local_rig(std::string name, const char* queue_proxy) {
  return {std::move(name), [=] { return std::make_unique<LocalRig>(queue_proxy); }};
}

INSTANTIATE_TEST_SUITE_P(Implementation, ClusterContract,
                         testing::Values(local_rig("Local", QUEUE_PROXY),
                                         local_rig("LocalWithStub", STUB_QUEUE_PROXY)),
                         rig_name);

}  // namespace
}  // namespace bellows::test
