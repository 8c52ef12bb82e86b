// Results of the requests of one revision, to compare revisions. Pure.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace bellows::activator {

/// The end of a request.
struct RequestEnd {
  int status = 0;              ///< sent to the caller; 0: none
  bool is_incomplete = false;  ///< the replica ended its response too early
  bool has_caller = true;      ///< false: the caller disconnected before
  bool is_tunnel = false;      ///< its duration has no meaning
  Duration total{};            ///< since its arrival, the time in a queue included
};

/// Counts since the revision was added. A request whose caller disconnected shows nothing about the
/// revision.
class Served {
 public:
  void add(const RequestEnd& end) {
    if (!end.has_caller) return;
    ++requests_;
    if (end.status >= 500 || end.is_incomplete) ++errors_;
    if (!end.is_tunnel && end.total > slow_above_) ++slow_;
  }
  /// Counts requests that take longer as slow from now on.
  void count_slower_than(Duration limit) { slow_above_ = limit; }

  std::int64_t requests() const { return requests_; }
  std::int64_t errors() const { return errors_; }
  std::int64_t slow() const { return slow_; }

 private:
  std::int64_t requests_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t slow_ = 0;
  Duration slow_above_ = Duration::max();
};

}  // namespace bellows::activator
