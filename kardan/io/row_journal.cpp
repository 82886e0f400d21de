#include "kardan/io/row_journal.h"

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "kardan/io/checksum.h"
#include "kardan/io/input_file.h"
#include "kardan/io/stored_step.h"

namespace kardan {
namespace {

constexpr char row_kind = 'r', step_kind = 's';
using StepNumbers = std::array<double, sizeof(StoredStep) / sizeof(double)>;

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

/// The file, cut where the mark says.
const std::string& cut(const std::string& path, const JournalMark& mark) {
  std::filesystem::resize_file(path, mark.bytes);
  return path;
}

}  // namespace

RowJournal::RowJournal(const std::string& path) : file_(path) {}

RowJournal::RowJournal(const std::string& path, const JournalMark& mark)
    : file_(cut(path, mark), OutputFile::Open::at_end), mark_(mark) {}

void RowJournal::add(char kind, std::span<const double> numbers) {
  for (const std::string_view piece : {std::string_view(&kind, 1), bytes_of(numbers)}) {
    file_.write(piece);
    mark_.bytes += piece.size();
    mark_.checksum = checksum(piece, mark_.checksum);
  }
}

void RowJournal::row(std::span<const double> row) {
  add(row_kind, row);
}

void RowJournal::step(const StepRecord& s) {
  const auto numbers = std::bit_cast<StepNumbers>(to_stored(s));
  add(step_kind, numbers);
}

JournalMark RowJournal::sync() {
  file_.sync();
  return mark_;
}

bool read_journal(const std::string& path, const JournalMark& mark, std::size_t width,
                  const std::function<void(std::span<const double>)>& row,
                  const std::function<void(const StepRecord&)>& step) {
  if (why_unreadable(path)) return false;
  std::ifstream file(path, std::ios::binary);
  JournalMark read;
  std::vector<double> numbers;
  for (char kind = 0; file && read.bytes < mark.bytes;) {
    file.read(&kind, 1);
    if (kind != row_kind && kind != step_kind) return false;
    numbers.resize(kind == row_kind ? width : StepNumbers{}.size());
    file.read(reinterpret_cast<char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * sizeof(double)));
    if (!file) return false;
    read.checksum = checksum(bytes_of(numbers), checksum({&kind, 1}, read.checksum));
    read.bytes += 1 + numbers.size() * sizeof(double);
    if (kind == row_kind && row) row(numbers);
    if (kind != step_kind) continue;
    StoredStep stored;
    std::memcpy(&stored, numbers.data(), sizeof stored);
    const auto record = from_stored(stored);
    if (!record) return false;
    if (step) step(*record);
  }
  return read.bytes == mark.bytes && read.checksum == mark.checksum;
}

std::string check_journal(const std::string& path, const JournalMark& mark, std::size_t width) {
  if (const auto why = why_unreadable(path)) return *why;
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) return error.message();
  if (size < mark.bytes) return "it is too short";
  return read_journal(path, mark, width, {}, {}) ? "" : "its checksum does not fit";
}

}  // namespace kardan
