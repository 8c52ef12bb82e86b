// Writes the statuses of Revisions when they are due.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/core/status_object.hpp"
#include "cluster/kubernetes/core/status_schedule.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Owner: the KubernetesCluster. Thread: the io thread.
class StatusWriter {
 public:
  /// All of them outlive it. It writes nothing during an outage. `standing` completes the facts of
  /// the Directory about a Revision.
  StatusWriter(const sys::Clock& clock, kubernetes::ApiClient& client, http::TaskGroup& tasks,
               const Directory& directory, const Outage& outage,
               std::function<Standing(const RevisionId&, const Record&)> standing);

  /// The Revision, its replicas or its report may have changed, or it is deleted.
  void look_at(const RevisionId& id);

 private:
  StatusObject wanted(const RevisionId& id, const Record& record, const Standing& standing);
  http::Awaitable<void> write_all();
  http::Awaitable<void> write(RevisionId id);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  http::TaskGroup& tasks_;
  const Directory& directory_;
  const Outage& outage_;
  std::function<Standing(const RevisionId&, const Record&)> standing_;
  StatusSchedule schedule_;
  /// The status on the server, by our last write or by the list.
  struct Told {
    std::string uid;
    StatusObject status;
  };
  std::unordered_map<RevisionId, Told> told_;
  int under_way_ = 0;
  bool is_writing_ = false;
};

}  // namespace bellows::cluster
