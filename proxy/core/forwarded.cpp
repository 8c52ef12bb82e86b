#include "proxy/core/forwarded.hpp"

#include <algorithm>

namespace bellows::proxy {

namespace {

using http::FieldId;

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), http::is_token_byte);
}

bool is_plain_ipv6(std::string_view text) {
  return std::count(text.begin(), text.end(), ':') > 1 &&
         text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

/// A value of a Forwarded pair: as it is, or quoted. Quotes and backslashes are never passed on.
void append_value(std::string_view value, std::string& out) {
  if (is_token(value)) {
    out += value;
  } else if (value.empty() || value.find_first_of("\"\\") != std::string_view::npos) {
    out += "unknown";
  } else {
    out += '"';
    out += value;
    out += '"';
  }
}

/// Whether every quote that one of the values opens is closed in it: what is added behind it would
/// be read as part of the quoted string.
bool are_quotes_closed(const http::Fields& fields, FieldId id) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != id) continue;
    bool is_quoted = false;
    const std::string_view value = fields.value(i);
    for (std::size_t at = 0; at < value.size(); ++at) {
      if (value[at] == '"') is_quoted = !is_quoted;
      if (value[at] == '\\' && is_quoted) ++at;
    }
    if (is_quoted) return false;
  }
  return true;
}

/// All values of one field, as one list.
void append_list(const http::Fields& fields, FieldId id, std::string& out) {
  bool is_first = true;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != id || fields.value(i).empty()) continue;
    if (!is_first) out += ", ";
    out += fields.value(i);
    is_first = false;
  }
}

/// "for=first;host=...;proto=..., for=second": the chain that X-Forwarded-For tells and the client.
void append_chain(const http::RequestHead& head, std::string_view client, std::string& out) {
  const auto host = head.fields.find(FieldId::kXForwardedHost).value_or(head.host);
  const auto proto = head.fields.find(FieldId::kXForwardedProto).value_or("http");
  bool is_first = true;
  const auto append_hop = [&](std::string_view node) {
    out += is_first ? "for=" : ", for=";
    append_node(node, out);
    if (is_first && !host.empty()) {
      out += ";host=";
      append_value(host, out);
    }
    if (is_first) {
      out += ";proto=";
      append_value(proto, out);
    }
    is_first = false;
  };
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    if (head.fields.id(i) != FieldId::kXForwardedFor) continue;
    http::for_each_token(head.fields.value(i), append_hop);
  }
  append_hop(client);
}

void append_kept_or(const http::RequestHead& head, FieldId id, std::string_view name,
                    std::string_view otherwise, std::string& out) {
  const std::string_view value = head.fields.find(id).value_or(otherwise);
  if (value.empty()) return;
  out += name;
  out += value;
  out += "\r\n";
}

}  // namespace

void append_node(std::string_view address, std::string& out) {
  if (is_plain_ipv6(address)) {
    out += "\"[";
    out += address;
    out += "]\"";
  } else {
    append_value(address, out);
  }
}

void append_forwarding_lines(const http::RequestHead& head, std::string_view client_address,
                             std::string& out) {
  out += "Forwarded: ";
  if (head.fields.has(FieldId::kForwarded) && are_quotes_closed(head.fields, FieldId::kForwarded)) {
    append_list(head.fields, FieldId::kForwarded, out);
    out += ", for=";
    append_node(client_address, out);
  } else {
    append_chain(head, client_address, out);
  }
  out += "\r\nX-Forwarded-For: ";
  if (head.fields.has(FieldId::kXForwardedFor)) {
    append_list(head.fields, FieldId::kXForwardedFor, out);
    out += ", ";
  }
  out += client_address;
  out += "\r\n";
  append_kept_or(head, FieldId::kXForwardedProto, "X-Forwarded-Proto: ", "http", out);
  append_kept_or(head, FieldId::kXForwardedHost, "X-Forwarded-Host: ", head.host, out);
}

}  // namespace bellows::proxy
