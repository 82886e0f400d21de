#pragma once
/// Certified accuracy: the global error of a run, measured instead of estimated step by step.
///
/// A run is compared on a grid of times (dense output) with one a hundred times tighter; the
/// difference is its error up to the error of the tighter one, which a run between them checks:
/// where errors do not fall with the tolerance, still tighter references are made. While it is
/// larger than the accuracy asked for, tolerances are tightened in proportion and both runs
/// repeated, until the accuracy is reached, tolerances cannot become tighter, or the budget is used
/// up. Where motion is chaotic no tolerance is tight enough beyond some time: then the certificate
/// says up to when it holds and how fast errors grow.
///
/// Two runs of one method share what it does not see. So the motion must also be that of another
/// method on another formulation, and an error of the size of rounding at its start must not grow
/// to the accuracy asked for (cross_check.h); else it is contradicted, or cannot be known.
///
/// A budget in steps, not in seconds: the same input gives the same certificate everywhere.

#include "kardan/run/accuracy.h"
#include "kardan/run/trajectory.h"

namespace kardan {

struct CertifyOptions {
  double budget = 100;  ///< all runs together, in steps of the first
  int points = 100;     ///< times of comparison after the start
};

struct Certification {
  SimulateOptions options;  ///< of the run that the accuracy is about
  Accuracy accuracy;
};

/// The accuracy asked for is the tolerance of `asked` (or the tighter of its relative and absolute
/// one). A method or option that does not exist is reported.
Certification certify(const PrepareRun& make, const SimulateOptions& asked,
                      const CertifyOptions& options, Diagnostics& diagnostics);

}  // namespace kardan
