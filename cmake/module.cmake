# bellows_module(NAME SOURCES a.cpp ... [DEPS target ...]): one static library of one room and layer.
# bellows_program(NAME SOURCES main.cpp [DEPS target ...]): one program in bin/.
# bellows_test(NAME LABEL unit SOURCES ... [DEPS target ...] [WITHOUT PATTERN]): one GoogleTest program, each case known to
# ctest, but for those whose names match the pattern.
# bellows_bench(NAME SOURCES ... [DEPS target ...]): one Google Benchmark program in bench/.
# bellows_bench_program(NAME SOURCES ... [DEPS target ...]): one with a main of its own.
# The preset dev compiles both and links neither, so that a change of an interface cannot leave them behind.
# Sources are listed, never globbed; a header beside a source needs no mention.
function(bellows_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(bellows_${name} STATIC ${ARG_SOURCES})
  target_include_directories(bellows_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(bellows_${name} PUBLIC ${ARG_DEPS} PRIVATE bellows_warnings)
  bellows_precompiled(bellows_${name} library ${ARG_DEPS})
  bellows_unity(bellows_${name} ${ARG_SOURCES})
endfunction()

function(bellows_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} bellows_warnings)
  bellows_precompiled(${name} library ${ARG_DEPS})
  bellows_unity(${name} ${ARG_SOURCES})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE -s -Wl,--gc-sections)
  endif()
endfunction()

# The rooms that the requests of others go through. tools/check --sanitize builds the target data_path, and runs the tests in it and
# those of e2e with the label data-path.
set(BELLOWS_DATA_PATH base http h2 proxy queue-proxy activator)
add_custom_target(data_path)

function(bellows_test name)
  cmake_parse_arguments(ARG "" "LABEL;WITHOUT" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} bellows_warnings GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  bellows_precompiled(${name} test ${ARG_DEPS})
  bellows_unity(${name} ${ARG_SOURCES})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  if(room IN_LIST BELLOWS_DATA_PATH)
    add_dependencies(data_path ${name})
  endif()
  set(filter)
  if(ARG_WITHOUT)
    set(filter TEST_FILTER "-${ARG_WITHOUT}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 ${filter} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 120)
endfunction()

function(bellows_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  find_package(benchmark REQUIRED)
  if(NOT BELLOWS_BENCH)
    bellows_compiled(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS} benchmark::benchmark)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} bellows_warnings benchmark::benchmark benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()

function(bellows_bench_program name)
  if(BELLOWS_BENCH)
    bellows_program(${name} ${ARGN})
  else()
    bellows_compiled(${name} ${ARGN})
  endif()
endfunction()

function(bellows_compiled name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} bellows_warnings)
  bellows_precompiled(${name} library ${ARG_DEPS})
  bellows_unity(${name} ${ARG_SOURCES})
endfunction()
