#include "proxy/core/grpc.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/printable_text.hpp"
#include "base/read_number.hpp"
#include "http/core/head.hpp"
#include "http/core/status.hpp"
#include "proxy/core/hop_headers.hpp"

namespace bellows::proxy {

namespace {

constexpr std::string_view kGrpcType = "application/grpc";
constexpr std::size_t kMaxTimeoutDigits = 8;

/// Returns true for "application/grpc" alone, with a suffix ("+proto") or with a parameter.
/// gRPC-Web is another type: its callers read an HTTP status.
bool is_grpc_type(std::string_view type) {
  if (type.size() < kGrpcType.size()) return false;
  if (!http::equals_lower(type.substr(0, kGrpcType.size()), kGrpcType)) return false;
  return type.size() == kGrpcType.size() ||
         std::string_view("+; ").find(type[kGrpcType.size()]) != std::string_view::npos;
}

struct Unit {
  char name;
  Duration length;
};

constexpr std::array<Unit, 6> kUnits{{{'H', std::chrono::hours(1)},
                                      {'M', std::chrono::minutes(1)},
                                      {'S', std::chrono::seconds(1)},
                                      {'m', std::chrono::milliseconds(1)},
                                      {'u', std::chrono::microseconds(1)},
                                      {'n', std::chrono::nanoseconds(1)}}};

constexpr std::uint32_t kPrefixBytes = 5;
constexpr std::size_t kMaxEndText = 2048;

/// Returns the value of a field among lines.
std::optional<std::string_view> trailer_in(std::string_view lines, std::string_view lower_name) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find("\r\n"), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 2, lines.size()));
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (colon == line.size() || !http::equals_lower(line.substr(0, colon), lower_name)) continue;
    return http::trim_ows(line.substr(colon + 1));
  }
  return std::nullopt;
}

/// Returns the text without the culprit, whose name and address are for operators.
std::string generic_end_text(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kTimeout:
      return error.message();
    case ErrorKind::kCancelled:
      return "the server stopped in the middle of the response";
    default:
      return "the service ended in the middle of its response";
  }
}

constexpr Duration kLongest = std::chrono::hours(24) * 36525;

}  // namespace

bool is_grpc_call(const http::RequestHead& head) {
  if (head.method != "POST") return false;
  const auto type = head.fields.find(http::FieldId::kContentType);
  return type && is_grpc_type(*type);
}

bool is_grpc_call(std::string_view head_bytes) {
  if (!head_bytes.starts_with("POST ")) return false;
  constexpr std::string_view kName = "content-type:";
  while (!head_bytes.empty()) {
    const std::size_t end = head_bytes.find('\n');
    const std::string_view line = head_bytes.substr(0, end);
    head_bytes.remove_prefix(end == std::string_view::npos ? head_bytes.size() : end + 1);
    if (line.empty() || line == "\r") break;
    if (line.size() <= kName.size()) continue;
    if (!http::equals_lower(line.substr(0, kName.size()), kName)) continue;
    std::string_view value = line.substr(kName.size());
    if (value.ends_with('\r')) value.remove_suffix(1);
    return is_grpc_type(http::trim_ows(value));
  }
  return false;
}

bool is_grpc_reply(const http::ResponseHead& head) {
  if (head.status != 200) return false;
  const auto type = head.fields.find(http::FieldId::kContentType);
  return type && is_grpc_type(*type);
}

void GrpcMessages::feed(std::string_view data) {
  while (!data.empty()) {
    if (left_ > 0 && prefix_bytes_ == 0) {
      const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(left_, data.size()));
      left_ -= size;
      data.remove_prefix(size);
      continue;
    }
    if (prefix_bytes_ > 0) left_ = left_ << 8U | static_cast<unsigned char>(data.front());
    data.remove_prefix(1);
    if (++prefix_bytes_ == kPrefixBytes) prefix_bytes_ = 0;
  }
}

std::optional<Duration> read_grpc_timeout(std::string_view value) {
  if (value.size() < 2 || value.size() > kMaxTimeoutDigits + 1) return std::nullopt;
  const auto number = read_number<std::uint32_t>(value.substr(0, value.size() - 1));
  if (!number) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (unit.name != value.back()) continue;
    if (*number > kLongest / unit.length) return std::nullopt;
    return *number * unit.length;
  }
  return std::nullopt;
}

std::optional<Duration> grpc_timeout_of(const http::RequestHead& head) {
  if (!is_grpc_call(head)) return std::nullopt;
  const auto value = head.fields.find(http::FieldId::kGrpcTimeout);
  return value ? read_grpc_timeout(*value) : std::nullopt;
}

GrpcStatus grpc_status_of(int http_status, std::string_view reason) {
  if (reason == to_string(ErrorKind::kTooLarge)) return GrpcStatus::kResourceExhausted;
  switch (http_status) {
    case 404:
    case 405:
    case 410:
    case 501:
    case 505:
      return GrpcStatus::kUnimplemented;
    case 408:
    case 504:
      return GrpcStatus::kDeadlineExceeded;
    case 413:
    case 414:
    case 431:
      return GrpcStatus::kResourceExhausted;
    case 429:
    case 502:
    case 503:
      return GrpcStatus::kUnavailable;
    default:
      return GrpcStatus::kInternal;
  }
}

int grpc_status_of(const LocalReply& reply) {
  return reply.grpc_status.value_or(static_cast<int>(grpc_status_of(reply.status, reply.reason)));
}

std::optional<int> grpc_status_of_reset(std::uint32_t http2_code) {
  const auto status = [http2_code] {
    switch (http2_code) {
      case 0x7:  // REFUSED_STREAM
        return GrpcStatus::kUnavailable;
      case 0x8:  // CANCEL
        return GrpcStatus::kCancelled;
      case 0xb:  // ENHANCE_YOUR_CALM
        return GrpcStatus::kResourceExhausted;
      case 0xc:  // INADEQUATE_SECURITY
        return GrpcStatus::kPermissionDenied;
      default:
        return GrpcStatus::kInternal;
    }
  };
  if (http2_code == 0) return std::nullopt;
  return static_cast<int>(status());
}

std::optional<int> grpc_status_in(const http::Fields& fields) {
  const auto value = fields.find(http::FieldId::kGrpcStatus);
  return value ? read_number<int>(*value) : std::nullopt;
}

std::optional<int> grpc_status_in(std::string_view trailers) {
  const auto value = trailer_in(trailers, "grpc-status");
  return value ? read_number<int>(*value) : std::nullopt;
}

int append_grpc_end(const Error& error, config::ErrorDetail detail, std::string& out) {
  const int status =
      static_cast<int>(grpc_status_of(http::status_of(error), to_string(error.kind())));
  out += "grpc-status: ";
  out += std::to_string(status);
  out += "\r\ngrpc-message: ";
  append_grpc_message(detail == config::ErrorDetail::kFull
                          ? printable(to_string(error), kMaxEndText)
                          : generic_end_text(error),
                      out);
  out += "\r\n";
  append_hop_headers({.reason = to_string(error.kind())}, out);
  return status;
}

std::optional<ErrorKind> grpc_end_in(std::string_view trailers) {
  const auto reason = trailer_in(trailers, kReasonHeader.lower);
  return reason ? error_kind(*reason) : std::nullopt;
}

void append_grpc_message(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xfU];
  }
}

void append_grpc_lines(const LocalReply& reply, std::string& out) {
  const std::string_view body = reply.body;
  out += "Content-Type: application/grpc\r\ngrpc-status: ";
  out += std::to_string(grpc_status_of(reply));
  out += "\r\ngrpc-message: ";
  append_grpc_message(body.substr(0, body.find_last_not_of('\n') + 1), out);
  out += "\r\n";
  if (reply.retry_after_seconds) {
    out += "grpc-retry-pushback-ms: ";
    out += std::to_string(std::int64_t{*reply.retry_after_seconds} * 1000);
    out += "\r\n";
  }
}

void write_grpc_reply(const LocalReply& reply, bool keep_alive, std::string_view date_line,
                      std::string& out) {
  out += "HTTP/1.1 200 OK\r\n";
  append_grpc_lines(reply, out);
  out += "Content-Length: 0\r\n";
  if (!reply.reason.empty()) append_hop_headers({.reason = reply.reason}, out);
  out += reply.extra_lines;
  out += date_line;
  out += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
}

}  // namespace bellows::proxy
