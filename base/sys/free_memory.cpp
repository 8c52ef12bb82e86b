#include "base/sys/free_memory.hpp"

#include <malloc.h>

namespace bellows::sys {

void give_back_free_memory() {
  ::malloc_trim(0);
}

}  // namespace bellows::sys
