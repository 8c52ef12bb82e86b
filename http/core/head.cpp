#include "http/core/head.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "base/check.hpp"
#include "http/core/byte_class.hpp"
#include "http/core/field_reader.hpp"

namespace bellows::http {

namespace {

std::optional<HeadFault> read_version(std::string_view text, int& minor_version) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7])) {
    return HeadFault::kBadVersion;
  }
  if (text[5] != '1') return HeadFault::kVersionUnsupported;
  minor_version = text[7] == '0' ? 0 : 1;
  return std::nullopt;
}

/// Reads "http://host:port/path": its host overrides the Host field.
std::optional<HeadFault> read_absolute_target(RequestHead& head) {
  const std::size_t scheme_end = head.target.find("://");
  const std::string_view scheme = head.target.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos ||
      !(equals_lower(scheme, "http") || equals_lower(scheme, "https"))) {
    return HeadFault::kBadTarget;
  }
  const std::string_view rest = head.target.substr(scheme_end + 3);
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  head.host = rest.substr(0, authority_end);
  if (head.host.empty()) return HeadFault::kBadTarget;
  if (const auto fault = host_fault(head.host)) {
    return *fault == HeadFault::kBadHost ? HeadFault::kBadTarget : *fault;
  }
  head.path = rest.substr(authority_end);
  return std::nullopt;
}

std::optional<HeadFault> read_target(RequestHead& head) {
  for (const char c : head.target) {
    if (c <= ' ' || c > '~' || c == '#') return HeadFault::kBadTarget;
  }
  if (head.method == "CONNECT") return HeadFault::kConnectUnsupported;
  head.path = head.target;
  head.query = {};
  if (head.target == "*") {
    return head.method == "OPTIONS" ? std::nullopt : std::optional(HeadFault::kBadTarget);
  }
  if (head.target.front() != '/') {
    if (const auto fault = read_absolute_target(head)) return fault;
  }
  const std::size_t path_end = std::min(head.path.find('?'), head.path.size());
  head.query = head.path.substr(path_end);
  head.path = head.path.substr(0, path_end);
  const bool asks_server = head.method == "OPTIONS" && head.query.empty();
  if (head.path.empty()) head.path = asks_server ? "*" : "/";
  return std::nullopt;
}

std::optional<HeadFault> read_start_line(std::string_view line, RequestHead& head) {
  const std::size_t method_end = line.find(' ');
  const std::size_t target_end = line.rfind(' ');
  if (method_end == std::string_view::npos || method_end == target_end) {
    return HeadFault::kBadRequestLine;
  }
  head.method = line.substr(0, method_end);
  if (head.method.empty() || !are_class(head.method, kTokenByte)) {
    return HeadFault::kBadMethod;
  }
  head.target = line.substr(method_end + 1, target_end - method_end - 1);
  if (head.target.empty()) return HeadFault::kBadRequestLine;
  if (const auto fault = read_version(line.substr(target_end + 1), head.minor_version)) {
    return fault;
  }
  return read_target(head);
}

std::optional<HeadFault> read_start_line(std::string_view line, ResponseHead& head) {
  constexpr std::size_t kVersion = 8;
  constexpr std::size_t kStatusEnd = 12;
  if (line.size() < kStatusEnd || line[kVersion] != ' ') return HeadFault::kBadStatusLine;
  if (const auto fault = read_version(line.substr(0, kVersion), head.minor_version)) return fault;
  head.status = 0;
  for (const char c : line.substr(kVersion + 1, 3)) {
    if (c < '0' || c > '9') return HeadFault::kBadStatusLine;
    head.status = head.status * 10 + (c - '0');
  }
  // Codes above 599 are undefined, but apps send them to their own clients (RFC 9110 15).
  if (head.status < 100) return HeadFault::kBadStatusLine;
  // A status line without the space before an empty reason is common and harmless.
  head.reason = {};
  if (line.size() == kStatusEnd) return std::nullopt;
  if (line[kStatusEnd] != ' ') return HeadFault::kBadStatusLine;
  head.reason = line.substr(kStatusEnd + 1);
  return are_value_bytes(head.reason) ? std::nullopt : std::optional(HeadFault::kBadStatusLine);
}

std::optional<HeadFault> note_request_field(FieldId id, std::string_view value, RequestHead& head,
                                            bool is_second_host) {
  if (id == FieldId::kHost) {
    if (is_second_host) return HeadFault::kDuplicateHost;
    if (const auto fault = host_fault(value)) return fault;
    if (!head.is_absolute()) head.host = value;
  }
  if (id == FieldId::kExpect && head.minor_version > 0) {
    if (!equals_lower(value, "100-continue")) return HeadFault::kBadExpect;
    head.expects_continue = true;
  }
  return std::nullopt;
}

/// Records what the newest field means for the message.
template <class Head>
std::optional<HeadFault> note_field(Head& head, bool had_host) {
  const std::size_t last = head.fields.size() - 1;
  const FieldId id = head.fields.id(last);
  if (id == FieldId::kOther) return std::nullopt;
  const std::string_view value = head.fields.value(last);
  switch (id) {
    case FieldId::kContentLength:
      return Head::kIsRequest ? note_content_length(value, head.framing)
                              : note_equal_lengths(value, head.framing);
    case FieldId::kTransferEncoding:
      return note_transfer_encoding(value, head.framing);
    case FieldId::kConnection:
      note_connection(value, head.connection);
      return std::nullopt;
    default:
      break;
  }
  if constexpr (Head::kIsRequest) return note_request_field(id, value, head, had_host);
  return std::nullopt;
}

/// Performs the checks that need the whole head.
std::optional<HeadFault> check_whole(const RequestHead& head) {
  if (head.framing.chunked && head.framing.content_length) return HeadFault::kLengthAndChunked;
  if (head.framing.chunked && head.minor_version == 0) return HeadFault::kTransferEncodingInHttp10;
  if (head.minor_version > 0 && !head.fields.has(FieldId::kHost)) return HeadFault::kMissingHost;
  return std::nullopt;
}

std::optional<HeadFault> check_whole(ResponseHead& head) {
  if (head.framing.chunked && (head.framing.content_length || head.minor_version == 0)) {
    head.framing.content_length.reset();
    head.connection.close = true;
  }
  return std::nullopt;
}

}  // namespace

void Fields::add_more(const Entry& entry) {
  if (more_.capacity() == 0) more_.reserve(kMore);
  more_.push_back(entry);
}

void Fields::clear() {
  count_ = 0;
  present_ = 0;
  more_.clear();
  if (more_.capacity() > kKept) more_ = {};
}

std::optional<std::string_view> Fields::find(FieldId wanted) const {
  for (std::size_t i = 0; has(wanted) && i < count_; ++i) {
    if (entry(i).id == wanted) return value(i);
  }
  return std::nullopt;
}

std::optional<std::string_view> Fields::find(std::string_view lower_name) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (equals_lower(name(i), lower_name)) return value(i);
  }
  return std::nullopt;
}

bool RequestHead::keeps_alive() const {
  if (connection.close) return false;
  return minor_version > 0 || connection.keep_alive;
}

bool RequestHead::requests_upgrade() const {
  if (!connection.upgrade || minor_version == 0) return false;
  bool is_asked = false;
  for_each_upgrade(fields, [&](std::string_view) { is_asked = true; });
  return is_asked;
}

bool RequestHead::is_idempotent() const {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS" || method == "TRACE";
}

/// Views that do not point into the head stay: "/" may stand for an empty path.
void RequestHead::move(const char* from, const char* to) {
  for (std::string_view* part : {&method, &target, &path, &query, &host}) {
    const bool is_inside =
        std::less_equal<>()(from, part->data()) && std::less<>()(part->data(), from + size);
    if (is_inside) *part = {to + (part->data() - from), part->size()};
  }
  fields.move_to(to);
}

bool ResponseHead::keeps_alive() const {
  if (connection.close) return false;
  return minor_version > 0 || connection.keep_alive;
}

void ResponseHead::move(const char* from, const char* to) {
  reason = {to + (reason.data() - from), reason.size()};
  fields.move_to(to);
}

HeadParser::HeadParser(HeadLimits limits) : limits_(limits) {
  CHECK(limits.fields <= kMaxHeadLimits.fields && limits.total <= kMaxHeadLimits.total,
        "limits are those of settings, or the largest");
}

void HeadParser::reset() {
  dropped_empty_line_ = false;
  begin_anew();
}

void HeadParser::begin_anew() {
  base_ = nullptr;
  next_ = 0;
  scanned_ = 0;
  step_ = Step::kStartLine;
  skipped_empty_line_ = dropped_empty_line_;
}

HeadResult HeadParser::read(std::string_view bytes, RequestHead& head) {
  return read_head(bytes, head);
}

HeadResult HeadParser::read(std::string_view bytes, ResponseHead& head) {
  return read_head(bytes, head);
}

bool HeadParser::has_only_empty_line(std::string_view bytes) {
  constexpr std::uint32_t kEmptyLine = 2;
  if (next_ != kEmptyLine || bytes.size() != kEmptyLine) return false;
  dropped_empty_line_ = true;
  begin_anew();
  return true;
}

std::optional<HeadFault> HeadParser::too_long(std::string_view bytes) const {
  // The nearer limit depends on where the line begins, independent of how much of it has arrived.
  const std::uint64_t line_end = std::uint64_t{next_} + limits_.line;
  if (bytes.size() <= std::min<std::uint64_t>(line_end, limits_.total)) return std::nullopt;
  if (line_end > limits_.total) return HeadFault::kHeadTooLarge;
  return step_ == Step::kStartLine ? HeadFault::kTargetTooLong : HeadFault::kLineTooLong;
}

template <class Head>
HeadResult HeadParser::read_head(std::string_view bytes, Head& head) {
  if (bytes.data() != base_) {  // the first bytes, or the buffer has moved
    begin_anew();
    base_ = bytes.data();
  }
  if (step_ == Step::kStartLine) {
    head.fields.clear();
    head.framing = {};
    head.connection = {};
    if constexpr (Head::kIsRequest) {
      head.expects_continue = false;
      head.host = {};
    }
  }
  for (;;) {
    const auto* lf =
        static_cast<const char*>(std::memchr(base_ + scanned_, '\n', bytes.size() - scanned_));
    if (lf == nullptr) {
      scanned_ = static_cast<std::uint32_t>(bytes.size());
      if (const auto fault = too_long(bytes)) return *fault;
      return HeadProgress::kNeedMore;
    }
    const auto end = static_cast<std::uint32_t>(lf - base_) + 1;
    if (const auto fault = too_long(bytes.substr(0, end))) return *fault;
    if (end - next_ < 2 || base_[end - 2] != '\r') return HeadFault::kBareLineFeed;
    const std::uint32_t begin = next_;
    const std::uint32_t size = end - begin - 2;
    next_ = scanned_ = end;
    if (step_ == Step::kFields && size == 0) {
      head.size = end;
      if (const auto fault = check_whole(head)) return *fault;
      return HeadProgress::kComplete;
    }
    if (const auto fault = read_line(begin, size, head)) return *fault;
  }
}

template <class Head>
std::optional<HeadFault> HeadParser::read_line(std::uint32_t begin, std::uint32_t size,
                                               Head& head) {
  if (step_ == Step::kFields) {
    const bool had_host = head.fields.has(FieldId::kHost);
    const auto fault = FieldReader::read(base_, begin, size, limits_.fields, head.fields);
    return fault ? fault : note_field(head, had_host);
  }
  if (size == 0) {
    if (!Head::kIsRequest || skipped_empty_line_) return HeadFault::kEmptyStartLine;
    skipped_empty_line_ = true;
    return std::nullopt;
  }
  step_ = Step::kFields;
  const std::string_view line(base_ + begin, size);
  if (line.find('\r') != std::string_view::npos) return HeadFault::kBareCarriageReturn;
  return read_start_line(line, head);
}

}  // namespace bellows::http
