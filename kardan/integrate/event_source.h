#pragma once
/// Where events come from: functions of the state that change their sign. Every driver and every
/// formulation asks the same source.

#include <span>

#include "kardan/base/state.h"
#include "kardan/base/taylor.h"

namespace kardan {

class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual int count() const = 0;
  virtual void functions(const State& state, std::span<double> z) = 0;
  /// For events that are the passage of a distance: at `state` the distance, which has the sign of
  /// the event function whenever that is about to change, and how fast it can change while no chart
  /// coordinate is faster than `speed`. An infinite rate: nothing is known.
  virtual void guards(const State& state, std::span<const double> speed, std::span<double> guard,
                      std::span<double> rate) = 0;
  /// Events that are formulas of arguments, which are scalars of the motion: marks them, and says how
  /// many arguments there are.
  virtual int conditions(const State& state, std::span<char> marks) = 0;
  virtual void arguments(const State& state, std::span<double> y) = 0;
  /// Those functions over enclosures of the arguments, of order 1; z of others is left as it is.
  virtual void enclose(const State& modes, std::span<const Taylor> y, std::span<Taylor> z) = 0;
  /// Sets the modes of `state` to those that belong to `after`, a state just beyond an event.
  virtual void switch_modes(const State& after, State& state) = 0;
};

}  // namespace kardan
