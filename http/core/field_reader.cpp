#include "http/core/field_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/read_number.hpp"
#include "http/core/byte_class.hpp"

namespace bellows::http {

namespace {

constexpr std::size_t kMaxName = 0xffff;  // its size is kept in 16 bits

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool starts_lower(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         equals_lower(text.substr(0, lower_prefix.size()), lower_prefix);
}

struct Known {
  std::string_view name;
  FieldId id;
};

// Ordered by length.
constexpr std::array<Known, 25> kKnown = {{{"te", FieldId::kTe},
                                           {"b3", FieldId::kB3},
                                           {"date", FieldId::kDate},
                                           {"host", FieldId::kHost},
                                           {"expect", FieldId::kExpect},
                                           {"trailer", FieldId::kTrailer},
                                           {"upgrade", FieldId::kUpgrade},
                                           {"forwarded", FieldId::kForwarded},
                                           {"connection", FieldId::kConnection},
                                           {"keep-alive", FieldId::kKeepAlive},
                                           {"user-agent", FieldId::kUserAgent},
                                           {"tracestate", FieldId::kTracestate},
                                           {"traceparent", FieldId::kTraceparent},
                                           {"grpc-status", FieldId::kGrpcStatus},
                                           {"content-type", FieldId::kContentType},
                                           {"grpc-timeout", FieldId::kGrpcTimeout},
                                           {"content-length", FieldId::kContentLength},
                                           {"k-network-hash", FieldId::kInternal},
                                           {"x-forwarded-for", FieldId::kXForwardedFor},
                                           {"k-network-probe", FieldId::kInternal},
                                           {"k-kubelet-probe", FieldId::kInternal},
                                           {"x-forwarded-host", FieldId::kXForwardedHost},
                                           {"proxy-connection", FieldId::kProxyConnection},
                                           {"transfer-encoding", FieldId::kTransferEncoding},
                                           {"x-forwarded-proto", FieldId::kXForwardedProto}}};

// Letters have this bit, and the other case differs by half of it; digits and '-' do not have it.
constexpr std::uint64_t kLetterBits = 0x4040404040404040U;

constexpr bool are_letters_digits_hyphens(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

static_assert(std::ranges::all_of(kKnown, are_letters_digits_hyphens, &Known::name));

/// Returns true if a part of a name equals the same part of a known name in any case.
template <class Word>
bool are_equal_parts(const char* name, const char* known) {
  Word a = 0;
  Word b = 0;
  std::memcpy(&a, name, sizeof a);
  std::memcpy(&b, known, sizeof b);
  return ((a ^ b) & ~((b & static_cast<Word>(kLetterBits)) >> 1U)) == 0;
}

/// Compares the first and the last part, which may overlap; names have at most two words and a
/// byte.
template <class Word>
bool are_equal_ends(std::string_view name, std::string_view known) {
  const std::size_t last = known.size() - sizeof(Word);
  return are_equal_parts<Word>(name.data(), known.data()) &&
         are_equal_parts<Word>(name.data() + last, known.data() + last);
}

/// Returns true if `name` equals the known name, which is as long, in any case.
bool is_name(std::string_view name, std::string_view known) {
  if (known.size() < sizeof(std::uint32_t)) return equals_lower(name, known);
  if (known.size() < sizeof(std::uint64_t)) return are_equal_ends<std::uint32_t>(name, known);
  constexpr std::size_t kWords = 2 * sizeof(std::uint64_t);
  return are_equal_ends<std::uint64_t>(name, known) &&
         (known.size() <= kWords ||
          are_equal_parts<std::uint64_t>(name.data() + sizeof(std::uint64_t),
                                         known.data() + sizeof(std::uint64_t)));
}

/// Position of the names of one length in kKnown.
struct Range {
  std::uint8_t begin = 0;
  std::uint8_t end = 0;
};

constexpr std::array<Range, 18> ranges_by_length() {
  std::array<Range, 18> ranges{};
  for (std::uint8_t i = 0; i < kKnown.size(); ++i) {
    Range& range = ranges[kKnown[i].name.size()];
    if (range.end == 0) range.begin = i;
    range.end = static_cast<std::uint8_t>(i + 1);
  }
  return ranges;
}

constexpr std::array<Range, 18> kRanges = ranges_by_length();

constexpr std::array<std::string_view, std::size_t(FieldId::kInternal) + 1> names_by_id() {
  std::array<std::string_view, std::size_t(FieldId::kInternal) + 1> names{};
  for (const Known& known : kKnown) names[static_cast<std::size_t>(known.id)] = known.name;
  // Other names have these ids too.
  names[static_cast<std::size_t>(FieldId::kB3)] = {};
  names[static_cast<std::size_t>(FieldId::kInternal)] = {};
  return names;
}

constexpr auto kNames = names_by_id();

/// Returns true for "x_forwarded_for" too.
bool is_x_forwarded(std::string_view name) {
  constexpr std::string_view kBegin = "x-forwarded-";
  if (name.size() < kBegin.size()) return false;
  for (std::size_t i = 0; i < kBegin.size(); ++i) {
    const char c = name[i] == '_' ? '-' : lower(name[i]);
    if (c != kBegin[i]) return false;
  }
  return true;
}

std::optional<HeadFault> check_name(std::string_view name) {
  if (name.empty()) return HeadFault::kEmptyName;
  if (are_class(name, kTokenByte)) return std::nullopt;
  for (const char c : name) {
    if (is_class(c, kTokenByte)) continue;
    const bool blanks_only = name.find_first_not_of(" \t", name.find(c)) == std::string_view::npos;
    return (c == ' ' || c == '\t') && blanks_only ? HeadFault::kSpaceBeforeColon
                                                  : HeadFault::kBadNameByte;
  }
  return std::nullopt;
}

std::optional<HeadFault> check_value(std::string_view value) {
  if (are_value_bytes(value)) return std::nullopt;
  for (const char c : value) {
    if (is_class(c, kValueByte)) continue;
    return c == '\r' ? HeadFault::kBareCarriageReturn : HeadFault::kBadValueByte;
  }
  return std::nullopt;
}

/// Returns true for an empty port too (RFC 3986 3.2.3).
bool is_valid_port(std::string_view port) {
  constexpr std::uint32_t kMaxPort = 65535;
  std::uint32_t number = 0;
  for (const char c : port) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
    if (number > kMaxPort) return false;
  }
  return true;
}

bool is_valid_ip_literal(std::string_view inside) {
  return !inside.empty() &&
         inside.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

}  // namespace

bool is_token_byte(char c) {
  return is_class(c, kTokenByte);
}

bool is_token(std::string_view text) {
  return !text.empty() && are_class(text, kTokenByte);
}

bool is_value_byte(char c) {
  return is_class(c, kValueByte);
}

bool equals_lower(std::string_view text, std::string_view lower_text) {
  if (text.size() != lower_text.size()) return false;
  if (text == lower_text) return true;  // usual, and it compares many bytes at once
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_text[i]) return false;
  }
  return true;
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

FieldId field_id(std::string_view name) {
  if (name.size() < kRanges.size()) {
    const Range range = kRanges[name.size()];
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (is_name(name, kKnown[i].name)) return kKnown[i].id;
    }
  }
  if (name.empty() || lower(name.front()) != 'x') return FieldId::kOther;
  if (starts_lower(name, "x-bellows-")) return FieldId::kInternal;
  if (starts_lower(name, "x-b3-")) return FieldId::kB3;
  if (!is_x_forwarded(name)) return FieldId::kOther;
  return name.find('_') == std::string_view::npos ? FieldId::kXForwardedOther
                                                  : FieldId::kXForwardedTwin;
}

std::string_view known_name(FieldId id) {
  return kNames[static_cast<std::size_t>(id)];
}

std::optional<HeadFault> FieldReader::read(const char* base, std::uint32_t begin,
                                           std::uint32_t size, std::uint32_t max_fields,
                                           Fields& fields) {
  const std::string_view line(base + begin, size);
  if (line.front() == ' ' || line.front() == '\t') return HeadFault::kObsoleteFolding;
  if (fields.count_ >= max_fields) return HeadFault::kTooManyFields;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return HeadFault::kMissingColon;
  if (colon > kMaxName) return HeadFault::kLineTooLong;
  if (const auto fault = check_name(line.substr(0, colon))) return fault;
  if (const auto fault = check_value(line.substr(colon + 1))) return fault;
  const FieldId id = field_id(line.substr(0, colon));
  fields.base_ = base;
  fields.present_ |= Fields::bit(id);
  fields.add(begin, static_cast<std::uint16_t>(colon), id);
  fields.end_ = begin + size + 2;
  return std::nullopt;
}

std::optional<HeadFault> note_content_length(std::string_view value, Framing& framing) {
  if (framing.content_length) return HeadFault::kDuplicateContentLength;
  const auto length = read_number<std::uint64_t>(value);
  // At most 18 digits are accepted, so that sums of such lengths and a few buffers never overflow.
  if (!length || value.size() > 18) return HeadFault::kBadContentLength;
  framing.content_length = *length;
  return std::nullopt;
}

std::optional<HeadFault> note_equal_lengths(std::string_view value, Framing& framing) {
  if (!framing.content_length && value.find(',') == std::string_view::npos) {
    return note_content_length(value, framing);
  }
  std::optional<HeadFault> fault;
  for_each_token(value, [&](std::string_view token) {
    Framing one;
    const auto bad = note_content_length(token, one);
    if (bad || !framing.content_length) {
      framing.content_length = one.content_length;
    } else if (framing.content_length != one.content_length) {
      fault = HeadFault::kDuplicateContentLength;
    }
    if (bad) fault = bad;
  });
  framing.length_was_repeated = true;
  if (fault) return fault;
  return framing.content_length ? std::nullopt : std::optional(HeadFault::kBadContentLength);
}

std::optional<HeadFault> note_transfer_encoding(std::string_view value, Framing& framing) {
  if (framing.chunked) return HeadFault::kBadTransferEncoding;
  if (equals_lower(value, "chunked")) {
    framing.chunked = true;
    return std::nullopt;
  }
  int chunked = 0;
  bool is_last = false;
  for_each_token(value, [&](std::string_view token) {
    is_last = equals_lower(token, "chunked");
    chunked += is_last ? 1 : 0;
  });
  // "gzip, chunked" is well formed but not supported; with anything else the length is unknown.
  return chunked == 1 && is_last && value.find(',') != 0 && !value.ends_with(',') &&
                 value.find(",,") == std::string_view::npos && !starts_lower(value, "chunked")
             ? HeadFault::kTransferEncodingUnsupported
             : HeadFault::kBadTransferEncoding;
}

void note_connection(std::string_view value, ConnectionOptions& options) {
  for_each_token(value, [&](std::string_view token) {
    if (equals_lower(token, "close")) {
      options.close = true;
    } else if (equals_lower(token, "keep-alive")) {
      options.keep_alive = true;
    } else if (equals_lower(token, "upgrade")) {
      options.upgrade = true;
    } else {
      options.names_other_fields = true;
    }
  });
}

std::string_view host_without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  const bool is_in_brackets = host.find(']', colon) != std::string_view::npos;
  return is_in_brackets ? host : host.substr(0, colon);
}

std::optional<HeadFault> host_fault(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || !is_valid_ip_literal(host.substr(1, end - 1))) {
      return HeadFault::kBadHost;
    }
    const std::string_view rest = host.substr(end + 1);
    if (rest.empty()) return std::nullopt;
    if (rest.front() != ':') return HeadFault::kBadHost;
    return is_valid_port(rest.substr(1)) ? std::nullopt : std::optional(HeadFault::kBadPort);
  }
  const std::size_t colon = host.find(':');
  const std::string_view name = host.substr(0, colon);
  if (name.empty() && colon != std::string_view::npos) return HeadFault::kBadHost;
  if (!are_class(name, kHostByte)) return HeadFault::kBadHost;
  const bool has_bad_port =
      colon != std::string_view::npos && !is_valid_port(host.substr(colon + 1));
  return has_bad_port ? std::optional(HeadFault::kBadPort) : std::nullopt;
}

}  // namespace bellows::http
