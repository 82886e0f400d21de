#pragma once
/// Watches a run and estimates its global error (integrate/global_error.h): of every position,
/// velocity and dynamic variable, at the ends of steps, through switches and impulses.

#include <memory>
#include <span>
#include <string>

#include "kardan/formulation/nearby_system.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/global_error.h"
#include "kardan/run/error_estimate.h"
#include "kardan/run/stops.h"
#include "kardan/system/system.h"

namespace kardan {

class ErrorWatch {
 public:
  /// Writes to `estimate` what it finds.
  ErrorWatch(const Method& method, EstimatedError& estimate);

  /// The run begins, or goes on, with these equations.
  void use(const System& system);
  /// After an accepted step.
  void observe(const StepView& step);
  /// There is no estimate, or none from now on.
  void give_up(std::string why);
  /// The driver has come to an end, of the run or of what it could do.
  void rest();
  /// The run has ended.
  void end();

 private:
  void begin(const StepView& step);
  void goes_on_differently(const StepView& step);
  void go_beside(double along_e, double later);
  double delay(const StepView& step, int event, double s);
  double probe_share() const;
  std::string switch_over(const StepView& step, int event);
  std::string strike(const StepView& step, int event);
  void judge();
  /// Where the largest of some errors is.
  struct Place {
    int index = -1;
  };
  void compare(const State& run, const State& motion);
  double look(const State& at, const Vector& value, const Vector& near, int first,
              LargestError& largest, Place& place) const;
  void note(double t, double position, double velocity);
  std::string name_of(Quantity::Kind kind, int index) const;

  const Method& method_;
  EstimatedError& estimate_;
  const System* system_ = nullptr;
  std::unique_ptr<NearbySystem> nearby_;
  std::unique_ptr<GlobalError> error_;
  std::unique_ptr<Workspace> ws_;
  bool begun_ = false;  // with these equations
  State last_, near_;   // the end of the last step; a state near the end of a block
  Vector a_, b_, z_, z_near_, z_later_;
  Local point_, beside_;
  std::unique_ptr<Stops> stops_;  // from the first impulse on
  std::size_t events_ = 0;        // of the driver, dealt with
  long stride_ = 1, in_bin_ = 0;
  Place position_, velocity_;
};

}  // namespace kardan
