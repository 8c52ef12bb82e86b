#include "config/worker_count.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/read_number.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::size_t kMost = 64;

std::optional<std::string> read_workers(std::string_view text) {
  const auto number = read_number<std::size_t>(text);
  const bool is_number = number && *number >= 1 && *number <= kMost && text.front() != '0';
  if (text != kAuto && !is_number) return std::nullopt;
  return std::string(text);
}

}  // namespace

TextFormat workers_format() {
  return {.want = "auto, or a whole number from 1 to 64", .read = read_workers};
}

std::size_t worker_count(const std::string& workers, std::size_t cores) {
  if (workers == kAuto) return std::clamp<std::size_t>(cores, 1, kMost);
  return read_number<std::size_t>(workers).value_or(1);
}

}  // namespace bellows::config
