// A text that is stored in place while it is short, because names of 150,000 pods are compared in
// the pods' own memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bellows::slack {

/// A view of it ends with its next change. Owner: the record that it names.
class ShortText {
 public:
  /// "kube-system/coredns-5d78c9869d-x2x9z" has 36 characters.
  static constexpr std::size_t kInPlace = 39;

  ShortText() = default;
  ShortText& operator=(std::string_view text) {
    const bool is_short = text.size() <= kInPlace;
    long_ = is_short ? nullptr : std::make_unique<const std::string>(text);
    size_ = is_short ? static_cast<std::uint8_t>(text.size()) : 0;
    if (is_short) std::copy(text.begin(), text.end(), text_.begin());
    return *this;
  }

  std::string_view view() const {
    return long_ ? std::string_view(*long_) : std::string_view(text_.data(), size_);
  }

 private:
  std::unique_ptr<const std::string> long_;  // only for texts longer than kInPlace
  std::array<char, kInPlace> text_{};
  std::uint8_t size_ = 0;
};

}  // namespace bellows::slack
