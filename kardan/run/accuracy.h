#pragma once
/// What certifying a run has found (certify.h): part of its certificate.

#include <string>
#include <string_view>
#include <vector>

namespace kardan {

/// A component of two trajectories, compared time by time.
struct ComponentError {
  std::string name;
  bool velocity = false;  ///< a velocity; else a position or a dynamic variable
  /// An auxiliary or contact variable, or a multiplier: what the equations give from the others. Its
  /// `reached` errors are in units of the largest value of the run.
  bool auxiliary = false;
  std::vector<double> absolute;  ///< |y - ref| [unit of the component]
  std::vector<double> reached;   ///< |y - ref| / (1 + |ref|)
};

enum class Certified {
  reached,
  out_of_reach,  ///< no tolerance is tight enough
  contradicted,  ///< another method comes to another motion
  over_budget,
  failed,  ///< a run did not come to its end
};
std::string_view to_string(Certified);

/// One run on the way.
struct CertifyRun {
  double tolerance = 0;  ///< or fixed step [s]
  long steps = 0;        ///< accepted, rejected and failed
};

/// The measured error of a run; reached errors are |y - ref| / (1 + |ref|).
struct Accuracy {
  double asked = 0;
  Certified verdict = Certified::failed;
  double tolerance = 0, reference = 0;  ///< of the run and of the tighter one; or fixed steps [s]
  std::string referee;                ///< method of the tighter one; empty: the same as of the run
  double position = 0, velocity = 0;  ///< reached error
  double until = 0;                   ///< [s] up to here the accuracy holds
  double growth = 0;                  ///< [1/s] of errors like exp(growth t); 0: not exponential
  std::string crossed;          ///< method that found the same motion; empty: none came to its end
  double apart = 0;             ///< reached difference of the two
  double magnified = 0;         ///< by which an error at the start has grown; 0: not known
  double budget = 0, used = 0;  ///< in steps of the first run (of 200, where it takes fewer)
  std::string message;          ///< what happened, in words
  std::vector<double> times;    ///< [s] of the bands
  std::vector<ComponentError> bands;  ///< error of every component, time by time
  std::vector<CertifyRun> runs;
};

}  // namespace kardan
