# cmake --install: programs, manual pages, completion, units of systemd, an example of /etc, documents. Three components, the
# packages of tools/package: server, queue-proxy, doc. `bellows` is in bin; the others are in libexec/bellows, where it finds
# them, and in bin as links with a prefix, because "slack" alone is the name of other programs.
include(GNUInstallDirs)

set(helpers ${CMAKE_INSTALL_LIBEXECDIR}/bellows)
install(TARGETS bellows RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT server)
install(TARGETS activator autoscaler injector recommender slack replica-shim sample-app RUNTIME DESTINATION ${helpers} COMPONENT server)
install(TARGETS queue-proxy RUNTIME DESTINATION ${helpers} COMPONENT queue-proxy)

# Pages and their pictures; the records of decisions stay with the source.
foreach(folder IN ITEMS docs docs/formats)
  file(GLOB pages ${PROJECT_SOURCE_DIR}/${folder}/*.md ${PROJECT_SOURCE_DIR}/${folder}/*.svg)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bellows/${folder} COMPONENT doc)
endforeach()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bellows COMPONENT doc)

# What depends on the prefix or is made by the programs, which run for it.
foreach(component IN ITEMS server queue-proxy)
  install(CODE "set(component ${component})
    set(source \"${PROJECT_SOURCE_DIR}\")
    set(programs \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/install_generated.cmake\")" COMPONENT ${component})
endforeach()
