// Writes a line for each request that has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "config/access_log_settings.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/access_line.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Lines are gathered for up to 100 ms or 32 KiB and then written at once. A reader that is slow
/// makes nobody wait: up to 256 KiB are kept for it, further lines are dropped, whole, and counted.
/// Programs make one only if the access log is on: without it a request costs a comparison. Owner:
/// the program; outlives the server that it observes. Thread: the io thread. Its end writes what
/// goes out at once.
class AccessLog final : private http::Deadline {
 public:
  /// Takes the front of `lines` and returns how many bytes that was; never waits.
  using Sink = std::function<std::size_t(std::string_view lines)>;

  /// `sink` empty: standard output.
  AccessLog(http::Reactor& reactor, const config::AccessLogSettings& settings, Sink sink = {});
  ~AccessLog() override;

  /// An exchange is over: an ExchangeObserver. Uses up its notes.
  void write(Exchange& exchange, const Outcome& outcome);
  /// Hands over what the sink takes.
  void flush();

  /// Lines lost because their reader was too slow.
  std::uint64_t dropped() const { return dropped_; }

 private:
  void on_deadline() override { flush(); }
  void append(const Exchange& exchange, const Outcome& outcome, const AccessNotes* notes);

  http::Reactor& reactor_;
  const AccessLine line_;
  const bool tells_probes_;
  const Sink sink_;
  std::string lines_;
  std::size_t next_try_;  // size of lines_ at which it is worth a write
  std::uint64_t dropped_ = 0;
};

}  // namespace bellows::proxy
