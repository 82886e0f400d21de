#pragma once
/// A table of numbers, one row a run of a study, in an HDF5 file whose structure is complete before
/// the first row is written: rows and results have their places in the file from the beginning, and
/// are written there without the HDF5 library. So rows may come in any order and from several
/// processes, a program that is killed leaves a good file, and memory does not depend on their
/// number. Places without a row are holes: they take no room on the disk.
///
///   bytes 0 to 511   lines of text: sizes and places of what follows (left to us by HDF5)
///   runs             rows: a 64-bit number for each column, then a check number
///   head             a JSON text
///   ...              arrays of results, not-a-number until they are known
///
/// Other programs read it as HDF5. This one reads the lines of text only, so that a file of
/// strangers reaches no library.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

struct TableArray {
  std::string name, doc;
  std::vector<std::uint64_t> shape;
  std::vector<std::string> items, components;  ///< names along the first and the last direction
};

struct TableDescription {
  std::string head;
  std::vector<std::string> columns;
  std::uint64_t rows = 0;
  std::vector<TableArray> arrays;
};

class RunTable {
 public:
  /// A new file, complete when it has its name. Throws std::system_error or Hdf5Error.
  static void create(const std::string& path, const TableDescription& description);

  enum class Access { read, write };
  /// Nothing after reporting that the file is missing, foreign or damaged.
  static std::optional<RunTable> open(const std::string& path, Access access,
                                      Diagnostics& diagnostics);

  RunTable(RunTable&& other) noexcept;
  RunTable& operator=(RunTable&& other) noexcept;
  ~RunTable();

  const std::string& path() const { return path_; }
  const std::string& head() const { return head_; }
  std::uint64_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::size_t array_count() const { return arrays_.size(); }

  /// From any thread. Throws std::system_error.
  void write(std::uint64_t row, std::span<const double> numbers);
  /// False where there is no row, or no whole one.
  bool read(std::uint64_t row, std::span<double> numbers) const;
  /// All rows there are, in order, `width` numbers each.
  void scan(const std::function<void(std::uint64_t row, std::span<const double>)>& use) const;
  void write_array(std::size_t index, std::span<const double> numbers);
  [[nodiscard]] std::vector<double> read_array(std::size_t index) const;
  /// On the disk when this returns.
  void sync();

 private:
  struct Place {
    std::uint64_t at = 0, size = 0;  // [bytes]
  };
  RunTable() = default;
  bool parse(const std::string& block, std::uint64_t file_size);

  std::string path_, head_;
  int file_ = -1;
  std::uint64_t rows_ = 0, at_ = 0;
  std::size_t width_ = 0;
  std::vector<Place> arrays_;
};

}  // namespace kardan
