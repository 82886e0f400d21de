#pragma once
/// What `--method auto` does where its choice proves to be wrong on the way: the run goes on from
/// there with another one, and the report says so.
///
/// 1. A method that is exact while the equations are linear holds its steps back for their errors:
///    they are not. It is chosen anew, from there.
/// 2. The choice fails, at a singular position for one: the method for whatever comes passes it, or
///    where it cannot another one, and the choice is taken up again behind.
/// 3. Long runs are looked at now and then: steps of other methods from there show whether one of
///    them would be much cheaper.

#include "kardan/run/watchers.h"

namespace kardan {

class SecondChoice {
 public:
  /// Of a run with these options, whose choice and fate stand in the report.
  SecondChoice(const System& system, const SimulateOptions& options, RunReport& report)
      : system_(system), options_(options), report_(report) {}

  /// To be called before every part of the run, which `method` makes.
  void begin(const Method& method);

  /// The watchers, with one more who ends the part of the run where another method shall go on.
  Watchers watching(const Watchers& watchers);

  /// After a part of the run that has ended at `state`: true where it goes on with another method,
  /// the one in the report, and with this first step [s]; 0: automatic.
  [[nodiscard]] bool goes_on(const State& state, double& first_step);

 private:
  std::string reason_to_change(const StepView& step);
  void look_for_cheaper(const StepView& step);
  void choose_again(const State& state);
  void take_cheaper();
  void take_up_again();
  /// Since the last method failed.
  enum class Progress { none, some };
  std::string next_other(Progress) const;
  bool pass();

  const System& system_;
  const SimulateOptions& options_;
  RunReport& report_;
  bool exact_if_linear_ = false;            // the method of this part
  Counters before_;                         // of the run, before this part of it
  AutomaticChoice cheaper_;                 // found on the way
  int held_back_ = 0;                       // steps of this part whose length errors have decided
  bool back_ = false, not_linear_ = false;  // why this part was ended
};

}  // namespace kardan
