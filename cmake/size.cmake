# What keeps release programs small in memory. Each function and variable gets a section of its own, so that the linker leaves
# out what nobody uses (--gc-sections in module.cmake), most of Asio's and Beast's separately compiled code; relocations are
# packed. Together 0.3 MB less resident in an idle queue-proxy: bench/README.md.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,-z,pack-relative-relocs)
endif()

# bellows_small(TARGET [SOURCES a.cpp ...]): code that runs at the start or now and then, compiled for size instead of speed: the
# whole target, or these files of it.
function(bellows_small target)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  if(ARG_SOURCES)
    set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -Os)
  else()
    target_compile_options(${target} PRIVATE -Os)
  endif()
endfunction()
