# A compiler cache, where there is one, makes a rebuild after a branch change a matter of seconds.
# Paths below the source folder are hashed and written relative to it, and the folder itself is not hashed, so that with g++ every
# clone and worktree on one machine shares the same entries. A precompiled header of clang names its folder: there each clone has
# its own.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # For precompiled headers: ccache then trusts that their macros are those of the key and looks at contents, not at
  # times; g++ must name the one it used in its preprocessed output.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  if(BELLOWS_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
endif()
