// Encodes stats, scale-from-zero triggers and settings: wire format version 1, msgpack.
// docs/formats/wire.md describes it byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/revision_name.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

inline constexpr std::uint64_t kWireVersion = 1;

/// Limits of decode(), all far above what a real source reports.
inline constexpr std::size_t kMaxPodBytes = 253;  ///< a DNS name; for a revision: kMaxRevisionBytes
inline constexpr double kMaxConcurrency = 1e9;    ///< of mean and peak
inline constexpr Duration kMaxAge = std::chrono::hours(24);
inline constexpr std::size_t kMaxMessageBytes = 4096;
inline constexpr std::size_t kMaxOrderBytes = 16384;  ///< of a SettingsOrder
inline constexpr std::size_t kMaxTexts = 32;          ///< settings in one map
inline constexpr std::size_t kMaxSettingBytes = 64;   ///< of a name
inline constexpr std::size_t kMaxTextBytes = 4096;    ///< of a value or a reason

/// One message of the stat stream.
using Message = std::variant<Stat, ScaleFromZeroTrigger, SettingsOrder, SettingsTaken>;

/// Returns one binary message. The caller ensures names of 1 to kMaxRevisionBytes and kMaxPodBytes
/// visible ASCII characters, and finite numbers >= 0. `age` is sent in whole milliseconds, rounded.
std::string encode(const Stat& stat);
std::string encode(const ScaleFromZeroTrigger& trigger);
/// Leaves out what decode() would refuse: names and texts that are too long or too many, last ones
/// first. Control characters become '?'.
std::string encode(const SettingsOrder& order);
std::string encode(const SettingsTaken& taken);

/// Parses one message. Unknown fields are skipped. It allocates the two names, the settings and a
/// small parser stack, whatever the input is; it throws nothing. kMalformed: the input is not
/// exactly one msgpack map, or a field is missing, given twice, of the wrong type or out of range;
/// the culprit is the field, and the message has its value and what is valid. kUnsupported: another
/// version; both are named. kTooLarge: larger than `max_bytes`.
Result<Message> decode(std::string_view bytes, std::size_t max_bytes = kMaxMessageBytes);

}  // namespace bellows::metrics
