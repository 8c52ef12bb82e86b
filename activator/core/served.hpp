// What became of the requests of one revision, for those who compare revisions. Pure.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace bellows::activator {

/// How a request ended.
struct RequestEnd {
  int status = 0;              ///< sent to the caller; 0: none
  bool is_incomplete = false;  ///< its response ended too early because of the replica
  bool has_caller = true;      ///< false: the caller left before
  bool is_tunnel = false;      ///< takes as long as it takes
  Duration total{};            ///< from its arrival, the time in a queue included
};

/// Counts since the revision came. A request whose caller left says nothing about the revision.
class Served {
 public:
  void add(const RequestEnd& end) {
    if (!end.has_caller) return;
    ++requests_;
    if (end.status >= 500 || end.is_incomplete) ++errors_;
    if (!end.is_tunnel && end.total > slow_above_) ++slow_;
  }
  /// Requests that take longer count as slow from now on.
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
