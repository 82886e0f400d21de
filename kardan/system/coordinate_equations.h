#pragma once
/// Equations written by a user as the equations of a System: every coordinate stands for itself,
/// p_new = p + delta, one "body" each.

#include "kardan/system/conditions.h"
#include "kardan/system/system.h"
#include "kardan/system/user_equations.h"

namespace kardan {

class CoordinateEquations final : public Equations {
 public:
  /// `start`: velocities as the user counts them.
  CoordinateEquations(std::unique_ptr<UserEquations> equations, Sizes sizes, Patterns patterns,
                      State start);

  /// With the rates of the positions as velocities, and contact variables that fit.
  const State& start() const { return start_; }
  /// Forces, rates of dynamic variables and constraints that depend on time, and events.
  void bind_inputs(const EquationData& data);

  std::unique_ptr<Workspace> make_workspace() const override;
  void adopt(Workspace& ws) const override;
  Eval evaluate(const State& state, Request request, Workspace& ws) const override {
    return equations_->evaluate(state, request, ws);
  }
  Eval differentiate(const State& state, std::span<const double> a, std::span<const double> lambda,
                     Workspace& ws) const override {
    return equations_->differentiate(state, a, lambda, ws);
  }
  Eval invariants(const State& state, Workspace& ws) const override {
    return equations_->invariants(state, ws);
  }
  void events(const State& state, std::span<double> z, Workspace& ws) const override {
    equations_->events(state, z, ws);
  }
  void choose_modes(State& state, Workspace& ws) const override;
  const Conditions& conditions() const override { return conditions_; }
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace& ws) const override;
  Energy energy(const State& state, Workspace& ws) const override {
    return equations_->energy(state, ws);
  }
  double quantity(const Quantity&, const State&, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace&) const override;
  const std::vector<InputEffect>& time_inputs() const override { return inputs_; }
  void enclose_time_inputs(const State& at, double a, double b, int order,
                           std::span<InputBounds> out, Workspace&) const override;
  const std::vector<InputEffect>& way_inputs() const override { return ways_; }
  void enclose_way_inputs(const State& from, const State& to, const StepError& error, double a,
                          double b, int order, std::span<InputBounds> out,
                          Workspace&) const override;
  const BodyEquations* of_bodies() const override { return nullptr; }

 private:
  void bind_ways(const EquationData& data);
  Taylor over(const Formula& formula, int order, std::size_t first, Workspace& ws) const;
  void complete(int order, std::size_t first, Workspace& ws) const;
  void add_place(const State& at, const State& other, double h, Workspace& ws) const;
  void add_way(const State& from, const State& to, double a, double b, int order,
               Workspace& ws) const;
  /// A formula that depends on time, and which derivative of it acts.
  struct InputFormula {
    Formula formula;
    int derivative = 0;
    bool narrow = false;  // it may be shown by the ends of a step
  };

  std::unique_ptr<UserEquations> equations_;
  Sizes sizes_;
  Patterns patterns_;
  State start_;
  Conditions conditions_;
  std::size_t variables_ = 0;         // of the formulas
  std::vector<Formula> definitions_;  // that they use
  std::vector<InputFormula> input_formulas_;
  std::vector<InputEffect> inputs_;
  std::vector<InputFormula> way_formulas_;
  std::vector<InputEffect> ways_;
};

}  // namespace kardan
