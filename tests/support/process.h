#pragma once
/// Runs the program as a user does and takes what it prints.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kardan::test {

struct Output {
  int exit_code = -1;      ///< -1: ended by a signal
  int signal = 0;          ///< that ended it
  std::string out, err;    ///< standard output and standard error
  double most_memory = 0;  ///< [bytes] in use at once, where waited for
};

/// A file name of its own in a folder of its own, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What a process finds.
struct Surroundings {
  std::string out = {};            ///< file for standard output; empty: one that is read later
  std::uint64_t largest_file = 0;  ///< [bytes] as if the disk were full then; 0: no limit
};

/// `kardan ARGUMENTS...`, without a shell, while it runs.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const Surroundings& = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  /// True when it has ended already.
  bool ended();
  Output wait();

 private:
  void take(int status);

  TemporaryFolder folder_;
  std::string out_;
  bool reads_out_;
  pid_t child_ = -1;
  Output output_;
};

/// The same from its start to its end.
Output run_kardan(const std::vector<std::string>& arguments, const Surroundings& = {});

/// The bytes of a file; empty where there is none.
std::string read_all(const std::string& path);

/// A file with this text in a folder of its own, removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

}  // namespace kardan::test
