// A message of the stat stream is rejected with a reason, or decoded; encoding and decoding it
// again gives the same message.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {
namespace {

void fuzz(std::string_view bytes) {
  const Result<Message> message = decode(bytes);
  if (!message) {
    CHECK(!message.error().culprit().empty(), "an error names its culprit");
    CHECK(!message.error().message().empty(), "an error says what is wrong");
    return;
  }
  const auto write = [](const auto& what) { return encode(what); };
  const Result<Message> again = decode(std::visit(write, *message));
  CHECK(again.has_value(), "a decoded message can be encoded and decoded again");
  CHECK(*again == *message, "encoding and decoding again gives the same message");
}

}  // namespace
}  // namespace bellows::metrics

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::metrics::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
