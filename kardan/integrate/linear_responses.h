#pragma once
/// What y' = A y + B u, w = C y + D u answers:
///
///   G(i w) = C (i w - A)^-1 B + D,    s(t) = C int_0^t exp(A tau) dtau B + D.

#include <complex>
#include <vector>

#include "kardan/linalg/matrix.h"

namespace kardan {

struct LinearChannels {
  const Matrix &A, &B, &C, &D;
};

/// By time or frequency, then by output, then by input.
using FrequencyResponse = std::vector<std::vector<std::vector<std::complex<double>>>>;
using StepResponse = std::vector<std::vector<std::vector<double>>>;

/// At angular frequencies [rad/s]. Not-a-number at an undamped pole.
[[nodiscard]] FrequencyResponse frequency_response(const LinearChannels& l,
                                                   const std::vector<double>& frequencies);
/// At k times t_end/steps, of the changes that follow a step of one unit in each input at t = 0; exact
/// but for rounding, by exponentials. Empty where the numbers overflow.
[[nodiscard]] StepResponse step_response(const LinearChannels& l, double t_end, int steps);

}  // namespace kardan
