# bellows_module(NAME SOURCES a.cpp ... [DEPS target ...]): one static library of one room and layer.
# bellows_program(NAME SOURCES main.cpp [DEPS target ...]): one program in bin/.
# bellows_test(NAME LABEL unit SOURCES ... [DEPS target ...] [WITHOUT PATTERN] [SHARDS N]): one GoogleTest program. ctest runs it as a
# whole, or as N parts side by side if its tests wait; tools/check_report.py reads from the program's own report, in cases/, which
# tests ran. Tests whose names match the pattern do not run.
# bellows_optimized(TARGET ...): compiles them with -O1 where others are not optimized, because their tests compute for long. Header sets
# are of one level, so they have none.
# bellows_bench(NAME SOURCES ... [DEPS target ...]): one Google Benchmark program in bench/.
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
# What tools/check --fast builds.
add_custom_target(unit)

function(bellows_test name)
  cmake_parse_arguments(ARG "" "LABEL;WITHOUT;SHARDS" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} bellows_warnings GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  bellows_precompiled(${name} test ${ARG_DEPS})
  bellows_unity(${name} ${ARG_SOURCES})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  set(labels ${ARG_LABEL})
  if(room IN_LIST BELLOWS_DATA_PATH)
    add_dependencies(data_path ${name})
    list(APPEND labels data-path)
  endif()
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit ${name})
  endif()
  set(arguments)
  if(ARG_WITHOUT)
    set(arguments "--gtest_filter=-${ARG_WITHOUT}")
  endif()
  if(NOT ARG_SHARDS)
    bellows_add_test(${name} ${name} "${labels}" ${arguments})
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    bellows_add_test(${name}.${shard} ${name} "${labels}" ${arguments})
    set_property(TEST ${name}.${shard} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${shard})
  endforeach()
endfunction()

# bellows_add_test(TEST PROGRAM LABELS ARGUMENT...): a run of a GoogleTest program that leaves its report. Tests of pure code keep a
# core busy: they count three times in tools/check, which starts three tests for each core.
function(bellows_add_test test program labels)
  add_test(NAME ${test} COMMAND ${program} ${ARGN} --gtest_output=xml:${CMAKE_BINARY_DIR}/cases/${test}.xml)
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 900)
  if(unit IN_LIST labels)
    set_tests_properties(${test} PROPERTIES PROCESSORS 3)
  endif()
endfunction()

function(bellows_optimized)
  if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-O0" OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE -O1)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()

function(bellows_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  find_package(benchmark REQUIRED)
  bellows_program(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS} benchmark::benchmark benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()
