#include "tests/integration/cluster/kubernetes/pretended_controllers.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "base/timestamp_text.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/resource.hpp"

namespace bellows::test {

namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(3);

std::vector<boost::json::value> listed(FakeApiStore& store, const kubernetes::Resource& resource,
                                       const std::string& ns = {}) {
  std::vector<boost::json::value> objects;
  FakeApiStore::ListOptions options;
  options.ns = ns;
  store.each_matching(*store.find_kind(resource), options, [&](const std::string& text) {
    objects.push_back(boost::json::parse(text));
  });
  return objects;
}

std::string text_at(const boost::json::value& object, const char* pointer) {
  boost::system::error_code missing;
  const boost::json::value* found = object.find_pointer(pointer, missing);
  return found == nullptr ? std::string() : std::string(found->as_string());
}

int deletion_cost(const boost::json::value& pod) {
  const std::string cost =
      text_at(pod, "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost");
  return cost.empty() ? 0 : std::stoi(cost);
}

}  // namespace

kubernetes::Resource endpoint_slices() {
  return {"discovery.k8s.io", "v1", "endpointslices"};
}

PretendedControllers::PretendedControllers(http::net::io_context& io, FakeApiServer& server)
    : server_(server), tasks_(io) {}

void PretendedControllers::start() {
  tasks_.spawn("controllers", [this] { return run(); });
}

http::Awaitable<void> PretendedControllers::stop() {
  tasks_.stop();
  const auto joined = co_await tasks_.join(sys::system_clock().now() + std::chrono::seconds(5));
  (void)joined;
}

http::Awaitable<void> PretendedControllers::run() {
  for (;;) {
    reconcile();
    const bool may_go_on = co_await http::sleep_for(kPeriod);
    if (!may_go_on) co_return;
  }
}

void PretendedControllers::reconcile() {
  for (const boost::json::value& deployment : listed(server_.store(), kubernetes::deployments())) {
    const std::string ns = text_at(deployment, "/metadata/namespace");
    const std::string name = text_at(deployment, "/metadata/name");
    std::vector<boost::json::value> pods;
    for (boost::json::value& pod : listed(server_.store(), kubernetes::pods(), ns)) {
      if (text_at(pod, "/metadata/labels/app") == name) pods.push_back(std::move(pod));
    }
    // The first ones go first: those of the least cost, then the youngest.
    std::ranges::sort(pods, [](const boost::json::value& a, const boost::json::value& b) {
      return std::tuple(deletion_cost(a), text_at(b, "/metadata/name")) <
             std::tuple(deletion_cost(b), text_at(a, "/metadata/name"));
    });
    const auto wanted = static_cast<std::size_t>(deployment.at("spec").at("replicas").as_int64());
    for (std::size_t i = pods.size(); i < wanted; ++i) add_pod(ns, name);
    for (std::size_t i = 0; i + wanted < pods.size(); ++i) {
      server_.store().remove(kubernetes::pods(), ns, text_at(pods[i], "/metadata/name"));
    }
  }
  follow_services();
}

/// Each Service gets a slice with the pods that it selects.
void PretendedControllers::follow_services() {
  for (const boost::json::value& service : listed(server_.store(), kubernetes::services())) {
    const std::string ns = text_at(service, "/metadata/namespace");
    const std::string name = text_at(service, "/metadata/name");
    const std::string app = text_at(service, "/spec/selector/app");
    if (app.empty()) continue;
    std::string endpoints;
    for (const boost::json::value& pod : listed(server_.store(), kubernetes::pods(), ns)) {
      if (text_at(pod, "/metadata/labels/app") != app) continue;
      endpoints += (endpoints.empty() ? "" : ",") + std::string(R"({"addresses":[")") +
                   text_at(pod, "/status/podIP") +
                   R"("],"conditions":{"ready":true},"targetRef":{"kind":"Pod","name":")" +
                   text_at(pod, "/metadata/name") + R"("}})";
    }
    std::string& written = slices_[ns + "/" + name];
    const std::string slice =
        R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":")" +
        ns + R"(","name":")" + name + R"(-abcde","labels":{"kubernetes.io/service-name":")" + name +
        R"(","endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"}},)"
        R"("addressType":"IPv4","endpoints":[)" +
        endpoints + R"(],"ports":[{"name":"http","port":8012,"protocol":"TCP"}]})";
    if (std::exchange(written, slice) == slice) continue;
    server_.store().put(endpoint_slices(), slice);
  }
}

void PretendedControllers::add_pod(const std::string& ns, const std::string& deployment) {
  ++pods_;
  const std::string now = timestamp_text(sys::system_clock().wall_now());
  const std::string number = std::to_string(10000 + pods_);
  server_.store().put(
      kubernetes::pods(),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":")" + ns + R"(","name":")" +
          deployment + "-abc-" + number + R"(","creationTimestamp":")" + now +
          R"(","labels":{"app":")" + deployment +
          R"(","pod-template-hash":"abc"},"ownerReferences":[{"apiVersion":"apps/v1","kind":)"
          R"("ReplicaSet","name":")" +
          deployment +
          R"(-abc","uid":"u","controller":true}]},"spec":{"nodeName":"node-1","containers":[)"
          R"({"name":"app"}]},"status":{"phase":"Running","podIP":"10.0.)" +
          std::to_string(pods_ / 250) + "." + std::to_string(pods_ % 250) +
          R"(","conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" + now +
          R"("}],"containerStatuses":[{"name":"app","ready":true,"restartCount":0,"state":)"
          R"({"running":{"startedAt":")" +
          now + R"("}}}]}})");
}

void apply(FakeApiServer& server, const AppliedDeployment& deployment) {
  server.store().put(
      kubernetes::deployments(),
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":")" + deployment.ns +
          R"(","name":")" + deployment.name + R"(","uid":"uid-)" + deployment.name +
          R"(","labels":)" + deployment.labels + R"(,"annotations":)" + deployment.annotations +
          R"(},"spec":{"replicas":)" + std::to_string(deployment.replicas) +
          R"(,"selector":{"matchLabels":{"app":")" + deployment.name +
          R"("}},"template":{"metadata":{"labels":{"app":")" + deployment.name +
          R"("}},"spec":{"containers":[{"name":"app"},{"name":"queue-proxy","ports":[)"
          R"({"name":"http","containerPort":8012},{"name":"queue-port","containerPort":8013}]}]}}}})");
}

void apply_service(FakeApiServer& server, const std::string& ns, const std::string& name,
                   const std::string& spec) {
  server.store().put(
      kubernetes::services(),
      R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":")" + ns + R"(","name":")" +
          name + R"("},"spec":{"selector":{"app":")" + name +
          R"("},"ports":[{"name":"http","port":80,"targetPort":"http","protocol":"TCP"}])" + spec +
          "}}");
}

void apply_revision(FakeApiServer& server, const std::string& ns, const std::string& name,
                    const std::string& spec) {
  server.store().put(
      cluster::revisions_resource(),
      R"({"apiVersion":"bellows.dev/v1alpha1","kind":"Revision","metadata":{"namespace":")" + ns +
          R"(","name":")" + name +
          R"(","generation":1},"spec":{"scaleTargetRef":{"apiVersion":)"
          R"("apps/v1","kind":"Deployment","name":")" +
          name + R"("})" + spec + "}}");
}

void add_revision_kind(FakeApiServer& server) {
  server.store().add_kind({.resource = cluster::revisions_resource(),
                           .kind = "Revision",
                           .is_namespaced = true,
                           .has_status = true,
                           .has_scale = false,
                           .other_versions = {}});
}

}  // namespace bellows::test
