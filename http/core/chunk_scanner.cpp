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

/// Returns false for framing, routing and hop-by-hop fields, which must be known before the body
/// (RFC 9110 6.5.1) and are dropped as trailers.
bool may_be_trailer(std::string_view name_start, HopTrailers hops) {
  switch (field_id(name_start)) {
    case FieldId::kOther:
    case FieldId::kUserAgent:
    case FieldId::kDate:
    case FieldId::kContentType:
    case FieldId::kGrpcTimeout:
    case FieldId::kGrpcStatus:
    case FieldId::kTraceparent:
    case FieldId::kTracestate:
    case FieldId::kB3:
      return true;
    case FieldId::kInternal:
      return hops == HopTrailers::kKept;
    default:
      return false;
  }
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
      return "a trailer is not a header line";
  }
  return "unknown fault";
}

std::size_t ChunkScanner::feed(std::string_view bytes, std::string& canonical) {
  const std::size_t size = bytes.size();
  while (!bytes.empty() && !is_complete() && !is_broken()) {
    if (state_ == State::kData) {
      canonical += next_data(bytes);
      continue;
    }
    const State before = state_;
    const char c = bytes.front();
    bytes.remove_prefix(1);
    step(c);
    if (!is_broken()) write(before, c, canonical);
  }
  return size - bytes.size();
}

/// Appends `c`, which was read in the state `before`, if it is forwarded.
void ChunkScanner::write(State before, char c, std::string& canonical) const {
  switch (before) {
    case State::kSize:
    case State::kSizeBlanks:
    case State::kExtension:
      // Only digits and the line end of a size line are forwarded.
      if (state_ == State::kSize || state_ == State::kSizeLf) canonical += c;
      return;
    case State::kTrailerStart:
      if (state_ != State::kEndLf) return;
      canonical += trailers_;
      canonical += c;
      return;
    case State::kTrailerName:
    case State::kTrailerValue:
    case State::kTrailerLf:
      return;
    default:
      canonical += c;
      return;
  }
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
      is_canonical_ = false;
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
      line_ = trailers_.size();
      if (c == '\r') {
        if (!trailers_.empty()) is_canonical_ = false;
        return go(State::kEndLf);
      }
      state_ = State::kTrailerName;
      [[fallthrough]];
    case State::kTrailerName:
    case State::kTrailerValue:
      return trailer_byte(c);
    case State::kTrailerLf:
      return end_trailer(c);
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
  if (c == ';') {
    is_canonical_ = false;
    return go(State::kExtension);
  }
  if (c == '\n') return fail_with(ChunkFault::kBadLineEnd);
  is_canonical_ = false;
  const bool is_blank = c == ' ' || c == '\t';
  if (!is_blank || blanks_ == SizeBlanks::kRejected) return fail_with(ChunkFault::kBadSize);
  state_ = State::kSizeBlanks;
}

void ChunkScanner::size_line_ended() {
  state_ = left_ == 0 ? State::kTrailerStart : State::kData;
  digits_ = 0;
}

void ChunkScanner::end_trailer(char c) {
  is_canonical_ = false;
  expect(c, '\n', State::kTrailerStart);
  if (may_be_trailer_) {
    trailers_ += c;
  } else {
    trailers_.resize(line_);
  }
}

void ChunkScanner::trailer_byte(char c) {
  is_canonical_ = false;
  if (++trailer_bytes_ > kMaxTrailerBytes) return fail_with(ChunkFault::kTrailersTooLong);
  trailers_ += c;
  if (state_ == State::kTrailerValue) {
    if (c == '\r') return go(State::kTrailerLf);
    if (!is_value_byte(c)) fail_with(c == '\n' ? ChunkFault::kBadLineEnd : ChunkFault::kBadTrailer);
    return;
  }
  if (c == ':' && name_bytes_ > 0) {
    const std::size_t known = std::min<std::size_t>(name_bytes_, name_.size());
    may_be_trailer_ = may_be_trailer({name_.data(), known}, hops_);
    return go(State::kTrailerValue);
  }
  if (!is_token_byte(c)) return fail_with(ChunkFault::kBadTrailer);
  if (name_bytes_ < name_.size()) name_[name_bytes_] = c;
  ++name_bytes_;
}

}  // namespace bellows::http
