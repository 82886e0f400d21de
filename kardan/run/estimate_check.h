#pragma once
/// The error that a run estimates of itself beside the one that certifying has measured: at the end
/// of the run, which is an end of a step and a time of the comparison.

#include <optional>
#include <string>

#include "kardan/run/accuracy.h"
#include "kardan/run/error_estimate.h"

namespace kardan {

struct EstimateCheck {
  double estimated = 0, measured = 0;  ///< reached errors
  double t = 0;                        ///< [s]
  bool low = false;                    ///< the estimate is below a third of what was measured
};

/// Nothing where one of both is missing there, or the estimate says itself that it is void.
[[nodiscard]] std::optional<EstimateCheck> check_estimate(const EstimatedError& estimate,
                                                          const Accuracy& accuracy);

/// In a sentence.
[[nodiscard]] std::string in_words(const EstimateCheck& check);

}  // namespace kardan
