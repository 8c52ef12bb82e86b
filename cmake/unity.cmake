# bellows_unity(TARGET SOURCE...): in quick builds the test files of TARGET are compiled several at a time, which takes a third of the
# time (docs/decisions/0014-quick-build.md). cmake/unity_groups.py says which go together; a file that collides with another one all
# the same ("redefinition", "ambiguous") gets SKIP_UNITY_BUILD_INCLUSION ON beside its target.
# Programs and libraries are compiled file by file, so a missing include in them is an error.
set(BELLOWS_UNITY_SIZE 8)
# A local name may be that of another file, and no file is the main one. The other presets do warn. Linked last, so that it comes
# after -Wshadow.
add_library(bellows_unity INTERFACE)
target_compile_options(bellows_unity INTERFACE -Wno-shadow -Wno-subobject-linkage)
if(BELLOWS_QUICK_BUILD AND BELLOWS_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

function(bellows_unity target)
  if(NOT BELLOWS_QUICK_BUILD)
    return()
  endif()
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py ${BELLOWS_UNITY_SIZE} ${files}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(source group IN ZIP_LISTS ARGN groups)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE bellows_unity)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py)
endfunction()
