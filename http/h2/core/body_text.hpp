// Removes the framing from the body of an HTTP/1.1 message. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/core/chunk_scanner.hpp"
#include "http/core/framing.hpp"

namespace bellows::http2 {

/// One body, read in order.
class BodyText {
 public:
  /// Begins a body. kClose: it ends when the sender closes.
  void begin(http::BodyFraming framing) {
    end_ = framing.end;
    left_ = framing.length;
    chunks_ = end_ == http::BodyEnd::kChunked
                  ? std::make_unique<http::ChunkScanner>(http::SizeBlanks::kRejected,
                                                         http::HopTrailers::kKept)
                  : nullptr;
  }

  /// Returns the next run of data, and removes it and the framing before it from `text`. It is
  /// empty if `text` has no more data, or if the body has ended or is broken.
  std::string_view next_data(std::string_view& text) {
    if (end_ == http::BodyEnd::kChunked) {
      return chunks_->is_complete() || chunks_->is_broken() ? std::string_view()
                                                            : chunks_->next_data(text);
    }
    const std::string_view data =
        end_ == http::BodyEnd::kClose
            ? text
            : text.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, text.size())));
    text.remove_prefix(data.size());
    left_ -= end_ == http::BodyEnd::kClose ? 0 : data.size();
    return data;
  }

  bool is_complete() const {
    if (end_ == http::BodyEnd::kChunked) return chunks_->is_complete();
    return end_ != http::BodyEnd::kClose && left_ == 0;
  }
  bool is_broken() const { return chunks_ && chunks_->is_broken(); }
  /// Returns true if the body ends when its sender closes.
  bool ends_with_close() const { return end_ == http::BodyEnd::kClose; }
  /// Returns the field lines of the trailers, once it is complete.
  std::string_view trailers() const { return chunks_ ? chunks_->trailers() : std::string_view(); }

 private:
  http::BodyEnd end_ = http::BodyEnd::kNone;
  std::uint64_t left_ = 0;                      // of kLength
  std::unique_ptr<http::ChunkScanner> chunks_;  // of kChunked
};

}  // namespace bellows::http2
