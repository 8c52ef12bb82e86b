// A bearer token in a file that is replaced from time to time. Within kubernetes/io.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

/// Owner: the credentials. Thread: the io thread.
class TokenFile {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  /// The token; read again if it is older than a minute or was forgotten. If that fails, the one
  /// that was read before stays, unless it was forgotten. Errors name the file: kNotFound,
  /// kInvalidSetting (empty, or more than one line).
  Result<std::string> token(TimePoint now);

  /// The server rejects it: the next call reads the file.
  void forget() { is_rejected_ = true; }

 private:
  std::string path_;
  std::string token_;
  std::optional<TimePoint> read_at_;
  bool is_rejected_ = false;
};

/// `text` without white space around it. kInvalidSetting: empty, or with a control character or a
/// space within; the token itself is not in the message.
Result<std::string> checked_token(std::string_view text, std::string culprit);

}  // namespace bellows::kubernetes
