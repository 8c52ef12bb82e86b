# What the presets asan and tsan switch on. clang only: g++ 12 warns wrongly in both.
if(BELLOWS_SANITIZE STREQUAL "address")
  # clang 14 cannot place function metadata of coroutines: "Cannot represent a difference across
  # sections"; so that one check of the undefined-behaviour sanitizer stays off.
  # fuzzer-no-link counts branches for the programs of tests/fuzz.
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=function,vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(BELLOWS_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT BELLOWS_SANITIZE STREQUAL "")
  message(FATAL_ERROR "BELLOWS_SANITIZE: \"${BELLOWS_SANITIZE}\" is neither address nor thread")
endif()
