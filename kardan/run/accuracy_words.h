#pragma once
/// What certifying a run has found, in words.

#include <string>

#include "kardan/run/accuracy.h"

namespace kardan {

/// What the words need beside the figures.
struct SearchFacts {
  bool fixed = false;         ///< steps are
  bool root = false;          ///< of the tolerance is asked for
  double doubt = 0;           ///< how far the tightest references are apart, where that matters
  std::string contradiction;  ///< by another method
  /// A run that was not begun, since it would use up the budget; steps 0: none.
  struct Beyond {
    double steps = 0, left = 0;  ///< it would take, and there were
    int order = 0;               ///< of the method
    long reference_steps = 0;    ///< that the referee took
  } beyond;
};

/// `rounding`: of numbers; where it grows to the accuracy asked for, nothing can be known.
[[nodiscard]] std::string in_words(const Accuracy&, const SearchFacts&, double rounding);

}  // namespace kardan
