#pragma once
/// Watches a run and estimates its global error (integrate/global_error.h): of every position,
/// velocity and dynamic variable, at the ends of steps, through switches, impulses, and what comes
/// to rest or leaves it.

#include <map>
#include <memory>
#include <span>
#include <string>

#include "kardan/formulation/nearby_system.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/global_error.h"
#include "kardan/run/blows.h"
#include "kardan/run/error_estimate.h"
#include "kardan/run/run_memory.h"
#include "kardan/system/system.h"

namespace kardan {

class ErrorWatch {
 public:
  /// `system`: where nothing is held. Writes to the memory and its report what it finds.
  ErrorWatch(const System& system, RunMemory& memory);

  /// The run begins, or goes on from a restart point.
  void begin_part(const Method& method);
  /// It goes on with these equations.
  void use(const System& system);
  /// After an accepted step; `happened` before it.
  void observe(const StepView& step, const Happened& happened);
  /// There is no estimate, or none from now on.
  void give_up(std::string why);
  /// The driver has come to an end, of the run or of what it could do.
  void rest();
  /// The part has ended: what goes on is in the memory, and nothing else.
  void end_part();
  /// The run has ended.
  void end();

 private:
  /// What is known with some equations.
  struct Known {
    const System* system;
    NearbySystem nearby;
    GlobalError error;
    std::unique_ptr<Workspace> ws;
    Known(const System& with, const Method& method);
  };
  /// Where the largest of some errors is.
  using Place = int;

  void begin(const StepView& step, const Happened& happened);
  void go_on(const StepView& step, const Happened& happened);
  bool rates_at(const ChartPoint& point, const State& state, Known& with, Vector& a, Vector& b);
  void cross(const StepView& step, int event, const Happened& happened, Known& before);
  void go_beside(Known& with, double along_e, double later);
  void events(Known& with, Vector& z);
  double delay(const StepView& step, int event, double s, Known& before);
  double probe_share() const;
  std::string switch_over(const StepView& step, int event, Known& before);
  std::string strike(const StepView& step, int event, const std::vector<Blow>& blows,
                     Known& before);
  std::string left_out(const State& now, const std::vector<Blow>& blows);
  void judge();
  void compare(const State& run, const State& motion);
  double look(const State& at, const Vector& value, const Vector& near, int first,
              LargestError& largest, Place& place) const;
  void note(double t, double position, double velocity);
  std::string name_of(Quantity::Kind kind, int index) const;

  const System& base_;
  EstimatedError& estimate_;
  ErrorMemory& memory_;
  const Method* method_ = nullptr;
  std::map<const System*, Known> all_;
  Known* now_ = nullptr;
  Known* before_ = nullptr;  // until the first step with other equations
  bool begun_ = false;       // with these equations
  bool anew_ = true;         // no step of this part yet
  State last_, near_;        // the end of the last step; a state near the end of a block
  Vector a_, b_, z_, z_near_, z_later_;
  Local point_, beside_;
  Local error_;                   // at the last end of a step
  std::unique_ptr<Stops> stops_;  // from the first event on that needs them
  std::size_t events_ = 0;        // of the driver, dealt with
};

}  // namespace kardan
