// CHECK: aborts on a defect of our own code. It is never applied to traffic, settings or external
// responses.
#pragma once

namespace bellows {

/// Prints "file:line: CHECK failed: condition: meaning" to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const char* meaning);

}  // namespace bellows

/// CHECK(slots > 0, "a replica without slots is never picked");
#define CHECK(condition, meaning)     \
  ((condition) ? static_cast<void>(0) \
               : ::bellows::check_failed(__FILE__, __LINE__, #condition, meaning))
