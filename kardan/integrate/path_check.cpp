#include "kardan/integrate/path_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kardan {
namespace {

/// [rad] A body turns by no more in a step.
constexpr double most_turn = 3;
/// A defect of this share of the way is none of a smooth motion: a circle has it after 3.7 rad.
constexpr double branch_share = 0.2;
/// Where a prescribed motion turns back its way is short: ways of fixed steps count for a while.
constexpr double fading = 0.8;
/// Fixed steps are as coarse as whoever chose them wants: there only what is prescribed is held to
/// that, and others to a defect of several times the way, or of what accelerations bend it by.
constexpr double branch_share_fixed = 3;
/// The same of dynamic variables, which have no second derivatives: a sine has it after 2.2 rad.
constexpr double dynamic_share = 0.5;
/// Below this part of it, and below this many tolerances, there is no doubt; nor does the step grow
/// much beyond it.
constexpr double doubtful = 0.5, tolerances = 10, little_growth = 2;
/// Parts of a displacement that free coordinates make are zero below this share of it.
constexpr double no_part = 1e-8;
/// Tolerances by which velocities, or accelerations, may move prescribed coordinates in a first
/// step.
constexpr double first_way = 100;
/// Looks at what is prescribed: this many at once, from this defect on; how many of many must agree.
constexpr long first_looks = 4, many_looks = 8;
constexpr double early = 1e-3, most_of_looks = 0.7;
/// Positions are closed to 2e-14 of the model's size (closing.h): defects of this tolerance
/// may be all rounding, which no shorter step makes smaller.
constexpr double rounding = 2e-13;
/// Power of h with which the defect goes to zero.
constexpr double defect_power = 5, trapezoidal_power = 3;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Shares of the velocities at both ends, and of the change of the accelerations: of orders 4, 2
/// and 1.
constexpr PathCheck::Rule rules[] = {{0.5, 0.5, 1.0 / 12}, {0.5, 0.5, 0}, {1, 0, 0}, {0, 1, 0}};

/// A number in (0.5, 1) that belongs to i: directions of no particular kind.
double some_number(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
  return 0.5 + 0.5 * static_cast<double>(x >> 11) / 0x1p53;
}

}  // namespace

PathCheck::PathCheck(ChartProblem& problem, const ErrorScale& scale, Steps steps)
    : problem_(problem),
      scale_(scale),
      steps_(steps),
      absolute_(scale.position),
      votes_(scale.position.size(), 0) {
  const ErrorScale least = problem.default_scale(rounding);
  for (std::size_t i = 0; i < absolute_.size(); ++i)
    absolute_[i] = std::max(absolute_[i], least.position[i]);
  for (Vector* v : {&defect_, &way_, &recent_, &bend_, &part_}) v->resize(scale.position.size());
}

void PathCheck::restart() {
  std::fill(votes_.begin(), votes_.end(), 0);
  asked_ = looks_ = 0;
}

/// The tolerance of a position, relative to the way: where the origin is does not matter.
double PathCheck::unit(std::size_t i, double way) const {
  const double relative =
      scale_.relative_position.empty() ? scale_.relative : scale_.relative_position[i];
  return absolute_[i] + relative * way;
}

/// At some positions a free coordinate moves others to second order only (a pendulum that lies):
/// what is prescribed is so wherever it is looked at. Where constraints depend on each other some
/// seem free that are not: of many looks, few such do not count.
bool PathCheck::prescribed(std::size_t i) const {
  return looks_ > 0 && votes_[i] >= (looks_ < many_looks ? looks_ : most_of_looks * looks_);
}

/// Is looked at for the first questions, and for those after 8, 16, 32, ... of them.
void PathCheck::find_prescribed() {
  ++asked_;
  if (asked_ > first_looks && !std::has_single_bit(static_cast<unsigned long>(asked_))) return;
  for (std::size_t i = 0; i < part_.size(); ++i) part_[i] = some_number(i) * scale_.position[i];
  problem_.constrained_part(part_);
  ++looks_;
  for (std::size_t i = 0; i < part_.size(); ++i) {
    const double all = some_number(i) * scale_.position[i];
    if (std::abs(all - part_[i]) <= no_part * all) ++votes_[i];
  }
}

double PathCheck::first_step(const ChartPoint& base) {
  if (steps_ == Steps::fixed || base.q.empty()) return unbounded;
  find_prescribed();
  double h = unbounded;
  for (std::size_t i = 0; i < base.q.size(); ++i) {
    if (!prescribed(i)) continue;
    const double way = first_way * scale_.position[i];
    h = std::min({h, way / std::abs(base.dq[i]), std::sqrt(way / std::abs(base.ddq[i]))});
  }
  return h;
}

/// q1 - q0 less what a rule makes of the velocities and accelerations at the ends.
void PathCheck::measure(const DenseStep& step, const Rule& rule, Vector& defect) const {
  const ChartPoint &A = step.from, &B = step.to;
  const double h = step.h(), square = rule.bend * h * h;
  for (std::size_t i = 0; i < defect.size(); ++i)
    defect[i] = B.q[i] - A.q[i] - h * (rule.start * A.dq[i] + rule.end * B.dq[i]) +
                square * (B.ddq[i] - A.ddq[i]);
}

double PathCheck::within_tolerance(const DenseStep& step) {
  measure(step, rules[0], defect_);
  const auto largest = [this](bool of_all) {
    double size = 0;
    for (std::size_t i = 0; i < defect_.size(); ++i)
      if (of_all || prescribed(i)) size = std::max(size, std::abs(defect_[i]) / unit(i, way_[i]));
    return size;
  };
  // Early, while there is a doubt, before it matters.
  if (largest(true) > (looks_ < first_looks ? early : 1)) find_prescribed();
  const double size = largest(false);
  return size > 0 ? std::pow(size, -1 / defect_power) : unbounded;
}

double PathCheck::off_branch(const Vector& defect) const {
  double largest = 0;
  for (std::size_t i = 0; i < defect.size(); ++i) {
    const bool coarse = steps_ == Steps::fixed && !prescribed(i);
    const double most = coarse ? branch_share_fixed * std::max(way_[i], bend_[i])
                               : branch_share * way_[i] + tolerances * unit(i, way_[i]);
    if (defect[i] != 0) largest = std::max(largest, std::abs(defect[i]) / most);
  }
  return largest;
}

double PathCheck::on_branch(const DenseStep& step) {
  for (const Rule& rule : rules) {
    measure(step, rule, part_);
    if (off_branch(part_) <= doubtful) return unbounded;
  }
  double least = unbounded;
  for (const Rule& rule : rules) {
    measure(step, rule, part_);
    problem_.constrained_part(part_);
    least = std::min(least, off_branch(part_));
    if (least <= doubtful) return unbounded;
  }
  const double factor = std::pow(least, -1 / defect_power);
  return least > 1 ? factor : std::max(factor, little_growth);
}

double PathCheck::dynamic(const DenseStep& step) const {
  const ChartPoint &A = step.from, &B = step.to;
  const double h = step.h();
  double largest = 0;
  for (std::size_t i = 0; i < scale_.first.size(); ++i) {
    const double change = B.z[i] - A.z[i], start = h * A.dz[i], end = h * B.dz[i];
    const double way = std::max({std::abs(change), std::abs(start), std::abs(end)});
    const double defect = std::min(
        {std::abs(change - 0.5 * (start + end)), std::abs(change - start), std::abs(change - end)});
    const double relative =
        scale_.relative_first.empty() ? scale_.relative : scale_.relative_first[i];
    const double unit = scale_.first[i] + relative * way;
    if (defect != 0)
      largest = std::max(largest, defect / (dynamic_share * way + tolerances * unit));
  }
  return largest > 1 ? std::pow(largest, -1 / trapezoidal_power) : unbounded;
}

/// Coordinates count from the base, which may lie many steps back: there turns must be known, but
/// steps grow by what they turn themselves.
double PathCheck::turns(const DenseStep& step) {
  const double from_base = most_turn / problem_.largest_turn(step.to.q);
  if (from_base < 1) return from_base;
  part_ = step.to.q;
  add_scaled(-1, step.from.q, part_);
  return most_turn / problem_.largest_turn(part_);
}

double PathCheck::allowed(const DenseStep& step) {
  if (step.to.q.empty()) return unbounded;
  const double h = step.h();
  for (std::size_t i = 0; i < way_.size(); ++i)
    way_[i] = std::max({std::abs(step.to.q[i] - step.from.q[i]), h * std::abs(step.from.dq[i]),
                        h * std::abs(step.to.dq[i])});
  if (steps_ == Steps::fixed) {
    if (looks_ < first_looks) find_prescribed();
    for (std::size_t i = 0; i < recent_.size(); ++i)
      way_[i] = recent_[i] = std::max(way_[i], fading * recent_[i]);
    for (std::size_t i = 0; i < bend_.size(); ++i)
      bend_[i] = 0.5 * h * h * std::max(std::abs(step.from.ddq[i]), std::abs(step.to.ddq[i])) +
                 scale_.position[i];
  }
  const double tolerance = steps_ == Steps::fixed ? unbounded : within_tolerance(step);
  const double turn = turns(step);
  const double branch = on_branch(step);
  diagnosis_ = branch < 1 ? Diagnosis::branch_jump : Diagnosis::error_test;
  const double first = steps_ == Steps::fixed ? unbounded : dynamic(step);
  return std::min({tolerance, turn, branch, first});
}

}  // namespace kardan
