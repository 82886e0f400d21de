#pragma once
/// Singular positions, where constraints depend on each other: when the next one comes, as the
/// bases of steps foretell it, and everything that counts as near to one.
///
/// A measure of how far the constraints are from depending on each other falls linearly towards
/// such a position, so that two bases show where it would be zero:
///
///   state space       smallest pivot of the dependent coordinates, by what it was at best
///   all coordinates   root of what is left of the weakest row without its part along others
///   descriptor forms  the same, without the root: rows are orthonormalized
///
/// How steps then pass it is the driver's affair (kardan/integrate/singular_passage.h).

#include <limits>

#include "kardan/integrate/singular_passage.h"

namespace kardan {

namespace singular {

/// Two branches are s^2 apart at a distance s from a singular position. Those whose distance is
/// below this many residuals of positions, or tolerances of these, cannot be distinguished.
inline constexpr double blurred = 10;

/// State space: they are foretold where the measure is below this share of its best: pivots have no
/// scale of their own.
inline constexpr double near_pivot = 0.1;

/// All coordinates and descriptor forms: where less than this is left of a row. What two bases
/// farther away say of its zero is worth little.
inline constexpr double near_row = 0.3;
/// All coordinates: Cholesky factors of G M^-1 G' see the square of what is left of a row. Rows
/// with less than this are left out.
inline constexpr double redundant_row = 3e-7;
/// Models in which there never was more than this left have rows that nearly depend on each other
/// wherever they stand; then near_row and the next numbers count as shares of what there was.
inline constexpr double plain_root = 0.03;
/// All coordinates: points where less than this is left of a row, or, in small steps, than what
/// this share of a step changes it by, lie around a singular position: explicit steps may leave it
/// on another branch. All methods have stages farther apart.
inline constexpr double refused_root = 3e-3, refused_share = 0.02;
/// Nearer than this no other method can go on from there.
inline constexpr double nearest_root = 2e-3;
/// Stages of half-explicit methods leave the widest gap around this share of a step (hem5: 0.375 to
/// 0.714), not where the driver passes: the time they are given is earlier by as much.
inline constexpr double half_explicit_ahead = passage_share / 0.54;

/// Descriptor forms: a row of which less than this remains beside the others is named when
/// something fails.
inline constexpr double suspicious_row = 0.02;
/// A row counts as nearly redundant when at most this share of it remains beside the others:
/// round-off of positions reaches the velocities divided by its square.
inline constexpr double weak_row = 1e-3;
/// Rows this far from depending on each other at the last stage do not at the end of a step.
inline constexpr double safe_row = 0.05;
/// A singular position has been passed where the measure fell below this share of its best.
inline constexpr double passed_share = 0.1;
/// Closing may change velocities by this share of their size: far above what Newton's method leaves
/// at any tolerance, far below the angle between two branches.
inline constexpr double largest_push = 0.01;

}  // namespace singular

class SingularWatch {
 public:
  /// Whether the base before is a neighbour that was measured in the same way.
  enum class Before { comparable, unrelated };
  /// The measure at a new base.
  void see(double t, double measure, Before before) {
    earlier_ = before_;
    before_ = now_;
    before_t_ = t_;
    now_ = measure;
    t_ = t;
    comparable_ = before == Before::comparable;
    if (now_ > best_) best_ = now_;
    time_ = std::numeric_limits<double>::infinity();
  }
  /// Foretells a singular position where the measure is below `near` and falls; its time is given as
  /// this share of the way there.
  void foretell(double near, double share = 1) {
    if (comparable_ && now_ < near && now_ < before_)
      time_ = t_ + share * (now_ * (t_ - before_t_) / (before_ - now_));
  }
  /// Whether the base before was the nearest one to a singular position.
  bool passed() const {
    return comparable_ && earlier_ > before_ && now_ > before_ &&
           before_ < singular::passed_share * best_;
  }

  /// Time at which constraints will depend on each other; infinite: none is near.
  double time() const { return time_; }
  double t() const { return t_; }
  double before_t() const { return before_t_; }
  /// The measure at the base; negative before the first.
  double now() const { return now_; }
  double best() const { return best_; }

 private:
  double t_ = 0, before_t_ = 0;
  double now_ = -1, before_ = -1, earlier_ = -1;
  double best_ = 0;
  double time_ = std::numeric_limits<double>::infinity();
  bool comparable_ = false;
};

}  // namespace kardan
