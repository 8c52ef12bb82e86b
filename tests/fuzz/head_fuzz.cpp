// A request head or response head is refused or read, wherever it is cut on its way; what is read
// lies within the bytes that came. The same for the chunks of a body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "http/core/chunk_scanner.hpp"
#include "http/core/head.hpp"
#include "http/core/mend.hpp"

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
  CHECK(whole.is_fault() == in_two.is_fault(), "a cut does not change the answer");
  CHECK(whole.is_complete() == in_two.is_complete(), "a cut does not change the answer");
  if (whole.is_fault()) CHECK(whole.fault() == in_two.fault(), "a cut does not change the reason");
  if (!whole.is_complete()) return;
  CHECK(head.size <= bytes.size() && head.size == again.size, "a head is made of what came");
  CHECK(head.size <= limits.total && head.fields.size() <= limits.fields, "the limits hold");
  CHECK(!(head.framing.chunked && head.framing.content_length), "a body ends in one way only");
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    CHECK(lies_within(head.fields.line(i), bytes.substr(0, head.size)), "lines are views");
    CHECK(head.fields.line(i).size() <= limits.line, "the limits hold");
    CHECK(!head.fields.name(i).empty(), "a field has a name");
    CHECK(lies_within(head.fields.value(i), head.fields.line(i)), "a value stands in its line");
  }
}

/// What a proxy mends in a response is mended once, and only if the reader refused it.
void fuzz_mending(std::string_view bytes) {
  ResponseHead head;
  const bool is_complete = read_whole(bytes, {}, head).is_complete();
  std::string mended(bytes);
  const bool is_mended = mend_response_head(mended);
  CHECK(!is_mended || !is_complete, "what can be read stays as it is");
  CHECK(is_mended == (mended != bytes), "nothing is changed unsaid");
  CHECK(!mend_response_head(mended), "once is enough");
  read_whole(mended, {}, head);
}

void fuzz_chunks(std::string_view bytes, std::size_t cut) {
  ChunkScanner whole;
  const std::size_t taken = whole.feed(bytes);
  ChunkScanner in_two;
  std::size_t taken_in_two = in_two.feed(bytes.substr(0, cut));
  if (taken_in_two == cut) taken_in_two += in_two.feed(bytes.substr(cut));
  CHECK(whole.is_complete() == in_two.is_complete(), "a cut does not change where a body ends");
  CHECK(whole.is_broken() == in_two.is_broken(), "a cut does not change the answer");
  CHECK(!whole.is_complete() || taken == taken_in_two, "a body ends where it ends");
  CHECK(whole.data_bytes() <= bytes.size(), "data are bytes that came");
  ChunkScanner taken_out;
  std::string_view rest = bytes;
  std::size_t data = 0;
  while (!rest.empty() && !taken_out.is_complete() && !taken_out.is_broken()) {
    data += taken_out.next_data(rest).size();
  }
  CHECK(data == whole.data_bytes() && rest.size() == bytes.size() - taken,
        "the data are all of it");
}

}  // namespace
}  // namespace bellows::http

// The data: 16 bits where the bytes are cut, a byte each for the limits of a line, of all and of
// the number of fields, then the bytes. Small limits: an input is rarely longer than 4 KB.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kControl = 5;
  if (size < kControl) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kControl, size - kControl);
  const std::size_t cut = bytes.empty() ? 0 : (data[0] + 256U * data[1]) % bytes.size();
  const bellows::http::HeadLimits limits{
      .fields = 1U + data[4] % 100U, .line = 16 + 4U * data[2], .total = 16 + 8U * data[3]};
  bellows::http::fuzz_head<bellows::http::RequestHead>(bytes, cut, limits);
  bellows::http::fuzz_head<bellows::http::ResponseHead>(bytes, cut, limits);
  bellows::http::fuzz_mending(bytes);
  bellows::http::fuzz_chunks(bytes, cut);
  return 0;
}
