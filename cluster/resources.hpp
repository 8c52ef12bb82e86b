// What replicas use, what befalls them, and how large they are: the part of the seam that vertical
// scaling needs. Child processes implement it by control groups (cluster/local); Kubernetes by its
// metrics, its pod events and its resize call.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// What the app of one replica used; its queue-proxy is not part of it. What could not be measured
/// is not told, so there is never a zero that means "unknown".
struct AppUsage {
  RevisionId revision;
  PodName replica;
  TimePoint at;
  Duration over{};   ///< the time that `cores` is a mean of; zero: the first reading, no `cores`
  double cores = 0;  ///< CPU in cores
  Bytes memory;      ///< working set at `at`: without file pages that can be dropped at once
};

/// What befell the app of one replica.
struct AppEvent {
  enum class What : std::uint8_t {
    kStarted,        ///< a life of it began
    kCrashed,        ///< it ended without being asked to
    kOomKilled,      ///< the kernel killed it, or a part of it, for memory
    kCrashLoop,      ///< it is now started again with growing delay only
    kCrashLoopOver,  ///< it was ready again
    kGone,           ///< the replica is no more
  };
  RevisionId revision;
  PodName replica;
  TimePoint at;
  What what;
  // kOomKilled only; 0: unknown.
  Bytes memory = {};   ///< the most it had: its limit at that time
  Bytes request = {};  ///< its memory request at that time
};

/// Told on the io thread, never from inside a call of ours.
class ResourceListener {
 public:
  virtual ~ResourceListener() = default;
  virtual void used(const AppUsage& usage) = 0;
  virtual void happened(const AppEvent& event) = 0;
};

/// Thread: the io thread.
class SizeWriter {
 public:
  virtual ~SizeWriter() = default;

  /// Why sizes cannot be set here, one line for people; empty: they can.
  virtual std::string cannot_write() const = 0;

  /// What replicas that are started from now on get. kNotFound: no such revision.
  virtual http::Awaitable<Result<void>> size_new(RevisionId revision, ReplicaSize size) = 0;

  /// Resizes one replica in place, also one whose app is down: it starts with that size then.
  /// kNotFound: no such replica; kUnsupported: it runs without a group of its own; kSystem: the
  /// system refused, and names the file.
  virtual http::Awaitable<Result<void>> resize(RevisionId revision, PodName replica,
                                               ReplicaSize size) = 0;
};

}  // namespace bellows::cluster
