#pragma once
/// Constraints of written equations that depend on time: what they prescribe, as functions of time
/// with everything else held, which show a kink in time.

#include <memory>
#include <string>
#include <vector>

#include "kardan/base/named_function.h"
#include "kardan/model/equation_data.h"

namespace kardan {

struct WrittenMotion {
  std::string what;  ///< "equations.constraints.drive"
  SourceLocation where;
  /// 0: of positions (g = 0); 1: of velocities (H v + h = 0).
  int level = 0;
  /// Near several places around the start, where kinks of the place come at different times.
  std::vector<std::unique_ptr<const NamedFunction>> views;
};

/// Whether a formula, or a definition it uses, depends on t.
bool varies_in_time(const EquationData& data, const Formula& formula);

/// They refer to `data`.
std::vector<WrittenMotion> written_motions(const EquationData& data);

}  // namespace kardan
