# The viewer of HTML reports (apps/viewer, TypeScript) is built to one HTML file, which becomes a source
# of the program. npm is needed again only when the viewer or its list of packages changes.

option(KARDAN_VIEWER "Build the viewer of HTML reports (needs Node.js 18 or newer, and npm)" ON)
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
mark_as_advanced(NPM NODE)

set(KARDAN_VIEWER_SOURCE ${PROJECT_SOURCE_DIR}/apps/viewer)
set(KARDAN_VIEWER_HTML ${PROJECT_BINARY_DIR}/viewer/viewer.html)
set(viewer_page ${PROJECT_BINARY_DIR}/viewer/viewer_page.cpp)
set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.cmake)

if(KARDAN_VIEWER AND NOT (NPM AND NODE))
  message(STATUS "Node.js or npm is missing: the program will not write HTML reports")
  set(KARDAN_VIEWER OFF)
endif()

if(KARDAN_VIEWER)
  set(packages ${KARDAN_VIEWER_SOURCE}/node_modules/.package-lock.json)
  add_custom_command(OUTPUT ${packages}
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
    COMMAND ${CMAKE_COMMAND} -E touch ${packages}
    DEPENDS ${KARDAN_VIEWER_SOURCE}/package.json ${KARDAN_VIEWER_SOURCE}/package-lock.json
    WORKING_DIRECTORY ${KARDAN_VIEWER_SOURCE}
    COMMENT "Installing the packages of the viewer" VERBATIM)

  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${KARDAN_VIEWER_SOURCE}/src/*)
  add_custom_command(OUTPUT ${KARDAN_VIEWER_HTML}
    COMMAND ${NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${CMAKE_COMMAND} -E env KARDAN_VIEWER_OUT=${PROJECT_BINARY_DIR}/viewer
      ${NODE} node_modules/vite/bin/vite.js build --logLevel warn
    COMMAND ${CMAKE_COMMAND} -E touch ${KARDAN_VIEWER_HTML}
    DEPENDS ${packages} ${viewer_sources} ${KARDAN_VIEWER_SOURCE}/index.html
      ${KARDAN_VIEWER_SOURCE}/vite.config.ts ${KARDAN_VIEWER_SOURCE}/tsconfig.json
    WORKING_DIRECTORY ${KARDAN_VIEWER_SOURCE}
    COMMENT "Building the viewer" VERBATIM)
  add_custom_command(OUTPUT ${viewer_page}
    COMMAND ${CMAKE_COMMAND} -D html=${KARDAN_VIEWER_HTML} -D out=${viewer_page} -P ${embed}
    DEPENDS ${KARDAN_VIEWER_HTML} ${embed} VERBATIM)
  if(TARGET kardan)
    target_sources(kardan PRIVATE ${viewer_page})
    set_source_files_properties(apps/cli/viewer_page.cpp PROPERTIES
      COMPILE_DEFINITIONS KARDAN_HAS_VIEWER)
  endif()
endif()
