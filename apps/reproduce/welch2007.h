#pragma once
/// What the tables and figures of Welch, Hong, Trapp, Choi (2007) share: runs at a fixed step.

#include <functional>

#include "apps/reproduce/paper.h"
#include "kardan/run/simulate.h"

namespace kardan::reproduce {

/// A method with the options it is shown with, and what a table calls it.
struct WelchMethod {
  const char* title;
  const char* name;
  OptionValues options = {};
};
WelchMethod welch_second_order();
WelchMethod welch_as_printed();
WelchMethod welch_first_order();
/// Heun's method with alpha = a/h, beta = b/h.
WelchMethod baumgarte_heun(const char* a, const char* b);

/// A state of a run, at the start and after every step.
struct WelchStep {
  const State* state = nullptr;
  double residual = 0;       // |Phi|_2
  double energy_change = 0;  // |E - E_0| / |E_0|
};

struct WelchEnd {
  State state;
  Vector multipliers;    // the corrector's own, in the middle of the last step
  Vector residuals;      // Phi
  double mean_residual;  // of |Phi|_2 over all states but the last
  DriverReport report;
};

/// Runs to t_end in equal steps. False after telling what went wrong.
bool welch_run(const Prepared& model, const WelchMethod& chosen, double step, double t_end,
               WelchEnd& end, const std::function<void(const WelchStep&)>& see = {});

int welch_fig1(const Options&, Checks& checks);
int welch_fig2(const Options&, Checks& checks);
int welch_fig3(const Options&, Checks& checks);
int welch_fig4(const Options&, Checks& checks);
int welch_fig5(const Options&, Checks& checks);
int welch_fig6(const Options&, Checks& checks);
int welch_fig7(const Options&, Checks& checks);
int welch_stability(const Options&, Checks& checks);

}  // namespace kardan::reproduce
