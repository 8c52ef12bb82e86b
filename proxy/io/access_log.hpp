// Writes a line for each request that has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/sys/non_blocking_output.hpp"
#include "base/time.hpp"
#include "config/access_log_settings.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/access_line.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Where the lines go.
struct AccessSink {
  /// Takes the front of `lines`; never waits.
  std::function<sys::Written(std::string_view lines)> write;
  /// Returns when there may be room, or after so long. Empty: at the end nothing is waited for.
  std::function<void(Duration longest)> wait_for_room;
};

/// Lines are gathered for up to 100 ms or 32 KiB and then written at once. A reader that is slow
/// makes nobody wait, nor does a disk that is full: up to 256 KiB are kept for them, further lines
/// are dropped, whole, and counted. So are all once the reader has left. The first loss, and the
/// first failure, is a warning in the log. Programs make one only if the access log is on: without
/// it a request costs a comparison. Owner: the program; outlives the server that it observes.
/// Thread: the io thread. Its end gives a slow reader kLastWait.
class AccessLog final : private http::Deadline {
 public:
  static constexpr Duration kLastWait = std::chrono::seconds(1);

  /// `sink` empty: standard output.
  AccessLog(http::Reactor& reactor, const config::AccessLogSettings& settings,
            AccessSink sink = {});
  ~AccessLog() override;

  /// An exchange is over: an ExchangeObserver. Uses up its notes.
  void write(Exchange& exchange, const Outcome& outcome);
  /// Hands over what the sink takes.
  void flush();

  /// Lines lost: their reader was too slow or has left.
  std::uint64_t dropped() const { return dropped_; }

 private:
  void on_deadline() override { flush(); }
  void append(const Exchange& exchange, const Outcome& outcome, const AccessNotes* notes);
  /// False if something is left that does not go out at once.
  bool write_out();
  void write_the_rest();
  void lose_all();
  void warn_once(const std::string& because);

  http::Reactor& reactor_;
  const AccessLine line_;
  const bool tells_probes_;
  const AccessSink sink_;
  std::string lines_;
  std::size_t next_try_;  // size of lines_ at which it is worth a write
  std::uint64_t dropped_ = 0;
  int error_ = 0;  // of the last write
  bool has_warned_ = false;
};

}  // namespace bellows::proxy
