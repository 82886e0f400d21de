#include "kardan/io/run_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include "kardan/io/checksum.h"
#include "kardan/io/hdf5_handle.h"
#include "kardan/io/hdf5_write.h"
#include "kardan/io/input_file.h"

namespace kardan {
namespace {

constexpr std::size_t block_size = 512;
constexpr std::string_view table_title = "KARDAN STUDY";
constexpr int table_version = 1;
/// More than any study has, and little enough to be allocated for a file of strangers.
constexpr std::uint64_t most_width = 100'000, most_head = std::uint64_t{256} << 20;

[[noreturn]] void fail(const std::string& path) {
  throw std::system_error(errno ? errno : EIO, std::generic_category(), path);
}

void write_at(int file, const std::string& path, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(path);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

bool read_at(int file, void* out, std::size_t size, std::uint64_t at) {
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t done = ::pread(file, to, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    size -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
  return true;
}

template <class T>
std::string_view bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const char*>(data), count * sizeof(T)};
}

/// Never 0, which is what a hole reads as; a row in the place of another one is none.
std::uint64_t check_number(std::uint64_t row, std::string_view bytes) {
  return (std::uint64_t{1} << 32) | checksum(bytes, checksum(bytes_of(&row, 1)));
}

/// A dataset with its place in the file from the beginning.
Handle fixed_set(hid_t file, const std::string& name, hid_t type,
                 const std::vector<std::uint64_t>& shape) {
  const std::vector<hsize_t> size(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                     H5Sclose, name);
  const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  check(H5Pset_layout(how, H5D_CONTIGUOUS) >= 0 &&
            H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 &&
            H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0,
        name);
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name);
  check(H5Pset_create_intermediate_group(groups, 1) >= 0, name);
  return {H5Dcreate2(file, name.c_str(), type, space, groups, how, H5P_DEFAULT), H5Dclose,
          "cannot create " + name};
}

Handle row_type(const std::vector<std::string>& columns) {
  Handle type(H5Tcreate(H5T_COMPOUND, 8 * (columns.size() + 1)), H5Tclose, "no type of a row");
  for (std::size_t i = 0; i < columns.size(); ++i)
    check(H5Tinsert(type, columns[i].c_str(), 8 * i, H5T_IEEE_F64LE) >= 0, columns[i]);
  check(H5Tinsert(type, "run.check", 8 * columns.size(), H5T_STD_U64LE) >= 0, "run.check");
  return type;
}

Handle new_file(const std::string& path) {
  const Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  check(H5Pset_userblock(create, block_size) >= 0 &&
            H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0,
        path);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create, access);
  if (file < 0) fail(path);
  return {file, H5Fclose, path};
}

/// What the first bytes say of a file.
struct Places {
  std::string lines;
  void add(const char* key, std::initializer_list<std::uint64_t> numbers) {
    lines += key;
    for (const std::uint64_t n : numbers) lines += fmt::format(" {}", n);
    lines += '\n';
  }
};

std::uint64_t place_of(const Handle& set, const std::string& name) {
  const haddr_t at = H5Dget_offset(set);
  check(at != HADDR_UNDEF, "no place for " + name);
  return at;
}

void fill_file(const std::string& path, const TableDescription& d, Places& places) {
  const Handle file = new_file(path);
  put_attribute(file, "format", std::string("kardan study 1"));
  const Handle runs = fixed_set(file, "runs", row_type(d.columns), {d.rows});
  put_attribute(runs, "doc",
                std::string("one run a row; a row counts where run.check is not 0. run.verdict: 2 "
                            "green, 1 amber, 0 red; run.reason: see `reasons` in head"));
  const Handle byte(H5Tcopy(H5T_STD_U8LE), H5Tclose, "head");
  const Handle head = fixed_set(file, "head", byte, {d.head.size()});
  put_attribute(head, "doc", std::string("JSON: the study, its model, what computed it"));
  check(H5Dwrite(head, byte, H5S_ALL, H5S_ALL, H5P_DEFAULT, d.head.data()) >= 0, "head");
  places.add("rows", {d.rows, d.columns.size(), place_of(runs, "runs")});
  places.add("head", {place_of(head, "head"), d.head.size(), checksum(d.head)});
  const Handle real(H5Tcopy(H5T_IEEE_F64LE), H5Tclose, path);
  for (const TableArray& array : d.arrays) {
    const Handle set = fixed_set(file, array.name, real, array.shape);
    put_attribute(set, "doc", array.doc);
    put_attribute(set, "items", array.items);
    put_attribute(set, "components", array.components);
    std::uint64_t count = 1;
    for (const std::uint64_t n : array.shape) count *= n;
    const std::vector<double> unknown(count, std::numeric_limits<double>::quiet_NaN());
    check(H5Dwrite(set, real, H5S_ALL, H5S_ALL, H5P_DEFAULT, unknown.data()) >= 0, array.name);
    places.add("array", {place_of(set, array.name), 8 * count});
  }
}

}  // namespace

void RunTable::create(const std::string& path, const TableDescription& description) {
  silence_hdf5();
  const std::string beside = path + ".new";
  Places places{fmt::format("{} {}\n", table_title, table_version)};
  fill_file(beside, description, places);
  std::string block = places.lines + fmt::format("seal {}\n", checksum(places.lines));
  check(block.size() <= block_size, "too many arrays in a study");
  block.resize(block_size, '\0');
  const int file = ::open(beside.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(beside);
  write_at(file, beside, block, 0);
  // The hole for the rows is part of the file.
  if (::fsync(file) != 0 || ::close(file) != 0) fail(beside);
  if (std::rename(beside.c_str(), path.c_str()) != 0) fail(path);
}

bool RunTable::parse(const std::string& block, std::uint64_t file_size) {
  const std::size_t seal = block.find("\nseal ");
  if (seal == std::string::npos) return false;
  const std::string lines = block.substr(0, seal + 1);
  std::istringstream words(block.substr(lines.size()));
  std::string key;
  std::uint64_t number = 0;
  if (!(words >> key >> number) || number != checksum(lines)) return false;
  std::istringstream body(lines);
  body.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  const auto inside = [&](std::uint64_t at, std::uint64_t size) {
    return at >= block_size && at <= file_size && size <= file_size - at;
  };
  Place head;
  std::uint64_t head_sum = 0;
  while (body >> key) {
    Place place;
    if (key == "rows") {
      std::uint64_t width = 0;
      if (!(body >> rows_ >> width >> at_) || width > most_width) return false;
      width_ = width;
      const std::uint64_t row = 8 * (width_ + 1);
      if (at_ > file_size || rows_ > (file_size - at_) / row) return false;
    } else if (key == "head") {
      if (!(body >> head.at >> head.size >> head_sum) || head.size > most_head) return false;
      if (!inside(head.at, head.size)) return false;
    } else if (key == "array") {
      if (!(body >> place.at >> place.size) || !inside(place.at, place.size)) return false;
      arrays_.push_back(place);
    } else {
      return false;
    }
  }
  head_.resize(head.size);
  return width_ > 0 && read_at(file_, head_.data(), head.size, head.at) &&
         checksum(head_) == head_sum;
}

std::optional<RunTable> RunTable::open(const std::string& path, Access access,
                                       Diagnostics& diagnostics) {
  const SourceLocation where{path, 0, 0};
  if (const auto why = why_unreadable(path)) {
    diagnostics.error("file.open", *why, where, "give a file that `kardan study` has written");
    return {};
  }
  RunTable out;
  out.path_ = path;
  out.file_ = ::open(path.c_str(), (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  struct stat info = {};
  if (out.file_ < 0 || ::fstat(out.file_, &info) != 0) {
    diagnostics.error("file.open", std::strerror(errno), where, "check its permissions");
    return {};
  }
  std::string block(block_size, '\0');
  const bool whole = read_at(out.file_, block.data(), block.size(), 0);
  if (!whole || !block.starts_with(fmt::format("{} ", table_title))) {
    diagnostics.error("result.foreign", "this is no study of Kardan", where,
                      "give a file that `kardan study` has written");
    return {};
  }
  if (!block.starts_with(fmt::format("{} {}\n", table_title, table_version))) {
    diagnostics.error("result.version", "written by another version of the format", where,
                      fmt::format("this program reads version {}", table_version));
    return {};
  }
  if (!out.parse(block, static_cast<std::uint64_t>(info.st_size))) {
    diagnostics.error("result.damaged", "the checksum does not fit: the file was changed or cut",
                      where, "copy it again, or repeat the study");
    return {};
  }
  return out;
}

RunTable::RunTable(RunTable&& other) noexcept {
  *this = std::move(other);
}

RunTable& RunTable::operator=(RunTable&& other) noexcept {
  path_ = std::move(other.path_);
  head_ = std::move(other.head_);
  std::swap(file_, other.file_);
  rows_ = other.rows_;
  at_ = other.at_;
  width_ = other.width_;
  arrays_ = std::move(other.arrays_);
  return *this;
}

RunTable::~RunTable() {
  if (file_ >= 0) ::close(file_);
}

void RunTable::write(std::uint64_t row, std::span<const double> numbers) {
  std::string bytes(bytes_of(numbers.data(), numbers.size()));
  const std::uint64_t check = check_number(row, bytes);
  bytes += bytes_of(&check, 1);
  write_at(file_, path_, bytes, at_ + row * bytes.size());
}

bool RunTable::read(std::uint64_t row, std::span<double> numbers) const {
  thread_local std::vector<std::uint64_t> words;
  words.resize(width_ + 1);
  const std::size_t size = 8 * words.size();
  if (row >= rows_ || !read_at(file_, words.data(), size, at_ + row * size)) return false;
  if (words.back() == 0 || words.back() != check_number(row, bytes_of(words.data(), width_)))
    return false;
  std::memcpy(numbers.data(), words.data(), 8 * width_);
  return true;
}

void RunTable::scan(const std::function<void(std::uint64_t, std::span<const double>)>& use) const {
  constexpr std::size_t block_bytes = 1 << 18;
  const std::size_t row_bytes = 8 * (width_ + 1);
  const std::uint64_t block_rows = std::max<std::size_t>(1, block_bytes / row_bytes);
  std::vector<char> block;
  std::vector<double> numbers(width_);
  for (std::uint64_t first = 0; first < rows_; first += block_rows) {
    const std::uint64_t count = std::min(block_rows, rows_ - first);
    block.resize(count * row_bytes);
    if (!read_at(file_, block.data(), block.size(), at_ + first * row_bytes)) fail(path_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const char* row = block.data() + i * row_bytes;
      std::uint64_t check = 0;
      std::memcpy(&check, row + 8 * width_, 8);
      if (check == 0 || check != check_number(first + i, {row, 8 * width_})) continue;
      std::memcpy(numbers.data(), row, 8 * width_);
      use(first + i, numbers);
    }
  }
}

void RunTable::write_array(std::size_t index, std::span<const double> numbers) {
  check(8 * numbers.size() == arrays_[index].size, "an array of another size");
  write_at(file_, path_, bytes_of(numbers.data(), numbers.size()), arrays_[index].at);
}

std::vector<double> RunTable::read_array(std::size_t index) const {
  std::vector<double> out(arrays_[index].size / 8);
  if (!read_at(file_, out.data(), 8 * out.size(), arrays_[index].at)) fail(path_);
  return out;
}

void RunTable::sync() {
  if (::fsync(file_) != 0) fail(path_);
}

}  // namespace kardan
