#include "proxy/core/max_forwards.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace bellows::proxy {
namespace {

constexpr std::string_view kMaxForwards = "max-forwards";
constexpr std::uint32_t kMostForwards = std::numeric_limits<std::int32_t>::max();
/// Methods of this hop when it is the last: all except CONNECT, which is always rejected.
constexpr std::string_view kAllow = "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";

/// Parses the count; returns nullopt if it is not a number. A number that is too large becomes the
/// maximum (RFC 9110 7.6.2).
std::optional<std::uint32_t> count_of(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::uint32_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  return read.ec == std::errc() ? std::min(count, kMostForwards) : kMostForwards;
}

bool is_given_twice(const http::Fields& fields) {
  std::size_t times = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) times += is_max_forwards(fields.name(i)) ? 1 : 0;
  return times > 1;
}

LocalReply malformed() {
  return local_reply_for(Error(ErrorKind::kMalformed, "Max-Forwards", "want one whole number, once",
                               ErrorSide::kDownstream));
}

}  // namespace

bool is_max_forwards(std::string_view name) {
  return http::equals_lower(name, kMaxForwards);
}

std::optional<std::uint32_t> remaining_hops(const http::RequestHead& head) {
  const auto value = head.fields.find(kMaxForwards);
  const auto count = value ? count_of(*value) : std::nullopt;
  return count && *count > 0 ? std::optional(*count - 1) : std::nullopt;
}

std::optional<LocalReply> local_reply_at_last_hop(const http::RequestHead& head) {
  const auto value = head.fields.find(kMaxForwards);
  if (!value) return std::nullopt;
  const std::optional<std::uint32_t> count = count_of(*value);
  if (!count || is_given_twice(head.fields)) return malformed();
  if (*count > 0) return std::nullopt;
  LocalReply reply;
  reply.status = head.method == "TRACE" ? 405 : 204;
  if (reply.status == 405) reply.body = "Max-Forwards is 0, and nothing is traced here.\n";
  reply.extra_lines = kAllow;
  reply.reason = "max-forwards";
  return reply;
}

}  // namespace bellows::proxy
