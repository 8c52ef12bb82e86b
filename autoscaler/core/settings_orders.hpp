// Which settings each queue-proxy should have, which it was sent, and what it answered. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/reach.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// The settings of revisions on their way to queue-proxies. A stream is a connection whose number
/// is used once; it is the one of a replica as soon as a stat of that replica that came by it was
/// believed. Each stream is sent the newest settings once, so a replica that connects again gets
/// them again. Owner: the service.
class SettingsOrders {
 public:
  using Stream = std::uint64_t;
  /// A queue-proxy without an answer for so long is of a version that takes no settings.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  /// Sets what the queue-proxies of a revision should take, by their names of the settings;
  /// nullopt: nothing. Returns the streams to which an order is due now.
  std::vector<Stream> want(const RevisionId& revision,
                           const std::optional<config::SettingTexts>& settings);
  void forget(const RevisionId& revision);

  /// Records that the stream is that of the replica. Returns true if an order is due to it.
  bool is_of(Stream stream, const RevisionId& revision, const PodName& pod);
  void ended(Stream stream);

  /// Returns the order that is due to a stream, which counts as sent at `now`; nullopt: none is.
  std::optional<metrics::SettingsOrder> next(Stream stream, TimePoint now);
  /// Records the answer to the newest order of the stream; ignores any other.
  void answered(Stream stream, const metrics::SettingsTaken& taken);

  /// Returns the settings of a revision that are not in effect in all of its connected replicas, by
  /// name. `settings`: those of the revision.
  std::vector<config::WithoutEffect> without_effect(const RevisionId& revision,
                                                    const config::RevisionSettings& settings,
                                                    TimePoint now) const;

  std::uint64_t sent() const { return sent_; }
  std::uint64_t answers() const { return answers_; }

 private:
  struct Wanted {
    std::uint64_t generation = 0;
    config::SettingTexts settings;
    std::set<Stream> streams;
  };
  struct Sender {
    RevisionId revision;
    PodName pod;
    std::uint64_t sent = 0;  // generation; 0: none
    TimePoint sent_at{};
    std::optional<metrics::SettingsTaken> taken;  // the answer to that
  };

  std::map<RevisionId, Wanted> wanted_;  // of revisions whose queue-proxies take settings
  std::map<Stream, Sender> senders_;
  std::uint64_t generations_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace bellows::autoscaler
