/// Exported FMUs of FMI 3.0, called as other programs call them.

#include "kardan/fmi/fmi3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fmi/caller.h"
#include "support/places.h"

namespace kardan::fmi {
namespace {

using testing::HasSubstr;

std::string& said() {
  static thread_local std::string lines;
  return lines;
}

void say(void*, fmi3Status status, const char* category, const char* message) {
  said() += std::to_string(status) + " " + category + " " + message + "\n";
}

/// An instance for co-simulation, by FMI 3.0.
class Instance3 {
 public:
  explicit Instance3(const Exported& fmu, bool early = false)
      : fmu_(fmu), resources_((fmu.path() / "resources").string() + "/"), library(fmu.library()) {
    said().clear();
    c = make(fmu.token(), false, early, 0);
    EXPECT_TRUE(c) << said();
  }
  ~Instance3() { library.call<int>("fmi3FreeInstance", c); }

  fmi3Instance make(const std::string& token, bool events, bool early, std::size_t needed) const {
    return library.call<fmi3Instance>(
        "fmi3InstantiateCoSimulation", "three", token.c_str(), resources_.c_str(), false, false,
        events, early, static_cast<const unsigned*>(nullptr), needed, static_cast<void*>(nullptr),
        &say, static_cast<fmi3IntermediateUpdateCallback>(nullptr));
  }
  template <class... Arguments>
  int operator()(const char* name, Arguments... arguments) const {
    return library.call<int>(name, c, arguments...);
  }
  void start(double tolerance = 1e-9) const {
    EXPECT_EQ((*this)("fmi3EnterInitializationMode", true, tolerance, 0.0, false, 0.0), fmi3OK);
    EXPECT_EQ((*this)("fmi3ExitInitializationMode"), fmi3OK) << said();
  }
  int step(double t, double h) {
    return (*this)("fmi3DoStep", t, h, true, &events, &ends, &early, &reached);
  }
  int set(const std::string& name, double value) const {
    const unsigned r = fmu_.reference(name);
    return (*this)("fmi3SetFloat64", &r, std::size_t{1}, const_cast<const double*>(&value),
                   std::size_t{1});
  }
  double get(const std::string& name) const {
    unsigned r = fmu_.reference(name);
    double value = std::nan("");
    EXPECT_EQ((*this)("fmi3GetFloat64", &r, std::size_t{1}, &value, std::size_t{1}), fmi3OK)
        << said();
    return value;
  }

 private:
  const Exported& fmu_;
  std::string resources_;

 public:
  Library library;
  fmi3Instance c = nullptr;
  bool events = true, ends = true, early = true;
  double reached = -1;
};

/// y'' = push / m - 10 from rest at y = 1.
Exported lifted() {
  const test::TemporaryFile file(R"(kardan: 1
name: lift
dimension: 2
gravity: [0, -10]
parameters: {m: 2}
inputs: {push: {unit: N, between: ramp}}
bodies: {car: {mass: m, inertia: 1, position: [0, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, car], at: [0, 0], axis: [0, 1]}}
forces: {motor: {type: force, on: car, fy: push(t)}}
when: {landed: {expression: car.y, direction: falling, action: stop}}
simulate: {t_end: 4, method: rn4, tolerance: 1e-9}
)");
  return Exported(file.path(), 3);
}

TEST(Fmi3, EveryFunctionIsThere) {
  const Exported fmu = lifted();
  const Library library(fmu.library());
  std::vector<std::string> names{"GetVersion",
                                 "SetDebugLogging",
                                 "InstantiateModelExchange",
                                 "InstantiateCoSimulation",
                                 "InstantiateScheduledExecution",
                                 "FreeInstance",
                                 "EnterInitializationMode",
                                 "ExitInitializationMode",
                                 "EnterEventMode",
                                 "Terminate",
                                 "Reset",
                                 "GetNumberOfVariableDependencies",
                                 "GetVariableDependencies",
                                 "GetFMUState",
                                 "SetFMUState",
                                 "FreeFMUState",
                                 "SerializedFMUStateSize",
                                 "SerializeFMUState",
                                 "DeserializeFMUState",
                                 "GetDirectionalDerivative",
                                 "GetAdjointDerivative",
                                 "EnterConfigurationMode",
                                 "ExitConfigurationMode",
                                 "GetIntervalDecimal",
                                 "GetIntervalFraction",
                                 "GetShiftDecimal",
                                 "GetShiftFraction",
                                 "SetIntervalDecimal",
                                 "SetIntervalFraction",
                                 "SetShiftDecimal",
                                 "SetShiftFraction",
                                 "EvaluateDiscreteStates",
                                 "UpdateDiscreteStates",
                                 "EnterContinuousTimeMode",
                                 "CompletedIntegratorStep",
                                 "SetTime",
                                 "SetContinuousStates",
                                 "GetContinuousStateDerivatives",
                                 "GetEventIndicators",
                                 "GetContinuousStates",
                                 "GetNominalsOfContinuousStates",
                                 "GetNumberOfEventIndicators",
                                 "GetNumberOfContinuousStates",
                                 "EnterStepMode",
                                 "GetOutputDerivatives",
                                 "DoStep",
                                 "ActivateModelPartition"};
  for (const char* type : {"Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32",
                           "UInt32", "Int64", "UInt64", "Boolean", "String", "Binary", "Clock"})
    for (const char* way : {"Get", "Set"}) names.push_back(std::string(way) + type);
  EXPECT_EQ(names.size(), 75U);
  for (const std::string& name : names) EXPECT_TRUE(library.has("fmi3" + name)) << name;
  EXPECT_STREQ(library.call<const char*>("fmi3GetVersion"), "3.0");
}

TEST(Fmi3, MovesAsItsEquationsSay) {
  const Exported fmu = lifted();
  Instance3 i(fmu);
  EXPECT_EQ(i.set("push", 30), fmi3OK);
  i.start();
  EXPECT_EQ(i.get("car.ay"), 5);
  EXPECT_EQ(i.step(0, 0.5), fmi3OK) << said();
  EXPECT_FALSE(i.events || i.ends || i.early);
  EXPECT_EQ(i.reached, 0.5);
  EXPECT_NEAR(i.get("car.y"), 1 + 5 * 0.125, 1e-8);
  EXPECT_NEAR(i.get("car.vy"), 2.5, 1e-8);
  // Through 30 at 0 and 20 at 0.5: on along that line.
  EXPECT_EQ(i.set("push", 20), fmi3OK);
  EXPECT_EQ(i.step(0.5, 0.5), fmi3OK) << said();
  EXPECT_NEAR(i.get("car.vy"), 2.5 - 20 * 0.125 / 2, 1e-8);
  EXPECT_EQ(i.get("time"), 1);
}

TEST(Fmi3, StatesThatAreKeptGiveTheSameBits) {
  const Exported fmu = lifted();
  Instance3 i(fmu);
  EXPECT_EQ(i.set("push", 15), fmi3OK);
  i.start();
  EXPECT_EQ(i.step(0, 0.1), fmi3OK);
  fmi3FMUState state = nullptr;
  ASSERT_EQ(i("fmi3GetFMUState", &state), fmi3OK);
  std::size_t size = 0;
  ASSERT_EQ(i("fmi3SerializedFMUStateSize", state, &size), fmi3OK);
  std::vector<std::uint8_t> bytes(size);
  EXPECT_EQ(i("fmi3SerializeFMUState", state, bytes.data(), size - 1), fmi3Error);
  EXPECT_EQ(i("fmi3SetFMUState", state), fmi3OK);
  EXPECT_EQ(i("fmi3SerializeFMUState", state, bytes.data(), size), fmi3OK);
  EXPECT_EQ(i.step(0.1, 0.2), fmi3OK);
  const double y = i.get("car.y");
  Instance3 other(fmu);
  fmi3FMUState copy = nullptr;
  ASSERT_EQ(
      other("fmi3DeserializeFMUState", const_cast<const std::uint8_t*>(bytes.data()), size, &copy),
      fmi3OK);
  ASSERT_EQ(other("fmi3SetFMUState", copy), fmi3OK) << said();
  EXPECT_EQ(other.step(0.1, 0.2), fmi3OK);
  EXPECT_EQ(other.get("car.y"), y);
}

TEST(Fmi3, AnEventThatStopsEndsTheSimulation) {
  const Exported fmu = lifted();
  for (const bool early : {false, true}) {
    Instance3 i(fmu, early);
    i.start();
    EXPECT_EQ(i.step(0, 0.4), fmi3OK);
    EXPECT_FALSE(i.ends);
    EXPECT_EQ(i.step(0.4, 0.4), fmi3OK);  // 1 - 5 t^2 = 0
    EXPECT_TRUE(i.ends);
    EXPECT_EQ(i.early, early);
    EXPECT_NEAR(i.reached, std::sqrt(0.2), 1e-8);
    EXPECT_NEAR(i.get("car.y"), 0, 1e-7);
    EXPECT_EQ(i("fmi3Terminate"), fmi3OK);
    EXPECT_EQ(i.step(0.8, 0.1), fmi3Error);
  }
}

TEST(Fmi3, WhatIsNotOfferedIsRefused) {
  const Exported fmu = lifted();
  const Instance3 i(fmu);
  said().clear();
  EXPECT_EQ(i.make("{0}", false, false, 0), nullptr);
  EXPECT_THAT(said(), HasSubstr("the token {0}"));
  EXPECT_EQ(i.make(fmu.token(), true, false, 0), nullptr);
  EXPECT_THAT(said(), HasSubstr("no event mode"));
  EXPECT_EQ(i.make(fmu.token(), false, false, 1), nullptr);
  EXPECT_THAT(said(), HasSubstr("no intermediate updates"));
  for (const char* name : {"fmi3InstantiateModelExchange", "fmi3InstantiateScheduledExecution"}) {
    said().clear();
    EXPECT_EQ(i.library.call<fmi3Instance>(
                  name, "a", fmu.token().c_str(), "/", false, false, static_cast<void*>(nullptr),
                  &say, static_cast<void (*)()>(nullptr), static_cast<void (*)()>(nullptr),
                  static_cast<void (*)()>(nullptr)),
              nullptr);
    EXPECT_THAT(said(), HasSubstr("is for co-simulation"));
  }
}

/// Each function in each stage where it is not allowed: an error, a message, and a new beginning.
TEST(Fmi3, WrongOrdersAreErrorsAndNothingElse) {
  const Exported fmu = lifted();
  Instance3 i(fmu);
  static double value = 1;
  static bool flag = false;
  static std::size_t n = 0;
  static unsigned in = fmu.reference("push"), out = fmu.reference("car.y");
  constexpr std::size_t one = 1;
  struct Call {
    const char* name;
    unsigned allowed;  // 1 instantiated, 2 initialization, 4 step mode, 8 terminated
    std::function<int()> make;
  };
  std::vector<Call> calls{
      {"EnterInitializationMode", 1,
       [&] { return i("fmi3EnterInitializationMode", false, 0.0, 0.0, false, 0.0); }},
      {"ExitInitializationMode", 2, [&] { return i("fmi3ExitInitializationMode"); }},
      {"Terminate", 2 | 4, [&] { return i("fmi3Terminate"); }},
      {"DoStep", 4, [&] { return i.step(0, 0.001); }},
      {"GetFloat64", 2 | 4 | 8, [&] { return i("fmi3GetFloat64", &out, one, &value, one); }},
      {"SetFloat64", 1 | 2 | 4, [&] { return i("fmi3SetFloat64", &in, one, &value, one); }},
      {"SetFMUState", 0, [&] { return i("fmi3SetFMUState", static_cast<void*>(&value)); }},
      {"sizes differ", 0, [&] { return i("fmi3SetFloat64", &in, one, &value, std::size_t{2}); }},
      {"null values", 0,
       [&] { return i("fmi3GetFloat64", &out, one, static_cast<double*>(nullptr), one); }},
      {"null answers", 0,
       [&] {
         bool* const none = nullptr;
         return i("fmi3DoStep", 0.0, 0.1, true, none, none, none, &value);
       }},
      {"a step back", 0, [&] { return i.step(0, -1); }},
      {"a step from elsewhere", 0, [&] { return i.step(5, 1); }},
      {"SetTime", 0, [&] { return i("fmi3SetTime", 0.0); }},
      {"CompletedIntegratorStep", 0,
       [&] { return i("fmi3CompletedIntegratorStep", true, &flag, &flag); }},
      {"UpdateDiscreteStates", 0,
       [&] { return i("fmi3UpdateDiscreteStates", &flag, &flag, &flag, &flag, &flag, &value); }},
      {"GetNumberOfEventIndicators", 0, [&] { return i("fmi3GetNumberOfEventIndicators", &n); }},
      {"GetNumberOfContinuousStates", 0, [&] { return i("fmi3GetNumberOfContinuousStates", &n); }},
  };
  for (const char* name :
       {"fmi3EnterEventMode", "fmi3EnterStepMode", "fmi3EvaluateDiscreteStates",
        "fmi3EnterConfigurationMode", "fmi3ExitConfigurationMode", "fmi3EnterContinuousTimeMode"})
    calls.push_back({name, 0, [&i, name] { return i(name); }});
  for (const char* name : {"fmi3GetContinuousStateDerivatives", "fmi3GetEventIndicators",
                           "fmi3GetContinuousStates", "fmi3GetNominalsOfContinuousStates"})
    calls.push_back({name, 0, [&i, name] { return i(name, &value, one); }});
  for (const char* type : {"Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32",
                           "Int64", "UInt64", "Boolean", "String"})
    calls.push_back({type, 0, [&i, type] {
                       return i((std::string("fmi3Get") + type).c_str(), &out, one, &value, one);
                     }});
  for (const char* name : {"fmi3GetIntervalDecimal", "fmi3GetShiftDecimal", "fmi3SetShiftDecimal"})
    calls.push_back({name, 0, [&i, name] { return i(name, &in, one, &value, &n); }});
  int refused = 0;
  for (const Call& call : calls)
    for (const unsigned stage : {1, 2, 4, 8}) {
      ASSERT_EQ(i("fmi3Reset"), fmi3OK);
      if (stage > 1) {
        ASSERT_EQ(i("fmi3EnterInitializationMode", false, 0.0, 0.0, false, 0.0), fmi3OK);
      }
      if (stage > 2) {
        ASSERT_EQ(i("fmi3ExitInitializationMode"), fmi3OK);
      }
      if (stage > 4) {
        ASSERT_EQ(i("fmi3Terminate"), fmi3OK);
      }
      said().clear();
      const int answer = call.make();
      if ((call.allowed & stage) != 0) {
        EXPECT_EQ(answer, fmi3OK) << call.name << " in " << stage << said();
        continue;
      }
      EXPECT_EQ(answer, fmi3Error) << call.name << " in " << stage;
      EXPECT_THAT(said(), HasSubstr("3 logStatusError")) << call.name << " in " << stage;
      EXPECT_EQ(i.step(0, 0.001), fmi3Error);
      ++refused;
    }
  EXPECT_GE(refused, 150);
}

}  // namespace
}  // namespace kardan::fmi
