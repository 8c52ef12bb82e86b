// `bellows explain`: one decision of a journal, told to a person.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/journal/journal_reader.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::cli {

/// Whoever asks: when, and in which local time (how far ahead of UTC).
struct Asker {
  WallTime now;
  Duration ahead{};
};

/// Explains the last decision that was made by `at` (as it was typed; empty: now, the newest one):
/// an instant as parse_moment() reads it, or a duration, "12.5s", on the time line of the journal's
/// lines, where `at` counts seconds.
/// kNotFound: the journal does not reach there; kInvalidSetting: `at` is no instant.
Result<std::string> explain(const autoscaler::journal::Told& journal, const std::string& at,
                            const Asker& asker);

}  // namespace bellows::cli
