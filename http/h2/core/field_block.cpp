#include "http/h2/core/field_block.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/read_number.hpp"
#include "http/core/byte_class.hpp"
#include "http/core/field_reader.hpp"
#include "http/core/head.hpp"
#include "http/core/status.hpp"
#include "http/core/written_fields.hpp"
#include "http/h2/core/websocket_key.hpp"

namespace bellows::http2 {

namespace {

using http::FieldId;

constexpr std::uint64_t kFieldOverhead = 32;  // RFC 9113 6.5.2
constexpr std::size_t kMaxName = 0xffff;      // its size is kept in 16 bits
// 18 digits: the HTTP/1.1 reader accepts no more.
constexpr std::uint64_t kMaxLength = 999'999'999'999'999'999U;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::optional<MessageFault> name_fault(std::string_view name) {
  if (name.empty()) return MessageFault::kEmptyName;
  if (http::are_class(name, http::kLowerTokenByte)) return std::nullopt;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') return MessageFault::kUpperCaseName;
    if (!http::is_class(c, http::kTokenByte)) break;
  }
  return MessageFault::kBadNameByte;
}

std::optional<MessageFault> value_fault(std::string_view value) {
  if (value.empty()) return std::nullopt;
  if (is_blank(value.front()) || is_blank(value.back())) return MessageFault::kBlankAroundValue;
  if (!http::are_value_bytes(value)) return MessageFault::kBadValueByte;
  return std::nullopt;
}

bool is_connection_field(FieldId id) {
  return id == FieldId::kConnection || id == FieldId::kTransferEncoding ||
         id == FieldId::kUpgrade || id == FieldId::kKeepAlive || id == FieldId::kProxyConnection;
}

bool is_path(std::string_view path, std::string_view method) {
  if (path == "*") return method == "OPTIONS";
  if (!path.starts_with('/')) return false;
  return std::ranges::all_of(path, [](char c) { return c > ' ' && c <= '~' && c != '#'; });
}

bool is_method(std::string_view method) {
  return !method.empty() && http::are_class(method, http::kTokenByte);
}

bool never_has_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

void FieldBlock::begin(Kind kind) {
  kind_ = kind;
  for (std::string* part :
       {&text_, &fields_, &cookies_, &method_, &path_, &authority_, &host_, &protocol_}) {
    part->clear();
  }
  lines_.clear();
  facts_ = {};
  written_length_.reset();
  fault_.reset();
  bytes_ = 0;
  count_ = 0;
  seen_ = 0;
  has_host_ = false;
  has_fields_ = false;
  is_ordinary_ = true;
}

void FieldBlock::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + kFieldOverhead;
  ++count_;
  if (is_over(1)) note(MessageFault::kTooLarge);
  if (fault_) return;
  const bool is_pseudo = name.starts_with(':');
  fault_ = name_fault(is_pseudo ? name.substr(1) : name);
  if (!fault_) fault_ = value_fault(value);
  if (fault_) return;
  if (is_pseudo) {
    add_pseudo(name, value);
  } else {
    has_fields_ = true;
    add_field(name, value);
  }
}

FieldBlock::Pseudo FieldBlock::pseudo_of(std::string_view name) {
  if (name == ":method") return Pseudo::kMethod;
  if (name == ":scheme") return Pseudo::kScheme;
  if (name == ":authority") return Pseudo::kAuthority;
  if (name == ":path") return Pseudo::kPath;
  if (name == ":protocol") return Pseudo::kProtocol;
  return name == ":status" ? Pseudo::kStatus : Pseudo::kUnknown;
}

void FieldBlock::add_pseudo(std::string_view name, std::string_view value) {
  const Pseudo pseudo = pseudo_of(name);
  if (kind_ == Kind::kTrailers) return note(MessageFault::kPseudoInTrailers);
  if (pseudo == Pseudo::kUnknown) return note(MessageFault::kUnknownPseudo);
  if ((pseudo == Pseudo::kStatus) != (kind_ == Kind::kResponse)) {
    return note(MessageFault::kPseudoOfOtherKind);
  }
  if (has_fields_) return note(MessageFault::kPseudoAfterField);
  if (has(pseudo)) return note(MessageFault::kDuplicatePseudo);
  seen_ |= 1U << static_cast<unsigned>(pseudo);
  switch (pseudo) {
    case Pseudo::kMethod:
      method_ = value;
      return;
    case Pseudo::kScheme:
      if (value != "http" && value != "https") note(MessageFault::kBadScheme);
      return;
    case Pseudo::kAuthority:
      authority_ = value;
      if (value.empty() || http::host_fault(value)) note(MessageFault::kBadAuthority);
      return;
    case Pseudo::kPath:
      path_ = value;
      return;
    case Pseudo::kProtocol:
      protocol_ = value;
      return;
    case Pseudo::kStatus:
    case Pseudo::kUnknown:
      break;
  }
  const auto status = read_number<int>(value);
  if (value.size() != 3 || status.value_or(0) < 100) return note(MessageFault::kBadStatus);
  facts_.status = *status;
}

void FieldBlock::add_field(std::string_view name, std::string_view value) {
  const FieldId id = http::field_id(name);
  if (is_connection_field(id)) return note(MessageFault::kConnectionField);
  if (id == FieldId::kTe && !http::equals_lower(value, "trailers")) {
    return note(MessageFault::kBadTe);
  }
  if (kind_ == Kind::kTrailers) return add_line(id, name, value);
  if (id == FieldId::kContentLength) return add_length(value);
  if (kind_ == Kind::kResponse) return add_line(id, name, value);
  if (id == FieldId::kHost) return add_host(value);
  if (name == "cookie") {  // RFC 9113 8.2.3
    if (!cookies_.empty()) cookies_ += "; ";
    cookies_ += value;
    return;
  }
  if (name == "sec-websocket-key" && has(Pseudo::kProtocol)) return;  // ours replaces it
  add_line(id, name, value);
}

void FieldBlock::add_host(std::string_view value) {
  if (has_host_) return note(MessageFault::kDuplicateHost);
  has_host_ = true;
  host_ = value;
}

void FieldBlock::add_length(std::string_view value) {
  if (facts_.content_length) return note(MessageFault::kDuplicateContentLength);
  // The HTTP/1.1 reader accepts only as many digits as fit.
  facts_.content_length = read_number<std::uint64_t>(value);
  if (!facts_.content_length) note(MessageFault::kBadContentLength);
}

void FieldBlock::add_line(FieldId id, std::string_view name, std::string_view value) {
  note_line(fields_.size(), name, id);
  is_ordinary_ = is_ordinary_ && id != FieldId::kExpect && name.size() <= kMaxName;
  fields_ += name;
  fields_ += ": ";
  fields_ += value;
  fields_ += "\r\n";
}

std::optional<MessageFault> FieldBlock::target_fault() const {
  if (!has(Pseudo::kMethod)) return MessageFault::kMissingMethod;
  if (!is_method(method_)) return MessageFault::kBadMethod;
  if (has(Pseudo::kProtocol) && method_ != "CONNECT") return MessageFault::kProtocolWithoutConnect;
  if (method_ == "CONNECT" && !has(Pseudo::kProtocol)) {
    if (has(Pseudo::kScheme) || has(Pseudo::kPath)) return MessageFault::kConnectWithPath;
    return authority_.empty() ? std::optional(MessageFault::kBadAuthority) : std::nullopt;
  }
  if (!has(Pseudo::kScheme)) return MessageFault::kMissingScheme;
  if (!has(Pseudo::kPath)) return MessageFault::kMissingPath;
  return is_path(path_, method_) ? std::nullopt : std::optional(MessageFault::kBadPath);
}

std::optional<MessageFault> FieldBlock::request_fault() const {
  if (const auto fault = target_fault()) return fault;
  if (has_host_ && has(Pseudo::kAuthority) && !http::equals_ignore_case(host_, authority_)) {
    return MessageFault::kHostDiffers;
  }
  if (!has(Pseudo::kProtocol)) return std::nullopt;
  if (!http::equals_lower(protocol_, "websocket")) return MessageFault::kUnsupportedProtocol;
  // The data that follow are no body, and the HTTP/1.1 app would interpret the length as one.
  return facts_.content_length ? std::optional(MessageFault::kBadContentLength) : std::nullopt;
}

std::optional<MessageFault> FieldBlock::end_request(bool ends, std::string_view websocket_key) {
  if (!fault_) fault_ = request_fault();
  if (!fault_ && ends && facts_.content_length.value_or(0) > 0) {
    fault_ = MessageFault::kLengthDiffers;
  }
  if (fault_) return fault_;
  facts_.is_tunnel = has(Pseudo::kProtocol);
  text_ += facts_.is_tunnel ? std::string_view("GET") : std::string_view(method_);
  text_ += ' ';
  text_ += has(Pseudo::kPath) ? path_ : authority_;
  text_ += " HTTP/1.1\r\n";
  write_fields();
  if (!cookies_.empty()) {
    begin_line(FieldId::kOther, "cookie");
    text_ += cookies_;
    text_ += "\r\n";
  }
  if (facts_.is_tunnel) {
    text_ += "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: ";
    text_ += websocket_key;
    text_ += "\r\n\r\n";
  } else {
    write_framing(ends);
  }
  note_ordinary_request();
  return std::nullopt;
}

/// Appends the fields after the request line.
void FieldBlock::write_fields() {
  const bool names_host = kind_ == Kind::kRequest && (has(Pseudo::kAuthority) || has_host_);
  if (names_host) {
    text_ += "host: ";
    text_ += has(Pseudo::kAuthority) ? authority_ : host_;
    text_ += "\r\n";
  }
  for (Line& line : lines_) line.begin += text_.size();
  text_ += fields_;
}

void FieldBlock::begin_line(FieldId id, std::string_view name) {
  note_line(text_.size(), name, id);
  text_ += name;
  text_ += ": ";
}

/// Records whether the request is ordinary. The targets excluded here have an additional meaning
/// for a reader, or are rejected by it.
void FieldBlock::note_ordinary_request() {
  is_ordinary_ = is_ordinary_ && !facts_.is_tunnel && method_ != "CONNECT" &&
                 has(Pseudo::kAuthority) && path_.starts_with('/');
}

bool FieldBlock::describe(http::RequestHead& head) const {
  if (!is_ordinary_ || fault_ || kind_ != Kind::kRequest) return false;
  if (facts_.content_length.value_or(0) > kMaxLength) return false;
  const std::string_view text = text_;
  head.method = text.substr(0, method_.size());
  head.target = text.substr(method_.size() + 1, path_.size());
  const std::size_t path_end = std::min(head.target.find('?'), head.target.size());
  head.path = head.target.substr(0, path_end);
  head.query = head.target.substr(path_end);
  const std::size_t host_line = text.find('\n', method_.size() + path_.size()) + 1;
  head.host = text.substr(host_line + std::string_view("host: ").size(), authority_.size());
  head.minor_version = 1;
  head.framing = {.content_length = written_length_, .chunked = facts_.is_chunked};
  head.connection = {};
  head.expects_continue = false;
  head.size = static_cast<std::uint32_t>(text.size());
  http::WrittenFields fields(head.fields);
  const std::size_t next = lines_.empty() ? text.size() - 2 : lines_.front().begin;
  fields.add(FieldId::kHost, host_line, std::string_view("host").size(), next);
  describe_fields(fields);
  return true;
}

bool FieldBlock::describe(http::ResponseHead& head) const {
  if (!is_ordinary_ || fault_ || kind_ != Kind::kResponse) return false;
  if (facts_.is_tunnel || facts_.status < 200) return false;
  if (facts_.content_length.value_or(0) > kMaxLength) return false;
  const std::string_view text = text_;
  head.status = facts_.status;
  head.reason = text.substr(http::kReasonBegin, text.find('\r') - http::kReasonBegin);
  head.minor_version = 1;
  head.framing = {.content_length = written_length_, .chunked = facts_.is_chunked};
  head.connection = {};
  head.size = static_cast<std::uint32_t>(text.size());
  http::WrittenFields fields(head.fields);
  describe_fields(fields);
  return true;
}

void FieldBlock::describe_fields(http::WrittenFields& fields) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t end = i + 1 < lines_.size() ? lines_[i + 1].begin : text_.size() - 2;
    fields.add(lines_[i].id, lines_[i].begin, lines_[i].name_size, end);
  }
  fields.lie_at(text_.data());
}

std::optional<MessageFault> FieldBlock::end_response(bool ends, const ResponseTo& to) {
  if (!fault_ && !has(Pseudo::kStatus)) fault_ = MessageFault::kMissingStatus;
  if (!fault_ && facts_.status == 101) fault_ = MessageFault::kBadStatus;  // RFC 9113 8.6
  const bool is_interim = facts_.status < 200;
  if (!fault_ && is_interim && ends) fault_ = MessageFault::kInterimEnds;
  const bool has_no_body = to.is_head || never_has_body(facts_.status);
  if (!fault_ && ends && !has_no_body && facts_.content_length.value_or(0) > 0) {
    fault_ = MessageFault::kLengthDiffers;
  }
  if (fault_) return fault_;
  facts_.is_tunnel = to.is_tunnel && facts_.status / 100 == 2;
  const int status = facts_.is_tunnel ? 101 : facts_.status;
  text_ += "HTTP/1.1 ";
  text_ += std::to_string(status);
  text_ += ' ';
  text_ += http::reason_phrase(status);
  text_ += "\r\n";
  write_fields();
  if (facts_.is_tunnel) {
    text_ += "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ";
    text_ += websocket_accept(to.websocket_key);
    text_ += "\r\n\r\n";
  } else if (has_no_body) {
    if (facts_.content_length && status != 204 && !is_interim) {
      write_length(*facts_.content_length);
    }
    text_ += "\r\n";
  } else {
    write_framing(false);
  }
  return std::nullopt;
}

void FieldBlock::write_length(std::uint64_t length) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
  begin_line(FieldId::kContentLength, "content-length");
  written_length_ = length;
  text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  text_ += "\r\n";
}

/// Writes the framing. With `ends` there is no body; a length of zero is written only if the sender
/// had sent it.
void FieldBlock::write_framing(bool ends) {
  if (facts_.content_length) {
    write_length(*facts_.content_length);
  } else if (!ends) {
    facts_.is_chunked = true;
    begin_line(FieldId::kTransferEncoding, "transfer-encoding");
    text_ += "chunked\r\n";
  }
  text_ += "\r\n";
}

std::optional<MessageFault> FieldBlock::end_trailers(bool ends) {
  if (!fault_ && !ends) fault_ = MessageFault::kTrailersWithoutEnd;
  if (!fault_) text_ = fields_;
  return fault_;
}

}  // namespace bellows::http2
