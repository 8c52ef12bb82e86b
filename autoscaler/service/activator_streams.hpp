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

  /// One open stream. An empty name: it is none of an activator.
  class Open {
   public:
    Open(ActivatorStreams& streams, PodName name);
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
  std::function<void()> changed_;
  std::map<PodName, int> open_;  // streams, of all that were ever connected
};

}  // namespace bellows::autoscaler
