// The fields of messages, for encoder and decoder only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bellows::metrics {

enum class Field : std::uint8_t {
  kUnknown,
  kVersion,
  kType,
  kRevision,
  kPod,
  kSource,
  kBoot,
  kSequence,
  kAge,
  kMean,
  kPeak,
  kRequests,
  kWaiting,
  kUnreachable,
  kApp,
  kTimes,
  kOccupied,
  kCount,
  kCapacity,
  kGeneration,
  kSettings,
  kRefused,
  kOwn,
};

inline constexpr std::array<std::string_view, 23> kKeys = {
    "(unknown)", "v",     "type",     "rev",      "pod",     "source",      "boot", "seq",
    "age_ms",    "mean",  "peak",     "requests", "waiting", "unreachable", "app",  "times",
    "occupied",  "count", "capacity", "gen",      "set",     "refused",     "own"};

constexpr std::string_view key_of(Field field) {
  return kKeys[static_cast<std::size_t>(field)];
}

constexpr std::uint32_t bit(Field field) {
  return std::uint32_t{1} << static_cast<unsigned>(field);
}

// The order in which encode() writes them, so that an error names the first missing one.
inline constexpr std::array kFieldsOfStat = {Field::kRevision, Field::kPod,      Field::kSource,
                                             Field::kBoot,     Field::kSequence, Field::kAge,
                                             Field::kMean,     Field::kPeak,     Field::kRequests};
inline constexpr std::array kFieldsOfTrigger = {Field::kRevision, Field::kPod, Field::kBoot,
                                                Field::kWaiting};
inline constexpr std::array kFieldsOfOrder = {Field::kRevision, Field::kPod, Field::kGeneration,
                                              Field::kSettings};
inline constexpr std::array kFieldsOfTaken = {Field::kRevision, Field::kPod, Field::kGeneration};

inline constexpr std::string_view kStat = "stat";
inline constexpr std::string_view kTrigger = "wake";
inline constexpr std::string_view kOrder = "settings";
inline constexpr std::string_view kTaken = "settings-taken";
inline constexpr std::string_view kReplica = "replica";
inline constexpr std::string_view kActivator = "activator";

inline constexpr std::uint64_t kMaxRequests = 1'000'000'000;

/// Returns true for visible ASCII of at least one byte.
bool is_name(std::string_view text, std::size_t max_bytes);
/// Returns true for at most kMaxTextBytes bytes without control characters.
bool is_text(std::string_view text);

}  // namespace bellows::metrics
