# bellows_unity(TARGET SOURCE...): in quick builds the sources of TARGET are compiled several at a time, which takes a third of the
# time (docs/dependencies.md). bellows_unity_groups(), after all targets: cmake/unity_groups.py says which go
# together. A source that collides with another one all the same ("redefinition", "ambiguous") gets SKIP_UNITY_BUILD_INCLUSION ON
# beside its target. An include of ours that is missing in a source can hide in a group: tools/own_headers.py finds it, and the other
# presets compile every source alone.
set(BELLOWS_UNITY_LINES 3000 CACHE STRING "Lines of sources that are compiled as one")
# A type for one source alone may be a member of another type, and no file is the main one. The other presets do warn.
add_library(bellows_unity INTERFACE)
target_compile_options(bellows_unity INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
if(BELLOWS_QUICK_BUILD)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

function(bellows_unity target)
  if(NOT BELLOWS_QUICK_BUILD)
    return()
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(files ${ARGN})
  list(FILTER files EXCLUDE REGEX "^/") # generated
  list(TRANSFORM files PREPEND ${folder}/)
  list(JOIN files " " files)
  set_property(GLOBAL APPEND_STRING PROPERTY BELLOWS_UNITY "${target} ${BELLOWS_UNITY_LINES} ${files}\n")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE bellows_unity)
endfunction()

function(bellows_unity_groups)
  get_property(sources GLOBAL PROPERTY BELLOWS_UNITY)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/unity_sources.txt CONTENT "${sources}" @ONLY)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py ${CMAKE_BINARY_DIR}/unity_sources.txt
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(row IN LISTS groups)
    separate_arguments(row)
    list(POP_FRONT row target group)
    set_source_files_properties(${row} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py ${CMAKE_SOURCE_DIR}/tools/names.py)
endfunction()
