// Events of Revisions and their targets, for `kubectl describe`.
#pragma once

#include <deque>
#include <string>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/event_aggregator.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Writes events one after the other, ten a second at most, equal ones as one with a count, none
/// during an outage. At the limit of 1,000 waiting ones it drops further events, which also appear
/// in conditions and in the log. Owner: the KubernetesCluster. Thread: the io thread.
class EventWriter {
 public:
  /// All of them outlive it. It ignores all events before start().
  EventWriter(const sys::Clock& clock, kubernetes::ApiClient& client, http::TaskGroup& tasks,
              const Outage& outage);

  void start() { is_writer_ = true; }

  void normal(const RevisionObject& about, std::string reason, std::string message);
  void warning(const RevisionObject& about, std::string reason, std::string message);
  void normal_about_deployment(const kubernetes::ObjectMeta& about, std::string reason,
                               std::string message);
  void warning_about_deployment(const kubernetes::ObjectMeta& about, std::string reason,
                                std::string message);

 private:
  void add(kubernetes::Event event);
  http::Awaitable<void> write_all();
  http::Awaitable<void> write(kubernetes::Event event);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  http::TaskGroup& tasks_;
  const Outage& outage_;
  bool is_writer_ = false;
  kubernetes::EventAggregator aggregator_;
  std::deque<kubernetes::Event> waiting_;
  bool is_writing_ = false;
};

}  // namespace bellows::cluster
