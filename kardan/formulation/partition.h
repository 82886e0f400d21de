#pragma once
/// Which coordinates of a chart are free and which depend on them: chosen at a state, and kept
/// while the constraints determine the dependent ones well.

#include <string>
#include <vector>

#include "kardan/formulation/closing.h"
#include "kardan/formulation/parametrization.h"
#include "kardan/formulation/tangent.h"
#include "kardan/integrate/problem.h"
#include "kardan/system/system.h"

namespace kardan {

class Partition {
 public:
  /// `system` must outlive this.
  Partition(const System& system, Parametrize how) : system_(system), choose_(how) {}
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  /// Chooses at a state, and says why in the history.
  [[nodiscard]] Eval choose(const State& state, Workspace& ws, std::string why);
  const Parametrization& split() const { return split_; }
  DependentBlocks& blocks() { return blocks_; }
  /// The independent holonomic rows.
  const PositionRows& positions() const { return positions_; }
  const std::vector<PartitionRecord>& history() const { return history_; }

  /// Why it does not suit the free directions at a new base any more; empty: it does.
  std::string unsuited(const Tangent& base);
  /// Whether a chart in use may go on to a point with these directions.
  bool serves(const Tangent& near) const;

 private:
  const System& system_;
  Parametrize choose_;
  Parametrization split_;
  DependentBlocks blocks_;
  PositionRows positions_;
  double fresh_length_ = 0;  // of the free directions where it was chosen; 0: not known
  std::vector<PartitionRecord> history_;
};

}  // namespace kardan
