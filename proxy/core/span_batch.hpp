// Spans that wait to be exported: bounded by number and bytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::proxy {

/// A batch on its way to the collector.
struct SpansTaken {
  std::string text;  ///< with commas between
  std::size_t count = 0;
};

/// At the bound a new span is dropped and counted: what waits is older, and complete traces are
/// worth more than parts of new ones. Owner: the exporter.
class SpanBatch {
 public:
  static constexpr std::size_t kMaxSpans = 2048;
  static constexpr std::size_t kMaxBytes = std::size_t{2} * 1024 * 1024;
  /// So many are sent without waiting for more.
  static constexpr std::size_t kEnough = 512;

  /// `span`: span_json(). False: dropped.
  bool add(std::string_view span);

  bool empty() const { return count_ == 0; }
  bool has_enough() const { return count_ >= kEnough; }
  std::uint64_t dropped() const { return dropped_; }

  /// All of them. The batch is empty then.
  SpansTaken take();

 private:
  std::string text_;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace bellows::proxy
