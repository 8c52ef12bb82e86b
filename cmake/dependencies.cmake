# Everything from outside, one target each. Versions and reasons: docs/dependencies.md.
find_package(Threads REQUIRED)
# The interpreter itself: what PATH has may be a script that looks for it, which costs each of 400 tests a tenth of a second of CPU.
if(NOT Python3_EXECUTABLE)
  execute_process(COMMAND python3 -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python3 OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(Python3_EXECUTABLE ${python3} CACHE FILEPATH "The interpreter of scripts and tests")
endif()
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED CONFIG COMPONENTS json)
find_package(OpenSSL 3.0 REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(prometheus-cpp REQUIRED CONFIG)
# Debian's package has no description for CMake.
find_library(CCTZ_LIBRARY cctz REQUIRED)
add_library(bellows_cctz INTERFACE)
target_link_libraries(bellows_cctz INTERFACE ${CCTZ_LIBRARY})
# The archive: each queue-proxy would otherwise map one more shared library.
find_library(NGHTTP2_LIBRARY libnghttp2.a REQUIRED)
add_library(bellows_nghttp2 INTERFACE)
target_link_libraries(bellows_nghttp2 INTERFACE ${NGHTTP2_LIBRARY})
include(msgpack)

add_library(bellows_asio INTERFACE)
target_include_directories(bellows_asio SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(bellows_asio INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_NO_TS_EXECUTORS)
target_link_libraries(bellows_asio INTERFACE Threads::Threads)
