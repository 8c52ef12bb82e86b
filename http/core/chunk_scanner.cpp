#include "http/core/chunk_scanner.hpp"

#include <algorithm>

#include "http/core/field_reader.hpp"

namespace bellows::http {

namespace {

constexpr std::uint32_t kMaxSizeDigits = 15;
constexpr std::uint32_t kMaxExtensionBytes = 256;
constexpr std::uint32_t kMaxTrailerBytes = 8 * 1024;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Framing, routing and hop-by-hop fields must be known before the body (RFC 9110 6.5.1).
bool may_be_trailer(std::string_view name_start) {
  const FieldId id = field_id(name_start);
  if (equals_lower(name_start, "proxy-status")) return true;  // RFC 9209 2
  return id == FieldId::kOther || id == FieldId::kUserAgent || id == FieldId::kDate;
}

}  // namespace

std::string_view fault_text(ChunkFault fault) {
  switch (fault) {
    case ChunkFault::kNone:
      return "no fault";
    case ChunkFault::kBadSize:
      return "a chunk size is not hexadecimal";
    case ChunkFault::kSizeOverflow:
      return "a chunk size has more than 15 digits";
    case ChunkFault::kBadLineEnd:
      return "a chunk, its size or a trailer does not end with CRLF";
    case ChunkFault::kExtensionTooLong:
      return "a chunk extension is over 256 bytes";
    case ChunkFault::kBadExtension:
      return "a chunk extension contains a control byte";
    case ChunkFault::kTrailersTooLong:
      return "the trailers are over 8 KB together";
    case ChunkFault::kBadTrailer:
      return "a trailer is not a header line, or a field that must not be a trailer";
  }
  return "unknown fault";
}

std::size_t ChunkScanner::feed(std::string_view bytes) {
  const std::size_t size = bytes.size();
  while (!bytes.empty() && !is_complete() && !is_broken()) next_data(bytes);
  return size - bytes.size();
}

std::string_view ChunkScanner::next_data(std::string_view& bytes) {
  std::size_t begin = 0;
  while (begin < bytes.size() && state_ != State::kData) {
    if (is_complete() || is_broken()) break;
    step(bytes[begin++]);
  }
  bytes.remove_prefix(begin);
  if (state_ != State::kData || bytes.empty()) return {};
  const std::string_view run =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(run.size());
  left_ -= run.size();
  data_bytes_ += run.size();
  if (left_ == 0) state_ = State::kDataCr;
  return run;
}

void ChunkScanner::step(char c) {
  switch (state_) {
    case State::kSize:
      return size_byte(c);
    case State::kSizeBlanks:
      if (++extension_bytes_ > kMaxExtensionBytes) return fail_with(ChunkFault::kExtensionTooLong);
      return after_size(c);
    case State::kExtension:
      if (c == '\r') return go(State::kSizeLf);
      if (!is_value_byte(c)) return fail_with(ChunkFault::kBadExtension);
      if (++extension_bytes_ > kMaxExtensionBytes) fail_with(ChunkFault::kExtensionTooLong);
      return;
    case State::kSizeLf:
      return c == '\n' ? size_line_ended() : fail_with(ChunkFault::kBadLineEnd);
    case State::kDataCr:
      return expect(c, '\r', State::kDataLf);
    case State::kDataLf:
      return expect(c, '\n', State::kSize);
    case State::kTrailerStart:
      name_bytes_ = 0;
      if (c == '\r') return go(State::kEndLf);
      state_ = State::kTrailerName;
      [[fallthrough]];
    case State::kTrailerName:
    case State::kTrailerValue:
      return trailer_byte(c);
    case State::kTrailerLf:
      return expect(c, '\n', State::kTrailerStart);
    case State::kEndLf:
      return expect(c, '\n', State::kDone);
    case State::kData:
    case State::kDone:
      return;
  }
}

void ChunkScanner::expect(char c, char wanted, State next) {
  if (c != wanted) return fail_with(ChunkFault::kBadLineEnd);
  state_ = next;
}

void ChunkScanner::size_byte(char c) {
  const int digit = hex_value(c);
  if (digit >= 0) {
    if (++digits_ > kMaxSizeDigits) return fail_with(ChunkFault::kSizeOverflow);
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return;
  }
  if (digits_ == 0) return fail_with(ChunkFault::kBadSize);
  extension_bytes_ = 0;
  after_size(c);
}

void ChunkScanner::after_size(char c) {
  if (c == '\r') return go(State::kSizeLf);
  if (c == ';') return go(State::kExtension);
  if (c == '\n') return fail_with(ChunkFault::kBadLineEnd);
  const bool is_blank = c == ' ' || c == '\t';
  if (!is_blank || blanks_ == SizeBlanks::kRejected) return fail_with(ChunkFault::kBadSize);
  state_ = State::kSizeBlanks;
}

void ChunkScanner::size_line_ended() {
  state_ = left_ == 0 ? State::kTrailerStart : State::kData;
  digits_ = 0;
}

void ChunkScanner::trailer_byte(char c) {
  if (++trailer_bytes_ > kMaxTrailerBytes) return fail_with(ChunkFault::kTrailersTooLong);
  if (state_ == State::kTrailerValue) {
    if (c == '\r') return go(State::kTrailerLf);
    if (!is_value_byte(c)) fail_with(c == '\n' ? ChunkFault::kBadLineEnd : ChunkFault::kBadTrailer);
    return;
  }
  if (c == ':' && name_bytes_ > 0) {
    const std::size_t known = std::min<std::size_t>(name_bytes_, name_.size());
    if (!may_be_trailer({name_.data(), known})) return fail_with(ChunkFault::kBadTrailer);
    return go(State::kTrailerValue);
  }
  if (!is_token_byte(c)) return fail_with(ChunkFault::kBadTrailer);
  if (name_bytes_ < name_.size()) name_[name_bytes_] = c;
  ++name_bytes_;
}

}  // namespace bellows::http
