#pragma once
/// Quantities that are given from outside while a motion goes on. Between two changes each is a
/// cubic of time,
///
///   u(t) = c0 + c1 s + c2 s^2 + c3 s^3,   s = t - t0,
///
/// so that its derivatives are exact and nothing of it can be passed over.

#include <array>
#include <memory>

#include "kardan/base/named_function.h"

namespace kardan {

struct SignalCourse {
  double t0 = 0;              ///< [s]
  std::array<double, 4> c{};  ///< by power of t - t0

  [[nodiscard]] TimeJet at(double t) const;
  bool operator==(const SignalCourse&) const = default;
};

/// How a signal goes on from values it is given: it stays, or follows the line, or the cubic, through
/// the last ones.
enum class SignalMode { hold, ramp, polynomial };

/// A signal as functions of a model see it. Whoever steps a motion on changes its course, between
/// steps; everything else sees a function of time.
class SignalFunction final : public NamedFunction {
 public:
  SignalFunction(double start, SignalMode mode)
      : start_(start), mode_(mode), course_(std::make_shared<SignalCourse>()) {
    course_->c[0] = start;
  }

  [[nodiscard]] double start() const { return start_; }
  [[nodiscard]] SignalMode mode() const { return mode_; }
  /// Shared with every system that is compiled with this function.
  [[nodiscard]] const std::shared_ptr<SignalCourse>& course() const { return course_; }

  [[nodiscard]] TimeJet at(double t) const override { return course_->at(t); }
  [[nodiscard]] Taylor enclose(const Taylor& t) const override;
  [[nodiscard]] int continuous_derivatives() const override { return smooth; }
  [[nodiscard]] int depth() const override { return 1; }
  [[nodiscard]] double calls() const override { return 1; }

 private:
  double start_;
  SignalMode mode_;
  std::shared_ptr<SignalCourse> course_;
};

}  // namespace kardan
