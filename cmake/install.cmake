# What `cmake --install` puts where: the tool, the library in both forms, its one header, the allocation
# shim, and what pkg-config and find_package(tare) need. All paths in these files are relative to
# where they lie, so that an installation can be moved and DESTDIR leaves no trace.
install(TARGETS tare RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tare_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tare_alloc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_BINARY_DIR}/libtare.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/tare/tare.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tare)

# From <libdir>/pkgconfig and <libdir>/cmake/tare back to the prefix.
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
file(RELATIVE_PATH cmake_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/cmake/tare /p)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
string(REGEX REPLACE "/$" "" cmake_to_prefix "${cmake_to_prefix}")
configure_file(cmake/tare.pc.in ${PROJECT_BINARY_DIR}/tare.pc @ONLY)
configure_file(cmake/tareConfig.cmake.in ${PROJECT_BINARY_DIR}/tareConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tareConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tare.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/tareConfig.cmake ${PROJECT_BINARY_DIR}/tareConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)

file(GLOB manual_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[1-8])
foreach(page ${manual_pages})
  string(REGEX REPLACE ".*\\.([1-8])$" "\\1" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
