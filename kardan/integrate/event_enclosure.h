#pragma once
/// Whether an event function that is a formula can pass zero between two places of a step: it is
/// enclosed over boxes of its arguments. An argument stays as near to its chord as a way does that
/// is nowhere faster than at its ends, or the cubic of its values and slopes (features.h).

#include <span>
#include <vector>

#include "kardan/integrate/event_source.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

class EventEnclosure {
 public:
  /// A place in a step: functions and arguments there, and their rates by time.
  struct Mark {
    double theta = 0;
    Vector z, z_rate, y, y_rate;
  };

  explicit EventEnclosure(EventSource& source);

  /// Of a step from `start`: what is to be enclosed are all formulas but `others`.
  void begin(const State& start, double h, std::span<const char> others);
  bool watches(int event) const { return watched_[static_cast<std::size_t>(event)] != 0; }
  bool watches_any() const { return any_; }
  std::size_t arguments() const { return arguments_.size(); }

  /// Encloses between two places; only then do the following tell of them.
  void enclose(const Mark& a, const Mark& b);
  /// On one side of zero all the way.
  bool one_sided(int event, const Mark& a, const Mark& b) const;
  /// It rises or falls all the way.
  bool monotone(int event) const;
  /// Whether rounding of its arguments decides on which side of zero it is.
  bool is_blurred(int event, const Mark& at);
  /// Whether a place between them is where it was expected.
  bool holds(const Mark& between) const;

  /// A place for a depth of halving.
  Mark& place(std::size_t depth);
  /// Whether another place may be looked at in this step; if not, what begins at `theta` is open.
  bool may_look(double theta);
  /// Up to where everything has been looked at.
  double looked_at() const { return looked_at_; }

 private:
  EventSource& source_;
  State modes_;
  double h_ = 0;
  std::vector<char> watched_;
  bool any_ = false;
  std::vector<Taylor> arguments_, functions_;
  std::vector<Mark> places_;
  int looks_ = 0;
  double looked_at_ = 1;
};

}  // namespace kardan
