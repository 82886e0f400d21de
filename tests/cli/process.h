#pragma once
/// Runs the program as a user does and takes what it prints.

#include <string>
#include <vector>

namespace kardan::test {

struct Output {
  int exit_code = -1;
  std::string out, err;  ///< standard output and standard error
};

/// `kardan ARGUMENTS...`, without a shell.
Output run_kardan(const std::vector<std::string>& arguments);

/// A file with this text in a folder of its own, removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace kardan::test
