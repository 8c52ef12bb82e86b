// Bytes that wait for their reader, in one piece. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace bellows::http2 {

/// Takes memory while it is not empty. At most 4 GiB.
class ByteQueue {
 public:
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view view() const { return {bytes_.get() + begin_, size()}; }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    reserve(bytes.size());
    std::memcpy(bytes_.get() + end_, bytes.data(), bytes.size());
    end_ += static_cast<std::uint32_t>(bytes.size());
  }

  /// Drops the first bytes. Invalidates views.
  void consume(std::size_t bytes) {
    begin_ += static_cast<std::uint32_t>(bytes);
    if (empty()) clear();
  }

  void clear() {
    bytes_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = 256;

  void reserve(std::size_t more) {
    if (capacity_ - end_ >= more) return;
    const std::size_t wanted = size() + more;
    if (wanted <= capacity_ / 2) {  // often enough that moving costs less than a byte's copy
      std::memmove(bytes_.get(), bytes_.get() + begin_, size());
    } else {
      const std::size_t capacity = std::bit_ceil(std::max(wanted, kLeast));
      std::unique_ptr<char[]> larger(new char[capacity]);  // NOLINT: not initialised on purpose
      if (!empty()) std::memcpy(larger.get(), bytes_.get() + begin_, size());
      bytes_ = std::move(larger);
      capacity_ = static_cast<std::uint32_t>(capacity);
    }
    end_ = static_cast<std::uint32_t>(size());
    begin_ = 0;
  }

  std::unique_ptr<char[]> bytes_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace bellows::http2
