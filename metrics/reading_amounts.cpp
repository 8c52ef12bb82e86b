#include "metrics/reading_amounts.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace bellows::metrics {
namespace {

using Amount = std::optional<std::uint64_t>;

/// Ordered as on the wire.
enum class Place : std::uint8_t {
  kCompleted,
  kErrors,
  kRefused,
  kCpu,
  kThrottled,
  kCpuLimit,
  kMemory,
  kMemoryLimit,
  kCpuPressure,
  kMemoryPressure,
};

struct Known {
  std::string_view name;
  std::uint64_t max;  // far above what a replica has: 10,000 busy cores, 4 PiB
};
constexpr std::array<Known, kReadingAmounts> kKnown = {{{"completed", 1'000'000'000},
                                                        {"errors", 1'000'000'000},
                                                        {"refused", 1'000'000'000},
                                                        {"cpu_us", 1'000'000'000'000},
                                                        {"throttled_us", 1'000'000'000'000},
                                                        {"cpu_limit_m", 10'000'000},
                                                        {"memory_kib", 4'398'046'511'104},
                                                        {"memory_limit_kib", 4'398'046'511'104},
                                                        {"cpu_pressure", 1000},
                                                        {"memory_pressure", 1000}}};

Error bad_field(std::string_view field, std::string message) {
  return {ErrorKind::kMalformed, std::string(field), std::move(message)};
}

Amount positive(std::int64_t amount) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(amount, 0));
}
Amount amount_of(const std::optional<Duration>& time) {
  if (!time) return std::nullopt;
  return positive(std::chrono::round<std::chrono::microseconds>(*time).count());
}
Amount amount_of(const std::optional<Bytes>& memory) {
  return memory ? positive(memory->value / 1024) : std::nullopt;
}
Amount amount_of(const std::optional<Millicores>& cpu) {
  return cpu ? positive(cpu->value) : std::nullopt;
}
/// Comparisons with NaN are false, so NaN becomes zero.
Amount amount_of(const std::optional<double>& share) {
  if (!share) return std::nullopt;
  const double valid = *share > 0 ? std::min(*share, 1.0) : 0.0;
  return static_cast<std::uint64_t>(valid * 1000 + 0.5);
}

}  // namespace

std::array<Amount, kReadingAmounts> amounts_of(const ReplicaReading& reading) {
  std::array<Amount, kReadingAmounts> amounts = {reading.completed,
                                                 reading.errors,
                                                 reading.refused,
                                                 amount_of(reading.cpu),
                                                 amount_of(reading.throttled),
                                                 amount_of(reading.cpu_limit),
                                                 amount_of(reading.memory),
                                                 amount_of(reading.memory_limit),
                                                 amount_of(reading.cpu_pressure),
                                                 amount_of(reading.memory_pressure)};
  for (std::size_t at = 0; at < amounts.size(); ++at) {
    if (amounts[at]) amounts[at] = std::min(*amounts[at], kKnown[at].max);
  }
  return amounts;
}

std::string_view amount_name(std::size_t at) {
  return kKnown[at].name;
}

Result<void> set_amount(ReplicaReading& reading, std::size_t at, Amount amount) {
  const auto place = static_cast<Place>(at);
  const std::string name(kKnown[at].name);
  if (!amount) {
    if (place > Place::kRefused) return {};
    return fail(bad_field("app", name + ": nil: must be an unsigned integer"));
  }
  if (*amount > kKnown[at].max) {
    return fail(bad_field("app", name + ": " + std::to_string(*amount) + ": must be at most " +
                                     std::to_string(kKnown[at].max)));
  }
  const auto value = static_cast<std::int64_t>(*amount);
  switch (place) {
    case Place::kCompleted:
      reading.completed = *amount;
      break;
    case Place::kErrors:
      reading.errors = *amount;
      break;
    case Place::kRefused:
      reading.refused = *amount;
      break;
    case Place::kCpu:
      reading.cpu = std::chrono::microseconds(value);
      break;
    case Place::kThrottled:
      reading.throttled = std::chrono::microseconds(value);
      break;
    case Place::kCpuLimit:
      reading.cpu_limit = Millicores{value};
      break;
    case Place::kMemory:
      reading.memory = kibibytes(value);
      break;
    case Place::kMemoryLimit:
      reading.memory_limit = kibibytes(value);
      break;
    case Place::kCpuPressure:
      reading.cpu_pressure = static_cast<double>(value) / 1000;
      break;
    case Place::kMemoryPressure:
      reading.memory_pressure = static_cast<double>(value) / 1000;
      break;
  }
  return {};
}

Result<void> check(const ReplicaReading& reading) {
  const std::string completed = std::to_string(reading.completed) + " completed requests";
  if (reading.errors > reading.completed) {
    return fail(bad_field("app", std::to_string(reading.errors) + " errors of " + completed));
  }
  std::uint64_t counted = 0;
  reading.times.for_each([&](std::size_t, std::uint32_t count) { counted += count; });
  if (counted > reading.completed) {
    return fail(bad_field("times", std::to_string(counted) + " service times of " + completed));
  }
  return {};
}

}  // namespace bellows::metrics
