// Keeps a list of objects up to date, for ever.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/random.hpp"
#include "http/io/net.hpp"
#include "kubernetes/core/list_watch.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// Carries out what ListWatch wants (see its promises), with connections of its own. It ends with
/// its owner only: every failure is told in status() and tried again. Owner: the program. Outlives
/// run(). Thread: the io thread.
class Informer {
 public:
  /// All outlive it. `rejected` is called with objects that cannot be used; they are left out.
  Informer(ApiClient& client, ListWatchOptions options, ObjectSink& sink, Random& random,
           std::function<void(const Error&)> rejected);

  /// To be spawned in a TaskGroup; ends when that is stopped.
  http::Awaitable<void> run();

  /// "pods", for metrics and messages.
  const std::string& name() const { return name_; }
  /// Ages of list and watch, the last failure.
  ListWatchStatus status() const { return list_watch_.status(); }

 private:
  http::Awaitable<void> carry_out(ListWatchRequest request);

  ApiClient& client_;
  Resource resource_;
  std::string ns_;
  std::string name_;
  ListWatch list_watch_;
};

}  // namespace bellows::kubernetes
