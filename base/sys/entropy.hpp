// The seed of the random numbers of a program.
#pragma once

#include <cstdint>

namespace bellows::sys {

/// An unpredictable seed from the system. Call it once per program: all other randomness comes from
/// the Random with this seed.
std::uint64_t random_seed();

}  // namespace bellows::sys
