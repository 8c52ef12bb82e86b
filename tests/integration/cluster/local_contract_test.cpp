#include "base/sys/clock.hpp"
#include "cluster/local/local_cluster.hpp"
#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::test {
namespace {

/// Real processes, with a stub in place of the queue-proxy.
class LocalRig final : public ClusterRig {
 public:
  LocalRig()
      : cluster_(cluster::LocalCluster::create(io_, sys::system_clock(), random_,
                                               {listening_service()}, stub_options())
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

INSTANTIATE_TEST_SUITE_P(Implementation, ClusterContract,
                         testing::Values(RigMaker{"Local",
                                                  [] { return std::make_unique<LocalRig>(); }}),
                         rig_name);

}  // namespace
}  // namespace bellows::test
