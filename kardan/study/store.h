#pragma once
/// A study on the disk: its plan, its rows, and what they say together, in one HDF5 file
/// (io/run_table.h).

#include <optional>
#include <string>

#include "kardan/io/run_table.h"
#include "kardan/study/plan.h"
#include "kardan/study/run_row.h"
#include "kardan/study/statistics.h"

namespace kardan {

/// Everything that is made of the rows.
struct StudyResults {
  StudyStatistics statistics;
  std::vector<std::vector<double>> quantiles;  ///< [column][share]
  std::optional<Sensitivities> sensitivities;  ///< of designs that carry them
};

class StudyStore {
 public:
  /// A file without rows. Throws std::system_error or Hdf5Error.
  static void create(const std::string& path, const StudyPlan& plan);
  static std::optional<StudyStore> open(const std::string& path, RunTable::Access access,
                                        Diagnostics& diagnostics);

  RunTable& table() { return table_; }
  const RunTable& table() const { return table_; }
  const RowShape& shape() const { return shape_; }
  const std::string& title() const { return title_; }
  const std::vector<double>& shares() const { return shares_; }
  /// False where the points were chosen, not drawn: nothing is said about chances then.
  bool drawn() const { return drawn_; }
  /// Of what computed it, for comparison: the program, its libraries, the processor.
  const std::string& computed_by() const { return computed_by_; }
  /// The plan again, as it was when the file was made.
  [[nodiscard]] std::optional<StudyPlan> plan(Diagnostics& diagnostics) const;
  /// Reports a store of another study.
  bool belongs_to(const StudyPlan& plan, Diagnostics& diagnostics) const;

  /// Rows of the sample: of a design for sensitivities the independent points alone.
  [[nodiscard]] RowScan sample() const;
  [[nodiscard]] RowScan all() const;
  [[nodiscard]] std::uint64_t done() const;
  /// Reduces the rows there are; `keep` writes the results into the file.
  [[nodiscard]] StudyResults reduce() const;
  void keep(const StudyResults& results);

 private:
  StudyStore(RunTable table, RowShape shape) : table_(std::move(table)), shape_(std::move(shape)) {}

  RunTable table_;
  RowShape shape_;
  std::string title_, study_, model_, computed_by_;
  bool drawn_ = true;
  std::vector<double> shares_;
  std::uint64_t sensitivity_rows_ = 0;
};

/// What computes here.
[[nodiscard]] std::string computed_here();

}  // namespace kardan
