// Spans that wait for export, limited by number and bytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::proxy {

/// A batch taken for the collector.
struct SpansTaken {
  std::string text;  ///< separated by commas
  std::size_t count = 0;
};

/// Drops and counts new spans at the limit: waiting spans are older, and complete traces are more
/// useful than parts of new ones. Owner: the exporter.
class SpanBatch {
 public:
  static constexpr std::size_t kMaxSpans = 2048;
  static constexpr std::size_t kMaxBytes = std::size_t{2} * 1024 * 1024;
  /// Size of a batch that is sent at once.
  static constexpr std::size_t kEnough = 512;

  /// Adds a result of span_json(). Returns false if it was dropped.
  bool add(std::string_view span);

  bool empty() const { return count_ == 0; }
  bool has_enough() const { return count_ >= kEnough; }
  std::uint64_t dropped() const { return dropped_; }

  /// Returns all spans. The batch is empty then.
  SpansTaken take();

 private:
  std::string text_;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace bellows::proxy
