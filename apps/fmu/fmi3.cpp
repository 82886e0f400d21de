/// The 75 functions of FMI 3.0, for co-simulation with variables of type Float64. Those of other
/// types find no variables; what this FMU has no use for is in fmi3_refused.cpp.

#include "kardan/fmi/fmi3.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "apps/fmu/component.h"

#define KARDAN_EXPORT extern "C" __attribute__((visibility("default")))

namespace kardan::fmu {
namespace {

template <class Body>
fmi3Status on(fmi3Instance instance, const char* function, unsigned stages, const Body& body) {
  return static_cast<fmi3Status>(static_cast<int>(call(instance, function, stages, body)));
}

/// Of a type without variables.
fmi3Status none_of(fmi3Instance instance, const char* function, unsigned stages,
                   std::size_t count) {
  return on(instance, function, stages, [&](Component&) {
    if (count > 0)
      throw Failure{Status::error, fmt::format("{}: all variables are of type Float64", function)};
  });
}

using Logger = std::function<void(Status, const char*, const std::string&)>;

Logger logger_of(fmi3LogMessageCallback log, fmi3InstanceEnvironment environment) {
  if (!log) return {};
  return [log, environment](Status s, const char* category, const std::string& message) {
    log(environment, static_cast<fmi3Status>(static_cast<int>(s)), category, message.c_str());
  };
}

fmi3Instance only_steps(const char* function, const Logger& log) {
  if (log)
    log(Status::error, "logStatusError",
        fmt::format("{}: this FMU is for co-simulation", function));
  return nullptr;
}

}  // namespace
}  // namespace kardan::fmu

using namespace kardan::fmu;  // NOLINT: the functions below are C's

KARDAN_EXPORT const char* fmi3GetVersion() {
  return "3.0";
}

KARDAN_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn,
                                             std::size_t nCategories,
                                             const fmi3String categories[]) {
  return on(instance, "fmi3SetDebugLogging", any, [&](Component& i) {
    std::set<std::string, std::less<>> chosen;
    for (const char* category : array(categories, nCategories, "categories"))
      chosen.insert(&target(category, "categories"));
    i.logging = loggingOn;
    i.categories = std::move(chosen);
  });
}

KARDAN_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String,
                                                        fmi3Boolean, fmi3Boolean,
                                                        fmi3InstanceEnvironment instanceEnvironment,
                                                        fmi3LogMessageCallback logMessage) {
  return only_steps("fmi3InstantiateModelExchange", logger_of(logMessage, instanceEnvironment));
}

KARDAN_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath, fmi3Boolean,
    fmi3Boolean loggingOn, fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
    const fmi3ValueReference*, std::size_t nRequiredIntermediateVariables,
    fmi3InstanceEnvironment instanceEnvironment, fmi3LogMessageCallback logMessage,
    fmi3IntermediateUpdateCallback) {
  const Logger log = logger_of(logMessage, instanceEnvironment);
  const char* wrong = nullptr;
  if (eventModeUsed) wrong = "this FMU has no event mode (hasEventMode is false)";
  if (nRequiredIntermediateVariables > 0)
    wrong = "this FMU has no intermediate updates (providesIntermediateUpdate is false)";
  if (!resourcePath) wrong = "there is no path of resources";
  if (wrong) {
    if (log)
      log(Status::error, "logStatusError", fmt::format("fmi3InstantiateCoSimulation: {}", wrong));
    return nullptr;
  }
  auto made = make_component(instanceName, instantiationToken, resourcePath, log);
  if (!made) return nullptr;
  made->logging = loggingOn;
  made->may_return_early = earlyReturnAllowed;
  return publish(std::move(made));
}

KARDAN_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
    fmi3InstanceEnvironment instanceEnvironment, fmi3LogMessageCallback logMessage,
    fmi3ClockUpdateCallback, fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  return only_steps("fmi3InstantiateScheduledExecution",
                    logger_of(logMessage, instanceEnvironment));
}

KARDAN_EXPORT void fmi3FreeInstance(fmi3Instance instance) {
  forget(instance);
}

KARDAN_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                                     fmi3Boolean toleranceDefined,
                                                     fmi3Float64 tolerance, fmi3Float64 startTime,
                                                     fmi3Boolean stopTimeDefined,
                                                     fmi3Float64 stopTime) {
  return on(instance, "fmi3EnterInitializationMode", instantiated, [&](Component& i) {
    i.need(i.instance.set_up(toleranceDefined ? std::optional(tolerance) : std::nullopt, startTime,
                             stopTimeDefined ? std::optional(stopTime) : std::nullopt));
    i.stage = initialization;
  });
}

KARDAN_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return on(instance, "fmi3ExitInitializationMode", initialization,
            [](Component& i) { i.start(); });
}

KARDAN_EXPORT fmi3Status fmi3Terminate(fmi3Instance instance) {
  return on(instance, "fmi3Terminate", initialization | stepping | step_failed,
            [](Component& i) { i.stage = terminated; });
}

KARDAN_EXPORT fmi3Status fmi3Reset(fmi3Instance instance) {
  return on(instance, "fmi3Reset", any, [](Component& i) { i.reset(); });
}

KARDAN_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance instance,
                                        const fmi3ValueReference references[], std::size_t count,
                                        fmi3Float64 values[], std::size_t size) {
  return on(instance, "fmi3GetFloat64", readable, [&](Component& i) {
    i.need(
        i.instance.get(array(references, count, "valueReferences"), array(values, size, "values")));
  });
}

KARDAN_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance instance,
                                        const fmi3ValueReference references[], std::size_t count,
                                        const fmi3Float64 values[], std::size_t size) {
  return on(instance, "fmi3SetFloat64", settable, [&](Component& i) {
    i.need(
        i.instance.set(array(references, count, "valueReferences"), array(values, size, "values")));
  });
}

KARDAN_EXPORT fmi3Status fmi3GetFloat32(fmi3Instance instance, const fmi3ValueReference*,
                                        std::size_t count, fmi3Float32*, std::size_t) {
  return none_of(instance, "fmi3GetFloat32", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetFloat32(fmi3Instance instance, const fmi3ValueReference*,
                                        std::size_t count, const fmi3Float32*, std::size_t) {
  return none_of(instance, "fmi3SetFloat32", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetInt8(fmi3Instance instance, const fmi3ValueReference*,
                                     std::size_t count, fmi3Int8*, std::size_t) {
  return none_of(instance, "fmi3GetInt8", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetInt8(fmi3Instance instance, const fmi3ValueReference*,
                                     std::size_t count, const fmi3Int8*, std::size_t) {
  return none_of(instance, "fmi3SetInt8", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetUInt8(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, fmi3UInt8*, std::size_t) {
  return none_of(instance, "fmi3GetUInt8", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetUInt8(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, const fmi3UInt8*, std::size_t) {
  return none_of(instance, "fmi3SetUInt8", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetInt16(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, fmi3Int16*, std::size_t) {
  return none_of(instance, "fmi3GetInt16", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetInt16(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, const fmi3Int16*, std::size_t) {
  return none_of(instance, "fmi3SetInt16", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetUInt16(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, fmi3UInt16*, std::size_t) {
  return none_of(instance, "fmi3GetUInt16", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetUInt16(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, const fmi3UInt16*, std::size_t) {
  return none_of(instance, "fmi3SetUInt16", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, fmi3Int32*, std::size_t) {
  return none_of(instance, "fmi3GetInt32", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, const fmi3Int32*, std::size_t) {
  return none_of(instance, "fmi3SetInt32", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetUInt32(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, fmi3UInt32*, std::size_t) {
  return none_of(instance, "fmi3GetUInt32", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetUInt32(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, const fmi3UInt32*, std::size_t) {
  return none_of(instance, "fmi3SetUInt32", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, fmi3Int64*, std::size_t) {
  return none_of(instance, "fmi3GetInt64", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, const fmi3Int64*, std::size_t) {
  return none_of(instance, "fmi3SetInt64", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, fmi3UInt64*, std::size_t) {
  return none_of(instance, "fmi3GetUInt64", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, const fmi3UInt64*, std::size_t) {
  return none_of(instance, "fmi3SetUInt64", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference*,
                                        std::size_t count, fmi3Boolean*, std::size_t) {
  return none_of(instance, "fmi3GetBoolean", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference*,
                                        std::size_t count, const fmi3Boolean*, std::size_t) {
  return none_of(instance, "fmi3SetBoolean", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, fmi3String*, std::size_t) {
  return none_of(instance, "fmi3GetString", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, const fmi3String*, std::size_t) {
  return none_of(instance, "fmi3SetString", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, std::size_t*, fmi3Binary*, std::size_t) {
  return none_of(instance, "fmi3GetBinary", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference*,
                                       std::size_t count, const std::size_t*, const fmi3Binary*,
                                       std::size_t) {
  return none_of(instance, "fmi3SetBinary", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, fmi3Clock*) {
  return none_of(instance, "fmi3GetClock", readable, count);
}

KARDAN_EXPORT fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference*,
                                      std::size_t count, const fmi3Clock*) {
  return none_of(instance, "fmi3SetClock", settable, count);
}

KARDAN_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* FMUState) {
  return on(instance, "fmi3GetFMUState", settable | terminated,
            [&](Component& i) { i.get_state(FMUState); });
}

KARDAN_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState) {
  return on(instance, "fmi3SetFMUState", any, [&](Component& i) { i.set_state(FMUState); });
}

KARDAN_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* FMUState) {
  return on(instance, "fmi3FreeFMUState", any, [&](Component& i) { i.free_state(FMUState); });
}

KARDAN_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState,
                                                    std::size_t* size) {
  return on(instance, "fmi3SerializedFMUStateSize", any,
            [&](Component& i) { i.state_size(FMUState, size); });
}

KARDAN_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                               fmi3Byte serializedState[], std::size_t size) {
  return on(instance, "fmi3SerializeFMUState", any,
            [&](Component& i) { i.serialize(FMUState, serializedState, size); });
}

KARDAN_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                                 const fmi3Byte serializedState[], std::size_t size,
                                                 fmi3FMUState* FMUState) {
  return on(instance, "fmi3DeserializeFMUState", any,
            [&](Component& i) { i.deserialize(serializedState, size, FMUState); });
}

KARDAN_EXPORT fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                                    fmi3Float64 communicationStepSize, fmi3Boolean,
                                    fmi3Boolean* eventHandlingNeeded,
                                    fmi3Boolean* terminateSimulation, fmi3Boolean* earlyReturn,
                                    fmi3Float64* lastSuccessfulTime) {
  return on(instance, "fmi3DoStep", stepping, [&](Component& i) {
    target(eventHandlingNeeded, "eventHandlingNeeded") = false;
    fmi3Boolean& stops = target(terminateSimulation, "terminateSimulation");
    fmi3Boolean& early = target(earlyReturn, "earlyReturn");
    fmi3Float64& reached = target(lastSuccessfulTime, "lastSuccessfulTime");
    stops = early = false;
    reached = i.last_time;
    try {
      i.step(currentCommunicationPoint, communicationStepSize);
    } catch (const Failure& f) {
      // The model has ended on the way: that is an answer, no fault.
      if (!i.has_stopped) throw;
      stops = true;
      early = i.may_return_early;
      i.log(Status::ok, f.message);
    }
    reached = i.last_time;
  });
}
