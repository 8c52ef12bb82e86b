// A replica's reading as whole numbers in the fixed order of the wire (docs/formats/wire.md,
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

/// Returns times in microseconds, memory in KiB, CPU limits in millicores, pressure in thousandths.
/// Amounts larger than a reader accepts are clamped.
std::array<std::optional<std::uint64_t>, kReadingAmounts> amounts_of(const ReplicaReading& reading);

/// Returns the name in errors and on the page: "cpu_us".
std::string_view amount_name(std::size_t at);

/// Sets the amount at that place. Returns kMalformed if it is out of range, or missing where it is
/// mandatory.
Result<void> set_amount(ReplicaReading& reading, std::size_t at,
                        std::optional<std::uint64_t> amount);

/// Returns kMalformed for an impossible reading, such as more errors than requests.
Result<void> check(const ReplicaReading& reading);

}  // namespace bellows::metrics
