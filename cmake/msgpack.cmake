# msgpack-cxx, headers only. Debian 12's package pulls in Boost 1.74, which conflicts with the 1.81 that
# we build with, so it is fetched by apt without being installed and unpacked into the build folder.
# Debian 13 has both side by side: there the installed headers are found first.
set(MSGPACK_ROOT ${CMAKE_SOURCE_DIR}/build/deps/msgpack)
find_path(MSGPACK_INCLUDE_DIR msgpack.hpp PATHS ${MSGPACK_ROOT}/usr/include)
if(NOT MSGPACK_INCLUDE_DIR)
  message(STATUS "Fetching libmsgpack-cxx-dev into build/deps")
  file(MAKE_DIRECTORY ${MSGPACK_ROOT})
  execute_process(COMMAND apt-get download libmsgpack-cxx-dev WORKING_DIRECTORY ${MSGPACK_ROOT} RESULT_VARIABLE rc
    OUTPUT_QUIET)
  if(rc)
    message(FATAL_ERROR "libmsgpack-cxx-dev: apt-get download failed; run tools/setup (it refreshes the package lists)")
  endif()
  file(GLOB MSGPACK_PACKAGE ${MSGPACK_ROOT}/libmsgpack-cxx-dev_*.deb)
  execute_process(COMMAND dpkg -x ${MSGPACK_PACKAGE} ${MSGPACK_ROOT} COMMAND_ERROR_IS_FATAL ANY)
  find_path(MSGPACK_INCLUDE_DIR msgpack.hpp PATHS ${MSGPACK_ROOT}/usr/include REQUIRED)
endif()
add_library(bellows_msgpack INTERFACE)
target_include_directories(bellows_msgpack SYSTEM INTERFACE ${MSGPACK_INCLUDE_DIR})
target_compile_definitions(bellows_msgpack INTERFACE MSGPACK_NO_BOOST)
