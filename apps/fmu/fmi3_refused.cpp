/// Functions of FMI 3.0 for which FMUs of Kardan have no use, as their descriptions say: model
/// exchange, events, clocks, structural parameters, derivatives, dependencies of elements.

#include "apps/fmu/component.h"
#include "kardan/fmi/fmi3.h"

#define KARDAN_EXPORT extern "C" __attribute__((visibility("default")))

namespace kardan::fmu {
namespace {

fmi3Status refuse(fmi3Instance instance, const char* function, const char* why) {
  return static_cast<fmi3Status>(static_cast<int>(call(instance, function, any, [&](Component&) {
    throw Failure{Status::error, std::string(function) + ": " + why};
  })));
}

constexpr const char* no_exchange = "this instance is for co-simulation";
constexpr const char* no_events = "this FMU has no event mode (hasEventMode is false)";
constexpr const char* no_clocks = "this FMU has no clocks";
constexpr const char* no_structure = "this FMU has no structural parameters";
constexpr const char* no_derivatives = "this FMU provides no such derivatives";
constexpr const char* no_dependencies = "this FMU tells no dependencies of elements";

}  // namespace
}  // namespace kardan::fmu

using namespace kardan::fmu;  // NOLINT: the functions below are C's

KARDAN_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference*,
                                                  std::size_t, const fmi3Int32*, fmi3Float64*,
                                                  std::size_t) {
  return refuse(instance, "fmi3GetOutputDerivatives", no_derivatives);
}

KARDAN_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance,
                                                      const fmi3ValueReference*, std::size_t,
                                                      const fmi3ValueReference*, std::size_t,
                                                      const fmi3Float64*, std::size_t, fmi3Float64*,
                                                      std::size_t) {
  return refuse(instance, "fmi3GetDirectionalDerivative", no_derivatives);
}

KARDAN_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference*,
                                                  std::size_t, const fmi3ValueReference*,
                                                  std::size_t, const fmi3Float64*, std::size_t,
                                                  fmi3Float64*, std::size_t) {
  return refuse(instance, "fmi3GetAdjointDerivative", no_derivatives);
}

KARDAN_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                             fmi3ValueReference, std::size_t*) {
  return refuse(instance, "fmi3GetNumberOfVariableDependencies", no_dependencies);
}

KARDAN_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference,
                                                     std::size_t*, fmi3ValueReference*,
                                                     std::size_t*, fmi3DependencyKind*,
                                                     std::size_t) {
  return refuse(instance, "fmi3GetVariableDependencies", no_dependencies);
}

KARDAN_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return refuse(instance, "fmi3EnterEventMode", no_events);
}

KARDAN_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return refuse(instance, "fmi3EnterStepMode", no_events);
}

KARDAN_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return refuse(instance, "fmi3EvaluateDiscreteStates", no_events);
}

KARDAN_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean*, fmi3Boolean*,
                                                  fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
                                                  fmi3Float64*) {
  return refuse(instance, "fmi3UpdateDiscreteStates", no_events);
}

KARDAN_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return refuse(instance, "fmi3EnterConfigurationMode", no_structure);
}

KARDAN_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return refuse(instance, "fmi3ExitConfigurationMode", no_structure);
}

KARDAN_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference*,
                                                std::size_t, fmi3Float64*, fmi3IntervalQualifier*) {
  return refuse(instance, "fmi3GetIntervalDecimal", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference*,
                                                 std::size_t, fmi3UInt64*, fmi3UInt64*,
                                                 fmi3IntervalQualifier*) {
  return refuse(instance, "fmi3GetIntervalFraction", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference*,
                                             std::size_t, fmi3Float64*) {
  return refuse(instance, "fmi3GetShiftDecimal", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference*,
                                              std::size_t, fmi3UInt64*, fmi3UInt64*) {
  return refuse(instance, "fmi3GetShiftFraction", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference*,
                                                std::size_t, const fmi3Float64*) {
  return refuse(instance, "fmi3SetIntervalDecimal", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference*,
                                                 std::size_t, const fmi3UInt64*,
                                                 const fmi3UInt64*) {
  return refuse(instance, "fmi3SetIntervalFraction", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference*,
                                             std::size_t, const fmi3Float64*) {
  return refuse(instance, "fmi3SetShiftDecimal", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference*,
                                              std::size_t, const fmi3UInt64*, const fmi3UInt64*) {
  return refuse(instance, "fmi3SetShiftFraction", no_clocks);
}

KARDAN_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return refuse(instance, "fmi3EnterContinuousTimeMode", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean,
                                                     fmi3Boolean*, fmi3Boolean*) {
  return refuse(instance, "fmi3CompletedIntegratorStep", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64) {
  return refuse(instance, "fmi3SetTime", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64*,
                                                 std::size_t) {
  return refuse(instance, "fmi3SetContinuousStates", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64*,
                                                           std::size_t) {
  return refuse(instance, "fmi3GetContinuousStateDerivatives", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64*, std::size_t) {
  return refuse(instance, "fmi3GetEventIndicators", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64*, std::size_t) {
  return refuse(instance, "fmi3GetContinuousStates", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64*,
                                                           std::size_t) {
  return refuse(instance, "fmi3GetNominalsOfContinuousStates", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, std::size_t*) {
  return refuse(instance, "fmi3GetNumberOfEventIndicators", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, std::size_t*) {
  return refuse(instance, "fmi3GetNumberOfContinuousStates", no_exchange);
}

KARDAN_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference,
                                                    fmi3Float64) {
  return refuse(instance, "fmi3ActivateModelPartition", no_clocks);
}
