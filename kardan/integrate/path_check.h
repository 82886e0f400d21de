#pragma once
/// Whether a step leads where its velocities do. Positions that are closed by constraints, or given
/// by time, have no error that a method could estimate; but both ends of a step know q, q', q'':
///
///   D = q1 - q0 - h/2 (q0' + q1') + h^2/12 (q1'' - q0'') = h^5 q^(5) / 720 + ...
///
/// - Coordinates that no free one moves: D is held below the tolerance, which holds the dense
///   output between the ends there too (its error is h^6 q^(6) / 46080), and no step passes over a
///   revolution that is prescribed.
/// - What free coordinates cannot make of D in the others is held below a share of the way, at
///   every tolerance: a closing on another branch makes it as large as branches are apart. Lower
///   orders than 5 are content with a defect of theirs (Euler's, and the trapezoidal rule's).
/// - The same holds for dynamic variables: an estimate that vanishes by chance passes no period.
/// - Bodies in space turn by less than half a turn in a step: so far reach the rotation vectors of
///   a chart, and with them all turns are counted.

#include <string>
#include <vector>

#include "kardan/integrate/dense.h"
#include "kardan/integrate/problem.h"

namespace kardan {

class PathCheck {
 public:
  /// With fixed steps there is no tolerance, but branches and half turns.
  enum class Steps { controlled, fixed };
  PathCheck(ChartProblem& problem, const ErrorScale& scale, Steps steps);

  /// A length that no first step from the base should exceed: prescribed motion is seen from there.
  double first_step(const ChartPoint& base);
  /// The factor by which a step like this one, finished last, may grow; below 1 it must be taken
  /// again, shorter by it.
  double allowed(const DenseStep& step);
  /// Why the last step was not allowed.
  Diagnosis diagnosis() const { return diagnosis_; }
  /// The equations may be others from now on.
  void restart();

  /// q1 - q0 = h (start q0' + end q1') - bend h^2 (q1'' - q0'')
  struct Rule {
    double start, end, bend;
  };

 private:
  void measure(const DenseStep& step, const Rule& rule, Vector& defect) const;
  double unit(std::size_t i, double way) const;
  void find_prescribed();
  double within_tolerance(const DenseStep& step);
  double off_branch(const Vector& defect) const;
  double on_branch(const DenseStep& step);
  double dynamic(const DenseStep& step) const;
  double turns(const DenseStep& step);

  ChartProblem& problem_;
  const ErrorScale& scale_;
  Steps steps_;
  Vector absolute_;  // tolerances of positions, where these are known so well
  Vector defect_, way_, bend_, part_;
  Vector recent_;  // ways of fixed steps, fading
  /// Coordinates that no free one moves.
  bool prescribed(std::size_t i) const;
  std::vector<int> votes_;  // of the looks that were taken
  long asked_ = 0, looks_ = 0;
  Diagnosis diagnosis_ = Diagnosis::none;
};

}  // namespace kardan
