# Installs the build tree `build` below `scratch`, then configures, builds and runs the project
# `source` against it, with the compiler and flags of the build tree.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    list(JOIN ARGV " " command)
    message("${output}")
    message(FATAL_ERROR "ended with ${result}: ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix --config ${config})
run(${CMAKE_COMMAND} -S ${source} -B ${scratch}/build -G ${generator}
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_BUILD_TYPE=${config}
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags} -D KARDAN_VERSION=${version}
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${scratch}/build --config ${config})
run(${scratch}/build/consumer)
