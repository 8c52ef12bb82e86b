// Reads the head of an HTTP/1 message strictly in one pass. The result is views into the buffer
// that received it. Source: RFC 9112 (framing), RFC 9110 (fields). docs/decisions/event-loop.md
// explains why Bellows has its own reader. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace bellows::http {

/// Fields that Bellows interprets. Every other field passes through as kOther.
enum class FieldId : std::uint8_t {
  kOther,
  kConnection,
  kContentLength,
  kTransferEncoding,
  kHost,
  kExpect,
  kUpgrade,
  kTe,
  kTrailer,
  kKeepAlive,
  kProxyConnection,  ///< sent by old clients in place of Connection (RFC 9110 7.6.1)
  kForwarded,
  kXForwardedFor,
  kXForwardedProto,
  kXForwardedHost,
  kXForwardedOther,  ///< X-Forwarded-Port and all others with this prefix
  kXForwardedTwin,   ///< a spelling of an X-Forwarded-* with underscores, which apps by CGI cannot
                     ///< tell from it
  kUserAgent,
  kDate,
  kContentType,
  kGrpcTimeout,
  kGrpcStatus,
  kTraceparent,  ///< W3C Trace Context
  kTracestate,
  kB3,        ///< `b3` and X-B3-*: trace ids in Zipkin's format
  kInternal,  ///< X-Bellows-*, and those of Knative's probes (K-Network-Probe, K-Network-Hash,
              ///< K-Kubelet-Probe): between hops of Bellows, and its control plane
};

/// Reasons to reject a head. fault_text() describes each in a sentence, status.hpp maps it to a
/// status.
enum class HeadFault : std::uint8_t {
  kBareLineFeed,
  kBareCarriageReturn,
  kEmptyStartLine,
  kBadRequestLine,
  kBadMethod,
  kBadTarget,
  kTargetTooLong,
  kConnectUnsupported,
  kBadVersion,
  kVersionUnsupported,
  kBadStatusLine,
  kObsoleteFolding,
  kMissingColon,
  kEmptyName,
  kBadNameByte,
  kSpaceBeforeColon,
  kBadValueByte,
  kLineTooLong,
  kTooManyFields,
  kHeadTooLarge,
  kMissingHost,
  kDuplicateHost,
  kBadHost,
  kBadPort,
  kBadContentLength,
  kDuplicateContentLength,
  kLengthAndChunked,
  kBadTransferEncoding,
  kTransferEncodingUnsupported,
  kTransferEncodingInHttp10,
  kBadExpect,
};

/// Returns what is wrong, for the caller and the log: "a header line ends with a bare LF".
std::string_view fault_text(HeadFault fault);

/// Makes an Error of kind kMalformed, kTooLarge or kUnsupported with culprit "request" or
/// "response" and message fault_text().
Error to_error(HeadFault fault, std::string_view culprit, ErrorSide side);

/// Limits of a head.
struct HeadLimits {
  std::uint32_t fields = 100;       ///< lines after the start line
  std::uint32_t line = 32 * 1024;   ///< bytes of one line, the request line included
  std::uint32_t total = 32 * 1024;  ///< bytes of the whole head
};

/// Maximum number of field lines in messages of a program's own pages and calls.
inline constexpr std::uint32_t kMaxServiceFields = 128;
/// The largest limits, for a head that another hop of Bellows has checked and has added lines to.
/// Settings allow at most 1 MiB and 1,000 lines, and a hop adds at most 10 KiB and six lines.
inline constexpr HeadLimits kMaxHeadLimits{
    .fields = 1100, .line = 1100 * 1024, .total = 1100 * 1024};

/// Field lines between the start line and the empty line. Views are valid as long as the buffer is.
class Fields {
 public:
  std::size_t size() const { return count_; }
  FieldId id(std::size_t i) const { return entry(i).id; }
  std::string_view name(std::size_t i) const;
  /// Returns the value without the white space around it.
  std::string_view value(std::size_t i) const;
  /// Returns the whole line as received, CRLF included.
  std::string_view line(std::size_t i) const;

  /// Returns the value of the first field with that id or name (in any case); nullopt if there is
  /// none.
  std::optional<std::string_view> find(FieldId id) const;
  std::optional<std::string_view> find(std::string_view lower_name) const;
  bool has(FieldId id) const { return (present_ & bit(id)) != 0; }

 private:
  friend class FieldReader;
  friend class HeadParser;
  friend class WrittenFields;
  friend struct RequestHead;
  friend struct ResponseHead;
  // Each byte here costs every held request kInPlace bytes. So it stores nothing that follows from
  // the line itself: a line ends where the next one begins, and its value lies between the colon
  // and the end.
  struct Entry {
    std::uint32_t begin;  // offset of the end of the previous line
    std::uint16_t name_size;
    FieldId id;
  };
  static constexpr std::uint32_t kInPlace = 12;  // many requests have no more lines
  static constexpr std::uint32_t kMore = 20;     // few have more than kInPlace and these
  static constexpr std::uint32_t kKept = 64;

  const Entry& entry(std::size_t i) const {
    return i < kInPlace ? entries_[i] : more_[i - kInPlace];
  }
  void add(std::uint32_t begin, std::uint16_t name_size, FieldId id) {
    if (count_ < kInPlace) {
      // The members are assigned one by one, because copying a whole entry would read it back
      // before its stores are done.
      Entry& entry = entries_[count_];
      entry.begin = begin;
      entry.name_size = name_size;
      entry.id = id;
    } else {
      add_more({begin, name_size, id});
    }
    ++count_;
  }
  void add_more(const Entry& entry);
  void clear();
  void move_to(const char* base) { base_ = base; }
  static constexpr std::uint32_t bit(FieldId id) { return 1U << static_cast<unsigned>(id); }

  const char* base_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t present_ = 0;
  std::uint32_t end_ = 0;  // offset after the CRLF of the last line
  std::array<Entry, kInPlace> entries_;
  std::vector<Entry> more_;  // used by connections whose requests have more lines
};

/// Options of the Connection field, and the version's default.
struct ConnectionOptions {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  bool names_other_fields = false;  ///< the field lists further hop-by-hop fields
};

/// Fields that determine how the body ends.
struct Framing {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool length_was_repeated = false;  ///< responses only: the same length occurred more than once
};

struct RequestHead {
  static constexpr bool kIsRequest = true;
  std::string_view method;
  std::string_view target;  ///< as received: "/path?query", "http://host/path" or "*"
  std::string_view path;  ///< of the target; "/" for an absolute form without one (RFC 9110 4.2.3),
                          ///< but "*" with OPTIONS (RFC 9112 3.2.4)
  std::string_view query;  ///< query of the target, with its "?"; empty if there is none
  std::string_view host;   ///< from the Host field, or from an absolute target (RFC 9112 3.2.2)
  int minor_version = 1;   ///< 0 or 1: a later version counts as HTTP/1.1 (RFC 9110 2.5)
  Fields fields;
  Framing framing;
  ConnectionOptions connection;
  bool expects_continue = false;
  std::uint32_t size = 0;  ///< bytes of the head, the empty line included

  bool is_absolute() const { return path.data() != target.data(); }
  bool has_body() const { return framing.chunked || framing.content_length.value_or(0) > 0; }
  /// Returns true for HTTP/1.1 without Connection: close, and for HTTP/1.0 with keep-alive.
  bool keeps_alive() const;
  /// Returns true if it requests another protocol with Connection: upgrade and Upgrade (RFC 9110
  /// 7.8).
  bool requests_upgrade() const;
  /// Returns true for GET, HEAD, OPTIONS, TRACE, PUT, DELETE (RFC 9110 9.2.2).
  bool is_idempotent() const;
  /// Moves the views from `from` to `to` after the buffer's `size` bytes were moved there.
  void move(const char* from, const char* to);
};

/// A response head. Framing is interpreted as RFC 9112 has a proxy repair it: chunked coding
/// overrides a length (6.3), also in HTTP/1.0 (6.1), and equal lengths count as one (6.3). After
/// ambiguous framing the connection closes. normalize.hpp normalizes lines.
struct ResponseHead {
  static constexpr bool kIsRequest = false;
  int status = 0;
  std::string_view reason;
  int minor_version = 1;
  Fields fields;
  Framing framing;
  ConnectionOptions connection;
  std::uint32_t size = 0;

  bool keeps_alive() const;
  bool is_interim() const { return status < 200 && status != 101; }
  /// Does the same as RequestHead::move().
  void move(const char* from, const char* to);
};

/// Progress of reading.
enum class HeadProgress : std::uint8_t { kNeedMore, kComplete };

/// Progress, or the reason why the bytes are not a head.
class HeadResult {
 public:
  HeadResult(HeadProgress progress)  // NOLINT: like expected
      : is_complete_(progress == HeadProgress::kComplete) {}
  HeadResult(HeadFault fault) : fault_(fault) {}  // NOLINT: like expected
  bool is_fault() const { return fault_.has_value(); }
  bool is_complete() const { return is_complete_; }
  std::optional<HeadFault> fault() const { return fault_; }

 private:
  bool is_complete_ = false;
  std::optional<HeadFault> fault_;
};

/// Reads one head from a buffer that grows. Pass all bytes from the first of the head on, and after
/// kNeedMore the same bytes with more at the end. Lines are read once unless the buffer has moved.
/// Call reset() before the next head.
class HeadParser {
 public:
  explicit HeadParser(HeadLimits limits = {});

  void reset();

  /// Reads a request. One empty line before it is skipped (RFC 9112 2.2); `head.size` counts it.
  HeadResult read(std::string_view bytes, RequestHead& head);

  /// Returns true if the bytes are only the empty line that is skipped: some clients send it after
  /// a body (RFC 9112 2.2), and no head begins with it. It returns true once; the caller drops the
  /// bytes and passes what follows from its first byte on.
  bool has_only_empty_line(std::string_view bytes);

  /// Reads a response. framing.hpp decides whether it has a body (HEAD, 204, 304).
  HeadResult read(std::string_view bytes, ResponseHead& head);

 private:
  enum class Step : std::uint8_t { kStartLine, kFields };

  void begin_anew();
  template <class Head>
  HeadResult read_head(std::string_view bytes, Head& head);
  template <class Head>
  std::optional<HeadFault> read_line(std::uint32_t begin, std::uint32_t size, Head& head);
  std::optional<HeadFault> too_long(std::string_view bytes) const;

  HeadLimits limits_;
  const char* base_ = nullptr;
  std::uint32_t next_ = 0;     // start of the first line not read yet
  std::uint32_t scanned_ = 0;  // no LF before here
  Step step_ = Step::kStartLine;
  bool skipped_empty_line_ = false;
  bool dropped_empty_line_ = false;  // set by the caller; see has_only_empty_line()
};

/// Returns true for a byte of a token (RFC 9110 5.6.2), which methods and field names consist of.
bool is_token_byte(char c);
/// Returns true if all bytes are token bytes and there is at least one.
bool is_token(std::string_view text);
/// Returns true for a byte of a field value: visible, space, tab, or above 127.
bool is_value_byte(char c);
/// Returns true if `text` in any case equals `lower`, which is in lower case.
bool equals_lower(std::string_view text, std::string_view lower);
/// Returns true if both are equal in any case.
bool equals_ignore_case(std::string_view a, std::string_view b);
/// Returns `text` without the optional white space (OWS: spaces and tabs) at both ends.
inline std::string_view trim_ows(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
/// Calls `use(token)` for each part between commas, without white space; skips empty parts.
template <class F>
void for_each_token(std::string_view list, F&& use) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view token = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    token = trim_ows(token);
    if (!token.empty()) use(token);
  }
}

inline std::string_view Fields::name(std::size_t i) const {
  return {base_ + entry(i).begin, entry(i).name_size};
}

inline std::string_view Fields::line(std::size_t i) const {
  const std::uint32_t end = i + 1 < count_ ? entry(i + 1).begin : end_;
  const std::uint32_t begin = entry(i).begin;
  return {base_ + begin, end - begin};
}

inline std::string_view Fields::value(std::size_t i) const {
  std::string_view value = line(i);
  value.remove_prefix(entry(i).name_size + std::size_t{1});
  value.remove_suffix(2);
  return trim_ows(value);
}

/// Calls `use(protocol)` for each protocol in the Upgrade fields.
template <class F>
void for_each_upgrade(const Fields& fields, F&& use) {
  if (!fields.has(FieldId::kUpgrade)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) == FieldId::kUpgrade) for_each_token(fields.value(i), use);
  }
}

}  // namespace bellows::http
