#include "proxy/core/trace_context.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace bellows::proxy {

namespace {

using http::FieldId;
using http::Fields;

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr unsigned kSampled = 1;
constexpr unsigned kRandom = 2;

/// Returns the value of a lower-case digit, as both formats require.
int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::uint64_t> hex_number(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) {
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    number = number << 4U | static_cast<std::uint64_t>(digit);
  }
  return number;
}

/// Parses 32 digits, or 16 with B3.
std::optional<TraceId> trace_id(std::string_view digits) {
  if (digits.size() != kTraceDigits && digits.size() != kSpanDigits) return std::nullopt;
  const auto high = hex_number(digits.substr(0, digits.size() - kSpanDigits));
  const auto low = hex_number(digits.substr(digits.size() - kSpanDigits));
  if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
  return TraceId{.high = *high, .low = *low};
}

std::optional<SpanId> span_id(std::string_view digits) {
  if (digits.size() != kSpanDigits) return std::nullopt;
  const auto value = hex_number(digits);
  if (!value || *value == 0) return std::nullopt;
  return SpanId{*value};
}

/// Iterates over the parts of a text between hyphens.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  /// Returns nullopt at the end.
  std::optional<std::string_view> next() {
    if (has_ended_) return std::nullopt;
    const std::size_t hyphen = rest_.find('-');
    const std::string_view part = rest_.substr(0, hyphen);
    has_ended_ = hyphen == std::string_view::npos;
    rest_.remove_prefix(has_ended_ ? rest_.size() : hyphen + 1);
    return part;
  }

 private:
  std::string_view rest_;
  bool has_ended_ = false;
};

/// Parses "1", "0" or "d"; X-B3-Sampled of old libraries also has "true" and "false".
std::optional<bool> decision(std::string_view text) {
  if (text == "1" || text == "d" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return std::nullopt;
}

/// Returns the only field of that name; nullopt if there are several or none.
std::optional<std::string_view> only(const Fields& fields, std::string_view lower_name) {
  std::optional<std::string_view> found;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != FieldId::kB3 || !http::equals_lower(fields.name(i), lower_name)) continue;
    if (found) return std::nullopt;
    found = fields.value(i);
  }
  return found;
}

std::optional<std::string_view> only_traceparent(const Fields& fields) {
  std::optional<std::string_view> found;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != FieldId::kTraceparent) continue;
    if (found) return std::nullopt;
    found = fields.value(i);
  }
  return found;
}

std::optional<TraceContext> read_many(const Fields& fields, std::optional<bool>& is_sampled) {
  if (only(fields, "x-b3-flags") == "1") {
    is_sampled = true;
  } else if (const auto sampled = only(fields, "x-b3-sampled")) {
    is_sampled = decision(*sampled);
  }
  const auto trace = trace_id(only(fields, "x-b3-traceid").value_or(""));
  const auto span = span_id(only(fields, "x-b3-spanid").value_or(""));
  if (!trace || !span) return std::nullopt;
  return TraceContext{.trace = *trace, .parent = *span, .is_sampled = is_sampled.value_or(false)};
}

/// The two digits of each byte. Each request writes 64 digits, which took 550 instructions one by
/// one.
constexpr std::array<char, 512> digit_pairs() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 512> pairs{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pairs[2 * byte] = kDigits[byte >> 4U];
    pairs[2 * byte + 1] = kDigits[byte & 0xfU];
  }
  return pairs;
}

constexpr std::array<char, 512> kDigitPairs = digit_pairs();

void put_digits(std::uint64_t number, char* out) {
  for (unsigned shift = 64; shift > 0; out += 2) {
    shift -= 8;
    std::memcpy(out, &kDigitPairs[2 * (number >> shift & 0xffU)], 2);
  }
}

void append_digits(std::uint64_t number, std::string& out) {
  char digits[kSpanDigits];
  put_digits(number, digits);
  out.append(digits, sizeof digits);
}

}  // namespace

void append_hex(TraceId id, std::string& out) {
  append_digits(id.high, out);
  append_digits(id.low, out);
}

void append_hex(SpanId id, std::string& out) {
  append_digits(id.value, out);
}

std::string to_string(TraceId id) {
  std::string text;
  if (!id.empty()) append_hex(id, text);
  return text;
}

std::optional<TraceContext> parse_traceparent(std::string_view value) {
  constexpr std::size_t kSize = 55;
  constexpr std::size_t kTrace = 3;
  constexpr std::size_t kParent = kTrace + kTraceDigits + 1;
  constexpr std::size_t kFlags = kParent + kSpanDigits + 1;
  if (value.size() < kSize) return std::nullopt;
  if (value[kTrace - 1] != '-' || value[kParent - 1] != '-' || value[kFlags - 1] != '-') {
    return std::nullopt;
  }
  const auto version = hex_number(value.substr(0, 2));
  if (!version || *version == 0xff) return std::nullopt;
  // Later versions may add parts after another hyphen.
  if (value.size() > kSize && (*version == 0 || value[kSize] != '-')) return std::nullopt;
  const auto trace = trace_id(value.substr(kTrace, kTraceDigits));
  const auto parent = span_id(value.substr(kParent, kSpanDigits));
  const auto flags = hex_number(value.substr(kFlags, 2));
  if (!trace || !parent || !flags) return std::nullopt;
  return TraceContext{.trace = *trace,
                      .parent = *parent,
                      .is_sampled = (*flags & kSampled) != 0,
                      .is_random = (*flags & kRandom) != 0};
}

std::optional<TraceContext> parse_b3(std::string_view value, std::optional<bool>& is_sampled) {
  Parts parts(value);
  const std::string_view first = parts.next().value_or("");
  const auto second = parts.next();
  if (!second) {
    if (first.size() == 1) is_sampled = decision(first);
    return std::nullopt;
  }
  const auto trace = trace_id(first);
  const auto span = span_id(*second);
  const auto sampled = parts.next();
  const auto parent = parts.next();
  const bool has_more = parts.next().has_value();
  const auto decided = sampled && sampled->size() == 1 ? decision(*sampled) : std::nullopt;
  if (!trace || !span || (sampled && !decided) || (parent && !span_id(*parent)) || has_more) {
    return std::nullopt;
  }
  is_sampled = decided;
  return TraceContext{.trace = *trace, .parent = *span, .is_sampled = decided.value_or(false)};
}

ReceivedTrace read_trace(const Fields& fields) {
  ReceivedTrace received;
  received.has_traceparent = fields.has(FieldId::kTraceparent);
  if (received.has_traceparent) {
    if (const auto value = only_traceparent(fields)) received.context = parse_traceparent(*value);
    if (received.context) {
      received.form = TraceForm::kTraceparent;
      return received;
    }
  }
  if (!fields.has(FieldId::kB3)) return received;
  if (const auto single = only(fields, "b3")) {
    received.context = parse_b3(*single, received.is_sampled);
    if (received.context) received.form = TraceForm::kB3Single;
    if (received.context || received.is_sampled) return received;
  }
  received.context = read_many(fields, received.is_sampled);
  if (received.context) received.form = TraceForm::kB3Many;
  return received;
}

void append_traceparent(const TraceContext& context, std::string& out) {
  char text[] = "00-TTTTTTTTTTTTTTTTtttttttttttttttt-pppppppppppppppp-0f";
  constexpr std::size_t kTrace = 3;
  constexpr std::size_t kParent = kTrace + kTraceDigits + 1;
  static_assert(sizeof text == kParent + kSpanDigits + sizeof "-0f");
  put_digits(context.trace.high, text + kTrace);
  put_digits(context.trace.low, text + kTrace + kSpanDigits);
  put_digits(context.parent.value, text + kParent);
  const unsigned flags = (context.is_sampled ? kSampled : 0U) | (context.is_random ? kRandom : 0U);
  text[sizeof text - 2] = static_cast<char>('0' + flags);
  out.append(text, sizeof text - 1);
}

}  // namespace bellows::proxy
