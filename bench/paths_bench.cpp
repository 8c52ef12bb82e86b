// The cost of one changed EndpointSlice beside that of one changed pod, from the object to what is
// to be done: Directory and Paths of a cluster on Kubernetes, with 3,000 revisions of 10 pods.
#include <benchmark/benchmark.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/paths.hpp"

namespace bellows {
namespace {

using namespace std::chrono_literals;

constexpr int kRevisions = 3000;
constexpr int kPods = 10;

template <class T>
std::shared_ptr<const T> object(const std::string& json) {
  return std::make_shared<const T>(T::from(boost::json::parse(json).as_object()).value());
}

std::string name_of(int revision) {
  return "r" + std::to_string(revision);
}

cluster::TargetPtr deployment(const std::string& name) {
  return object<kubernetes::ScaleTarget>(
      R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":"u)" + name +
      R"("},"spec":{"replicas":10,"selector":{"matchLabels":{"app":")" + name +
      R"("}},"template":{"metadata":{"labels":{"app":")" + name +
      R"("}},"spec":{"containers":[{"name":"queue-proxy","ports":[{"name":"http","containerPort":)"
      R"(8012}]}]}}}})");
}

cluster::ServicePtr service(const std::string& name) {
  return object<kubernetes::Service>(
      R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":"s)" + name +
      R"("},"spec":{"selector":{"app":")" + name +
      R"("},"ports":[{"name":"http","port":80,"targetPort":"http"}]}})");
}

cluster::RevisionObjectPtr revision(const std::string& name) {
  return object<cluster::RevisionObject>(
      R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":"v)" + name +
      R"("},"spec":{"scaleTargetRef":{"name":")" + name + R"("}}})");
}

cluster::PodPtr pod(const std::string& name, int number, bool is_ready) {
  return object<kubernetes::Pod>(
      R"({"metadata":{"namespace":"shop","name":")" + name + "-a-" + std::to_string(number) +
      R"(","uid":"p)" + std::to_string(number) + R"(","labels":{"app":")" + name +
      R"(","pod-template-hash":"a"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
      R"("name":")" +
      name + R"(-a","controller":true}]},"spec":{"containers":[{"name":"queue-proxy"}]},)" +
      R"("status":{"phase":"Running","podIP":"10.0.0.1","conditions":[{"type":"Ready","status":")" +
      (is_ready ? "True" : "False") + R"("}]}})");
}

/// The control plane's slice of a Service; one of its pods may be unready.
cluster::SlicePtr slice(const std::string& name, bool is_ready) {
  std::string endpoints;
  for (int i = 0; i < kPods; ++i) {
    endpoints += (i == 0 ? "" : ",") + std::string(R"({"addresses":["10.0.0.)") +
                 std::to_string(i + 1) + R"("],"conditions":{"ready":)" +
                 (is_ready || i > 0 ? "true" : "false") + "}}";
  }
  return object<kubernetes::EndpointSlice>(R"({"metadata":{"namespace":"shop","name":")" + name +
                                           R"(-x","labels":{"kubernetes.io/service-name":")" +
                                           name + R"("}},"addressType":"IPv4","endpoints":[)" +
                                           endpoints + "]}");
}

/// What a KubernetesCluster does with what its watches tell, without the server.
class Fleet {
 public:
  Fleet() : paths_({.activator_service = "bellows-system/bellows-activator"}) {
    paths_.use({.is_v1 = true, .has_serving = true});
    directory_.kind_known("apps/Deployment", {});
    for (int i = 0; i < kRevisions; ++i) {
      const std::string name = name_of(i);
      directory_.revision_changed(nullptr, revision(name));
      directory_.target_changed("apps/Deployment", nullptr, deployment(name));
      directory_.service_changed(nullptr, service(name));
      for (int p = 0; p < kPods; ++p) directory_.pod_changed(nullptr, pod(name, p, true));
      paths_.slice_changed(nullptr, slice(name, true));
    }
    paths_.slice_changed(
        nullptr,
        object<kubernetes::EndpointSlice>(
            R"({"metadata":{"namespace":"bellows-system","name":"a-x","labels":)"
            R"({"kubernetes.io/service-name":"bellows-activator"}},"addressType":"IPv4",)"
            R"("endpoints":[{"addresses":["10.9.0.1"],"targetRef":{"kind":"Pod","name":"a"}}]})"));
    join();
  }

  void change_pod(const cluster::PodPtr& before, const cluster::PodPtr& after) {
    directory_.pod_changed(before, after);
    join();
  }
  void change_slice(const cluster::SlicePtr& before, const cluster::SlicePtr& after) {
    paths_.slice_changed(before, after);
    const std::string key = "shop/" + std::string(after->service());
    for (const RevisionId& id : directory_.served_by(key)) look_at(id);
  }

 private:
  void join() {
    const cluster::Clocks clocks{.now = now_, .wall = WallTime(1'800'000'000s)};
    for (const auto& joined : directory_.refresh(clocks).revisions) look_at(joined->id);
  }
  void look_at(const RevisionId& id) {
    const cluster::Record& record = *directory_.find(id);
    const cluster::ServicePtr service = directory_.find_service("shop", record.service);
    now_ += 1ms;
    benchmark::DoNotOptimize(paths_.step(id, record, service.get(), false, now_));
  }

  cluster::Directory directory_;
  cluster::Paths paths_;
  TimePoint now_{1000s};
};

Fleet& fleet() {
  static Fleet fleet;
  return fleet;
}

void one_pod_changed(benchmark::State& state) {
  std::vector<cluster::PodPtr> versions = {pod("r1500", 3, true), pod("r1500", 3, false)};
  fleet();
  for (auto _ : state) {
    fleet().change_pod(versions[0], versions[1]);
    std::swap(versions[0], versions[1]);
  }
}
BENCHMARK(one_pod_changed);

void one_slice_changed(benchmark::State& state) {
  std::vector<cluster::SlicePtr> versions = {slice("r1500", true), slice("r1500", false)};
  fleet();
  for (auto _ : state) {
    fleet().change_slice(versions[0], versions[1]);
    std::swap(versions[0], versions[1]);
  }
}
BENCHMARK(one_slice_changed);

}  // namespace
}  // namespace bellows
