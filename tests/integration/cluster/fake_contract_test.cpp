#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::test {
namespace {

class FakeRig final : public SharingRig {
 public:
  FakeRig() { fake_.add(listening_service()); }
  http::net::io_context& io() override { return io_; }
  cluster::Cluster& cluster() override { return fake_; }

  void add(const RevisionId& revision) override {
    config::Service service = listening_service();
    service.name = revision;
    service.route.host = "shop.example";
    fake_.add(service);
  }
  void remove(const RevisionId& revision) override { fake_.remove(revision); }
  void add_revision(const RevisionId& revision, std::int32_t share) override {
    fake_.add(revision_of_web(revision, share));
  }
  void share(const RevisionId& revision, std::int32_t share) override {
    fake_.share(revision, share);
  }

 private:
  http::net::io_context io_;
  ManualClock clock_;
  FakeCluster fake_{io_, clock_};
};

const RigMaker kRig{"Fake", [] { return std::make_unique<FakeRig>(); }};

INSTANTIATE_TEST_SUITE_P(Fake, ClusterContract, testing::Values(kRig), rig_name);
INSTANTIATE_TEST_SUITE_P(Fake, ChangingClusterContract, testing::Values(kRig), rig_name);
INSTANTIATE_TEST_SUITE_P(Fake, SharingClusterContract, testing::Values(kRig), rig_name);

}  // namespace
}  // namespace bellows::test
