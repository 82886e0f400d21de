#include "kardan/io/output_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "kardan/io/checkpoint.h"

namespace kardan {
namespace {

namespace fs = std::filesystem;

bool is_regular(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

/// Devices, pipes and folders are nobody's file.
bool is_special(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none) && !is_regular(path);
}

/// One file under two names, also by links, or one that is not there yet.
bool same_file(const std::string& a, const std::string& b) {
  struct stat at_a = {}, at_b = {};
  const bool has_a = ::stat(a.c_str(), &at_a) == 0, has_b = ::stat(b.c_str(), &at_b) == 0;
  if (has_a != has_b) return false;
  if (has_a) return at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
  std::error_code bad_a, bad_b;
  const fs::path whole_a = fs::weakly_canonical(a, bad_a), whole_b = fs::weakly_canonical(b, bad_b);
  return !bad_a && !bad_b && whole_a == whole_b;
}

constexpr std::string_view checkpoint_title = "KARDAN CHECKPOINT ";

std::string head_of(const std::string& path) {
  constexpr std::size_t enough = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  std::string head(enough, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A line that this run would write, or the time with the energies, which no table of others has.
bool is_csv(std::string_view head, std::string_view header) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return line == header || (line.starts_with("time [s],") && has(line, "energy.kinetic [J]"));
}

bool is_result(const std::string& path, std::string_view head, std::string_view header) {
  if (path.ends_with(".csv")) return is_csv(head, header);
  if (path.ends_with(".json"))
    return head.starts_with('{') && has(head, "\"model\":") && has(head, "\"reason\":") &&
           has(head, "\"diagnosis\":");
  if (path.ends_with(".h5")) return head.starts_with(header.empty() ? "KARDAN RESULT" : header);
  return has(head, "<title>Kardan report</title>") || has(head, "<title>Kardan result</title>");
}

/// Rows of a checkpoint that is gone: a letter, then the time of a point or a step. The bytes of a
/// text make no number of that size.
bool is_rows(std::string_view head) {
  constexpr double shortest = 1e-30, longest = 1e15;
  double t = 0;
  if (head.size() < 1 + sizeof t || (head[0] != 'r' && head[0] != 's')) return false;
  std::memcpy(&t, head.data() + 1, sizeof t);
  return t == 0 || (std::abs(t) > shortest && std::abs(t) < longest);
}

bool is_own(const Output& output, const std::string& path) {
  const std::string head = head_of(path);
  if (head.empty()) return true;
  switch (output.kind) {
    case OutputKind::result:
      return is_result(path, head, output.header);
    case OutputKind::log:
      return head.starts_with(log_header);
    case OutputKind::checkpoint:
      return head.starts_with(checkpoint_title) ||
             (path == rows_path(output.path) &&
              (is_rows(head) ||
               (is_regular(output.path) && head_of(output.path).starts_with(checkpoint_title))));
    case OutputKind::picture:
      return has(head, "<metadata>Kardan</metadata>");
    case OutputKind::page:
      return has(head, "<meta name=\"generator\" content=\"Kardan\">");
    case OutputKind::model:
      return head.starts_with(model_header);
    case OutputKind::fmu:
      return head.starts_with("PK") && has(head, fmu_entry);
  }
  return false;
}

const char* name_of(OutputKind kind) {
  constexpr const char* names[] = {"result", "log", "checkpoint", "diagram", "page", "model", "FMU"};
  return names[static_cast<int>(kind)];
}

/// All files that an output makes.
std::vector<std::string> files_of(const Output& output) {
  if (output.kind != OutputKind::checkpoint) return {output.path};
  return {output.path, rows_path(output.path), output.path + ".new"};
}

std::string asked(const Output& output, const std::string& path) {
  return fmt::format("{} {}{}", output.flag, output.path,
                     path == output.path ? "" : fmt::format(" (with {})", path));
}

}  // namespace

OutputGuard::OutputGuard(const std::vector<std::string>& inputs, const std::vector<Output>& outputs,
                         Overwrite overwrite, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (const std::string& path : files_of(outputs[i])) {
      if (is_special(path)) continue;
      const std::string what = asked(outputs[i], path);
      bool refused = false;
      for (const std::string& input : inputs)
        if (!refused && same_file(path, input)) {
          diagnostics.error("output.input",
                            fmt::format("{}: this file is read, and would be lost", what), {},
                            "choose another name");
          refused = true;
        }
      for (std::size_t k = 0; k < i; ++k)
        for (const std::string& other : files_of(outputs[k]))
          if (!refused && same_file(path, other)) {
            diagnostics.error(
                "output.twice",
                fmt::format("{} and {}: both would write one file", what, asked(outputs[k], other)),
                {}, "choose another name for one of them");
            refused = true;
          }
      if (!refused && overwrite == Overwrite::own_files && is_regular(path) &&
          !is_own(outputs[i], path))
        diagnostics.error("output.foreign",
                          fmt::format("{}: the file is there, and is no {} of Kardan", what,
                                      name_of(outputs[i].kind)),
                          {}, "choose another name, or overwrite it with --force");
    }
  if (diagnostics.error_count() > errors) return;
  for (const Output& output : outputs)
    // A checkpoint is replaced as a whole; its rows stay the same file.
    claim(output, output.kind == OutputKind::checkpoint ? rows_path(output.path) : output.path,
          diagnostics);
}

/// By a lock of the open file, which ends with the program. It does not meet those of HDF5.
void OutputGuard::claim(const Output& output, const std::string& path, Diagnostics& diagnostics) {
  if (is_special(path)) return;
  std::error_code none;
  const bool made = !fs::exists(path, none);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;  // reported by who writes it
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
    ::close(file);
    diagnostics.error("output.busy",
                      fmt::format("{}: another run is writing this file", asked(output, path)), {},
                      "wait for its end, or choose another name");
    return;
  }
  claims_.push_back({file, path, made});
}

OutputGuard::~OutputGuard() {
  for (const Claim& c : claims_) {
    // What was made to be claimed, and never written, goes again.
    struct stat now = {};
    if (c.made && ::fstat(c.file, &now) == 0 && now.st_size == 0) ::unlink(c.path.c_str());
    ::close(c.file);
  }
}

}  // namespace kardan
