# What the compiler and the linker can do against faults in the reading of strangers' files. The folders that take them
# apart are compiled with stack protector, fortified functions, CET and the bounds checks of the standard library; the
# program is linked with full RELRO. The equations are left alone: they see numbers, not files, and every instruction
# counts there. tests/repository reads all of it from the program.
option(KARDAN_HARDENED "Stack protector, fortified functions, bounds checks, CET, full RELRO" ON)

set(hardening_flags "")
set(hardening_link "")
# Sanitizers look for the same faults, and more closely.
if(KARDAN_HARDENED AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fcf-protection=full)
    string(MAKE_C_IDENTIFIER "KARDAN_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND hardening_flags ${flag})
    endif()
  endforeach()
  list(APPEND hardening_flags -D_GLIBCXX_ASSERTIONS)
  if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")  # it needs an optimizing compiler
    list(APPEND hardening_flags -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    list(APPEND hardening_link -Wl,-z,relro,-z,now,-z,noexecstack)
    # Debian's start files have no mark of their own; nothing in the program minds a shadow stack.
    if(KARDAN_HAS_fcf_protection_full AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
      list(APPEND hardening_link -Wl,-z,shstk)
    endif()
  endif()
endif()

add_library(kardan_hardening INTERFACE)
target_link_options(kardan_hardening INTERFACE ${hardening_link})

# harden_sources(SOURCE...): the same for those that belong to one of these rooms, alone or in a batch.
function(harden_sources)
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "/(kardan/io|kardan/model|apps/cli|batches/kardan_io|batches/kardan_model|batches/apps_cli)[/_]")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${hardening_flags})
endfunction()

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
