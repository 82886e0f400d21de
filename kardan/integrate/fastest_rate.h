#pragma once
/// How fast the fastest mode of linear equations is: a power iteration that is spread over time, of
/// which every look costs the answer of the equations to one displacement,
///
///   (x, u, z) -> (u, A_x x + A_u u + A_z z, B_x x + B_u u + B_z z)
///
/// in units of a time H: x and H u. A pair of vibrations answers by turns much and little, so that
/// the root of two answers counts. [Mises & Pollaczek-Geiringer 1929]

#include <algorithm>

#include "kardan/integrate/problem.h"

namespace kardan {

class FastestRate {
 public:
  void resize(int second, int first);

  /// [1/s] 0: not known yet.
  double rate() const { return rate_; }
  /// The equations have changed: what was found may not hold.
  void doubt() { looks_ = std::min(looks_, 1); }
  /// Enough looks have been taken since the equations changed.
  bool known() const { return looks_ > 2; }

  /// The displacement to look along, of this size.
  const Local& direction(double size, double H);
  /// What the equations have answered to it.
  void answered(const LocalRate& change, double H);

 private:
  void begin(double H);

  Local w_;
  double rate_ = 0, last_ = 0;
  int looks_ = 0;
};

}  // namespace kardan
