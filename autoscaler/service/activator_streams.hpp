// The connected activators.
#pragma once

#include <functional>
#include <map>

#include "base/ids.hpp"

namespace bellows::autoscaler {

/// Tracks the stat streams of activators. A broken stream shows that its activator has exited or is
/// unreachable, long before its readiness probe fails. An activator that never connected here
/// counts as usable. Owner: the service. Thread: the io thread.
class ActivatorStreams {
 public:
  /// Calls `changed` when may_ask() of an activator has changed.
  explicit ActivatorStreams(std::function<void()> changed) : changed_(std::move(changed)) {}

  /// One open stream. An empty name: the sender is no activator. `knows_share`: the activator knows
  /// its part of the replicas. If one of two does not, requests wait in one replica's queue while
  /// another one is free; a warning is logged once until one of them disconnects.
  class Open {
   public:
    Open(ActivatorStreams& streams, PodName name, bool knows_share);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    ActivatorStreams& streams_;
    PodName name_;
  };

  /// Returns false if the last stream of the activator has broken.
  bool may_ask(const PodName& name) const;
  /// Deletes all activators but those for which `is_listed` is true.
  void keep(const std::function<bool(const PodName&)>& is_listed);

 private:
  struct Known {
    int streams = 0;
    bool knows_share = true;
  };

  void check_shares();

  std::function<void()> changed_;
  std::map<PodName, Known> open_;  // all that were ever connected
  bool is_warned_ = false;         // of shares
};

}  // namespace bellows::autoscaler
