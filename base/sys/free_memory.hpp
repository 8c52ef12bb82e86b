// Memory that is free, and still belongs to this process.
#pragma once

namespace bellows::sys {

/// Gives it back to the system: what thousands of services took while they were read would stay
/// until the end. Takes a millisecond for each 10 MB; allocations of other threads wait meanwhile.
void give_back_free_memory();

}  // namespace bellows::sys
