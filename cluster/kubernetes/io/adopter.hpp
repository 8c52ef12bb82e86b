// Makes and releases the Revisions of labelled Deployments.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/adoption.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/io/event_writer.hpp"
#include "cluster/kubernetes/io/scale_writer.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Owner: the KubernetesCluster. Thread: the io thread.
class Adopter {
 public:
  /// All of them outlive it.
  Adopter(const sys::Clock& clock, kubernetes::ApiClient& client, http::TaskGroup& tasks,
          const Directory& directory, ScaleWriter& scale, EventWriter& events);

  /// Marks the Deployment with that key: it, or a Revision of it, has changed.
  void look_at(const std::string& target_key) { waiting_.insert(target_key); }
  /// Starts the actions that are due. Call it once all kinds are listed, and from time to time:
  /// failed actions are retried after 5 s.
  void act();

 private:
  void start_waiting();
  void act_on(const std::string& target_key);
  void refuse(const std::string& target_key, const kubernetes::ObjectMeta& deployment,
              const std::string& message);
  http::Awaitable<void> carry_out(std::string target_key, TargetPtr deployment, Adoption adoption);
  void tell_release(const kubernetes::ObjectMeta& deployment, std::optional<PodCount> restored);
  http::Awaitable<Result<void>> write(std::string deployment_uid, Adoption adoption);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  http::TaskGroup& tasks_;
  const Directory& directory_;
  ScaleWriter& scale_;
  EventWriter& events_;
  std::set<std::string> waiting_;
  std::set<std::string> delayed_;  // until the next act()
  std::size_t under_way_ = 0;
  std::map<std::string, TimePoint> not_before_;  // by target key: under way, or failed
  std::map<std::string, std::string> refused_;   // why, by target key: reported once
};

}  // namespace bellows::cluster
