#pragma once
/// What a linearized model answers to its inputs:
///
///   G(i w) = C (i w - A)^-1 B + D,    s(t) = C int_0^t exp(A tau) dtau B + D.

#include <complex>
#include <vector>

#include "kardan/run/linearize.h"

namespace kardan {

/// By time or frequency, then by output, then by input.
using FrequencyResponse = std::vector<std::vector<std::vector<std::complex<double>>>>;
using StepResponse = std::vector<std::vector<std::vector<double>>>;

/// At angular frequencies [rad/s]. Not-a-number at an undamped pole.
[[nodiscard]] FrequencyResponse frequency_response(const Linearization& l,
                                                   const std::vector<double>& frequencies);
/// At k times t_end/steps, of the changes that follow a step of one unit in each input at t = 0; exact
/// but for rounding, by exponentials. Empty where the numbers overflow.
[[nodiscard]] StepResponse step_response(const Linearization& l, double t_end, int steps);

/// A decade around what the model has between its slowest and its fastest motion, at most six.
[[nodiscard]] std::vector<double> telling_frequencies(const Linearization& l, int count);
/// [s] In which the slowest motion decays, or the fastest grows.
[[nodiscard]] double telling_time(const Linearization& l);

}  // namespace kardan
