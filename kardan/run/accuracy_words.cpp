#include "kardan/run/accuracy_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

const char* what_shrinks(const SearchFacts& facts) {
  return facts.fixed ? "steps of" : "tolerance";
}

std::string reached(const Accuracy& a, const SearchFacts& facts) {
  std::string out = fmt::format("reached with {} {:.1e}", what_shrinks(facts), a.tolerance);
  out += a.crossed.empty() ? "; no method of another kind came to the end to confirm it"
                           : fmt::format(", confirmed by {} to {:.1e}", a.crossed, a.apart);
  if (facts.root) out += "; of a method of order 1 the root of the tolerance is asked for";
  return out;
}

std::string out_of_reach(const Accuracy& a, const SearchFacts& facts, double rounding) {
  if (a.magnified * rounding > a.asked)
    return fmt::format(
        "cannot be known: an error at the start is {:.0e} times as large at the worst time, so "
        "that the rounding of numbers decides",
        a.magnified);
  if (facts.doubt > 0)
    return fmt::format(
        "not certain: errors do not fall with the tolerance; the reference itself is {:.1e} from a "
        "looser one",
        facts.doubt);
  return fmt::format("out of reach after t = {:.6g} s: even with {} {:.1e} errors become larger{}",
                     a.until, what_shrinks(facts), a.tolerance,
                     a.growth > 0 ? fmt::format("; they grow like exp({:.2g} t)", a.growth) : "");
}

std::string over_budget(const Accuracy& a, const SearchFacts& facts) {
  if (a.bands.empty())
    return fmt::format("not measured: the budget of {:g} times the first run is used up", a.budget);
  std::string out = fmt::format(
      "not reached within the budget of {:g} times the first run: with {} {:.1e} it holds up to t "
      "= {:.6g} s",
      a.budget, what_shrinks(facts), a.tolerance, a.until);
  const SearchFacts::Beyond& beyond = facts.beyond;
  if (beyond.steps == 0) return out;
  // Errors fall with the order of the method.
  const double within = a.asked * std::pow(beyond.steps / std::max(1.0, beyond.left), beyond.order);
  return out + fmt::format(
                   "; from an error of {:.1e} some {:.1e} more steps lead there, where {:.1e} are "
                   "left, which lead to {:.1e}; {} takes {} steps with tolerance {:.1e}",
                   std::max(a.position, a.velocity), beyond.steps, std::max(0.0, beyond.left),
                   within, a.referee, beyond.reference_steps, a.reference);
}

}  // namespace

std::string in_words(const Accuracy& a, const SearchFacts& facts, double rounding) {
  switch (a.verdict) {
    case Certified::reached:
      return reached(a, facts);
    case Certified::contradicted:
      return fmt::format("contradicted: {} comes to another motion ({})", a.crossed,
                         facts.contradiction);
    case Certified::out_of_reach:
      return out_of_reach(a, facts, rounding);
    case Certified::over_budget:
      return over_budget(a, facts);
    case Certified::failed:
      break;
  }
  return fmt::format("not measured: {}", a.message);
}

}  // namespace kardan
