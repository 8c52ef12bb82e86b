// A cluster of VerticalPodAutoscalers and pods in the shapes of the API, without a server.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/timestamp_text.hpp"
#include "kubernetes/core/quantity.hpp"
#include "recommender/kubernetes/core/cluster_state.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::recommender {

/// One container of a pod. Times are seconds since the replay epoch.
struct SceneContainer {
  std::string memory = "64Mi";  ///< the request
  double running_since = 0;     ///< below 0: it does not run
  int restarts = 0;
  double killed_at = -1;    ///< of an OOM kill; below 0: none
  bool is_waiting = false;  ///< in CrashLoopBackOff
};

struct ScenePod {
  std::string name = "web-1";
  std::string ns = "shop";
  std::string phase = "Running";
  std::string labels = "'app':'web'";
  std::string uid = "u1";
  std::map<std::string, SceneContainer> containers = {{"app", {}}};
};

inline std::string time_text(double seconds) {
  return micro_timestamp_text(replay_time(seconds));
}

inline std::string container_json(const std::string& name, const SceneContainer& container) {
  return "{'name':'" + name + "','resources':{'requests':{'cpu':'100m','memory':'" +
         container.memory + "'}}}";
}

inline std::string status_json(const std::string& name, const SceneContainer& container) {
  std::string text = "{'name':'" + name + "','restartCount':" + std::to_string(container.restarts);
  const std::string end = "'terminated':{'exitCode':137,'reason':'OOMKilled','finishedAt':'" +
                          time_text(container.killed_at) + "'}";
  if (container.is_waiting) {
    text += ",'state':{'waiting':{'reason':'CrashLoopBackOff'}}";
  } else if (container.running_since >= 0) {
    text += ",'state':{'running':{'startedAt':'" + time_text(container.running_since) + "'}}";
  } else if (container.killed_at >= 0) {
    return text + ",'state':{" + end + "}}";
  }
  if (container.killed_at >= 0) text += ",'lastState':{" + end + "}";
  return text + "}";
}

inline std::string pod_json(const ScenePod& pod) {
  std::string specs;
  std::string statuses;
  for (const auto& [name, container] : pod.containers) {
    specs += (specs.empty() ? "" : ",") + container_json(name, container);
    statuses += (statuses.empty() ? "" : ",") + status_json(name, container);
  }
  return "{'metadata':{'namespace':'" + pod.ns + "','name':'" + pod.name + "','uid':'" + pod.uid +
         "','labels':{" + pod.labels + "}},'spec':{'containers':[" + specs +
         "]},'status':{'phase':'" + pod.phase + "','containerStatuses':[" + statuses + "]}}";
}

/// Owner: a test. It moves time by its calls, in seconds since the replay epoch.
class VerticalScene {
 public:
  explicit VerticalScene(config::RecommenderPolicy policy = config::RecommenderPolicy::kVpa,
                         config::ObjectsOfOthers others = config::ObjectsOfOthers::kLeave)
      : state(options(policy, others)) {}

  static ClusterOptions options(config::RecommenderPolicy policy, config::ObjectsOfOthers others) {
    ClusterOptions made;
    made.policies.policy = policy;
    made.others = others;
    made.since = replay_time(0);
    return made;
  }

  /// An object of ours; `spec` and `meta` are more members, with a comma in front.
  VerticalPtr object(const std::string& name, const std::string& spec = {},
                     const std::string& meta = {}, const std::string& status = "{}") {
    return read<VerticalAutoscaler>(
        "{'metadata':{'namespace':'shop','name':'" + name + "','uid':'" + name + "'" + meta +
        "},'spec':{'recommenders':[{'name':'bellows'}],'targetRef':{'apiVersion':'apps/v1','kind':"
        "'Deployment','name':'web'}" +
        spec + "},'status':" + status + "}");
  }

  /// Puts the object, whose checkpoints were read and whose target has pods with app=web.
  void put(const VerticalPtr& after, double at = 0) {
    const std::string key = kubernetes::object_key(after->meta);
    state.object_changed(std::exchange(objects[key], after), after, replay_time(at));
    if (!has_history) return;
    state.history_read(key);
    state.target_found(key, {.selector = kubernetes::Selector::parse("app=web").value()});
    state.metrics_read();
  }
  void remove(const std::string& name, double at) {
    state.object_changed(std::exchange(objects["shop/" + name], nullptr), nullptr, replay_time(at));
  }

  void put(const ScenePod& pod, double at = 0) {
    const auto after = read<kubernetes::Pod>(pod_json(pod));
    state.pod_changed(std::exchange(pods[pod.ns + "/" + pod.name], after), after, replay_time(at));
  }
  void remove_pod(const std::string& name, double at) {
    state.pod_changed(std::exchange(pods["shop/" + name], nullptr), nullptr, replay_time(at));
  }

  /// What one container of a pod used, as metrics-server has measured it at `at`.
  void measure(const std::string& pod, std::int64_t millicores, std::int64_t bytes, double at,
               double now = -1) {
    measure(pod, {{"app", {millicores}, {bytes}}}, at, now);
  }
  void measure(const std::string& pod, std::vector<kubernetes::ContainerMetrics> containers,
               double at, double now = -1) {
    kubernetes::PodMetrics metrics;
    metrics.meta.ns = "shop";
    metrics.meta.name = pod;
    metrics.measured = replay_time(at);
    metrics.containers = std::move(containers);
    state.take(metrics, replay_time(now < 0 ? at : now));
  }

  /// Writes every status that is due to its object, as the server and its watch do. Returns their
  /// number.
  std::size_t write(double at) {
    const auto writes = state.status_writes(replay_time(at));
    for (const StatusWrite& each : writes) {
      patches[each.name] = boost::json::parse(each.patch).at("status").as_object();
      auto& kept = statuses[each.name];
      for (const auto& [key, value] : patches[each.name]) kept[key] = value;
      auto after = std::make_shared<VerticalAutoscaler>(*objects.at("shop/" + each.name));
      after->status = read<VerticalAutoscaler>(
                          "{'metadata':{'name':'x'},'status':" + boost::json::serialize(kept) + "}")
                          ->status;
      put(VerticalPtr(after), at);
    }
    return writes.size();
  }
  std::size_t loop(double at) {
    state.recommend(replay_time(at));
    return write(at);
  }

  /// "126m" of the container of the object's status; empty: there is none.
  std::string number(const std::string& object_name, const std::string& container,
                     const std::string& which, const std::string& resource) {
    const auto* recommendation = statuses[object_name].if_contains("recommendation");
    if (recommendation == nullptr || recommendation->is_null()) return {};
    for (const auto& each : recommendation->at("containerRecommendations").as_array()) {
      if (each.at("containerName").as_string() != container) continue;
      const auto* value = each.at(which).as_object().if_contains(resource);
      return value == nullptr ? std::string() : std::string(value->as_string());
    }
    return {};
  }
  std::string cpu(const std::string& object_name = "web") {
    return number(object_name, "app", "target", "cpu");
  }
  std::int64_t memory(const std::string& object_name = "web") {
    const std::string text = number(object_name, "app", "target", "memory");
    return text.empty() ? 0 : kubernetes::Quantity::parse(text)->units();
  }
  /// "True: message" of a condition; empty: there is none.
  std::string condition(const std::string& type, const std::string& object_name = "web") {
    const auto* conditions = statuses[object_name].if_contains("conditions");
    if (conditions == nullptr) return {};
    for (const auto& each : conditions->as_array()) {
      if (each.at("type").as_string() != type) continue;
      return std::string(each.at("status").as_string()) + ": " +
             std::string(each.at("message").as_string());
    }
    return {};
  }

  ClusterState state;
  bool has_history = true;                              ///< of objects that are put from now on
  std::map<std::string, boost::json::object> statuses;  ///< as the server has them
  std::map<std::string, boost::json::object> patches;   ///< the last ones

 private:
  template <class T>
  static std::shared_ptr<const T> read(const std::string& text) {
    auto read = kubernetes::read_object<T>(text);
    EXPECT_TRUE(read.has_value()) << kubernetes::error_of(read);
    return std::make_shared<const T>(*std::move(read));
  }

  std::map<std::string, VerticalPtr> objects;
  std::map<std::string, PodPtr> pods;
};

}  // namespace bellows::recommender
