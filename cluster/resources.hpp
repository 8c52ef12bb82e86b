// The usage, the events and the size of replicas: the part of the interface for vertical scaling.
// Child processes implement it with control groups (cluster/local), Kubernetes with its metrics,
// its pod events and its resize subresource.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// The usage of the app of one replica, without its queue-proxy. A usage that cannot be measured is
/// not reported, so zero always means zero.
struct AppUsage {
  RevisionId revision;
  PodName replica;
  TimePoint at;
  Duration over{};   ///< `cores` is the mean over it; zero: the first reading, `cores` is unknown
  double cores = 0;  ///< CPU in cores
  Bytes memory;      ///< working set at `at`: without file pages that can be reclaimed at once
};

/// An event of the app of one replica.
struct AppEvent {
  enum class What : std::uint8_t {
    kStarted,        ///< it has started
    kCrashed,        ///< it has ended without a request to do so
    kOomKilled,      ///< the kernel killed it, or one of its processes, because of memory
    kCrashLoop,      ///< it restarts with backoff from now on
    kCrashLoopOver,  ///< it became ready again
    kGone,           ///< the replica has gone
  };
  RevisionId revision;
  PodName replica;
  TimePoint at;
  What what;
  // kOomKilled only; 0: unknown.
  Bytes memory = {};   ///< its memory limit at that time
  Bytes request = {};  ///< its memory request at that time
};

/// The cluster calls its functions on the io thread, but never from inside a call to the cluster.
class ResourceListener {
 public:
  virtual ~ResourceListener() = default;
  virtual void on_usage(const AppUsage& usage) = 0;
  virtual void on_event(const AppEvent& event) = 0;
};

/// Thread: the io thread.
class SizeWriter {
 public:
  virtual ~SizeWriter() = default;

  /// Returns why sizes cannot be set here, one line for people; empty: they can be set.
  virtual std::string unsupported_reason() const = 0;

  /// Sets the size of replicas that start from now on. kNotFound: no such revision.
  virtual http::Awaitable<Result<void>> set_size_of_new_replicas(RevisionId revision,
                                                                 ReplicaSize size) = 0;

  /// Resizes one replica in place. An app that is down starts with that size. kNotFound: no such
  /// replica; kUnsupported: it has no control group of its own; kSystem: the kernel rejected the
  /// size, the error names the file.
  virtual http::Awaitable<Result<void>> resize(RevisionId revision, PodName replica,
                                               ReplicaSize size) = 0;
};

}  // namespace bellows::cluster
