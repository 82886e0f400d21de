#include "kardan/integrate/driver_options.h"

namespace kardan {

std::string_view to_string(Reason r) {
  switch (r) {
    case Reason::finished:
      return "finished";
    case Reason::stopped:
      return "stopped";
    case Reason::step_too_small:
      return "step_too_small";
    case Reason::too_many_steps:
      return "too_many_steps";
    case Reason::evaluation_failed:
      return "evaluation_failed";
    case Reason::refused:
      return "refused";
    case Reason::interrupted:
      return "interrupted";
    case Reason::paused:
      return "paused";
  }
  return "";
}

std::string_view to_string(StepControl c) {
  switch (c) {
    case StepControl::elementary:
      return "elementary";
    case StepControl::pi:
      return "pi";
    case StepControl::predictive:
      return "predictive";
  }
  return "";
}

std::string_view to_string(ErrorMeasure m) {
  constexpr std::string_view names[] = {"method", "step", "unit_step"};
  return names[static_cast<int>(m)];
}

std::string_view to_string(ErrorEstimate e) {
  return e == ErrorEstimate::plain ? "plain" : "filtered";
}

}  // namespace kardan
