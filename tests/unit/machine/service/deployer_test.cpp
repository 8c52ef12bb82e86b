// What is begun is looked at until it has ended, in real time.
#include "machine/service/deployer.hpp"

#include <gtest/gtest.h>

#include "tests/support/listed_cluster.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"
#include "tests/unit/machine/core/sample_service.hpp"
#include "tests/unit/machine/service/fake_host.hpp"

namespace bellows::machine {
namespace {

class DeployerTest : public testing::Test {
 protected:
  DeployerTest() {
    const ServiceRecord& web = deployer_.store().records().at(RevisionId("web"));
    EXPECT_TRUE(host_.add(runnable(web, web.revisions.front()), {}));
    host_.set_ready("web-00001", 1);
  }
  ~DeployerTest() override { stop(); }

  Result<ServiceAnswer> deploy() {
    return deployer_.take([](ServiceOrders& orders, TagOrders& /*tags*/) {
      return orders.deploy(sample_service("web", "./two"), {});
    });
  }
  void stop() {
    bellows::test::run_task<void>(io_, [this] {
      return deployer_.stop(sys::system_clock().now() + std::chrono::seconds(5));
    });
  }

  http::net::io_context io_;
  bellows::test::ListedCluster cluster_{io_};
  test::FakeHost host_;
  Deployer deployer_{io_,
                     sys::system_clock(),
                     cluster_,
                     host_,
                     at_start({}, {sample_service()}).records,
                     {.has_requests = [](const RevisionId&) { return false; },
                      .served = [](const RevisionId&, Duration) { return Served(); }}};
};

TEST_F(DeployerTest, AnOrderIsCarriedOutToItsEnd) {
  ASSERT_TRUE(deploy());
  host_.set_ready("web-00002", 1);
  EXPECT_TRUE(bellows::test::run_until(io_, [this] { return !host_.has("web-00001"); }));
  EXPECT_EQ(host_.at("web-00002").share, 100);
}

TEST_F(DeployerTest, AfterAStopTheSharesStay) {
  ASSERT_TRUE(deploy());
  stop();
  host_.set_ready("web-00002", 1);
  io_.restart();
  io_.poll();
  EXPECT_EQ(host_.at("web-00001").share, 100);
  EXPECT_FALSE(deploy());
}

}  // namespace
}  // namespace bellows::machine
