#pragma once
/// The program as a user runs it.

#include <filesystem>
#include <string>

namespace kardan::docs {

struct Output {
  std::string out, err;
  int status = 0;
};

/// Runs `kardan ARGUMENTS` in a folder, through the shell.
Output run_kardan(const std::string& arguments, const std::filesystem::path& folder);

}  // namespace kardan::docs
