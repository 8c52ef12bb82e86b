// Valid inputs with a few changed bytes: most of such a text still passes the first checks of a
// reader, unlike a random one.
#pragma once

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>

namespace bellows::recommender {

/// `text` with one to four bytes replaced, removed or inserted. Call it in a property.
inline std::string mutated(std::string text) {
  constexpr std::string_view kBytes = "{}[]\":,.-+0123456789eE \\ntfaul\xff";
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const char byte = kBytes[*rc::gen::inRange<std::size_t>(0, kBytes.size())];
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, byte);
    }
  }
  return text;
}

}  // namespace bellows::recommender
