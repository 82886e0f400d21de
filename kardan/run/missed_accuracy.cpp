#include "kardan/run/missed_accuracy.h"

#include <fmt/format.h>

#include <algorithm>

namespace kardan {

double largest_error(const EstimatedError& e) {
  return std::max(e.position.reached, e.velocity.reached);
}

std::string missed_accuracy(const EstimatedError& e, double accuracy) {
  if (!e.made || !e.missing.empty())
    return fmt::format("the accuracy {:.1e} cannot be shown: {}", accuracy, in_words(e));
  if (largest_error(e) <= accuracy) return {};
  const LargestError& most = e.position.reached > e.velocity.reached ? e.position : e.velocity;
  return fmt::format(
      "the estimated error comes to {:.1e}, where {:.1e} was asked for ({}, t = {:.4g} s)",
      most.reached, accuracy, most.name, most.t);
}

}  // namespace kardan
