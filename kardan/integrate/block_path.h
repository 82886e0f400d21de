#pragma once
/// The path through the ends of several steps: the polynomial of Hermite that has positions,
/// velocities and accelerations at every one of them (first-order variables: values and rates),
/// looked at in the nodes of Gauss' quadrature.
///
/// With s steps it is of degree 3 s + 2 (2 s + 1): exact ends of a smooth motion give it an error
/// of order 3 s + 3 in the position, two less in the acceleration. Where modes are fast, what is
/// left in them at the ends is small, but not in accelerations: the path without them is of degree
/// 2 s + 1 (s).

#include <array>
#include <span>
#include <vector>

#include "kardan/integrate/problem.h"

namespace kardan {

/// Nodes and weights of Gauss' quadrature on [0, 1]; exact to degree 2 n - 1.
struct GaussRule {
  explicit GaussRule(int points);
  Vector node, weight;
};

/// An end of a step with its rates, in the coordinates of a chart.
struct PathPoint {
  double t = 0;
  Local y;
  LocalRate rate;
};

class BlockPath {
 public:
  enum class By { all_rates, positions_and_velocities };
  /// The path through all points, which must be at different times, ascending; `nodes` in shares
  /// of the time between the first and the last.
  void pass(std::span<const PathPoint> points, std::span<const double> nodes, By by);
  /// How much x and u of a point count in the acceleration at node i, and z in its rate.
  std::array<double, 3> share_of_rates(int i, int point) const;
  /// At node i: the point and its rates.
  void at(std::span<const PathPoint> points, int i, Local& y, LocalRate& rate) const;

 private:
  /// How much a value, its first and its second derivative at each point count in the position,
  /// the velocity and the acceleration of a node.
  struct Share {
    double x[3], v[3], a[3];
  };
  void weigh(int points, double t, int derivatives, Share* out) const;

  int points_ = 0;
  Vector times_;  // of the points, in shares of the block
  double length_ = 1;
  std::vector<Share> second_, first_;  // by node, then by point
};

}  // namespace kardan
