// Which activators are connected.
#pragma once

#include <functional>
#include <map>

#include "base/ids.hpp"

namespace bellows::autoscaler {

/// An activator whose stat stream breaks is gone or cut off, and is known to be so long before its
/// readiness probe fails. One that was never connected here is not known: it may be as good as any.
/// Owner: the service. Thread: the io thread.
class ActivatorStreams {
 public:
  /// `changed` is called when may_ask() of an activator has changed.
  explicit ActivatorStreams(std::function<void()> changed) : changed_(std::move(changed)) {}

  /// One open stream. An empty name: it is none of an activator. `knows_share`: it knows which part
  /// of the replicas is its own. Two of which one does not are warned of, once until one of them
  /// leaves: requests wait in one replica's queue while another one is free.
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

  /// False: its last stream has broken.
  bool may_ask(const PodName& name) const;
  /// Forgets all but the activators that `is_listed` has.
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
