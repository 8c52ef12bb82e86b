#include "base/sys/clock.hpp"
#include "cluster/local/local_cluster.hpp"
#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::test {
namespace {

/// Real processes with this queue-proxy.
class LocalRig final : public SharingRig {
 public:
  explicit LocalRig(const char* queue_proxy)
      : cluster_(cluster::LocalCluster::create(io_, sys::system_clock(), random_,
                                               {listening_service()},
                                               {.queue_proxy = queue_proxy, .shim = SHIM})
                     .value()) {}
  http::net::io_context& io() override { return io_; }
  cluster::Cluster& cluster() override { return *cluster_; }
  void add(const RevisionId& revision) override {
    config::Service service = listening_service();
    service.name = revision;
    service.route.host = "shop.example";
    EXPECT_TRUE(cluster_->add(std::move(service)).has_value());
  }
  void remove(const RevisionId& revision) override {
    EXPECT_TRUE(cluster_->remove(revision).has_value());
  }
  void add_revision(const RevisionId& revision, std::int32_t share) override {
    EXPECT_TRUE(cluster_->add(revision_of_web(revision, share)).has_value());
  }
  void share(const RevisionId& revision, std::int32_t share) override {
    const config::Route route = listening_service().route;
    EXPECT_TRUE(cluster_->place(revision, route, share).has_value());
  }
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

INSTANTIATE_TEST_SUITE_P(Local, ClusterContract,
                         testing::Values(local_rig("Local", QUEUE_PROXY),
                                         local_rig("LocalWithStub", STUB_QUEUE_PROXY)),
                         rig_name);
// Its names have no namespace, so of ChangingClusterContract the stories of SharingClusterContract
// are what it promises.
INSTANTIATE_TEST_SUITE_P(Local, SharingClusterContract,
                         testing::Values(local_rig("Local", QUEUE_PROXY),
                                         local_rig("LocalWithStub", STUB_QUEUE_PROXY)),
                         rig_name);

}  // namespace
}  // namespace bellows::test
