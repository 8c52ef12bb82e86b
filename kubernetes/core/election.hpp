// Which of several equal programs acts: the holder of a Lease. Source: client-go,
// tools/leaderelection (a lease counts by when this program saw it renewed, so clocks need not
// agree).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "kubernetes/core/lease.hpp"

namespace bellows::kubernetes {

/// A member of an election. As text, in Lease::holder: "NAME_ADDRESS_START".
struct Member {
  std::string name;     ///< of its pod
  Endpoint address;     ///< where the others reach it; without a host: nowhere
  std::uint64_t start;  ///< of this process: differs after a restart

  bool operator==(const Member&) const = default;
};

std::string to_string(const Member& member);
/// Returns nullopt if another program wrote the text.
std::optional<Member> read_member(const std::string& holder);

struct ElectionOptions {
  std::string ns;
  std::string name;  ///< of the Lease
  Duration lifetime = std::chrono::seconds(15);
  Duration renewal = std::chrono::seconds(5);
  /// The holder acts for this long after its last renewal. Less than `lifetime`, so that it has
  /// stopped before another one starts.
  Duration trust = std::chrono::seconds(10);
  Duration look = std::chrono::seconds(2);   ///< between two reads of the others
  Duration again = std::chrono::seconds(1);  ///< after a call that failed
};

/// The next action of a member.
struct ElectionStep {
  enum class Kind : std::uint8_t { kWait, kRead, kCreate, kReplace };
  Kind kind = Kind::kWait;
  TimePoint at = {};  ///< of kWait: when to ask again
  Lease lease = {};   ///< of kCreate and kReplace
};

/// Owner: the Elector. Pure. Call next() and carry out what it returns; then call read(), written()
/// or failed().
class Election {
 public:
  Election(ElectionOptions options, Member self);

  ElectionStep next(TimePoint now, WallTime wall) const;

  /// The server's Lease; nullopt: there is none.
  void read(std::optional<Lease> lease, TimePoint now);
  /// The server has stored a Lease of next(), which was sent at `sent`.
  void written(Lease lease, TimePoint sent, TimePoint now);
  /// A call failed. `is_outdated`: another client has changed, made or deleted the Lease.
  void failed(bool is_outdated, TimePoint now);
  /// The Lease is gone and the server allows no new one, because its namespace is being deleted.
  /// Nobody else can get it either, so who held it still acts.
  void forbidden(TimePoint now);
  /// `holder` cannot be reached: its Lease may be taken before it ends.
  void suspect(const std::string& holder);
  /// Returns the Lease to give up; nullopt: it is not held.
  std::optional<Lease> release() const;

  /// Returns true if this program may act at `now`.
  bool is_holder(TimePoint now) const;
  /// Returns true if another member has taken what this one held.
  bool is_lost() const { return is_lost_; }
  /// Returns Lease::holder as it was read last; empty: nobody.
  const std::string& holder() const { return seen_.holder; }
  bool is_own() const { return has_lease_ && seen_.holder == self_text_; }
  const Member& self() const { return self_; }

 private:
  bool may_take(TimePoint now) const;
  Lease wanted(WallTime wall) const;
  void see(Lease lease, TimePoint now);

  const ElectionOptions options_;
  const Member self_;
  const std::string self_text_;
  bool is_read_ = false;    // seen_ is the newest that this program can know
  bool has_lease_ = false;  // the server has one
  Lease seen_;
  TimePoint changed_;  // when seen_ was first seen
  TimePoint asked_;    // the last call
  TimePoint not_before_;
  std::optional<TimePoint> renewed_;  // own last renewal: when it was sent
  std::string suspect_;
  bool is_lost_ = false;
};

}  // namespace bellows::kubernetes
