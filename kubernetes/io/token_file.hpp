// A bearer token in a file that is replaced periodically. Within kubernetes/io.
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

  /// Returns the token. It is read again if it is older than a minute or was rejected. If that
  /// fails, the previous one stays, unless it was rejected. Errors name the file: kNotFound,
  /// kInvalidSetting (empty, or more than one line).
  Result<std::string> token(TimePoint now);

  /// Makes the next call read the file, because the server has rejected the token.
  void forget() { is_rejected_ = true; }

 private:
  std::string path_;
  std::string token_;
  std::optional<TimePoint> read_at_;
  bool is_rejected_ = false;
};

/// Returns `text` without surrounding white space. An empty text, or a control character or space
/// within it, is kInvalidSetting; the message does not contain the token.
Result<std::string> checked_token(std::string_view text, std::string culprit);

}  // namespace bellows::kubernetes
