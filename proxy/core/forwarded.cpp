#include "proxy/core/forwarded.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace bellows::proxy {

namespace {

using http::FieldId;

/// Limits of the bytes added to a head. The next hop would reject a head that grows too large,
/// because each hop of a rewritten chain takes more bytes. A value longer than a host name (RFC
/// 1035 2.3.4) is neither an address nor a host.
constexpr int kMaxHops = 32;
constexpr std::size_t kMaxValueBytes = 255;

bool can_be_quoted(std::string_view value) {
  return !value.empty() && value.size() <= kMaxValueBytes &&
         value.find_first_of("\"\\") == std::string_view::npos;
}

bool is_plain_ipv6(std::string_view text) {
  constexpr std::size_t kMaxBytes = 45;  // INET6_ADDRSTRLEN without its end
  return text.size() <= kMaxBytes && std::count(text.begin(), text.end(), ':') > 1 &&
         text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

/// Appends a value of a Forwarded pair, quoted where necessary. Quotes and backslashes are never
/// forwarded.
void append_value(std::string_view value, std::string& out) {
  if (http::is_token(value) && value.size() <= kMaxValueBytes) {
    out += value;
  } else if (can_be_quoted(value)) {
    out += '"';
    out += value;
    out += '"';
  } else {
    out += "unknown";
  }
}

/// Returns true if each value closes the quotes that it opens. Otherwise a receiver would read the
/// appended text as part of the quoted string.
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

/// Appends all values of one field as one list.
void append_list(const http::Fields& fields, FieldId id, std::string& out) {
  bool is_first = true;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != id || fields.value(i).empty()) continue;
    if (!is_first) out += ", ";
    out += fields.value(i);
    is_first = false;
  }
}

/// Returns the first value in a field's lists, or `otherwise` if there is none.
std::string_view first_value(const http::Fields& fields, FieldId id, std::string_view otherwise) {
  if (!fields.has(id)) return otherwise;
  std::optional<std::string_view> first;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != id) continue;
    http::for_each_token(fields.value(i), [&](std::string_view value) {
      if (!first) first = value;
    });
  }
  return first.value_or(otherwise);
}

template <class F>
void for_each_hop(const http::Fields& fields, F&& f) {
  if (!fields.has(FieldId::kXForwardedFor)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) == FieldId::kXForwardedFor) http::for_each_token(fields.value(i), f);
  }
}

/// Appends "for=first;host=...;proto=..., for=second": the chain of X-Forwarded-For and the client.
/// Of a long chain it takes the nearest hops.
void append_chain(const http::Fields& received, std::string_view own_host, std::string_view client,
                  std::string_view scheme, std::string& out) {
  const auto host = first_value(received, FieldId::kXForwardedHost, own_host);
  const auto proto = first_value(received, FieldId::kXForwardedProto, scheme);
  int hops = 0;
  for_each_hop(received, [&](std::string_view) { ++hops; });
  int to_skip = hops - kMaxHops;
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
  for_each_hop(received, [&](std::string_view node) {
    if (to_skip-- <= 0) append_hop(node);
  });
  append_hop(client);
}

bool has_value(const http::Fields& fields, FieldId id) {
  if (!fields.has(id)) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) == id && !fields.value(i).empty()) return true;
  }
  return false;
}

void append_received_or(const http::Fields& fields, FieldId id, std::string_view name,
                        std::string_view otherwise, std::string& out) {
  const std::string_view received = fields.has(id) ? fields.find(id).value_or("") : "";
  const std::string_view value = received.empty() ? otherwise : received;
  if (value.empty()) return;
  out += name;
  out += value;
  out += "\r\n";
}

/// Collects pieces in an array of fixed size; a string would check its capacity for each.
class Pieces {
 public:
  void add(std::string_view piece) {
    std::memcpy(text_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }
  std::string_view text() const { return {text_.data(), size_}; }

  /// Maximum size of each added value.
  static constexpr std::size_t kMaxValue = 128;

 private:
  std::array<char, 5 * kMaxValue> text_;
  std::size_t size_ = 0;
};

/// Appends the lines for the usual request: without any of these fields, from a client without
/// special characters, such as an IPv4 address, and for a host with or without a port. Returns
/// false for others.
bool append_plain_lines(const http::RequestHead& head, std::string_view client,
                        std::string_view scheme, std::string& out) {
  const http::Fields& fields = head.fields;
  if (fields.has(FieldId::kForwarded) || fields.has(FieldId::kXForwardedFor) ||
      fields.has(FieldId::kXForwardedProto) || fields.has(FieldId::kXForwardedHost)) {
    return false;
  }
  const bool is_short = client.size() <= Pieces::kMaxValue && head.host.size() <= Pieces::kMaxValue;
  const bool is_quoted = !http::is_token(head.host);  // a token cannot contain a port
  if (!is_short || !http::is_token(client) || (is_quoted && !can_be_quoted(head.host)))
    return false;
  Pieces lines;
  lines.add("Forwarded: for=");
  lines.add(client);
  lines.add(is_quoted ? ";host=\"" : ";host=");
  lines.add(head.host);
  if (is_quoted) lines.add("\"");
  // Whole pieces of known sizes: the compiler writes each with a few stores.
  const bool is_secure = scheme.size() > std::string_view("http").size();
  if (is_secure) {
    lines.add(";proto=https\r\nX-Forwarded-For: ");
  } else {
    lines.add(";proto=http\r\nX-Forwarded-For: ");
  }
  lines.add(client);
  if (is_secure) {
    lines.add("\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: ");
  } else {
    lines.add("\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ");
  }
  lines.add(head.host);
  lines.add("\r\n");
  out += lines.text();
  return true;
}

/// Returns the protocol of the first hop's client in Forwarded; empty if it is missing.
std::string_view first_proto(std::string_view forwarded) {
  constexpr std::string_view kProto = "proto=";
  std::string_view rest = forwarded.substr(0, forwarded.find(','));
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    std::string_view pair = http::trim_ows(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (!http::equals_lower(pair.substr(0, kProto.size()), kProto)) continue;
    pair.remove_prefix(kProto.size());
    const bool is_quoted = pair.size() >= 2 && pair.front() == '"' && pair.back() == '"';
    return is_quoted ? pair.substr(1, pair.size() - 2) : pair;
  }
  return {};
}

}  // namespace

bool is_https(const http::Fields& received, std::string_view scheme, bool trusts_client) {
  std::string_view proto = scheme;
  if (trusts_client && has_value(received, FieldId::kXForwardedProto)) {
    const std::string_view list = received.find(FieldId::kXForwardedProto).value_or("");
    proto = http::trim_ows(list.substr(0, list.find(',')));
  } else if (trusts_client && has_value(received, FieldId::kForwarded)) {
    const std::string_view said = first_proto(received.find(FieldId::kForwarded).value_or(""));
    if (!said.empty()) proto = said;
  }
  return http::equals_lower(proto, "https");
}

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
                             std::string_view scheme, bool trusts_client, std::string& out) {
  if (append_plain_lines(head, client_address, scheme, out)) return;
  static const http::Fields kNothing{};
  const http::Fields& received = trusts_client ? head.fields : kNothing;
  out += "Forwarded: ";
  if (has_value(received, FieldId::kForwarded) &&
      are_quotes_closed(received, FieldId::kForwarded)) {
    append_list(received, FieldId::kForwarded, out);
    out += ", for=";
    append_node(client_address, out);
  } else {
    append_chain(received, head.host, client_address, scheme, out);
  }
  out += "\r\nX-Forwarded-For: ";
  if (has_value(received, FieldId::kXForwardedFor)) {
    append_list(received, FieldId::kXForwardedFor, out);
    out += ", ";
  }
  out += client_address;
  out += "\r\n";
  append_received_or(received, FieldId::kXForwardedProto, "X-Forwarded-Proto: ", scheme, out);
  const std::string_view host = head.host.size() <= kMaxValueBytes ? head.host : "";
  append_received_or(received, FieldId::kXForwardedHost, "X-Forwarded-Host: ", host, out);
}

}  // namespace bellows::proxy
