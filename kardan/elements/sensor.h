#pragma once
/// What sensors show: scalars of the motion, behind one small interface, so that a new kind of them
/// is a type of its own. Builder::sensor makes readings of any measure of two bodies (measure.h);
/// Builder::reading takes any other.

#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "kardan/elements/measure.h"
#include "kardan/elements/values.h"

namespace kardan {

template <int D>
class SensorReading {
 public:
  virtual ~SensorReading() = default;
  /// Value; gradients over the tangents of p and v are added, times `factor`, where given.
  virtual double value(const Context<D>&, double factor, std::span<double> by_p,
                       std::span<double> by_v) const = 0;
  /// Velocity indices the gradient may touch.
  virtual std::vector<int> columns() const = 0;
  /// Whether velocities are among what it depends on.
  virtual bool of_velocities() const = 0;
};

/// A reading of the positions of two bodies that is known to second order along the motion, so that
/// impulses can act on it.
template <int D>
class FollowedReading : public SensorReading<D> {
 public:
  FollowedReading(const BodyColumns& first, const BodyColumns& second) : A(first), B(second) {}
  virtual void follow(const Context<D>&, Measure<D>&) const = 0;
  std::vector<int> columns() const override {
    std::vector<int> out;
    for (const BodyColumns* body : {&A, &B})
      for (int k = 0; k < body->count; ++k) out.push_back(body->first + k);
    return out;
  }
  bool of_velocities() const override { return false; }

  const BodyColumns A, B;
};

/// Adds a gradient over two bodies to one over all.
template <int D>
void scatter_gradient(const BodyColumns& A, const BodyColumns& B, double factor, const double* row,
                      std::span<double> out) {
  if (out.empty()) return;
  for (int k = 0; k < A.count; ++k) out[A.first + k] += factor * row[k];
  for (int k = 0; k < B.count; ++k) out[B.first + k] += factor * row[dofs<D> + k];
}

/// A measure of type M, with the full turns of a counter where it has one.
template <int D, class M>
class MeasureReading : public FollowedReading<D> {
 public:
  MeasureReading(M measure, const BodyColumns& first, const BodyColumns& second, int counter)
      : FollowedReading<D>(first, second), measure_(std::move(measure)), counter_(counter) {}

  void follow(const Context<D>& at, Measure<D>& y) const final { at_depth(at, Depth::second, y); }
  void at_depth(const Context<D>& at, Depth depth, Measure<D>& y) const {
    measure_.evaluate({at.bodies[this->A.body], at.bodies[this->B.body]}, depth, y);
    if (counter_ >= 0) y.value += 2 * std::numbers::pi * at.turns[counter_];
  }
  double value(const Context<D>& at, double factor, std::span<double> by_p,
               std::span<double>) const override {
    Measure<D> y;
    at_depth(at, by_p.empty() ? Depth::value : Depth::gradient, y);
    scatter_gradient<D>(this->A, this->B, factor, y.G, by_p);
    return y.value;
  }

 private:
  M measure_;
  int counter_;
};

/// Its rate.
template <int D, class M>
class RateReading final : public SensorReading<D> {
 public:
  explicit RateReading(MeasureReading<D, M> of) : of_(std::move(of)) {}

  double value(const Context<D>& at, double factor, std::span<double> by_p,
               std::span<double> by_v) const override {
    Measure<D> y;
    of_.at_depth(at, by_p.empty() && by_v.empty() ? Depth::rates : Depth::second, y);
    scatter_gradient<D>(of_.A, of_.B, factor, y.rate_p, by_p);
    scatter_gradient<D>(of_.A, of_.B, factor, y.G, by_v);
    return y.rate;
  }
  std::vector<int> columns() const override { return of_.columns(); }
  bool of_velocities() const override { return true; }
  /// What it is the rate of.
  const FollowedReading<D>& of() const { return of_; }

 private:
  MeasureReading<D, M> of_;
};

/// A named scalar of the motion.
template <int D>
struct Sensor {
  std::string name, unit;
  std::unique_ptr<const SensorReading<D>> reading;
  /// The same, where it is one of these.
  const FollowedReading<D>* followed = nullptr;
  /// What it is the rate of, where that is one of these.
  const FollowedReading<D>* rate_of = nullptr;
};

/// Any measure of two bodies, as a value.
template <int D>
class AnyMeasure {
 public:
  template <class M>
  explicit AnyMeasure(M measure) : held_(std::make_shared<const Held<M>>(std::move(measure))) {}

  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const {
    held_->evaluate(bodies, depth, y);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void evaluate(const Pair<D>&, Depth, Measure<D>&) const = 0;
  };
  template <class M>
  struct Held final : Base {
    explicit Held(M m) : measure(std::move(m)) {}
    void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& y) const override {
      measure.evaluate(bodies, depth, y);
    }
    M measure;
  };

  std::shared_ptr<const Base> held_;
};

}  // namespace kardan
