# Several sources of one folder are compiled as one: what they include is read once, and what they instantiate is made
# once, which halves the work of a whole build. Names in unnamed namespaces are therefore unique in their folder.
# Sanitizers, coverage and debuggers are built without (see CMakePresets.json), and so see every source alone.
option(KARDAN_BATCHES "Compile several sources at once" ON)

# A batch ends with the source that brings it to so many lines: touching one of its sources compiles all of them. Rooms
# that read, write, print and organize include more and calculate less: there longer ones gain.
set(KARDAN_BATCH_LINES 1500)
set(KARDAN_LIGHT_BATCH_LINES 3000)
set(KARDAN_LIGHT_ROOMS "kardan/io|kardan/model|kardan/run|kardan/study|apps/[a-z]+")
# Elements that are built of what is compiled elsewhere. Touching one of them compiles its list alone.
set(KARDAN_LISTS "kardan/elements/(joints|forces|sensors)/catalog.cpp")

# What stays alone: those lists; sources with definitions of their own, made for several processors, that instantiate a
# class for others, or templates that take longer than all else (Eigen); and base: the compiler inlines less in larger
# units, which made expressions slower to read (4 % of a short run of the vehicle).
function(stays_alone out source)
  file(STRINGS ${source} text)
  get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
  get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
  set(${out} OFF PARENT_SCOPE)
  if(NOT KARDAN_BATCHES OR definitions OR skipped OR source MATCHES "/kardan/base/|/${KARDAN_LISTS}"
      OR text MATCHES "kardan/linalg/dispatch.h|<Eigen/|;template class ")
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()

# batch_sources(OUT SOURCE...): what is compiled instead of these sources: batches of neighbours, one folder each, and
# what stays alone. Paths in a batch are relative to the root of the project, so that a compiler's cache knows it again in
# another checkout.
function(batch_sources out)
  set(compiled "")
  set(members "")
  set(last_folder "")
  set(lines 0)
  macro(close_batch)
    list(LENGTH members count)
    if(count EQUAL 1)
      list(APPEND compiled ${PROJECT_SOURCE_DIR}/${members})
    elseif(count GREATER 1)
      list(GET members 0 first)
      string(REGEX REPLACE "[/.]" "_" name ${first})
      set(batch ${PROJECT_BINARY_DIR}/batches/${name}_and_on.cpp)
      list(TRANSFORM members REPLACE "(.+)" "#include \"\\1\"\n")
      string(JOIN "" text ${members})
      file(CONFIGURE OUTPUT ${batch} CONTENT "${text}" @ONLY)
      # A local name may be that of a constant of another source, and a class is made of unnamed ones of its own source.
      set_source_files_properties(${batch} PROPERTIES COMPILE_OPTIONS "-Wno-shadow;-Wno-subobject-linkage")
      set_property(GLOBAL APPEND PROPERTY KARDAN_ALL_BATCHES ${batch})
      list(APPEND compiled ${batch})
    endif()
    set(members "")
    set(lines 0)
  endmacro()
  set(sources ${ARGN})
  list(TRANSFORM sources REPLACE "/([^/]+)$" "/ \\1")  # a folder before its folders
  list(SORT sources)
  list(TRANSFORM sources REPLACE "/ ([^/]+)$" "/\\1")
  foreach(source ${sources})
    stays_alone(alone ${source})
    if(alone)
      list(APPEND compiled ${source})
      continue()
    endif()
    file(RELATIVE_PATH member ${PROJECT_SOURCE_DIR} ${source})
    get_filename_component(folder ${member} DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      close_batch()
      set(last_folder ${folder})
      set(most_lines ${KARDAN_BATCH_LINES})
      if(folder MATCHES "^(${KARDAN_LIGHT_ROOMS})$")
        set(most_lines ${KARDAN_LIGHT_BATCH_LINES})
      endif()
    endif()
    file(STRINGS ${source} text)
    list(LENGTH text length)
    list(APPEND members ${member})
    math(EXPR lines "${lines} + ${length}")
    if(lines GREATER_EQUAL most_lines)
      close_batch()
    endif()
  endforeach()
  close_batch()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()

# compile_lightly(SOURCE...): less optimized where they belong to one of these rooms, alone or in a batch. That takes a
# third of the work on them, and a run spends no time there that anybody would notice.
function(compile_lightly)
  set(sources ${ARGN})
  string(REPLACE "/" "[/_]" rooms "${KARDAN_LIGHT_ROOMS}")
  list(FILTER sources INCLUDE REGEX "/(batches/)?(${rooms})[/_]|/${KARDAN_LISTS}")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# Those of earlier configurations.
function(remove_old_batches)
  file(GLOB old ${PROJECT_BINARY_DIR}/batches/*.cpp)
  get_property(present GLOBAL PROPERTY KARDAN_ALL_BATCHES)
  list(REMOVE_ITEM old "" ${present})
  if(old)
    file(REMOVE ${old})
  endif()
endfunction()
