#include "kardan/io/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace kardan {
namespace {

constexpr int longest_silence = 5000;  // [ms]

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int id) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int id() const { return id_; }

 private:
  int id_;
};

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is a device";
}

std::string reason(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return fmt::format("'{}' does not exist", path);
  return fmt::format("cannot read '{}': {}", path, std::generic_category().message(error));
}

/// A path with a zero byte would be another one to the system.
std::optional<std::string> why_no_path(const std::string& path) {
  if (path.find('\0') == std::string::npos) return std::nullopt;
  return fmt::format("'{}' has a zero byte in its path", path.c_str());
}

/// True when there is something to read, or the end; false after a long silence.
bool wait_for(int file) {
  pollfd wanted{file, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&wanted, 1, longest_silence);
  while (ready < 0 && errno == EINTR);
  return ready != 0;
}

}  // namespace

std::optional<std::string> why_unreadable(const std::string& path) {
  if (auto why = why_no_path(path)) return why;
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return reason(path, errno);
  if (!S_ISREG(found.st_mode)) return fmt::format("'{}' {}", path, kind_of(found.st_mode));
  if (::access(path.c_str(), R_OK) != 0) return reason(path, errno);
  return std::nullopt;
}

Expected<std::string, Unreadable> read_input(const std::string& path, std::size_t most,
                                             FileKind kind) {
  if (auto why = why_no_path(path)) return Unreadable{std::move(*why)};
  // Without waiting for somebody who writes, and without becoming anybody's terminal.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  if (file.id() < 0 || ::fstat(file.id(), &found) != 0) return Unreadable{reason(path, errno)};
  const bool pipe = kind == FileKind::regular_or_pipe && S_ISFIFO(found.st_mode);
  if (!S_ISREG(found.st_mode) && !pipe)
    return Unreadable{fmt::format("'{}' {}", path, kind_of(found.st_mode))};
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (text.size() < most) {
    if (pipe && !wait_for(file.id()))
      return Unreadable{fmt::format("nobody writes into the pipe '{}'", path)};
    const ssize_t count =
        ::read(file.id(), piece.data(), std::min(piece.size(), most - text.size()));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return Unreadable{reason(path, errno)};
    if (count == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace kardan
