// Randomness of the system: the seed of a program's random numbers, and secrets.
#pragma once

#include <cstdint>
#include <string>

namespace bellows::sys {

/// Returns an unpredictable seed from the system. Call it once per program: all other randomness
/// derives from the Random with this seed.
std::uint64_t random_seed();

/// Returns a secret of 128 unpredictable bits as 32 hexadecimal digits.
std::string random_token();

}  // namespace bellows::sys
