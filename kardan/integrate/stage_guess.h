#pragma once
/// Starting values for the stages of a collocation method with s stages.
///
/// The polynomial u of the last step, length H, is continued into the next one, length h = r H. Of
/// a smooth solution it misses the stages by
///
///   y^(s+1)/s! H^(s+1) k_i(r),   k_i(r) = I(1 + c_i r) - r^(s+1) I(c_i),
///   I(x) = integral of (x - c_1) ... (x - c_s) from 0 to x
///
/// since y - u = y^(s+1)/s! H^(s+1) I (Hairer, Norsett, Wanner I, II.7); algebraic unknowns, which
/// are interpolated at 0, c_1, ..., c_s, by y^(s+1)/(s+1)! H^(s+1) times the product of the
/// distances from these. What the guess missed in the last steps gives y^(s+1) there, which is
/// continued by a line.

#include "kardan/integrate/collocation.h"
#include "kardan/integrate/dae_problem.h"

namespace kardan {

class StageGuess {
 public:
  explicit StageGuess(const Vector& c);
  /// Z := y(t + c_i h) - y0 as the last steps foretell it; along the tangent where there are none.
  void guess(DaeProblem& problem, double h, Stages& Z);
  /// The stages of the step for which the last guess was made.
  void accept(double h, const Vector& y0, const Stages& Z);
  /// What came before says nothing about what follows.
  void forget() { known_ = misses_ = 0; }

 private:
  struct Missed {
    double t = 0;  // end of the step, counted from the last base
    Stages by;     // y^(s+1), as each stage shows it
  };
  /// H^(s+1) k_i(r) / s!, and for algebraic unknowns.
  struct MissFactors {
    double differential, algebraic;
  };
  double integral(double x) const;
  MissFactors miss_factors(int i, double H, double r) const;
  void reserve(std::size_t size);
  void continue_polynomial(DaeProblem& problem, double h);

  Vector c_;
  CollocationPolynomial polynomial_;
  Vector power_;                  // coefficients of I / x: of 1, x, ..., x^s
  Vector integral_to_;            // I(c_i)
  double factorial_ = 1;          // s!
  int known_ = 0;                 // polynomials: 0 or 1
  int misses_ = 0;                // of them, up to 2
  std::size_t differential_ = 0;  // how many unknowns come first
  double h_ = 0;
  Vector y0_;  // start of the last step; all in the chart of that step
  Stages Z_;
  Missed last_, before_;
  Stages continued_;  // the polynomial at the stages of the next step
};

}  // namespace kardan
