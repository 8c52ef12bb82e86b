// A strict first-in-first-out line of requests that wait for room, bounded by count, bytes and age.
// Used by the queue-proxy's breaker and by the activator's hold queue. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::proxy {

class WaitingLine;

/// A place in a line. Owner: the request that waits; leaves the line when destroyed. The callbacks
/// come from inside the line's calls: they may take note and wake somebody, not call the line.
class Ticket {
 public:
  Ticket() = default;
  virtual ~Ticket();
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  bool is_waiting() const { return line_ != nullptr; }
  TimePoint joined() const { return joined_; }

 protected:
  /// It is this ticket's turn; it has left the line.
  virtual void on_granted() = 0;
  /// It waited longer than the line allows; it has left the line.
  virtual void on_expired() = 0;

 private:
  friend class WaitingLine;
  WaitingLine* line_ = nullptr;
  Ticket* previous_ = nullptr;
  Ticket* next_ = nullptr;
  TimePoint joined_{};
  std::size_t bytes_ = 0;
};

/// Bounds of a line. Zero age: none.
struct LineLimits {
  std::int64_t count = 0;
  Bytes bytes = mebibytes(64);
  Duration age = Duration::zero();
};

/// Why a line takes nobody more.
enum class LineFull : std::uint8_t { kCount, kBytes };

class WaitingLine {
 public:
  explicit WaitingLine(LineLimits limits) : limits_(limits) {}
  /// Nobody may wait any more: CHECK.
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  /// Behind all who joined by `joined`, which is the end of the line but for a request that joins
  /// again with its former instant; holding `bytes` of memory. nullopt: joined.
  std::optional<LineFull> join(Ticket& ticket, std::size_t bytes, TimePoint joined);
  void leave(Ticket& ticket);

  /// Takes the first out of the line and tells it. nullptr: the line is empty.
  Ticket* grant_first();
  /// Takes those out that have waited too long, and tells them. Returns how many.
  std::size_t expire(TimePoint now);

  bool empty() const { return first_ == nullptr; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const { return bytes_; }
  Ticket* first() const { return first_; }
  const LineLimits& limits() const { return limits_; }
  /// Those already in the line stay, whatever the new bounds.
  void set_limits(LineLimits limits) { limits_ = limits; }
  /// When a ticket that joined at `joined` will be too old.
  TimePoint expiry(TimePoint joined) const;

 private:
  void unlink(Ticket& ticket);

  LineLimits limits_;
  Ticket* first_ = nullptr;
  Ticket* last_ = nullptr;
  std::int64_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace bellows::proxy
