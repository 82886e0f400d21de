# cmake -D out=FILE.cpp [-D html=FILE.html] -P embed_viewer.cmake
# Writes the source of viewer_bundle(): the HTML file, or nothing.
set(text "")
if(html)
  file(READ ${html} text)
endif()
if(text MATCHES "[)]viewer\"")
  message(FATAL_ERROR "${html} contains the end of the string it is to be put into")
endif()
file(WRITE ${out} "#include \"apps/cli/viewer_bundle.h\"

namespace kardan::cli {

std::string_view viewer_bundle() {
  return R\"viewer(${text})viewer\";
}

}  // namespace kardan::cli
")
