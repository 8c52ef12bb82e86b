#include "proxy/core/header_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text_parts.hpp"
#include "http/core/framing.hpp"
#include "http/core/status.hpp"
#include "http/core/written_fields.hpp"
#include "proxy/core/forwarded.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/max_forwards.hpp"
#include "proxy/core/request_trace.hpp"

namespace bellows::proxy {

namespace {

using http::FieldId;
using http::Fields;

/// Writes the lines of a head. Adjacent received lines that are both kept are copied together.
/// Records the lines if the caller needs them.
class LineWriter {
 public:
  /// Begins after the start line, which is in `out`.
  LineWriter(std::string& out, Fields* written) : out_(out), noted_(out.size()) {
    if (written != nullptr) written_.emplace(*written);
  }
  ~LineWriter() { flush(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Returns the text for whole lines of our own.
  std::string& own() {
    flush();
    return out_;
  }

  void keep(const Fields& fields, std::size_t i) {
    const std::string_view line = fields.line(i);
    if (run_.data() + run_.size() != line.data()) {
      flush();
      run_ = line;
    } else {
      run_ = {run_.data(), run_.size() + line.size()};
    }
    if (written_) note(fields, i, line.size());
  }

  /// Ends the head after the last line.
  void end() {
    flush();
    if (written_) written_->add_lines(out_, noted_);
    out_ += "\r\n";
    if (written_) written_->lie_at(out_.data());
  }

 private:
  void flush() {
    out_ += run_;
    run_ = {};
  }

  void note(const Fields& fields, std::size_t i, std::size_t size) {
    const std::size_t begin = out_.size() + run_.size() - size;
    if (noted_ < begin) written_->add_lines(std::string_view(out_).substr(0, begin), noted_);
    noted_ = begin + size;
    written_->add(fields.id(i), begin, fields.name(i).size(), noted_);
  }

  std::string& out_;
  std::string_view run_;
  std::size_t noted_;  // offset of the first line not recorded yet
  std::optional<http::WrittenFields> written_;
};

/// The fields named in Connection. They are sorted, because a large head could name very many, and
/// each line is looked up.
class NamedByConnection {
 public:
  explicit NamedByConnection(const Fields& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields.id(i) != FieldId::kConnection) continue;
      http::for_each_token(fields.value(i),
                           [this](std::string_view token) { names_.push_back(lower_case(token)); });
    }
    std::sort(names_.begin(), names_.end());
  }
  bool has(std::string_view name) const {
    return std::binary_search(names_.begin(), names_.end(), lower_case(name));
  }

 private:
  std::vector<std::string> names_;
};

using Named = std::optional<NamedByConnection>;

Named names_of(const http::ConnectionOptions& connection, const Fields& fields) {
  return connection.names_other_fields ? Named(std::in_place, fields) : std::nullopt;
}

void append_length(std::uint64_t length, std::string& out) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length);
  out += "Content-Length: ";
  out.append(digits.data(), end.ptr);
  out += "\r\n";
}

/// Returns true for the usual spelling, which every receiver reads alike: "NAME: VALUE" with one
/// blank, a number without leading zeros, "chunked".
bool is_plain_framing(const Fields& fields, std::size_t i, FieldId id) {
  const std::string_view value = fields.value(i);
  const std::string_view line = fields.line(i);
  if (line.size() != fields.name(i).size() + value.size() + std::string_view(": \r\n").size()) {
    return false;
  }
  if (line[line.size() - value.size() - 3] != ' ') return false;
  if (id == FieldId::kTransferEncoding) return value == "chunked";
  const bool is_short = value.front() != '0' || value.size() == 1;
  return is_short && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

bool frames_body(FieldId id) {
  return id == FieldId::kContentLength || id == FieldId::kTransferEncoding;
}

/// Rewrites a line of the two framing fields unless its spelling is the usual one, so that the
/// receiver reads the framing that this proxy has read (RFC 9112 6). Returns false if the line is
/// to be copied.
bool write_framing(const Fields& fields, std::size_t i, const http::Framing& framing,
                   LineWriter& lines) {
  const FieldId id = fields.id(i);
  if (is_plain_framing(fields, i, id)) return false;
  if (id == FieldId::kContentLength) {
    append_length(framing.content_length.value_or(0), lines.own());
  } else {
    lines.own() += "Transfer-Encoding: chunked\r\n";
  }
  return true;
}

/// Returns true for an HTTP/1.0 request without a host; in HTTP/1.1 it is mandatory.
bool has_no_host(const http::RequestHead& head) {
  return head.minor_version == 0 && head.host.empty();
}

/// Returns true for the certificate field. Only a handshake of ours, and no address, authorizes its
/// value.
bool is_client_certificate(std::string_view name) {
  return http::equals_lower(name, "x-forwarded-client-cert");
}

/// Returns true if field line `i` of a request is copied unchanged.
bool keeps_request_field(const http::RequestHead& head, std::size_t i, const HeaderRules& rules,
                         bool passes_upgrade, const Named& named) {
  const bool is_first_hop = rules.downstream == Peer::kOutside;
  switch (head.fields.id(i)) {
    case FieldId::kOther:
    case FieldId::kUserAgent:
    case FieldId::kDate:
    case FieldId::kContentType:
    case FieldId::kGrpcTimeout:
    case FieldId::kGrpcStatus:
      return !named || !named->has(head.fields.name(i));
    case FieldId::kTraceparent:
    case FieldId::kTracestate:
    case FieldId::kB3:
      return (!named || !named->has(head.fields.name(i))) &&
             (rules.trace == nullptr || keeps_trace_field(head.fields, i, *rules.trace));
    case FieldId::kConnection:
    case FieldId::kKeepAlive:
    case FieldId::kProxyConnection:
    case FieldId::kTe:
      return false;
    case FieldId::kUpgrade:
      return passes_upgrade;
    case FieldId::kHost:
      return !head.is_absolute();
    case FieldId::kForwarded:
    case FieldId::kXForwardedFor:
    case FieldId::kXForwardedProto:
    case FieldId::kXForwardedHost:
    case FieldId::kXForwardedTwin:
      return !is_first_hop;
    case FieldId::kXForwardedOther:
      return !is_first_hop || (rules.trusts_client && !is_client_certificate(head.fields.name(i)));
    case FieldId::kInternal:
      return !is_first_hop && rules.upstream == Peer::kInside;
    // Fields that frame the body are kept even if Connection names them: without them the two sides
    // would disagree about where the next message begins.
    case FieldId::kContentLength:
    case FieldId::kTransferEncoding:
    case FieldId::kTrailer:
      return true;
    // HTTP/1.0 has no 100, so its Expect is ignored (RFC 9110 10.1.1).
    case FieldId::kExpect:
      return head.minor_version > 0;
  }
  return true;
}

bool keeps_response_internal(std::string_view name, const ResponseRules& rules) {
  if (rules.upstream == Peer::kOutside) return false;
  return rules.downstream == Peer::kInside || http::equals_lower(name, kReasonHeader.lower);
}

/// Returns true if the response may have a length or a coding. Others must not (RFC 9110 8.6, RFC
/// 9112 6.1), and some clients would rely on it.
bool may_frame(const http::ResponseHead& head) {
  return head.status >= 200 && head.status != 204;
}

bool keeps_response_field(const http::ResponseHead& head, std::size_t i, const ResponseRules& rules,
                          const Named& named) {
  switch (head.fields.id(i)) {
    case FieldId::kConnection:
    case FieldId::kKeepAlive:
    case FieldId::kProxyConnection:
      return false;
    case FieldId::kUpgrade:
      return rules.is_upgrade || head.status == 426;
    case FieldId::kContentLength:
      return may_frame(head) && !head.framing.chunked && !head.framing.length_was_repeated;
    case FieldId::kTransferEncoding:
      return may_frame(head) && rules.downstream_minor_version > 0;
    case FieldId::kTrailer:
      return rules.downstream_minor_version > 0;
    case FieldId::kInternal:
      return keeps_response_internal(head.fields.name(i), rules);
    default:
      return !named || !named->has(head.fields.name(i));
  }
}

void append_status_line(const http::ResponseHead& head, std::string& out) {
  const char digits[3] = {static_cast<char>('0' + head.status / 100),
                          static_cast<char>('0' + head.status / 10 % 10),
                          static_cast<char>('0' + head.status % 10)};
  out += "HTTP/1.1 ";
  out.append(digits, sizeof digits);
  out += ' ';
  out += head.reason;
  out += "\r\n";
}

/// Appends the lines that this hop adds to a request.
void append_own_lines(const http::RequestHead& head, const HeaderRules& rules, bool passes_upgrade,
                      std::string& out) {
  if (rules.downstream == Peer::kOutside) {
    append_forwarding_lines(head, rules.client_address, rules.scheme, rules.trusts_client, out);
    if (!rules.client_certificate.empty()) {
      out += "X-Forwarded-Client-Cert: ";
      out += rules.client_certificate;
      out += "\r\n";
    }
  }
  if (rules.trace != nullptr) append_trace_lines(head.fields, *rules.trace, out);
  if (passes_upgrade) {
    out += "Connection: upgrade\r\n";
  } else if (has_no_host(head)) {
    out += "Connection: keep-alive\r\n";
  } else if (head.fields.has(FieldId::kTe) && http::asks_for_trailers(head.fields)) {
    out += "TE: trailers\r\nConnection: TE\r\n";
  }
  out += rules.extra_lines;
}

/// Appends the lines that this hop adds to a response.
void append_own_lines(const http::ResponseHead& head, const ResponseRules& rules,
                      std::string& out) {
  if (head.framing.length_was_repeated && !head.framing.chunked && may_frame(head)) {
    append_length(head.framing.content_length.value_or(0), out);
  }
  if (rules.makes_chunks) out += "Transfer-Encoding: chunked\r\n";
  if (head.status >= 200 && !head.fields.has(FieldId::kDate)) out += rules.date_line;
  const bool names_upgrade = head.status == 426 && head.fields.has(FieldId::kUpgrade);
  if (rules.is_upgrade) {
    out += "Connection: upgrade\r\n";
  } else if (!head.is_interim() && !rules.keep_alive) {
    out += names_upgrade ? "Connection: upgrade, close\r\n" : "Connection: close\r\n";
  } else if (names_upgrade) {  // RFC 9110 7.8: Upgrade needs it in Connection
    out += "Connection: upgrade\r\n";
  } else if (!head.is_interim() && rules.downstream_minor_version == 0) {
    out += "Connection: keep-alive\r\n";
  }
  out += rules.extra_lines;
}

/// Returns the framing according to the written lines.
http::Framing framing_of(const Fields& written, const http::Framing& framing) {
  http::Framing said;
  said.chunked = written.has(FieldId::kTransferEncoding);
  if (written.has(FieldId::kContentLength)) said.content_length = framing.content_length;
  return said;
}

/// Sets the parts of the start line in a head whose lines are recorded. Its target is path and
/// query.
void describe(const http::RequestHead& head, std::string_view text, http::RequestHead& written) {
  written.method = text.substr(0, head.method.size());
  written.target = text.substr(head.method.size() + 1, head.path.size() + head.query.size());
  written.path = written.target.substr(0, head.path.size());
  written.query = written.target.substr(head.path.size());
  written.host = written.fields.find(FieldId::kHost).value_or("");
  written.minor_version = has_no_host(head) ? 0 : 1;
  written.framing = framing_of(written.fields, head.framing);
  written.connection = {};
  written.expects_continue = head.expects_continue;
  written.size = static_cast<std::uint32_t>(text.size());
}

void describe(const http::ResponseHead& head, std::string_view text, http::ResponseHead& written) {
  written.status = head.status;
  written.reason = text.substr(http::kReasonBegin, head.reason.size());
  written.minor_version = 1;
  written.framing = framing_of(written.fields, head.framing);
  written.connection = {};
  written.size = static_cast<std::uint32_t>(text.size());
}

}  // namespace

void write_request_head(const http::RequestHead& head, const HeaderRules& rules,
                        bool passes_upgrade, std::string& out, http::RequestHead* written) {
  out += head.method;
  out += ' ';
  out += head.path;
  out += head.query;
  out += has_no_host(head) ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  LineWriter lines(out, written != nullptr ? &written->fields : nullptr);
  if (head.is_absolute()) {
    out += "Host: ";
    out += head.host;
    out += "\r\n";
  }
  const Named named = names_of(head.connection, head.fields);
  const auto hops = counts_hops(head) ? remaining_hops(head) : std::nullopt;
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    if (hops && is_max_forwards(head.fields.name(i))) continue;
    if (!keeps_request_field(head, i, rules, passes_upgrade, named)) continue;
    if (frames_body(head.fields.id(i)) && write_framing(head.fields, i, head.framing, lines)) {
      continue;
    }
    lines.keep(head.fields, i);
  }
  std::string& own = lines.own();
  if (hops) {
    own += "Max-Forwards: ";
    own += std::to_string(*hops);
    own += "\r\n";
  }
  append_own_lines(head, rules, passes_upgrade, own);
  lines.end();
  if (written != nullptr) describe(head, out, *written);
}

void write_response_head(const http::ResponseHead& head, const ResponseRules& rules,
                         std::string& out, http::ResponseHead* written) {
  append_status_line(head, out);
  LineWriter lines(out, written != nullptr ? &written->fields : nullptr);
  const Named named = names_of(head.connection, head.fields);
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    if (!keeps_response_field(head, i, rules, named)) continue;
    if (frames_body(head.fields.id(i)) && write_framing(head.fields, i, head.framing, lines)) {
      continue;
    }
    lines.keep(head.fields, i);
  }
  append_own_lines(head, rules, lines.own());
  lines.end();
  if (written != nullptr) describe(head, out, *written);
}

}  // namespace bellows::proxy
