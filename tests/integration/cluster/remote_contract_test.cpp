#include "base/sys/clock.hpp"
#include "cluster/remote/cluster_server.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::test {
namespace {

/// A client, a Unix socket, a server and a fake cluster.
class RemoteRig final : public SharingRig {
 public:
  RemoteRig() {
    fake_.add(listening_service());
    server_.add_routes(socket_);
    EXPECT_TRUE(socket_.listen(address_).has_value());
    client_.start();
  }
  http::net::io_context& io() override { return io_; }
  cluster::Cluster& cluster() override { return client_; }
  void shut_down() override {
    run_task<void>(io_, [this]() -> http::Awaitable<void> {
      const TimePoint deadline = sys::system_clock().now() + std::chrono::seconds(5);
      co_await client_.stop(deadline);
      server_.release_waiters();
      co_await socket_.stop(deadline);
    });
  }

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
  TemporaryFolder folder_;
  const Endpoint address_{"", 0, folder_.path("cluster.sock")};
  http::net::io_context io_;
  SeededRandom random_{1};
  FakeCluster fake_{io_, sys::system_clock()};
  cluster::ClusterServer server_{io_, fake_, sys::system_clock(), random_};
  http::ServiceServer socket_{io_};
  cluster::RemoteCluster client_{io_, sys::system_clock(), random_, address_};
};

const RigMaker kRig{"Remote", [] { return std::make_unique<RemoteRig>(); }};

INSTANTIATE_TEST_SUITE_P(Implementation, ClusterContract, testing::Values(kRig), rig_name);
INSTANTIATE_TEST_SUITE_P(Implementation, ChangingClusterContract, testing::Values(kRig), rig_name);
INSTANTIATE_TEST_SUITE_P(Implementation, SharingClusterContract, testing::Values(kRig), rig_name);

}  // namespace
}  // namespace bellows::test
