#pragma once
/// A problem that passes every call on: tests change one of them.

#include "kardan/integrate/problem.h"

namespace kardan::test {

class WrappedProblem : public ChartProblem {
 public:
  explicit WrappedProblem(ChartProblem& inner) : inner_(inner) {}
  ProblemKind kind() const override { return inner_.kind(); }
  int second_order() const override { return inner_.second_order(); }
  int first_order() const override { return inner_.first_order(); }
  Eval rebase(const State& state) override { return inner_.rebase(state); }
  const Local& base() const override { return inner_.base(); }
  const LocalRate& base_rate() const override { return inner_.base_rate(); }
  Eval begin_step(double h) override { return inner_.begin_step(h); }
  Eval rate(double t, const Local& y, LocalRate& out) override { return inner_.rate(t, y, out); }
  Eval jacobian(LocalJacobian& out) override { return inner_.jacobian(out); }
  Eval jacobian_at(double t, const Local& y, Derivatives terms, LocalJacobian& out) override {
    return inner_.jacobian_at(t, y, terms, out);
  }
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override {
    return inner_.finish(t, y, state, point);
  }
  void base_point(ChartPoint& point) const override { inner_.base_point(point); }
  void place(const Local& y, ChartPoint& point) override { inner_.place(y, point); }
  void locate(const State& state, Local& y) override { inner_.locate(state, y); }
  void free_accelerations(const ChartPoint& point, Vector& a) const override {
    inner_.free_accelerations(point, a);
  }
  void spread_speed(const Vector& u, Vector& speed) const override {
    inner_.spread_speed(u, speed);
  }
  Eval state_at(const ChartPoint& point, Consistency c, State& state) override {
    return inner_.state_at(point, c, state);
  }
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override {
    return inner_.error_norm(e, state, scale);
  }
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override {
    inner_.error_weights(state, scale, weights);
  }
  ErrorScale default_scale(double tolerance) const override {
    return inner_.default_scale(tolerance);
  }
  EventSource& events() override { return inner_.events(); }
  void constrained_part(Vector& d) override { inner_.constrained_part(d); }
  double largest_turn(const Vector& q) const override { return inner_.largest_turn(q); }
  bool advance(const ChartPoint& point) override { return inner_.advance(point); }
  bool past(double& t, Local& y, LocalRate& rate) override { return inner_.past(t, y, rate); }
  const Vector& accelerations() const override { return inner_.accelerations(); }
  const Vector& multipliers() const override { return inner_.multipliers(); }
  int partitions() const override { return inner_.partitions(); }
  std::span<const PartitionRecord> partition_history() const override {
    return inner_.partition_history();
  }
  double singular_time() const override { return inner_.singular_time(); }
  ProblemCounts counts() const override { return inner_.counts(); }
  std::vector<std::string> remarks() const override { return inner_.remarks(); }
  std::string culprit() const override { return inner_.culprit(); }
  Diagnosis diagnosis() const override { return inner_.diagnosis(); }

 private:
  ChartProblem& inner_;
};

}  // namespace kardan::test
