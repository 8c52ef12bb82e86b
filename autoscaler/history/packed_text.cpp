#include "autoscaler/history/packed_text.hpp"

#include <zlib.h>

#include "base/check.hpp"

namespace bellows::autoscaler::history {
namespace {

/// Converts to the unsigned bytes of zlib.
const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}
Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

}  // namespace

std::string packed(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string result(size, '\0');
  const int done = compress2(bytes_of(result), &size, bytes_of(text), text.size(), Z_BEST_SPEED);
  CHECK(done == Z_OK, "compressBound() is enough room");
  result.resize(size);
  result.shrink_to_fit();
  return result;
}

std::string unpacked(std::string_view packed_text, std::size_t size) {
  std::string result(size, '\0');
  uLongf length = size;
  const int done = uncompress(bytes_of(result), &length, bytes_of(packed_text), packed_text.size());
  CHECK(done == Z_OK && length == size, "a text that was packed here has the length it had");
  return result;
}

}  // namespace bellows::autoscaler::history
