// A replica's reading as whole numbers in a fixed order, as the wire has it (docs/formats/wire.md,
// `app`).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::metrics {

inline constexpr std::size_t kReadingAmounts = 10;

/// Times in microseconds, memory in KiB, CPU limits in millicores, pressure in thousandths. Amounts
/// above what a reader accepts are clamped to it.
std::array<std::optional<std::uint64_t>, kReadingAmounts> amounts_of(const ReplicaReading& reading);

/// "cpu_us": its name in errors and on the page.
std::string_view amount_name(std::size_t at);

/// Sets the amount at that place. kMalformed: out of range, or nothing where there must be a
/// number.
Result<void> set_amount(ReplicaReading& reading, std::size_t at,
                        std::optional<std::uint64_t> amount);

/// kMalformed: a reading that nobody can measure, such as more errors than requests.
Result<void> check(const ReplicaReading& reading);

}  // namespace bellows::metrics
