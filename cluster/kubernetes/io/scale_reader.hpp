// Reads /scale of targets that have no selector of their own.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "cluster/kubernetes/core/directory.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Stands between the watches of targets and the Directory. It passes a target with a selector on
/// at once. It reads /scale of any other target: once for each object of its kind, so that a
/// Revision finds it complete, and again after a change if a Revision has it as its target, at most
/// once a second. Owner: the Watches. Thread: the io thread.
class ScaleReader {
 public:
  /// All of them outlive it, except `tasks`, which ends before it. `changed`: the Directory has
  /// something to join.
  ScaleReader(kubernetes::ApiClient& client, http::TaskGroup& tasks, Directory& directory,
              std::function<void()> changed);

  struct Kind {
    std::string name;  ///< "argoproj.io/Rollout"
    kubernetes::Resource resource;
  };
  void target_changed(const Kind& kind, const TargetPtr& before, const TargetPtr& after);
  /// The list of the kind is complete; the Directory is notified when every /scale was read.
  void listed(const std::string& kind);
  /// A Revision may have the target with that key.
  void revision_changed(const std::string& target_key) { read_if_needed(target_key); }

 private:
  struct Entry {
    Kind kind;
    TargetPtr latest;  ///< as the watch has it; null: it is gone
    TargetPtr given;   ///< as the Directory has it; null: not yet
    bool is_stale = true;
    bool is_reading = false;
  };

  void read_if_needed(const std::string& key);
  http::Awaitable<void> read(std::string key);
  http::Awaitable<Result<kubernetes::Scale>> scale_of(kubernetes::Resource resource, std::string ns,
                                                      std::string name);
  void give(Entry& entry, const TargetPtr& made);
  void take(Entry& entry, const TargetPtr& asked, const Result<kubernetes::Scale>& scale);
  void tell_kind(const std::string& kind);

  kubernetes::ApiClient& client_;
  http::TaskGroup& tasks_;
  Directory& directory_;
  std::function<void()> changed_;
  std::map<std::string, Entry> entries_;  // by target key
  std::set<std::string> listed_;          // kinds whose list was complete once
  std::set<std::string> told_;            // of these, those that the Directory knows
};

}  // namespace bellows::cluster
