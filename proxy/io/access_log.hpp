// Writes the access log: one line for each request that has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/sys/non_blocking_output.hpp"
#include "base/time.hpp"
#include "config/access_log_settings.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/access_line.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Destination of the lines.
struct AccessSink {
  /// Writes the first part of `lines`, as much as is possible without waiting.
  std::function<sys::Written(std::string_view lines)> write;
  /// Returns when the sink may take more, or after `longest`. Without it the destructor does not
  /// wait.
  std::function<void(Duration longest)> wait_for_room;
};

/// Buffers lines for up to 100 ms or 32 KiB and then writes them together. A slow reader or a full
/// disk does not block requests: up to 256 KiB are buffered; further lines are dropped as a whole
/// and counted, as are all lines once the reader has closed. The first loss and the first failure
/// are logged as a warning. Programs create one only if the access log is enabled; without it a
/// request costs a comparison. The destructor waits for a slow reader for kLastWait. Owner: the
/// program; it outlives the server that it observes. Thread: the io thread.
class AccessLog final : private http::Timer {
 public:
  static constexpr Duration kLastWait = std::chrono::seconds(1);

  /// Without `sink` it writes to standard output.
  AccessLog(http::Reactor& reactor, const config::AccessLogSettings& settings,
            AccessSink sink = {});
  ~AccessLog() override;

  /// Makes a log of the same format for another loop. It writes through `sink` to add() of this
  /// log, on the thread of this log.
  std::unique_ptr<AccessLog> for_loop(http::Reactor& reactor, AccessSink sink) const;
  /// Adds whole lines.
  void add(std::string_view lines);

  /// Adds the line of an exchange that has ended.
  void write(const Exchange& exchange, const Outcome& outcome);
  /// Writes as much as the sink takes.
  void flush();

  /// Returns the number of lines that were dropped because their reader was too slow or has closed.
  std::uint64_t dropped() const { return dropped_; }

 private:
  void on_expiry() override { flush(); }
  AccessLog(http::Reactor& reactor, const AccessLine& line, bool logs_probes, AccessSink sink);
  bool has_room(std::uint64_t lines);
  void flush_soon();
  void append(const Exchange& exchange, const Outcome& outcome, const AccessNotes* notes);
  /// Returns false if some lines could not be written.
  bool write_out();
  void write_remaining();
  void drop_all();
  void warn_once(const std::string& reason);

  http::Reactor& reactor_;
  const AccessLine line_;
  const bool logs_probes_;
  const AccessSink sink_;
  std::string lines_;
  std::size_t flush_at_;  // size of lines_ that causes a write
  std::uint64_t dropped_ = 0;
  int error_ = 0;  // of the last write
  bool has_warned_ = false;
};

}  // namespace bellows::proxy
