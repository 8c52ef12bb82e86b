#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace bellows {

void check_failed(const char* file, int line, const char* condition, const char* meaning) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s: %s\n", file, line, condition, meaning);
  std::abort();
}

}  // namespace bellows
