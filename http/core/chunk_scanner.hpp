// Follows the framing of a chunked body (RFC 9112 7.1) strictly, and rewrites it where it contains
// more than sizes, data and trailers. Pure.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::http {

enum class ChunkFault : std::uint8_t {
  kNone,
  kBadSize,           ///< missing or not hexadecimal
  kSizeOverflow,      ///< longer than 15 hexadecimal digits
  kBadLineEnd,        ///< no CRLF after a size line, a chunk or a trailer
  kExtensionTooLong,  ///< longer than 256 bytes for one chunk
  kBadExtension,      ///< contains a control byte
  kTrailersTooLong,   ///< larger than 8 KB together
  kBadTrailer,        ///< a line that is not a field line
};

std::string_view fault_text(ChunkFault fault);

/// Selects whether white space may follow a chunk's size.
enum class SizeBlanks : std::uint8_t {
  kRejected,  ///< the strict reading, for requests
  /// Responses: old servers pad their sizes, and RFC 9112 7.1.1 allows it before ";".
  kAccepted,
};

/// Selects the treatment of trailers whose fields only hops of Bellows send (FieldId::kInternal).
enum class HopTrailers : std::uint8_t {
  kDropped,
  kKept,  ///< the sender is a hop itself, or a pump of ours has dropped those of others
};

/// Scans one body. Feed it the bytes in order; how they are split does not change the result.
class ChunkScanner {
 public:
  explicit ChunkScanner(SizeBlanks blanks = SizeBlanks::kRejected,
                        HopTrailers hops = HopTrailers::kDropped)
      : blanks_(blanks), hops_(hops) {}

  /// Returns how many bytes of `bytes` belong to the body: all of them until it ends or breaks.
  std::size_t feed(std::string_view bytes) {
    return feed(bytes, [](std::string_view) {});
  }
  /// Does the same, and calls `on_data` with each run of data.
  template <std::invocable<std::string_view> OnData>
  std::size_t feed(std::string_view bytes, OnData on_data) {
    const std::size_t size = bytes.size();
    is_canonical_ = true;
    while (!bytes.empty() && !is_complete() && !is_broken()) on_data(next_data(bytes));
    return size - bytes.size();
  }
  /// Returns true if the bytes of the last feed() may be forwarded unchanged: they are only sizes,
  /// data and line ends. Otherwise call feed(bytes, canonical) on a copy of the scanner from before
  /// to get the bytes to forward.
  bool was_canonical() const { return is_canonical_; }
  /// Does what feed() does, and appends the bytes to forward. They have no extensions (RFC 9112
  /// 7.1.1 has unrecognized ones ignored, and receivers differ in where a quoted one ends), no
  /// blanks after sizes, and no trailers with fields that must not be one (RFC 9110 6.5.1).
  /// Trailers are appended together, at the end.
  std::size_t feed(std::string_view bytes, std::string& canonical);

  /// Returns the next run of data without its framing, and removes it and all before it from
  /// `bytes`. It is empty if `bytes` contain no data, or if the body has ended or is broken.
  std::string_view next_data(std::string_view& bytes);

  bool is_complete() const { return state_ == State::kDone; }
  ChunkFault fault() const { return fault_; }
  bool is_broken() const { return fault_ != ChunkFault::kNone; }
  /// Returns true if only whole chunks were read so far: another one, or the last, may follow.
  bool is_between_chunks() const { return state_ == State::kSize && digits_ == 0 && !is_broken(); }
  /// Returns the bytes of data so far, without sizes and trailers.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// Returns the field lines of the trailers once the body is complete, without fields that must
  /// not be one.
  std::string_view trailers() const { return trailers_; }

 private:
  // kSize -> (kSizeBlanks ->) kExtension | kSizeLf -> kData -> kDataCr -> kDataLf -> kSize; a zero
  // size leads to kTrailerStart -> kTrailerName -> kTrailerValue -> kTrailerLf -> kTrailerStart ...
  // -> kEndLf -> kDone.
  enum class State : std::uint8_t {
    kSize,
    kSizeBlanks,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailerName,
    kTrailerValue,
    kTrailerLf,
    kEndLf,
    kDone,
  };

  void step(char c);
  void size_byte(char c);
  void after_size(char c);
  void size_line_ended();
  void trailer_byte(char c);
  void expect(char c, char wanted, State next);
  void go(State next) { state_ = next; }
  void fail_with(ChunkFault fault) { fault_ = fault; }
  void end_trailer(char c);
  void write(State before, char c, std::string& canonical) const;

  SizeBlanks blanks_;
  HopTrailers hops_;
  State state_ = State::kSize;
  ChunkFault fault_ = ChunkFault::kNone;
  std::uint64_t left_ = 0;  // bytes of the chunk not read yet
  std::uint64_t data_bytes_ = 0;
  std::uint32_t digits_ = 0;
  std::uint32_t extension_bytes_ = 0;
  std::uint32_t trailer_bytes_ = 0;
  std::uint32_t name_bytes_ = 0;
  std::array<char, 20> name_{};  // start of a trailer's name, as received
  std::string trailers_;         // lines of valid trailers, and the line that is being read
  std::size_t line_ = 0;         // offset of that line in trailers_
  bool may_be_trailer_ = true;   // whether that line's field may be a trailer
  bool is_canonical_ = true;
};

}  // namespace bellows::http
