// Keeps the decisions of the last day for the next process, also for one after a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "autoscaler/history/saved_days.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"

namespace bellows::autoscaler {

class RevisionRegistry;

/// The file PATH has whole days and the failed starts, and PATH.tail what came after it; PATH is
/// written again once in an hour. Both are replaced whole, on another thread. Only the owner may
/// read them, because they have lines of apps. Owner: the service. Thread: the io thread.
class DayFile {
 public:
  /// `path`: empty: keeps nothing. `clock` outlives it.
  DayFile(std::string path, const sys::Clock& clock) : path_(std::move(path)), clock_(clock) {}

  /// Returns what a predecessor has saved; nullopt: nothing, or what this version cannot read,
  /// which is logged. Call it once, before save().
  std::optional<history::SavedDays> read();

  /// Returns true once in a minute, and when a revision has become one that cannot start.
  bool is_due(const RevisionRegistry& registry) const;
  /// Saves what is new, if anything is. One call at a time.
  http::Awaitable<void> save(http::net::io_context& io, const RevisionRegistry& registry);
  /// Saves all for a process that begins where this one has stopped. It is the last call.
  http::Awaitable<void> finish(http::net::io_context& io, const RevisionRegistry& registry);

 private:
  std::string tail() const { return path_ + ".tail"; }
  Duration wall_ahead() const;
  Result<history::SavedDays> read_file(const std::string& path) const;
  http::Awaitable<void> write(http::net::io_context& io, history::SavedDays days, bool is_whole);
  Result<void> write_files(const history::SavedDays& days, Duration wall_ahead,
                           bool is_whole) const;

  const std::string path_;
  const sys::Clock& clock_;
  std::optional<TimePoint> whole_at_;  // when PATH was written; nullopt: there is none
  TimePoint newest_;                   // SavedDays::newest() as it was saved last
  std::optional<TimePoint> saved_at_;
  std::uint64_t start_news_ = 0;  // of the registry at that time
  bool is_broken_ = false;
};

}  // namespace bellows::autoscaler
