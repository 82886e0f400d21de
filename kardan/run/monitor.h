#pragma once
/// Watches a run for its certificate: residuals at three levels after every step, work against
/// energy and whether the tolerance explains what is left (energy_account.h), whether every
/// coordinate goes where its velocity leads, and the output grid, which is filled from dense
/// output.

#include <string_view>

#include "kardan/formulation/accelerations.h"
#include "kardan/run/energy_account.h"
#include "kardan/run/prepare.h"
#include "kardan/run/row_solver.h"
#include "kardan/run/watchers.h"

namespace kardan {

class Monitor {
 public:
  Monitor(const Prepared& start, const Method& method, const SimulateOptions& options,
          const Watchers& watchers, RunMemory& memory);

  /// Why the sink ends the run at the start of the grid; empty: it goes on. `a`: accelerations there;
  /// empty: unknown.
  std::string begin(const State& start, const Vector& a);
  /// Goes on with other equations of the same motion: further constraints hold (System::hold).
  void use(const System& system);
  /// How rows inside steps are solved for, where dense output is not the motion.
  void solve_rows(const Formulation& formulation, const ErrorScale& scale);
  /// What steps may leave open is judged by these tolerances, from `state` on.
  void judge_by(const ErrorScale& scale, const State& state);
  /// After an accepted step; a non-empty answer ends the run with that reason.
  std::string observe(const StepView& step);
  /// The consistent state at a time inside the step, or at any, with its accelerations and
  /// multipliers; a non-empty answer tells why there is none.
  std::string look(const StepView& step, double t);
  std::string look(const State& state);
  Instant seen() const { return {&inside_, &a_, &lambda_}; }
  /// The step looked at last was not taken: another motion may begin where it began.
  void forget_rows() { row_solver_.forget(); }
  /// Accelerations and multipliers at the end of the run; empty where they are not determined.
  void end(ConsistentStart& end);
  /// True when the run ended because values on the grid could not be found.
  bool failed() const { return failed_; }

 private:
  bool fixed() const { return options_.driver.fixed_step > 0; }
  bool by_cubic(const DenseStep& dense) const;
  void between(const DenseStep& dense, double theta);
  /// Where states inside a step are taken from.
  enum class Way { usual, dense, cubic };
  void gather_evidence(const StepView& step);
  bool add_work(const StepView& step, double& work);
  bool integrate_power(const StepView& step, int parts, double& work, Way way = Way::usual);
  void judge_energy(const StepView& step, const Vector& a, bool known, double work);
  double resolve_work(const StepView& step, double open, double work);
  void judge_positions(const DenseStep& dense);
  void judge_fixed(const StepView& step, double kinetic);
  void judge_fixed_energy();
  double driving_power(State& state);
  void add_residuals(const State& state, const Vector& a);
  void record(const StepView* step, double t, const Energy& energy) const;
  void follow_cubic(const DenseStep& dense, double theta);
  void remark(const char* text);
  void remark_row(std::string_view what);
  bool state_between(ChartProblem& problem);
  std::string fill_grid(const StepView& step);
  const Instant* row_at(const StepView& step, double t, RowBy way);
  std::string hand_over(State& state);
  bool solve_row(const StepView& step);
  bool accelerate(State& state);
  std::string arrive(const StepView& step, double t, RowBy way);
  std::string determine();
  std::string noted(std::string why);

  /// Without the multipliers of what is held.
  void leave_out_held(Vector& lambda) const;

  const System* system_;
  /// Whether stops rest or frictions stick.
  bool holds() const { return system_->sizes().constraints() > constraints_; }

  int rows_, constraints_,
      held_ = 0;  // holonomic and all rows of the model; held behind the former
  const Method& method_;
  const SimulateOptions& options_;
  const Watchers& watchers_;
  RunMemory& memory_;
  RunReport& report_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<AccelerationSolver> accelerations_;
  RowSolver row_solver_;
  Vector a_, lambda_;
  EnergyAccount account_;
  double share_ = 0;      // of the tolerance, that steps keep; fixed ones keep their estimate
  long refinements_ = 0;  // of the work of steps
  ChartPoint point_;
  State inside_, solved_;
  Instant row_;  // for those who look into steps
  bool driven_;
  bool works_;  // forces, drivers or events may do work
  bool failed_ = false;
};

}  // namespace kardan
