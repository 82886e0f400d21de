#pragma once
/// The processes that a launcher (mpirun, srun) has started of this program, which do a study
/// together.

#include <cstdint>
#include <optional>

#include "kardan/base/diagnostics.h"

struct KardanRanks;

namespace kardan::cli {

class Ranks {
 public:
  /// Nothing where the program was started alone, or after reporting why they cannot be reached: each
  /// would do the whole study, into one file.
  static std::optional<Ranks> of_launcher(Diagnostics& faults);

  Ranks(Ranks&& other) noexcept : table_(other.table_) { other.table_ = nullptr; }
  Ranks& operator=(Ranks&&) = delete;
  ~Ranks();

  int rank() const;
  int size() const;
  /// Numbers from 0 on, each given to one of all. From one thread at a time.
  std::uint64_t next();
  /// Whether all say so: none goes on before all have answered.
  bool all(bool yes);

 private:
  explicit Ranks(const KardanRanks* table) : table_(table) {}
  const KardanRanks* table_;
};

}  // namespace kardan::cli
