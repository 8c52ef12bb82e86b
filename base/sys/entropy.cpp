#include "base/sys/entropy.hpp"

#include <random>

namespace bellows::sys {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

}  // namespace bellows::sys
