# The commit that the program was built from, for `kardan --version`: asked for at every build, written only where it
# changed, so that nothing is compiled in vain. Without git (an archive of the sources) there is none.
find_program(GIT git)
mark_as_advanced(GIT)

set(commit_source ${PROJECT_BINARY_DIR}/commit/commit.cpp)
set(commit_script ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake)
set(write_commit ${CMAKE_COMMAND} -D git=${GIT} -D source=${PROJECT_SOURCE_DIR} -D out=${commit_source} -P ${commit_script})
if(TARGET kardan)
  execute_process(COMMAND ${write_commit})
  add_custom_target(kardan_commit COMMAND ${write_commit} BYPRODUCTS ${commit_source} VERBATIM)
  target_sources(kardan PRIVATE ${commit_source})
  add_dependencies(kardan kardan_commit)
endif()
