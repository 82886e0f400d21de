/// The 44 functions of FMI 2.0, for co-simulation. Those of model exchange are there and refuse.

#include "kardan/fmi/fmi2.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/fmu/component.h"

#define KARDAN_EXPORT extern "C" __attribute__((visibility("default")))

namespace kardan::fmu {
namespace {

fmi2Status answer(Status s) {
  return static_cast<fmi2Status>(static_cast<int>(s));
}

template <class Body>
fmi2Status on(fmi2Component c, const char* function, unsigned stages, const Body& body) {
  return answer(call(c, function, stages, body));
}

constexpr unsigned status_known = stepping | step_failed | terminated;

/// Of a type without variables.
fmi2Status none_of(fmi2Component c, const char* function, unsigned stages, std::size_t count,
                   const char* type) {
  return on(c, function, stages, [&](Component&) {
    if (count > 0)
      throw Failure{Status::error,
                    fmt::format("{}: there are no variables of type {}", function, type)};
  });
}

/// Model exchange: this FMU is for co-simulation.
fmi2Status not_exchanged(fmi2Component c, const char* function) {
  return on(c, function, any, [&](Component&) {
    throw Failure{Status::error, fmt::format("{}: this instance is for co-simulation", function)};
  });
}

fmi2Status no_such_status(fmi2Component c, const char* function) {
  return on(c, function, status_known, [&](Component&) {
    throw Failure{Status::discard, fmt::format("{}: there is no such status", function)};
  });
}

}  // namespace
}  // namespace kardan::fmu

using namespace kardan::fmu;  // NOLINT: the functions below are C's

KARDAN_EXPORT const char* fmi2GetTypesPlatform() {
  return "default";
}

KARDAN_EXPORT const char* fmi2GetVersion() {
  return "2.0";
}

KARDAN_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean logging_on,
                                             std::size_t count, const fmi2String categories[]) {
  return on(c, "fmi2SetDebugLogging", any, [&](Component& i) {
    std::set<std::string, std::less<>> chosen;
    for (const char* category : array(categories, count, "categories"))
      chosen.insert(&target(category, "categories"));
    i.logging = logging_on != 0;
    i.categories = std::move(chosen);
  });
}

KARDAN_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                            fmi2String resources,
                                            const fmi2CallbackFunctions* functions,
                                            fmi2Boolean /*visible*/, fmi2Boolean logging_on) {
  std::function<void(Status, const char*, const std::string&)> logger;
  if (functions && functions->logger)
    logger = [log = functions->logger, environment = functions->componentEnvironment,
              own = std::string(name ? name : "")](Status s, const char* category,
                                                   const std::string& message) {
      log(environment, own.c_str(), answer(s), category, "%s", message.c_str());
    };
  if (type != fmi2CoSimulation) {
    if (logger)
      logger(Status::error, "logStatusError", "fmi2Instantiate: this FMU is for co-simulation");
    return nullptr;
  }
  if (!resources) {
    if (logger) logger(Status::error, "logStatusError", "fmi2Instantiate: no place of resources");
    return nullptr;
  }
  auto made = make_component(name, guid, resources, logger);
  if (!made) return nullptr;
  made->logging = logging_on != 0;
  return publish(std::move(made));
}

KARDAN_EXPORT void fmi2FreeInstance(fmi2Component c) {
  forget(c);
}

KARDAN_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined,
                                             fmi2Real tolerance, fmi2Real start,
                                             fmi2Boolean stop_defined, fmi2Real stop) {
  return on(c, "fmi2SetupExperiment", instantiated, [&](Component& i) {
    i.need(i.instance.set_up(tolerance_defined ? std::optional(tolerance) : std::nullopt, start,
                             stop_defined ? std::optional(stop) : std::nullopt));
  });
}

KARDAN_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return on(c, "fmi2EnterInitializationMode", instantiated,
            [](Component& i) { i.stage = initialization; });
}

KARDAN_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return on(c, "fmi2ExitInitializationMode", initialization, [](Component& i) { i.start(); });
}

KARDAN_EXPORT fmi2Status fmi2Terminate(fmi2Component c) {
  return on(c, "fmi2Terminate", stepping | step_failed, [](Component& i) { i.stage = terminated; });
}

KARDAN_EXPORT fmi2Status fmi2Reset(fmi2Component c) {
  return on(c, "fmi2Reset", any, [](Component& i) { i.reset(); });
}

KARDAN_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[],
                                     std::size_t count, fmi2Real value[]) {
  return on(c, "fmi2GetReal", readable, [&](Component& i) {
    i.need(i.instance.get(array(vr, count, "vr"), array(value, count, "value")));
  });
}

KARDAN_EXPORT fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference*,
                                        std::size_t count, fmi2Integer*) {
  return none_of(c, "fmi2GetInteger", readable, count, "Integer");
}

KARDAN_EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference*,
                                        std::size_t count, fmi2Boolean*) {
  return none_of(c, "fmi2GetBoolean", readable, count, "Boolean");
}

KARDAN_EXPORT fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference*,
                                       std::size_t count, fmi2String*) {
  return none_of(c, "fmi2GetString", readable, count, "String");
}

KARDAN_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[],
                                     std::size_t count, const fmi2Real value[]) {
  return on(c, "fmi2SetReal", settable, [&](Component& i) {
    i.need(i.instance.set(array(vr, count, "vr"), array(value, count, "value")));
  });
}

KARDAN_EXPORT fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference*,
                                        std::size_t count, const fmi2Integer*) {
  return none_of(c, "fmi2SetInteger", settable, count, "Integer");
}

KARDAN_EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference*,
                                        std::size_t count, const fmi2Boolean*) {
  return none_of(c, "fmi2SetBoolean", settable, count, "Boolean");
}

KARDAN_EXPORT fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference*,
                                       std::size_t count, const fmi2String*) {
  return none_of(c, "fmi2SetString", settable, count, "String");
}

KARDAN_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return on(c, "fmi2GetFMUstate", settable | terminated, [&](Component& i) { i.get_state(state); });
}

KARDAN_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return on(c, "fmi2SetFMUstate", any, [&](Component& i) { i.set_state(state); });
}

KARDAN_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return on(c, "fmi2FreeFMUstate", any, [&](Component& i) { i.free_state(state); });
}

KARDAN_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                                    std::size_t* size) {
  return on(c, "fmi2SerializedFMUstateSize", any, [&](Component& i) { i.state_size(state, size); });
}

KARDAN_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                               fmi2Byte bytes[], std::size_t size) {
  return on(c, "fmi2SerializeFMUstate", any,
            [&](Component& i) { i.serialize(state, bytes, size); });
}

KARDAN_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                                 std::size_t size, fmi2FMUstate* state) {
  return on(c, "fmi2DeSerializeFMUstate", any,
            [&](Component& i) { i.deserialize(bytes, size, state); });
}

KARDAN_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference*,
                                                      std::size_t, const fmi2ValueReference*,
                                                      std::size_t, const fmi2Real*, fmi2Real*) {
  return on(c, "fmi2GetDirectionalDerivative", readable, [](Component&) {
    throw Failure{Status::error,
                  "fmi2GetDirectionalDerivative: providesDirectionalDerivative is false"};
  });
}

KARDAN_EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) {
  return not_exchanged(c, "fmi2EnterEventMode");
}

KARDAN_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo*) {
  return not_exchanged(c, "fmi2NewDiscreteStates");
}

KARDAN_EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return not_exchanged(c, "fmi2EnterContinuousTimeMode");
}

KARDAN_EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean*,
                                                     fmi2Boolean*) {
  return not_exchanged(c, "fmi2CompletedIntegratorStep");
}

KARDAN_EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real) {
  return not_exchanged(c, "fmi2SetTime");
}

KARDAN_EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real*, std::size_t) {
  return not_exchanged(c, "fmi2SetContinuousStates");
}

KARDAN_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real*, std::size_t) {
  return not_exchanged(c, "fmi2GetDerivatives");
}

KARDAN_EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real*, std::size_t) {
  return not_exchanged(c, "fmi2GetEventIndicators");
}

KARDAN_EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real*, std::size_t) {
  return not_exchanged(c, "fmi2GetContinuousStates");
}

KARDAN_EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real*,
                                                           std::size_t) {
  return not_exchanged(c, "fmi2GetNominalsOfContinuousStates");
}

KARDAN_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                     std::size_t count, const fmi2Integer order[],
                                                     const fmi2Real value[]) {
  return on(c, "fmi2SetRealInputDerivatives", settable, [&](Component& i) {
    for (const int o : array(order, count, "order"))
      if (o != 1)
        throw Failure{Status::error,
                      fmt::format("fmi2SetRealInputDerivatives: order {}; wanted 1", o)};
    i.need(i.instance.set_slopes(array(vr, count, "vr"), array(value, count, "value")));
  });
}

KARDAN_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference*,
                                                      std::size_t count, const fmi2Integer*,
                                                      fmi2Real*) {
  return on(c, "fmi2GetRealOutputDerivatives", stepping | step_failed | terminated | error,
            [&](Component&) {
              if (count > 0)
                throw Failure{Status::error,
                              "fmi2GetRealOutputDerivatives: maxOutputDerivativeOrder is 0"};
            });
}

KARDAN_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean) {
  return on(c, "fmi2DoStep", stepping, [&](Component& i) { i.step(t, h); });
}

KARDAN_EXPORT fmi2Status fmi2CancelStep(fmi2Component c) {
  return on(c, "fmi2CancelStep", any, [](Component&) {
    throw Failure{Status::error, "fmi2CancelStep: no step is in progress"};
  });
}

KARDAN_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind,
                                       fmi2Status* value) {
  if (kind != fmi2DoStepStatus) return no_such_status(c, "fmi2GetStatus");
  return on(c, "fmi2GetStatus", status_known, [&](Component& i) {
    target(value, "value") = i.stage == step_failed ? fmi2Discard : fmi2OK;
  });
}

KARDAN_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind,
                                           fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return no_such_status(c, "fmi2GetRealStatus");
  return on(c, "fmi2GetRealStatus", status_known,
            [&](Component& i) { target(value, "value") = i.last_time; });
}

KARDAN_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) {
  return no_such_status(c, "fmi2GetIntegerStatus");
}

KARDAN_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind,
                                              fmi2Boolean* value) {
  if (kind != fmi2Terminated) return no_such_status(c, "fmi2GetBooleanStatus");
  return on(c, "fmi2GetBooleanStatus", status_known,
            [&](Component& i) { target(value, "value") = i.has_stopped ? 1 : 0; });
}

KARDAN_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind, fmi2String*) {
  return no_such_status(c, "fmi2GetStringStatus");
}
