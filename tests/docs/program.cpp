#include "docs/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/places.h"

namespace kardan::docs {
namespace {

namespace fs = std::filesystem;

std::string take(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  fs::remove(path);
  return text.str();
}

}  // namespace

Output run_kardan(const std::string& arguments, const fs::path& folder) {
  const std::string stem =
      (fs::temp_directory_path() / ("kardan_docs_" + std::to_string(getpid()))).string();
  const std::string command = "cd '" + folder.string() + "' && '" + built_program() + "' " +
                              arguments + " >'" + stem + ".out' 2>'" + stem + ".err'";
  const int status = std::system(command.c_str());
  return {take(stem + ".out"), take(stem + ".err"), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace kardan::docs
