#include "support/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/places.h"

namespace kardan::test {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "kardan_test_XXXXXX").string()) {
  if (!mkdtemp(path_.data())) path_.clear();
}
TemporaryFolder::~TemporaryFolder() {
  std::filesystem::remove_all(path_);
}

Process::Process(const std::vector<std::string>& arguments, const Surroundings& around)
    : out_(around.out.empty() ? folder_.file("out") : around.out), reads_out_(around.out.empty()) {
  const std::string err = folder_.file("err");
  std::vector<std::string> words{built_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ != 0) return;
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const int to_out = open(out_.c_str(), flags, 0600), to_err = open(err.c_str(), flags, 0600);
  if (to_out < 0 || to_err < 0 || dup2(to_out, 1) < 0 || dup2(to_err, 2) < 0) _exit(126);
  if (around.largest_file > 0) {
    const rlimit limit{around.largest_file, around.largest_file};
    std::signal(SIGXFSZ, SIG_IGN);  // so that writing fails, as on a full disk
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(126);
  }
  execv(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void Process::send(int signal) const {
  if (child_ > 0) kill(child_, signal);
}

void Process::take(int status) {
  child_ = -1;
  if (WIFEXITED(status)) output_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) output_.signal = WTERMSIG(status);
}

bool Process::ended() {
  int status = 0;
  if (child_ > 0 && waitpid(child_, &status, WNOHANG) == child_) take(status);
  return child_ <= 0;
}

Output Process::wait() {
  int status = 0;
  rusage usage{};
  if (child_ > 0 && wait4(child_, &status, 0, &usage) == child_) {
    take(status);
    constexpr double kibibyte = 1024;  // the unit of ru_maxrss
    output_.most_memory = kibibyte * static_cast<double>(usage.ru_maxrss);
  }
  if (reads_out_) output_.out = read_all(out_);
  output_.err = read_all(folder_.file("err"));
  return output_;
}

Output run_kardan(const std::vector<std::string>& arguments, const Surroundings& around) {
  return Process(arguments, around).wait();
}

TemporaryFile::TemporaryFile(const std::string& text) : path_(folder_.file("model.yaml")) {
  std::ofstream(path_, std::ios::binary) << text;
}

}  // namespace kardan::test
