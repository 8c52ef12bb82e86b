#include "queue-proxy/core/http2_probe.hpp"

#include <utility>

#include "http/h2/core/preface.hpp"

namespace bellows::queue_proxy {

namespace {

constexpr std::size_t kFrameHead = 9;
constexpr std::uint8_t kData = 0;
constexpr std::uint8_t kHeaders = 1;
constexpr std::uint8_t kReset = 3;
constexpr std::uint8_t kSettings = 4;
constexpr std::uint8_t kGoAway = 7;
constexpr std::uint8_t kEndStream = 0x1;  // or ACK, on SETTINGS
constexpr std::uint8_t kEndHeaders = 0x4;
constexpr std::uint8_t kPadded = 0x8;
constexpr std::uint32_t kStream = 1;
constexpr std::size_t kMessageHead = 5;  // of gRPC: compression flag, length

char byte(std::size_t number) {
  return static_cast<char>(static_cast<unsigned char>(number & 0xffU));
}

std::size_t number(std::string_view bytes) {
  std::size_t sum = 0;
  for (const char c : bytes) sum = sum * 256 + static_cast<unsigned char>(c);
  return sum;
}

void append_number(std::size_t value, int bytes, std::string& out) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out += byte(value >> static_cast<unsigned>(shift));
  }
}

void append_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload, std::string& out) {
  append_number(payload.size(), 3, out);
  out += byte(type);
  out += byte(flags);
  append_number(stream, 4, out);
  out += payload;
}

/// Appends an integer with a prefix of `bits` (RFC 7541 5.1).
void append_integer(std::size_t value, unsigned bits, std::uint8_t pattern, std::string& out) {
  const std::size_t max = (std::size_t{1} << bits) - 1;
  if (value < max) {
    out += byte(pattern | value);
    return;
  }
  out += byte(pattern | max);
  for (value -= max; value >= 128; value /= 128) out += byte(value % 128 + 128);
  out += byte(value);
}

void append_text(std::string_view text, std::string& out) {
  append_integer(text.size(), 7, 0, out);
  out += text;
}

/// Appends a field without indexing, whose name is in the static table (RFC 7541 appendix A).
void append_field(std::size_t name, std::string_view value, std::string& out) {
  append_integer(name, 4, 0, out);
  append_text(value, out);
}

std::string call_fields(std::string_view authority) {
  constexpr std::size_t kAuthority = 1;
  constexpr std::size_t kPath = 4;
  constexpr std::size_t kContentType = 31;
  constexpr std::size_t kUserAgent = 58;
  std::string block = "\x83\x86";  // :method POST, :scheme http
  append_field(kPath, "/grpc.health.v1.Health/Check", block);
  append_field(kAuthority, authority, block);
  append_field(kContentType, "application/grpc", block);
  append_field(kUserAgent, "kube-probe/bellows", block);
  block += '\0';
  append_text("te", block);
  append_text("trailers", block);
  return block;
}

/// Returns a HealthCheckRequest with its field 1, the name of a service.
std::string call_message(std::string_view service) {
  std::string request;
  if (!service.empty()) {
    request += '\x0a';
    std::size_t size = service.size();
    for (; size >= 128; size /= 128) request += byte(size % 128 + 128);
    request += byte(size);
    request += service;
  }
  std::string message(1, '\0');
  append_number(request.size(), 4, message);
  return message + request;
}

/// Parses a HealthCheckResponse: field 1 is the status, and 1 is SERVING.
Health read_health(std::string_view message) {
  if (message.size() < kMessageHead) return Health::kFailed;
  if (message.front() != '\0') return Health::kFailed;
  const std::size_t size = number(message.substr(1, 4));
  message.remove_prefix(kMessageHead);
  if (message.size() < size) return Health::kFailed;
  return message.substr(0, size) == "\x08\x01" ? Health::kServing : Health::kNotServing;
}

}  // namespace

struct Http2Answer::Frame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string_view payload;

  bool ends_call() const { return stream == kStream && (flags & kEndStream) != 0; }
};

std::string http2_greeting() {
  std::string out(http2::kPreface);
  append_frame(kSettings, 0, 0, {}, out);
  return out;
}

std::string health_call(std::string_view authority, std::string_view service) {
  std::string out = http2_greeting();
  append_frame(kHeaders, kEndHeaders, kStream, call_fields(authority), out);
  append_frame(kData, kEndStream, kStream, call_message(service), out);
  return out;
}

bool Http2Answer::feed(std::string_view bytes) {
  bytes_ += bytes;
  total_ += bytes.size();
  if (total_ > kMaxBytes) return false;
  while (bytes_.size() >= kFrameHead) {
    const std::string_view all = bytes_;
    const std::size_t size = number(all.substr(0, 3));
    const Frame frame{.type = static_cast<std::uint8_t>(all[3]),
                      .flags = static_cast<std::uint8_t>(all[4]),
                      .stream = static_cast<std::uint32_t>(number(all.substr(5, 4))),
                      .payload = all.substr(kFrameHead, size)};
    // The first frame distinguishes HTTP/2 from text: "HTTP" has 'P' where a frame has its type.
    if (!has_settings_ && (frame.type != kSettings || frame.stream != 0)) return false;
    if (all.size() < kFrameHead + size) return true;
    if (!take_frame(frame)) return false;
    bytes_.erase(0, kFrameHead + size);
  }
  return true;
}

bool Http2Answer::take_frame(const Frame& frame) {
  switch (frame.type) {
    case kSettings:
      if ((frame.flags & kEndStream) == 0) append_frame(kSettings, kEndStream, 0, {}, reply_);
      has_settings_ = true;
      return true;
    case kData:
      if (frame.stream == kStream) take_data(frame);
      return true;
    case kHeaders:
      // Trailers end the call after a message, or instead of one.
      if (frame.ends_call() && !health_) health_ = read_health(message_);
      return true;
    case kReset:
      if (!health_) health_ = Health::kFailed;
      return true;
    case kGoAway:
      return health_.has_value();
    default:
      return true;
  }
}

void Http2Answer::take_data(const Frame& frame) {
  std::string_view payload = frame.payload;
  if ((frame.flags & kPadded) != 0 && !payload.empty()) {
    const std::size_t padding = number(payload.substr(0, 1));
    payload.remove_prefix(1);
    payload.remove_suffix(padding < payload.size() ? padding : payload.size());
  }
  message_ += payload;
  const bool is_whole =
      message_.size() >= kMessageHead &&
      message_.size() >= kMessageHead + number(std::string_view(message_).substr(1, 4));
  if (!health_ && (is_whole || frame.ends_call())) health_ = read_health(message_);
}

std::string Http2Answer::take_reply() {
  return std::exchange(reply_, {});
}

}  // namespace bellows::queue_proxy
