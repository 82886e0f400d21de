# cmake -D html=FILE.html -D out=FILE.cpp -P embed_viewer.cmake
# Writes the source of viewer_page(), which returns the HTML file.
file(READ ${html} text)
if(text MATCHES "[)]viewer\"")
  message(FATAL_ERROR "${html} contains the end of the string it is to be put into")
endif()
file(WRITE ${out} "#include \"apps/cli/viewer_page.h\"

namespace kardan::cli {

std::string_view viewer_page() {
  return R\"viewer(${text})viewer\";
}

}  // namespace kardan::cli
")
