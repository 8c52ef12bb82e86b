// What a fuzzer was given, read as a row of small numbers and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/sys/log.hpp"

namespace bellows::test {

/// From the first byte to the last; then zeros.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  bool is_empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  std::string_view bytes(std::size_t count) {
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(part.size());
    return part;
  }

 private:
  std::string_view rest_;
};

/// What a fuzzer was given, after `first` bytes that say how. Nothing is logged from then on.
inline Input input_after(std::size_t first, const std::uint8_t* data, std::size_t size) {
  static const bool is_quiet = [] {
    sys::log::set_sink([](std::string_view) {});
    return true;
  }();
  if (!is_quiet || size < first) return Input({});
  return Input(std::string_view(reinterpret_cast<const char*>(data), size).substr(first));
}

}  // namespace bellows::test
