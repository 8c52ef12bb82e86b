// One replica as one activator sees it: its slots, what runs in them, and whether it is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// A replica that the cluster calls ready.
struct ReplicaView {
  PodName name;
  Endpoint address;
  TimePoint ordered{};
  std::optional<TimePoint> process_started{};
  std::optional<TimePoint> ready{};  ///< changes when it became ready anew (its app was restarted)

  bool operator==(const ReplicaView&) const = default;
};

/// Trust in a replica. Each state lists the states that may follow.
enum class PodHealth : std::uint8_t {
  kHealthy,   ///< takes requests                                -> kSetAside
  kSetAside,  ///< failed: takes nothing for a while, then a trial -> kOnTrial, kHealthy
  kOnTrial,   ///< one request finds out whether it is well      -> kHealthy, kSetAside
};
std::string_view to_string(PodHealth health);

/// What a request that ended says about its replica (not about the request).
enum class PodOutcome : std::uint8_t {
  kAnswered,  ///< it gave a response, whatever the status
  kUnknown,   ///< nothing learned: the caller left, or the request's own time was over
  kFailed,    ///< refused, reset before a response, or did not accept in time
};

/// How long a replica is set aside after a failure: doubled with each failed trial.
inline constexpr Duration kFirstSetAside = std::chrono::milliseconds(100);
inline constexpr Duration kLongestSetAside = std::chrono::seconds(5);

/// Owner: the RevisionThrottler of its revision. It stays until its last request has ended, even if
/// the cluster no longer lists it.
class PodTracker {
 public:
  /// `slots`: requests it may run at once (container-concurrency); 0 = no limit.
  PodTracker(ReplicaView view, std::int32_t slots);

  const ReplicaView& view() const { return view_; }
  const PodName& name() const { return view_.name; }
  const Endpoint& address() const { return view_.address; }
  /// "replica web-1": the culprit of its errors.
  const std::string& title() const { return title_; }
  std::int32_t in_flight() const { return in_flight_; }
  PodHealth health() const { return health_; }
  bool is_listed() const { return listed_; }

  /// True if a request may be sent there now.
  bool can_take(TimePoint now) const;
  /// When a trial may begin, if that is what it waits for.
  std::optional<TimePoint> trial_at() const;

  /// Occupies a slot; only if can_take(). True: this request is the trial.
  bool take(TimePoint now);

  /// A response head came: enough to end a trial well, long before a streaming response ends. True
  /// if that brought the replica back.
  bool answered(bool on_trial);

  /// Frees the slot of a request that was or was not the trial. True if the replica was set aside
  /// because of it.
  bool give_back(PodOutcome outcome, bool on_trial, TimePoint now);

  /// The cluster's newest word. One that became ready anew, or moved, is healthy again.
  void update(const ReplicaView& view, std::int32_t slots);
  /// The cluster no longer lists it as ready: takes nothing more.
  void unlist() { listed_ = false; }

 private:
  void set_aside(TimePoint now);
  void trust();

  ReplicaView view_;
  std::string title_;
  std::int32_t slots_;
  std::int32_t in_flight_ = 0;
  bool listed_ = true;
  PodHealth health_ = PodHealth::kHealthy;
  TimePoint back_at_{};
  Duration next_set_aside_ = kFirstSetAside;
};

}  // namespace bellows::activator
