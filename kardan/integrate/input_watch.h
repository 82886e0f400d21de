#pragma once
/// Bounds steps so that no input is passed over. A method of order k integrates inputs that are
/// polynomials of a degree below k exactly, wherever it evaluates them; so does the formula of order
/// k from which a method of order k - 1 takes its estimate. Of an input u they can miss the rest.
/// Over a step of length h that is at most
///
///   factor h |u - p| <= factor h min(width(u)/2, 2 (h/4)^j max|u^(j)|/j!, j = 1 ... k)
///
/// with enclosures of u and its derivatives that hold at every time of the step. A step is as long
/// as the sum over all inputs stays below the tolerance of every variable they drive. Where a
/// derivative does not exist, and it matters, the step ends there and the next begins behind.

#include "kardan/base/inputs.h"
#include "kardan/integrate/method.h"

namespace kardan {

class InputWatch {
 public:
  /// `source` may be null: nothing to watch.
  InputWatch(InputSource* source, const Method& method, const ErrorScale& scale, double t_end);

  struct Reach {
    double h = 0;         ///< [s] the longest step, at most the one proposed
    bool breaks = false;  ///< there an input has a kink or a jump,
    double behind = 0;    ///< [s] behind which it goes on from this time,
    bool jumps = false;   ///< with another value
  };
  /// The longest step from a state on.
  Reach ahead(const State& at, double proposed);
  /// What was known of inputs does not hold any more.
  void forget() { known_of_ = nullptr; }
  /// The longest part of a step that functions of the way between its ends allow; h: all of it.
  double along(const State& from, const State& to);

 private:
  using Bounds = std::vector<InputBounds>;

  double rounding(double t) const;
  /// What is open over a time h, in tolerances.
  double open(const std::vector<InputEffect>& effects, const Bounds& bounds, const State& at,
              double h);
  template <class Enclose>
  Reach search(const std::vector<InputEffect>& effects, const State& at, double proposed,
               bool may_break, const Enclose& enclose);
  template <class Enclose>
  Reach behind(const std::vector<InputEffect>& effects, const State& at, double proposed,
               double from, double to, const Enclose& enclose);
  bool smooth(const Bounds& bounds) const;
  bool known(const std::vector<InputEffect>& effects, const State& at, double proposed);

  InputSource* source_;
  ErrorScale scale_;
  double t_end_;
  int order_;
  Bounds now_, sum_, joined_;
  Bounds known_;  // from known_from_ to known_to_
  const std::vector<InputEffect>* known_of_ = nullptr;
  double known_from_ = 0, known_to_ = 0;  // [s]
  Vector velocity_load_, dynamic_load_;
};

}  // namespace kardan
