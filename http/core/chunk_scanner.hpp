// Follows the framing of a chunked body (RFC 9112 7.1) strictly, and writes it anew where it is
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
  kSizeOverflow,      ///< more than 15 hexadecimal digits
  kBadLineEnd,        ///< no CRLF after a size line, a chunk or a trailer
  kExtensionTooLong,  ///< over 256 bytes for one chunk
  kBadExtension,      ///< a control byte
  kTrailersTooLong,   ///< over 8 KB together
  kBadTrailer,        ///< not a field line
};

std::string_view fault_text(ChunkFault fault);

/// Whether white space may follow a chunk's size.
enum class SizeBlanks : std::uint8_t {
  kRejected,  ///< no: the strict reading, for requests
  kAccepted,  ///< old servers pad their sizes, and RFC 9112 7.1.1 has it before a ";"
};

/// What happens to trailers of fields that only hops of Bellows send (FieldId::kInternal).
enum class HopTrailers : std::uint8_t {
  kDropped,
  kKept,  ///< the sender is a hop itself, or one of our own pumps has dropped those of others
};

/// One body. Feed it its bytes in order; how they are split does not change the result.
class ChunkScanner {
 public:
  explicit ChunkScanner(SizeBlanks blanks = SizeBlanks::kRejected,
                        HopTrailers hops = HopTrailers::kDropped)
      : blanks_(blanks), hops_(hops) {}

  /// How many bytes of `bytes` belong to the body: all of them until it ends or breaks.
  std::size_t feed(std::string_view bytes) {
    return feed(bytes, [](std::string_view) {});
  }
  /// The same, and calls `on_data` with each run of data.
  template <std::invocable<std::string_view> OnData>
  std::size_t feed(std::string_view bytes, OnData on_data) {
    const std::size_t size = bytes.size();
    is_canonical_ = true;
    while (!bytes.empty() && !is_complete() && !is_broken()) on_data(next_data(bytes));
    return size - bytes.size();
  }
  /// Whether what was fed last is what a receiver should get: sizes, data, line ends. Otherwise
  /// feed(bytes, canonical), on a copy of the scanner from before, tells what to forward.
  bool was_canonical() const { return is_canonical_; }
  /// The same as feed(), and appends what a receiver should get: without extensions (RFC 9112 7.1.1
  /// has unrecognized ones ignored, and receivers differ in where a quoted one ends), without
  /// blanks after sizes, and without trailers of fields that must not be one (RFC 9110 6.5.1).
  /// Trailers come together, with the end.
  std::size_t feed(std::string_view bytes, std::string& canonical);

  /// The next run of data without its framing. Removes it, and all before it, from `bytes`. Empty
  /// if they contain no data, or the body has ended or is broken.
  std::string_view next_data(std::string_view& bytes);

  bool is_complete() const { return state_ == State::kDone; }
  ChunkFault fault() const { return fault_; }
  bool is_broken() const { return fault_ != ChunkFault::kNone; }
  /// So far it is whole chunks: another one, or the last, may follow.
  bool is_between_chunks() const { return state_ == State::kSize && digits_ == 0 && !is_broken(); }
  /// Bytes of data so far, without sizes and trailers.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// Once complete: the field lines of the trailers, without fields that must not be one.
  std::string_view trailers() const { return trailers_; }

 private:
  // kSize -> (kSizeBlanks ->) kExtension | kSizeLf -> kData -> kDataCr -> kDataLf -> kSize; a zero
  // size goes to kTrailerStart -> kTrailerName -> kTrailerValue -> kTrailerLf -> kTrailerStart ...
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
  std::uint64_t left_ = 0;  // of the chunk
  std::uint64_t data_bytes_ = 0;
  std::uint32_t digits_ = 0;
  std::uint32_t extension_bytes_ = 0;
  std::uint32_t trailer_bytes_ = 0;
  std::uint32_t name_bytes_ = 0;
  std::array<char, 20> name_{};  // start of a trailer's name, as it came
  std::string trailers_;         // whose fields may be one, and the line that is being read
  std::size_t line_ = 0;         // where that line begins
  bool may_be_trailer_ = true;   // its field
  bool is_canonical_ = true;
};

}  // namespace bellows::http
