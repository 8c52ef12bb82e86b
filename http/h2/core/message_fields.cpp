#include "http/h2/core/message_fields.hpp"

#include <algorithm>

#include "http/core/field_reader.hpp"
#include "http/core/framing.hpp"

namespace bellows::http2 {

namespace {

using http::FieldId;

/// Returns true for connection-specific fields (RFC 9113 8.2.2), and for fields that a
/// pseudo-header replaces.
bool is_left_out(FieldId id) {
  switch (id) {
    case FieldId::kConnection:
    case FieldId::kKeepAlive:
    case FieldId::kProxyConnection:
    case FieldId::kTransferEncoding:
    case FieldId::kUpgrade:
    case FieldId::kHost:
    case FieldId::kTe:
      return true;
    default:
      return false;
  }
}

/// Returns true for fields that only the HTTP/1.1 handshake has (RFC 8441 5).
bool is_of_handshake(std::string_view name) {
  return http::equals_lower(name, "sec-websocket-key") ||
         http::equals_lower(name, "sec-websocket-accept");
}

/// Returns true if Connection names a field that is not dropped anyway, as TE is.
bool names_kept_field(const http::Fields& fields) {
  bool is_any = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != FieldId::kConnection) continue;
    http::for_each_token(fields.value(i), [&](std::string_view token) {
      is_any |= !is_left_out(http::field_id(token));
    });
  }
  return is_any;
}

bool names_field(const http::Fields& fields, std::string_view name) {
  bool is_named = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != FieldId::kConnection) continue;
    http::for_each_token(fields.value(i), [&](std::string_view token) {
      is_named |= http::equals_ignore_case(token, name);
    });
  }
  return is_named;
}

}  // namespace

void MessageFields::add_fields(const http::Fields& fields,
                               const http::ConnectionOptions& connection, bool is_tunnel) {
  const bool looks_up_names = connection.names_other_fields && names_kept_field(fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldId id = fields.id(i);
    if (is_left_out(id)) continue;
    const std::string_view name = fields.name(i);
    if (is_tunnel && (id == FieldId::kContentLength || is_of_handshake(name))) continue;
    const bool frames = id == FieldId::kContentLength;
    if (looks_up_names && !frames && names_field(fields, name)) continue;
    const std::string_view known = http::known_name(id);
    // The members are set one by one: see http::Fields::add().
    Field& field = fields_.emplace_back();
    field.name = known.empty() ? name : known;
    field.value = fields.value(i);
    field.is_unique = id == FieldId::kTraceparent;
    field.has_own_name = !known.empty();
  }
}

void MessageFields::set_request(const http::RequestHead& head, std::string_view scheme,
                                bool is_tunnel) {
  fields_.clear();
  add(":method", is_tunnel ? std::string_view("CONNECT") : head.method);
  if (is_tunnel) add(":protocol", "websocket");
  add(":scheme", scheme);
  if (!head.host.empty()) add(":authority", head.host);
  // Path and query are adjacent, unless the target has no path.
  const bool is_whole =
      !head.is_absolute() || head.path.data() + head.path.size() == head.query.data();
  if (!head.is_absolute()) {
    add(":path", head.target);
  } else if (is_whole || head.query.empty()) {
    add(":path", {head.path.data(), head.path.size() + head.query.size()});
  } else {
    digits_.assign(head.path).append(head.query);
    add(":path", digits_);
  }
  add_fields(head.fields, head.connection, is_tunnel);
  if (head.fields.has(FieldId::kTe) && http::asks_for_trailers(head.fields)) add("te", "trailers");
}

void MessageFields::set_response(const http::ResponseHead& head, bool is_tunnel) {
  fields_.clear();
  digits_ = std::to_string(is_tunnel ? 200 : head.status);
  add(":status", digits_);
  add_fields(head.fields, head.connection, is_tunnel);
}

void MessageFields::set_trailers(std::string_view lines) {
  fields_.clear();
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    fields_.push_back({line.substr(0, colon), http::trim_ows(line.substr(colon + 1))});
  }
}

void MessageFields::set_status(std::string_view status) {
  fields_.clear();
  digits_ = status;
  add(":status", digits_);
  add("content-length", "0");
}

}  // namespace bellows::http2
