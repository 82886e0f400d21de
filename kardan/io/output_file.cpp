#include "kardan/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

namespace kardan {
namespace {

constexpr std::size_t large = 1 << 16;

/// Everything, in as many calls as it takes; the error number, or 0.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

int sync_file(int file) {
  // Pipes and devices have nothing to synchronize.
  return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/// The first bytes of a plain file, as many as `count`; nothing of anything else, as a link.
std::optional<std::string> beginning(const std::string& path, std::size_t count) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat found {};
  std::string out(count, '\0');
  const bool plain = file >= 0 && ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  const ssize_t got = plain ? ::read(file, out.data(), count) : 0;
  if (file >= 0) ::close(file);
  if (!plain) return std::nullopt;
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return out;
}

[[noreturn]] void refuse(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), path);
}

/// A new file for `bytes`. What an interrupted writing of the same kind has left there is removed,
/// an empty file if it was interrupted at once; a link, which could lead anywhere, or another's file is not.
int create_beside(const std::string& path, std::string_view bytes) {
  constexpr std::size_t enough = 16;  // to know what kind of file it is
  const std::optional<std::string> left = beginning(path, enough);
  if (left && bytes.starts_with(*left)) ::unlink(path.c_str());
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int file = ::open(path.c_str(), flags, 0666);
  if (file < 0) refuse(errno, path);
  return file;
}

}  // namespace

OutputFile::OutputFile(std::string path, Open how) : path_(std::move(path)) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (how == Open::anew ? O_TRUNC : O_APPEND);
  file_ = ::open(path_.c_str(), flags, 0666);
  if (file_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  (void)write_all(file_, buffer_);
  ::close(file_);
}

void OutputFile::fail(int error) {
  // What could not be written is not tried again.
  buffer_.clear();
  refuse(error, path_);
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  flush_large();
}

void OutputFile::flush_large() {
  if (buffer_.size() >= large) flush();
}

void OutputFile::flush() {
  if (const int error = write_all(file_, buffer_); error != 0) fail(error);
  buffer_.clear();
}

void OutputFile::sync() {
  flush();
  if (const int error = sync_file(file_); error != 0) fail(error);
}

void OutputFile::close() {
  flush();
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0) fail(errno);
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.close();
}

void write_atomically(const std::string& path, std::string_view bytes) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(EINVAL, path);
  // A link stays one: what it points to is replaced.
  const fs::path target = fs::exists(status) ? fs::canonical(path) : fs::absolute(path);
  const std::string beside = target.string() + ".new";
  const int file = create_beside(beside, bytes);
  int error = write_all(file, bytes);
  if (error == 0) error = sync_file(file);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    refuse(error, path);
  }
  // The folder knows the new file.
  const int folder = ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)::fsync(folder);
  ::close(folder);
}

}  // namespace kardan
