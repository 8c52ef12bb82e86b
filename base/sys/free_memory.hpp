// Free memory that the allocator still holds.
#pragma once

namespace bellows::sys {

/// Returns free memory to the system. Reading thousands of services would otherwise leave it
/// allocated until the program ends. Takes a millisecond per 10 MB, during which allocations of
/// other threads wait.
void give_back_free_memory();

}  // namespace bellows::sys
