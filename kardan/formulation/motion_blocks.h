#pragma once
/// The blocks of the matrix of motion (linalg/motion/motion_matrix.h) from the names of a system and what was
/// evaluated of them.

#include "kardan/linalg/motion/motion_matrix.h"
#include "kardan/system/names.h"

namespace kardan {

inline MotionPatterns motion_patterns(const Names& names) {
  const Patterns& p = names.patterns();
  const Sizes& n = names.sizes();
  MotionPatterns out{p.mass, p.constraint, p.force_aux, p.aux_aux, nullptr, nullptr, n.w, n.r};
  if (n.multiplier_forces) out.f_lambda = p.force_lambda, out.d_lambda = p.aux_lambda;
  return out;
}

/// Differentiated too where there are auxiliary variables or forces that depend on multipliers.
inline MotionValues motion_values(const Workspace& ws) {
  return {ws.M.values,
          ws.G.values,
          ws.force_aux.values,
          ws.aux_aux.values,
          ws.force_lambda.values,
          ws.aux_lambda.values};
}

}  // namespace kardan
