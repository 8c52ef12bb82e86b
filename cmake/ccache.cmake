# A compiler cache, where there is one, makes a rebuild after a branch change a matter of seconds.
# Paths below the source folder are hashed and written relative to it, so that every clone and
# worktree on one machine shares the same entries.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE_PROGRAM})
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
endif()
