#pragma once
/// Files that are written: a buffer in front of the system's calls. Every fault, a full disk or a
/// pipe nobody reads, is a std::system_error with the path; a destructor says nothing.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace kardan {

class OutputFile {
 public:
  enum class Open { anew, at_end };
  explicit OutputFile(std::string path, Open how = Open::anew);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    flush_large();
  }
  void flush();
  /// Flushed, and on the disk when this returns.
  void sync();
  void close();

 private:
  void flush_large();
  [[noreturn]] void fail(int error);

  std::string path_, buffer_;
  int file_ = -1;
};

/// The file anew. Throws std::system_error.
void write_file(const std::string& path, std::string_view bytes);

/// The file then holds `bytes`, or, after a std::system_error or a crash, what it held before.
/// What is no regular file is refused.
void write_atomically(const std::string& path, std::string_view bytes);

}  // namespace kardan
