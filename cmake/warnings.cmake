# The warning set of every target of ours, as errors: g++ 12 and clang 14 both stay clean.
add_library(bellows_warnings INTERFACE)
target_compile_options(bellows_warnings INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Wnull-dereference -Wimplicit-fallthrough -Wundef)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(bellows_warnings INTERFACE -Wthread-safety)  # base/thread_safety.hpp
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports null dereferences, overreads and mismatched frees inside inlined standard and Asio coroutine code.
  target_compile_options(bellows_warnings INTERFACE
    -Wno-null-dereference -Wno-maybe-uninitialized -Wno-stringop-overread -Wno-stringop-overflow
    -Wno-array-bounds -Wno-restrict -Wno-dangling-pointer -Wno-mismatched-new-delete)
endif()
