// The details withheld from callers: that of each local reply, by request id.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "base/rate_limit.hpp"
#include "base/time.hpp"

namespace bellows::proxy {

/// One local reply to an error.
struct LoggedReply {
  std::string request_id;
  WallTime at{};
  int status = 0;
  std::string reason;  ///< kind of the error
  std::string method;
  std::string host;
  std::string path;    ///< without its query, which may contain secrets
  std::string detail;  ///< printable
};

/// Keeps the last kKept replies and writes each to the program's log, at most kLines at once and
/// then ten a second, so that a caller that fails on purpose cannot fill the disk. The next line
/// counts the omitted ones. Owner: the server. Thread: the io thread.
class ReplyLog {
 public:
  static constexpr std::size_t kKept = 1024;
  static constexpr std::int32_t kLines = 100;
  /// Limit of each text that a caller or an app has chosen.
  static constexpr std::size_t kMaxText = 1024;

  /// `seed` generates the request ids.
  explicit ReplyLog(std::uint64_t seed) : random_(seed) {}

  /// Returns 16 hexadecimal digits.
  std::string new_request_id();

  void add(LoggedReply reply, TimePoint now);

  /// Returns the replies with that id, the newest first.
  std::vector<const LoggedReply*> find(std::string_view request_id) const;

 private:
  SeededRandom random_;
  RateLimit lines_{kLines, std::chrono::milliseconds(100)};
  std::deque<LoggedReply> kept_;
};

/// Returns {"version":1,"replies":[{"request_id":"...","at":"...","status":503,...}]}
std::string replies_json(const std::vector<const LoggedReply*>& replies);

}  // namespace bellows::proxy
