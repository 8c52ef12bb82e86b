# lld, where there is one, links a test program in 0.4 s instead of the 2.0 s of binutils, and the preset dev links 50. Only for quick
# builds: release programs stay with the linker whose sizes bench/README.md gives.
find_program(LLD_PROGRAM ld.lld)
if(BELLOWS_QUICK_BUILD AND LLD_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()
