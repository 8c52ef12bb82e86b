// The interface to sources of usage: this machine's replicas, a Prometheus, a file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"
#include "recommender/core/observation.hpp"

namespace bellows::recommender {

/// Thread: the io thread. Owner: the service.
class UsageSource {
 public:
  virtual ~UsageSource() = default;

  /// Returns the culprit of errors: "this machine", "prometheus 127.0.0.1:9090", "file
  /// /var/usage.jsonl".
  virtual std::string name() const = 0;

  /// Returns the observations since the last call, in order of time per container. Missing samples
  /// are omitted, never zero. It returns within the source's own deadline. After an error, which
  /// names the source, the next call continues where the last success ended.
  virtual http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) = 0;
};

}  // namespace bellows::recommender
