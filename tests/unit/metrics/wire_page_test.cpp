// docs/formats/wire.md shows one stat byte by byte; it must be what the codec makes.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "metrics/stat_codec.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned char>(byte));
    text += pair;
  }
  return text;
}

/// The hex digits left of each ';' in the page's block marked `hex`, without spaces.
std::string hex_on_page(const std::string& path) {
  std::ifstream page(path);
  std::string digits;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      is_inside = line == "```hex";
      continue;
    }
    if (!is_inside) continue;
    for (const char c : line.substr(0, line.find(';'))) {
      if (c != ' ') digits += c;
    }
  }
  return digits;
}

TEST(WirePage, ShowsTheBytesThatTheCodecMakes) {
  const Stat shown{RevisionId("web"),
                   PodName("web-1"),
                   StatSource::kReplica,
                   0x0123456789abcdef,
                   7,
                   12ms,
                   2.5,
                   4,
                   9};
  EXPECT_EQ(hex_on_page(BELLOWS_DOCS_DIR "/formats/wire.md"), hex(encode(shown)));
}

}  // namespace
}  // namespace bellows::metrics
