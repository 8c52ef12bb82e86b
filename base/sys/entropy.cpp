#include "base/sys/entropy.hpp"

#include <random>
#include <string_view>

namespace bellows::sys {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

std::string random_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device device;
  std::string token;
  for (int word = 0; word < 4; ++word) {
    std::uint32_t bits = device();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4U) token += kDigits[bits & 0xfU];
  }
  return token;
}

}  // namespace bellows::sys
