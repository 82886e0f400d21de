#pragma once
/// A run that is taken from one time to the next, as far as it is asked to go. The method's steps are
/// those of a run in one go: they do not end at the times asked for, where what they found in
/// between can be looked at. Only where an input has changed does the motion begin anew at the time
/// of the change, and a step that has run ahead of it is taken back.

#include "kardan/run/monitor.h"
#include "kardan/run/regime.h"

namespace kardan {

/// Whether steps may end beyond the time that is asked for.
enum class Ahead { free, bounded };

class SteppedRun {
 public:
  /// The start of `prepared`, or where `memory` has paused. All must outlive this.
  SteppedRun(Prepared& prepared, const Choice& choice, const SimulateOptions& options,
             RunMemory& memory);
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;

  /// Once, first. False, as below, when it has ended.
  bool begin();
  /// To `t` [s], behind now. False: it has ended before, as the report tells; what is seen is then
  /// the last state known.
  bool go(double t, Ahead ahead);

  /// The state at the time reached, with accelerations and multipliers.
  Instant seen() const { return monitor_.seen(); }
  double t() const { return now_.t; }
  bool ended() const { return ended_; }
  /// Whether the run may go on after its last answer: it was only interrupted.
  bool interrupted() const;
  RunReport report() const;
  /// Of all so far, and those of them that have happened until now.
  std::span<const EventRecord> events() const;

  /// Everything that follows is a new beginning here. In between inputs may be changed.
  bool halt();
  /// After halt(): on, with inputs that differ by this; a message where no motion can follow.
  std::string resume(Integration::Change change);
  /// What follows here and in a run from `out` depends on that and the inputs alone.
  bool pause(RunMemory& out);
  /// Whether a stop is at rest: then other equations hold than those of the model.
  bool holds() const { return system_ != prepared_.system.get(); }

 private:
  bool enter(bool from);
  bool follow();
  bool revive();
  bool lengthen();
  bool leave_no_sliver(double t);
  void close();
  bool fail(Reason reason, std::string message);
  bool see(std::string none);
  double slack() const;

  Prepared& prepared_;
  const Choice& choice_;
  const SimulateOptions& options_;
  RunMemory& memory_;
  const Watchers watchers_;
  const Observer nobody_;
  Diagnostics diagnostics_;
  EventActions actions_;
  Monitor monitor_;
  std::unique_ptr<Regime> regime_;
  std::unique_ptr<Integration> integration_;
  const System* system_ = nullptr;  // that holds now
  std::unique_ptr<Workspace> ws_;   // made when an input changes
  State state_;                     // the integration's
  State now_;
  StepView step_;      // made last
  bool made_ = false;  // it is not settled
  double horizon_;     // [s] the end that the integration is told
  int changes_ = 0;    // of what rests, at the same time
  bool ended_ = false;
};

}  // namespace kardan
