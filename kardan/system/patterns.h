#pragma once
/// Fixed patterns from the topology: which bodies each constraint row, force and auxiliary equation
/// touches. Fills in the slots through which elements write.

#include <utility>
#include <vector>

#include "kardan/elements/builder.h"
#include "kardan/system/equations.h"

namespace kardan {

struct Topology {
  std::vector<BodyColumns> bodies;           // 0 is the ground
  std::vector<std::vector<int>> row_bodies;  // moving bodies of each constraint row, ascending
  std::vector<PairSlots> pairs;              // body pairs of constraints and forces
};

/// What a formula couples: the bodies whose forces depend on those whose motion it is of.
struct FormulaCoupling {
  std::vector<int> forces, motions;  // ascending
  std::vector<int> variables;        // in (r; w)
  int variable = -1;                 // whose rate it is, or -1
};

/// A row of a constraint that any number of bodies share, or a force between them.
struct SharedRow {
  int row = 0;              // -1: of a force
  std::vector<int> bodies;  // ascending
};

/// Lays out patterns for a program and writes all slots. `velocities` is the number of columns.
template <int D>
Patterns lay_out(Program<D>& program, int velocities, std::span<const SharedRow> shared,
                 std::span<const FormulaCoupling> formulas, Topology& topology);

}  // namespace kardan
