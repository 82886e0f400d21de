#pragma once
/// The global error of a run, carried along its steps. With P the path of the run and y the motion
/// near it, e = P - y obeys
///
///   e' = P' - f(P - e),
///
/// whatever method has made the ends of the steps: P' - f(P) is the defect, from which local errors
/// come, and the rest carries what earlier steps have left. P passes through the ends of a block of
/// steps (block_path.h), so that what interpolation adds is of higher order than the local errors.
///
/// Where the motion is resolved by the steps, the defect is a kick at every node of Gauss'
/// quadrature, with which e drifts on: of order 2 in what it carries, and nothing is damped that
/// the motion does not damp. Where modes are much faster than the steps,
///
///   e(H) = e + H sum b_i R((1 - c_i) H J) d_i,   d_i = P'(t_i) - f(P(t_i) - e),
///
/// R(theta z) = S (L_0 + L_1 (1 - S) + ... + L_5 (1 - S)^5), S = 1 / (1 - gamma z), L_n the
/// polynomials of Laguerre at theta / gamma: exp(theta z) to order 5 with one matrix for all nodes,
/// 0 where z is infinite (Norsett's restricted Pade approximations; Hairer & Wanner II, IV.6).
/// There accelerations at the ends of steps are those of the motion but for what is left in fast
/// modes, times their eigenvalues; (1 - S)^2 of their difference from the path without them is taken
/// out, which is little of what is slow.

#include <span>
#include <vector>

#include "kardan/integrate/block_path.h"
#include "kardan/integrate/fastest_rate.h"
#include "kardan/integrate/method.h"
#include "kardan/integrate/nearby_motion.h"

namespace kardan {

/// Steps that make a block, nodes in it, and ends before it that the path goes through. Kicks are
/// stable while omega times their longest time stays below 2; modes that are faster than
/// `fastest_kick` are followed otherwise: with many nodes later, because kicks are short then and
/// the block is long.
struct ErrorBlocks {
  int steps = 2, nodes = 4, earlier = 0;
  double fastest_kick = 0.4;
};
[[nodiscard]] ErrorBlocks error_blocks(const Method& method);

class GlobalError {
 public:
  GlobalError(NearbyMotion& motion, ErrorBlocks blocks);

  /// Goes on from a state with other equations, or from the start, where e is 0.
  void begin(const State& state, const Vector& a, const Vector& b);
  /// A step has ended here. True when error() is now that of this state, or of the end of the step
  /// before it.
  bool step(const State& state, const Vector& a, const Vector& b);
  /// Carries the error to the end of the last step. False when it was there already.
  bool close();

  /// False once the equations could not be evaluated near the run.
  bool known() const { return known_; }
  /// At the state of the last block's end, in the chart based there.
  const Local& error() const { return e_; }
  const State& at() const { return end_; }
  /// An end of a step inside the last block: the state of the run, and the motion it estimates.
  struct Inner {
    State run, motion;
  };
  std::span<const Inner> inner() const { return {inside_.ends.data(), inside_.count}; }
  /// The error is another one there.
  void set(const Local& e) { e_ = e; }

  long evaluations() const { return counts_.evaluations; }
  long jacobians() const { return counts_.jacobians; }

 private:
  /// An end of a step.
  struct End {
    State state;
    Vector a, b;
  };
  int steps() const { return block_.last - block_.first; }
  void put(const State& state, const Vector& a, const Vector& b);
  void carry_over();
  void take_earlier_ends();
  void pass(const std::vector<PathPoint>& points, BlockPath::By by);
  void smooth_rates();
  void look_inside();
  void weigh_until(double share);
  Eval look_first();
  Eval look(std::size_t node, const Local& e);
  Eval kick();
  Eval factor();
  Eval follow_fast_modes();
  Eval defect(std::size_t node, const Local& e);

  NearbyMotion& motion_;
  ErrorBlocks blocks_;
  // Ends of steps: earlier ones and those of the block at hand; the same in the chart of the block,
  // and there with smooth rates.
  std::vector<End> ends_;
  std::vector<PathPoint> points_, smooth_;
  /// Places in ends_: the path begins at the earliest, the block at the first.
  struct {
    int earliest = 0, first = 0, last = 0;
    double length = 0;  // [s]
  } block_;
  struct {
    std::vector<GaussRule> rules;  // by the number of steps
    const GaussRule* rule = nullptr;
    const std::vector<PathPoint>* along = nullptr;  // the points of the path
    Vector nodes, shares;  // of the rule and of the points, in shares of the path
  } quadrature_;
  BlockPath path_, ends_path_;
  Local e_, start_, y_, change_, beside_;
  LocalRate rate_, d_, last_d_;
  Vector missed_;  // of the way that e has gone
  std::vector<Local> sums_;
  State end_;
  /// Ends of steps inside the last block.
  struct {
    std::vector<Inner> ends;
    std::size_t count = 0;
    std::vector<LocalRate> rates;  // of the motion, at the nodes
    // Weights of rates in integrals from the start of the block: at the nodes, then at its ends.
    Vector shares, once, twice;
  } inside_;
  bool known_ = true;
  /// Of the matrix that is factored.
  struct {
    double c = 0, turned = 0;  // [s], and [rad] since it was made
    int left = 0;              // blocks for which it may serve
  } jacobian_;
  struct {
    FastestRate fastest;
    int pause = 0;  // blocks until the next one
  } looks_;
  struct {
    long evaluations = 0, jacobians = 0;
  } counts_;
};

}  // namespace kardan
