// Randomness of the system: the seed of a program's random numbers, and secrets.
#pragma once

#include <cstdint>
#include <string>

namespace bellows::sys {

/// An unpredictable seed from the system. Call it once per program: all other randomness comes from
/// the Random with this seed.
std::uint64_t random_seed();

/// 128 unpredictable bits as 32 hexadecimal digits: a secret that cannot be guessed.
std::string random_token();

}  // namespace bellows::sys
