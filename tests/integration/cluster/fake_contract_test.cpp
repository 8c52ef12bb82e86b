#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::test {
namespace {

class FakeRig final : public ClusterRig {
 public:
  FakeRig() { fake_.add(listening_service()); }
  http::net::io_context& io() override { return io_; }
  cluster::Cluster& cluster() override { return fake_; }

 private:
  http::net::io_context io_;
  ManualClock clock_;
  FakeCluster fake_{io_, clock_};
};

INSTANTIATE_TEST_SUITE_P(Implementation, ClusterContract,
                         testing::Values(RigMaker{"Fake",
                                                  [] { return std::make_unique<FakeRig>(); }}),
                         rig_name);

}  // namespace
}  // namespace bellows::test
