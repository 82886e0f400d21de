#pragma once
/// The global error of a run as it estimates it itself, where that is asked for (error_watch.h): part
/// of its certificate.
/// Reached errors are |y - motion| / (1 + |y|), as those that certifying measures.

#include <span>
#include <string>
#include <vector>

namespace kardan {

/// The largest error of some variables, and where it is.
struct LargestError {
  double reached = 0;
  double absolute = 0;  ///< [unit of the variable]
  double t = 0;         ///< [s]
  std::string name;     ///< of the variable
};

struct EstimatedError {
  bool made = false;
  std::string missing;    ///< why there is none, or none beyond `until`; empty: it is complete
  double until = 0;       ///< [s] up to here it goes
  LargestError position;  ///< of positions and dynamic variables
  LargestError velocity;
  double end_position = 0, end_velocity = 0;  ///< the same at `until`
  /// [s] From here on the error is a hundredth of the motion or more, and its estimate void;
  /// infinite: nowhere.
  double void_from = 0;
  double growth = 0;  ///< [1/s] of errors like exp(growth t); 0: not exponential
  long evaluations = 0, jacobians = 0;
  // The largest reached errors up to every time, since the one before.
  std::vector<double> times, positions, velocities;

  bool asked_for() const { return made || !missing.empty(); }
};

/// A run on the way to an accuracy asked for (held_accuracy.h).
struct AccuracyRun {
  double tolerance = 0;  ///< or fixed step [s]
  long steps = 0;
  double estimate = 0;  ///< the largest reached error
  double until = 0;     ///< [s] it was given up there, or this is the end
};

struct HeldAccuracy {
  double asked = 0;
  bool held = false;
  std::string message;  ///< why it is not
  std::vector<AccuracyRun> runs;
};

/// Errors from here on are as large as a hundredth of the motion: no estimate of first order holds.
inline constexpr double void_error = 1e-2;

/// Rate of the exponential that errors follow, by least squares over the times between round-off
/// and saturation; 0 where they grow by less than a factor of a thousand in that time.
[[nodiscard]] double error_growth(std::span<const double> times, std::span<const double> errors);

/// The estimate in a sentence.
[[nodiscard]] std::string in_words(const EstimatedError& estimate);

}  // namespace kardan
