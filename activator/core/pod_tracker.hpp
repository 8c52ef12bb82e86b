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
  kHealthy,   ///< takes requests                                   -> kSetAside
  kSetAside,  ///< failed: takes nothing until a probe has answered -> kProbed, kHealthy (ready
              ///< anew)
  kProbed,    ///< a probe is on its way                            -> kHealthy, kSetAside
};
std::string_view to_string(PodHealth health);

/// What a request that ended says about its replica (not about the request).
enum class PodOutcome : std::uint8_t {
  kAnswered,  ///< it gave a response, whatever the status
  kUnknown,   ///< nothing learned: the caller left
  kFailed,    ///< refused, reset before a response, or did not accept in time
  kSilent,    ///< its app took the request and gave no answer, in time or at all, or none that can
              ///< be read: it may well be good for others, but not twice in a row
};

/// How long a replica is set aside before it is probed: doubled with each failure until a request
/// has been answered. One that was silent for the first time since then is not set aside at all.
inline constexpr Duration kFirstSetAside = std::chrono::milliseconds(100);
inline constexpr Duration kLongestSetAside = std::chrono::seconds(5);
/// What a replica said about its load counts half after each of these: it may be over by then, and
/// only the next answer would tell.
inline constexpr Duration kWordHalves = std::chrono::milliseconds(200);
/// Answers overtake each other on their connections by less than this.
inline constexpr Duration kOvertaking = std::chrono::milliseconds(20);

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
  /// Requests of this activator.
  std::int32_t in_flight() const { return in_flight_; }
  /// Those of others too, as far as the replica told.
  std::int32_t load(TimePoint now) const { return in_flight_ + others(now); }
  PodHealth health() const { return health_; }
  bool is_listed() const { return listed_; }
  /// Among those that this activator would use, but it is not trusted.
  bool is_set_aside() const { return is_usable() && health_ != PodHealth::kHealthy; }
  /// Listed, and this activator's.
  bool is_usable() const { return listed_ && is_ours_; }
  /// Chosen before others with the same load.
  bool is_preferred() const { return is_preferred_; }

  /// True if a request may be sent there now.
  bool can_take(TimePoint now) const;
  /// When the word of others' load, if that is what keeps it from taking more, counts less.
  std::optional<TimePoint> word_fades_at(TimePoint now) const;

  /// Occupies a slot; only if can_take(). The number goes back with give_back(): a failure of a
  /// request from before the replica was set aside is no news.
  std::uint32_t take(TimePoint now);

  /// A response head of its app came: a failure after this one begins with the shortest time aside
  /// again.
  void answered();
  /// The replica runs or holds `in_flight` requests, of whomever, this activator's included.
  void told(std::int32_t in_flight, TimePoint now);

  /// Frees the slot. True if the replica was set aside because of it.
  bool give_back(PodOutcome outcome, std::uint32_t taken, TimePoint now);

  /// When it is to be probed. `eagerly`: nobody else is there to take what waits, so it is asked
  /// every kFirstSetAside, and at once if it is aside for silence alone: one caller's request that
  /// makes every app drop it must not keep the others waiting.
  std::optional<TimePoint> probe_at(bool eagerly) const;
  void probe_begins() { health_ = PodHealth::kProbed; }
  /// True if that brought the replica back. The probe of one that is healthy by now says nothing.
  bool probe_ended(bool has_answered, TimePoint now);

  /// The cluster's newest word. One that became ready anew, or moved, is healthy again.
  void update(const ReplicaView& view, std::int32_t slots);
  /// The cluster no longer lists it as ready: takes nothing more.
  void unlist() { listed_ = false; }
  /// Whether this activator uses it at all.
  void assign(bool is_ours) { is_ours_ = is_ours; }
  void prefer(bool is_preferred) { is_preferred_ = is_preferred; }
  /// Takes nothing for the moment: somebody else is looked for.
  void pass_over(bool is_passed_over) { is_passed_over_ = is_passed_over; }

 private:
  std::int32_t others(TimePoint now) const;
  void note_own_level(TimePoint now);
  enum class Why : std::uint8_t { kFailure, kSilence };
  void set_aside(Why why, TimePoint now);
  void trust();

  ReplicaView view_;
  std::string title_;
  std::int32_t slots_;
  std::int32_t in_flight_ = 0;
  bool listed_ = true;
  bool is_ours_ = true;
  bool is_preferred_ = true;
  bool is_passed_over_ = false;
  PodHealth health_ = PodHealth::kHealthy;
  std::uint32_t times_aside_ = 0;
  TimePoint aside_since_{};
  TimePoint probe_at_{};
  Duration next_set_aside_ = kFirstSetAside;
  Why why_aside_ = Why::kFailure;
  bool was_silent_ = false;  // since it was last answered
  // What others have in flight there, as last told, and the most of our own at about that time.
  std::int32_t others_ = 0;
  std::int32_t own_peak_ = 0;
  std::int32_t own_peak_before_ = 0;
  TimePoint told_at_{};
  TimePoint peak_since_{};
};

}  // namespace bellows::activator
