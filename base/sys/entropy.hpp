// Where a program's own randomness starts.
#pragma once

#include <cstdint>

namespace bellows::sys {

/// A seed that nobody can guess, from the system. Once per program: everything else comes from the
/// Random it seeds.
std::uint64_t random_seed();

}  // namespace bellows::sys
