// A request head or response head is rejected or parsed, with the same result wherever the bytes
// are split. The parsed views lie within the received bytes. The same holds for the chunks of a
// body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "http/core/chunk_scanner.hpp"
#include "http/core/head.hpp"
#include "http/core/normalize.hpp"

namespace bellows::http {
namespace {

bool lies_within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

template <class Head>
HeadResult read_whole(std::string_view bytes, HeadLimits limits, Head& head) {
  return HeadParser(limits).read(bytes, head);
}

/// The first `cut` bytes arrive, then the rest.
template <class Head>
HeadResult read_in_two(std::string_view bytes, std::size_t cut, HeadLimits limits, Head& head) {
  HeadParser parser(limits);
  const HeadResult first = parser.read(bytes.substr(0, cut), head);
  if (first.is_fault() || first.is_complete()) return first;
  return parser.read(bytes, head);
}

template <class Head>
void fuzz_head(std::string_view bytes, std::size_t cut, HeadLimits limits) {
  Head head;
  const HeadResult whole = read_whole(bytes, limits, head);
  Head again;
  const HeadResult in_two = read_in_two(bytes, cut, limits, again);
  CHECK(whole.is_fault() == in_two.is_fault(), "a split does not change the result");
  CHECK(whole.is_complete() == in_two.is_complete(), "a split does not change the result");
  if (whole.is_fault())
    CHECK(whole.fault() == in_two.fault(), "a split does not change the reason");
  if (!whole.is_complete()) return;
  CHECK(head.size <= bytes.size() && head.size == again.size, "a head consists of received bytes");
  CHECK(head.size <= limits.total && head.fields.size() <= limits.fields, "the limits hold");
  CHECK(!(head.framing.chunked && head.framing.content_length), "a body has one framing");
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    CHECK(lies_within(head.fields.line(i), bytes.substr(0, head.size)), "lines are views");
    CHECK(head.fields.line(i).size() <= limits.line, "the limits hold");
    CHECK(!head.fields.name(i).empty(), "a field has a name");
    CHECK(lies_within(head.fields.value(i), head.fields.line(i)), "a value is part of its line");
  }
}

/// A proxy normalizes a response at most once, and only if the reader rejects it.
void fuzz_normalizing(std::string_view bytes) {
  ResponseHead head;
  const bool is_complete = read_whole(bytes, {}, head).is_complete();
  std::string normalized(bytes);
  const bool is_normalized = normalize_response_head(normalized);
  CHECK(!is_normalized || !is_complete, "a valid head stays unchanged");
  CHECK(is_normalized == (normalized != bytes), "every change is reported");
  CHECK(!normalize_response_head(normalized), "a normalized head stays unchanged");
  read_whole(normalized, {}, head);
}

void fuzz_chunks(std::string_view bytes, std::size_t cut) {
  ChunkScanner whole;
  const std::size_t taken = whole.feed(bytes);
  ChunkScanner in_two;
  std::size_t taken_in_two = in_two.feed(bytes.substr(0, cut));
  if (taken_in_two == cut) taken_in_two += in_two.feed(bytes.substr(cut));
  CHECK(whole.is_complete() == in_two.is_complete(), "a split does not change the end of a body");
  CHECK(whole.is_broken() == in_two.is_broken(), "a split does not change the result");
  CHECK(!whole.is_complete() || taken == taken_in_two,
        "a split does not change the length of a body");
  CHECK(whole.data_bytes() <= bytes.size(), "data are received bytes");
  ChunkScanner taken_out;
  std::string_view rest = bytes;
  std::size_t data = 0;
  while (!rest.empty() && !taken_out.is_complete() && !taken_out.is_broken()) {
    data += taken_out.next_data(rest).size();
  }
  CHECK(data == whole.data_bytes() && rest.size() == bytes.size() - taken,
        "next_data() returns all data");
}

}  // namespace
}  // namespace bellows::http

// The input: 16 bits for the split position, one byte each for the limits of a line, of the head
// and of the number of fields, then the bytes. The limits are small because inputs rarely exceed 4
// KB.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kControl = 5;
  if (size < kControl) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kControl, size - kControl);
  const std::size_t cut = bytes.empty() ? 0 : (data[0] + 256U * data[1]) % bytes.size();
  const bellows::http::HeadLimits limits{
      .fields = 1U + data[4] % 100U, .line = 16 + 4U * data[2], .total = 16 + 8U * data[3]};
  bellows::http::fuzz_head<bellows::http::RequestHead>(bytes, cut, limits);
  bellows::http::fuzz_head<bellows::http::ResponseHead>(bytes, cut, limits);
  bellows::http::fuzz_normalizing(bytes);
  bellows::http::fuzz_chunks(bytes, cut);
  return 0;
}
