// Keeps a list of objects up to date.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/random.hpp"
#include "http/io/net.hpp"
#include "kubernetes/core/list_watch.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// Carries out the steps of ListWatch (see its guarantees) on its own connections. It runs until
/// its owner stops it: every failure is reported in status() and retried. It outlives run(). Owner:
/// the program. Thread: the io thread.
class Informer {
 public:
  /// All arguments must outlive it. `rejected` is called with objects that cannot be used; they are
  /// skipped.
  Informer(ApiClient& client, ListWatchOptions options, ObjectSink& sink, Random& random,
           std::function<void(const Error&)> rejected);

  /// Runs until its TaskGroup is stopped. Spawn it there.
  http::Awaitable<void> run();

  /// Returns the name in metrics and messages: "pods".
  const std::string& name() const { return name_; }
  /// Returns the ages of list and watch, and the last failure.
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
