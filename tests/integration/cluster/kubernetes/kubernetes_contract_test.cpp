#include "cluster/kubernetes/io/requests.hpp"
#include "tests/integration/cluster/cluster_contract.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"

namespace bellows::test {
namespace {

/// An API server with the Deployment web and a Revision for it, and controllers that follow both.
class KubernetesRig final : public ChangingRig {
 public:
  KubernetesRig() {
    add(web());
    world_->start();
  }

  http::net::io_context& io() override { return world_->io; }
  cluster::Cluster& cluster() override { return world_->cluster; }
  RevisionId web() const override { return RevisionId("shop/web"); }
  std::string host() const override { return "web.shop.svc"; }
  void shut_down() override { world_.reset(); }

  void add(const RevisionId& revision) override {
    const auto [ns, name] = parts(revision);
    apply(world_->server, {.ns = ns,
                           .name = name,
                           .replicas = 0,
                           .labels = "{}",
                           .annotations = R"({"bellows.dev/max-scale":"8"})"});
    apply_service(world_->server, ns, name);
    apply_revision(world_->server, ns, name);
  }
  void remove(const RevisionId& revision) override {
    const auto [ns, name] = parts(revision);
    world_->server.store().remove(cluster::revisions_resource(), ns, name);
  }

 private:
  static std::pair<std::string, std::string> parts(const RevisionId& revision) {
    const std::size_t slash = revision.text().find('/');
    return {revision.text().substr(0, slash), revision.text().substr(slash + 1)};
  }

  std::unique_ptr<KubernetesWorld> world_ = std::make_unique<KubernetesWorld>();
};

const RigMaker kRig{"Kubernetes", [] { return std::make_unique<KubernetesRig>(); }};

INSTANTIATE_TEST_SUITE_P(Implementation, ClusterContract, testing::Values(kRig), rig_name);
INSTANTIATE_TEST_SUITE_P(Implementation, ChangingClusterContract, testing::Values(kRig), rig_name);
// On Kubernetes a revision is a workload of its own: nothing shares out its requests.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharingClusterContract);

}  // namespace
}  // namespace bellows::test
