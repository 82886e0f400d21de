# cmake -D git=PROGRAM -D source=FOLDER -D out=FILE -P write_commit.cmake: see Commit.cmake.
set(commit "")
if(git)
  # Not of a repository around the sources.
  execute_process(COMMAND ${git} -C ${source} rev-parse --show-toplevel OUTPUT_VARIABLE top
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${source} real_source)
  if(top STREQUAL real_source)
    execute_process(COMMAND ${git} -C ${source} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} -C ${source} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(commit AND changes)
      string(APPEND commit ", changed")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [[
#include "apps/cli/commit.h"
namespace kardan::cli {
const char* const commit = "@commit@";
}
]])
