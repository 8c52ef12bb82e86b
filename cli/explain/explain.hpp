// `bellows explain`: prints one decision of a journal as sentences.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/journal/decision_replay.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::cli {

/// The present and the local time zone of the user.
struct LocalTime {
  WallTime now;
  Duration utc_offset{};
};

/// Explains the decision that was in force at `at`, the latest one if `at` is empty. `at` is a
/// point in time for parse_time_spec(), or a duration, "12.5s": the "at" of the journal's lines, in
/// seconds. kNotFound: the journal starts later, or does not know it. kInvalidSetting: `at` is
/// neither.
Result<std::string> explain(const autoscaler::journal::JournalContents& journal,
                            const std::string& at, const LocalTime& local);

}  // namespace bellows::cli
