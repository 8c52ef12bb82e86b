// What a control plane and its nodes do with Deployments, as far as tests of clusters need it: pods
// come, become ready and go.
#pragma once

#include <map>
#include <string>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/resource.hpp"
#include "tests/support/fake_api_server.hpp"

namespace bellows::test {

/// Every few milliseconds each Deployment gets the pods that it asks for. They are ready at once;
/// those that cost least go first, then the youngest. Each Service gets its EndpointSlice. Owner:
/// the test. Thread: the io thread.
class PretendedControllers {
 public:
  /// Both outlive it.
  PretendedControllers(http::net::io_context& io, FakeApiServer& server);

  void start();
  http::Awaitable<void> stop();

 private:
  http::Awaitable<void> run();
  void reconcile();
  void follow_services();
  void add_pod(const std::string& ns, const std::string& deployment);

  FakeApiServer& server_;
  http::TaskGroup tasks_;
  int pods_ = 0;
  std::map<std::string, std::string> slices_;  // as written, by NAMESPACE/NAME of the Service
};

/// A Deployment as a user applies it. `annotations` and `labels` are JSON objects.
struct AppliedDeployment {
  std::string ns = "shop";
  std::string name = "web";
  int replicas = 0;
  std::string labels = "{}";
  std::string annotations = "{}";
};
void apply(FakeApiServer& server, const AppliedDeployment& deployment);

/// A Service whose selector takes the pods of the Deployment with its name. `spec`: further members
/// of the spec with a comma before each, or empty.
void apply_service(FakeApiServer& server, const std::string& ns, const std::string& name,
                   const std::string& spec = {});

/// discovery.k8s.io/v1.
kubernetes::Resource endpoint_slices();

/// `spec`: further members of the spec with a comma before each, or empty.
void apply_revision(FakeApiServer& server, const std::string& ns, const std::string& name,
                    const std::string& spec = {});

/// The Deployments, Revisions, ... of the server have this kind.
void add_revision_kind(FakeApiServer& server);

}  // namespace bellows::test
