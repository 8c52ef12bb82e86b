// Stores the last cold starts, for GET /v1/cold-starts and the demonstration, and logs each.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "activator/core/cold_start.hpp"

namespace bellows::activator {

/// Owner: the ActivatorService. Thread: the io thread.
class ColdStartJournal {
 public:
  static constexpr std::size_t kKept = 100;

  /// Adds a cold start whose response begins now, at `at`.
  void add(ColdStart start, WallTime at);

  /// Returns them, the oldest first.
  const std::deque<ColdStart>& kept() const { return kept_; }

  /// Returns
  /// {"version":1,"cold_starts":[{"at":"...","service":"web","revision":"web-00001",
  /// "replica":"web-00001-1","trace_id":"...","ordered_ms":2.1,...,"first_byte_ms":812.5}]}, the
  /// newest first. Each number is the time since the first request was held, 0 if it happened
  /// before.
  std::string json() const;

 private:
  std::deque<ColdStart> kept_;
  std::deque<WallTime> ended_;  // parallel to kept_
};

}  // namespace bellows::activator
