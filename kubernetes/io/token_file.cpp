#include "kubernetes/io/token_file.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/sys/file.hpp"
#include "base/text_parts.hpp"

namespace bellows::kubernetes {

namespace {

/// Kubelets replace tokens after four fifths of their lifetime, so a minute is short enough.
constexpr Duration kMaxAge = std::chrono::minutes(1);

Result<std::string> read_token(const std::string& path) {
  BELLOWS_TRY(const std::string text, sys::read_whole_file(path, "token"));
  return checked_token(text, "token " + path);
}

}  // namespace

Result<std::string> checked_token(std::string_view text, std::string culprit) {
  text = trimmed(text, " \t\r\n");
  if (text.empty()) return fail(ErrorKind::kInvalidSetting, std::move(culprit), "is empty");
  const bool is_one_word =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
  if (is_one_word) return std::string(text);
  return fail(ErrorKind::kInvalidSetting, std::move(culprit),
              "has a space or a control character within; want one token");
}

Result<std::string> TokenFile::token(TimePoint now) {
  const bool is_fresh = read_at_ && now - *read_at_ < kMaxAge && !is_rejected_;
  if (is_fresh) return token_;
  Result<std::string> read = read_token(path_);
  if (!read && (is_rejected_ || token_.empty())) return read;
  if (read) token_ = std::move(*read);
  read_at_ = now;
  is_rejected_ = false;
  return token_;
}

}  // namespace bellows::kubernetes
