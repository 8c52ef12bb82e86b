# Precompiled headers: docs/dependencies.md. One set for each kind of target, holding headers of others only: none
# of ours, so that an edit here never makes everything stale, and an include of ours that is missing is still an error.
# A set costs 4 to 9 s once and 0.2 to 0.4 s in each file that it saves 0.5 to 2 s of reading.
#
# bellows_precompiled(TARGET KIND DEP...): gives TARGET the set for KIND (library or test) and for what DEP... reach.
# What most files reach by their own includes; of Asio what http/io/net.hpp includes. The rule "standard header" of tools/layers.py
# finds the file that leaves one out.
set(BELLOWS_PRECOMPILED_STANDARD
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span> <string>
  <string_view> <tl/expected.hpp> <utility> <variant> <vector>)
set(BELLOWS_PRECOMPILED_ASIO
  <boost/asio/awaitable.hpp> <boost/asio/basic_stream_socket.hpp> <boost/asio/basic_waitable_timer.hpp>
  <boost/asio/generic/stream_protocol.hpp> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp>
  <boost/asio/local/stream_protocol.hpp> <boost/asio/redirect_error.hpp> <boost/asio/use_awaitable.hpp>
  <boost/asio/wait_traits.hpp>)
set(BELLOWS_PRECOMPILED_TEST <fstream> <gmock/gmock.h> <gtest/gtest.h>)

# The target that owns a set: its one source is empty.
function(bellows_precompiled_set name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp CONTENT "")
  add_library(bellows_precompiled_${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
  target_link_libraries(bellows_precompiled_${name} PRIVATE ${ARG_DEPS} bellows_warnings)
  target_precompile_headers(bellows_precompiled_${name} PRIVATE ${ARG_HEADERS})
endfunction()

if(BELLOWS_QUICK_BUILD)
  set(standard ${BELLOWS_PRECOMPILED_STANDARD})
  bellows_precompiled_set(library HEADERS ${standard} DEPS tl::expected)
  bellows_precompiled_set(library_asio HEADERS ${standard} ${BELLOWS_PRECOMPILED_ASIO} DEPS tl::expected bellows_asio)
  if(BELLOWS_TESTS)
    find_package(GTest REQUIRED)
    bellows_precompiled_set(test HEADERS ${standard} ${BELLOWS_PRECOMPILED_TEST} DEPS tl::expected GTest::gmock)
    bellows_precompiled_set(test_asio HEADERS ${standard} ${BELLOWS_PRECOMPILED_TEST} ${BELLOWS_PRECOMPILED_ASIO}
      DEPS tl::expected GTest::gmock bellows_asio)
  endif()
endif()

function(bellows_precompiled target kind)
  if(NOT BELLOWS_QUICK_BUILD)
    return()
  endif()
  set(set ${kind})
  foreach(dep IN LISTS ARGN)
    if(dep STREQUAL "bellows_asio")
      set(set ${kind}_asio)
    elseif(TARGET ${dep})
      get_target_property(reaches_asio ${dep} BELLOWS_REACHES_ASIO)
      if(reaches_asio)
        set(set ${kind}_asio)
      endif()
    endif()
  endforeach()
  if(set STREQUAL "${kind}_asio")
    set_target_properties(${target} PROPERTIES BELLOWS_REACHES_ASIO ON)
  endif()
  target_precompile_headers(${target} REUSE_FROM bellows_precompiled_${set})
endfunction()
