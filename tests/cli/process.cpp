#include "cli/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/places.h"

namespace kardan::test {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "kardan_cli_XXXXXX").string();
  return mkdtemp(name.data()) ? name : std::string();
}

}  // namespace

Output run_kardan(const std::vector<std::string>& arguments) {
  const std::string folder = temporary_folder();
  const std::string out = folder + "/out", err = folder + "/err";
  std::vector<std::string> words{built_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const int to_out = open(out.c_str(), flags, 0600), to_err = open(err.c_str(), flags, 0600);
    if (to_out < 0 || to_err < 0 || dup2(to_out, 1) < 0 || dup2(to_err, 2) < 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Output output;
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
    output.exit_code = WEXITSTATUS(status);
  output.out = read_all(out);
  output.err = read_all(err);
  std::filesystem::remove_all(folder);
  return output;
}

TemporaryFile::TemporaryFile(const std::string& text)
    : folder_(temporary_folder()), path_(folder_ + "/model.yaml") {
  std::ofstream(path_, std::ios::binary) << text;
}
TemporaryFile::~TemporaryFile() {
  std::filesystem::remove_all(folder_);
}

}  // namespace kardan::test
