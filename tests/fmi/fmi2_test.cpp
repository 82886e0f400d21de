/// Exported FMUs of FMI 2.0, called as other programs call them.

#include "kardan/fmi/fmi2.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

#include "fmi/caller.h"
#include "kardan/io/load.h"
#include "kardan/run/simulation.h"
#include "support/places.h"

namespace kardan::fmi {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;
using References = std::vector<unsigned>;

/// Of the instances of a test, one line each.
std::string& told() {
  static thread_local std::string lines;
  return lines;
}

void tell(void*, const char* instance, fmi2Status status, const char* category, const char* message,
          ...) {
  std::va_list rest;
  va_start(rest, message);
  std::array<char, 4096> text{};
  std::vsnprintf(text.data(), text.size(), message, rest);
  va_end(rest);
  told() += std::string(instance) + " " + std::to_string(status) + " " + category + " " +
            text.data() + "\n";
}

const fmi2CallbackFunctions callbacks{tell, nullptr, nullptr, nullptr, nullptr};

/// An instance for co-simulation.
class Instance {
 public:
  explicit Instance(const Exported& fmu) : fmu_(fmu), library(fmu.library()) {
    told().clear();
    c = library.call<fmi2Component>("fmi2Instantiate", "one", fmi2CoSimulation, fmu.token().c_str(),
                                    fmu.resources().c_str(), &callbacks, 0, 0);
    EXPECT_TRUE(c) << told();
  }
  ~Instance() { library.call<int>("fmi2FreeInstance", c); }

  template <class... Arguments>
  int operator()(const char* name, Arguments... arguments) const {
    return library.call<int>(name, c, arguments...);
  }
  void start(double tolerance = 0, double stop = 0) const {
    EXPECT_EQ((*this)("fmi2SetupExperiment", tolerance > 0 ? 1 : 0, tolerance, 0.0,
                      stop > 0 ? 1 : 0, stop),
              fmi2OK)
        << told();
    EXPECT_EQ((*this)("fmi2EnterInitializationMode"), fmi2OK) << told();
    EXPECT_EQ((*this)("fmi2ExitInitializationMode"), fmi2OK) << told();
  }
  int step(double t, double h) const { return (*this)("fmi2DoStep", t, h, 1); }
  int set(const std::string& name, double value) const {
    const unsigned r = fmu_.reference(name);
    return (*this)("fmi2SetReal", &r, std::size_t{1}, const_cast<const double*>(&value));
  }
  double get(const std::string& name) const {
    unsigned r = fmu_.reference(name);
    double value = std::nan("");
    EXPECT_EQ((*this)("fmi2GetReal", &r, std::size_t{1}, &value), fmi2OK) << told();
    return value;
  }

 private:
  const Exported& fmu_;

 public:
  Library library;
  fmi2Component c = nullptr;
};

std::string model_file(const std::string& name) {
  return models_folder() + "/" + name;
}

/// x'' = push / m from rest.
const char* const cart = R"(kardan: 1
name: pushed cart
dimension: 2
gravity: [0, 0]
parameters: {m: {value: 2, unit: kg}, far: 100}
inputs: {push: {unit: N, start: 1}}
bodies: {cart: {mass: m, inertia: 1, position: [0, 0]}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces: {motor: {type: force, on: cart, fx: push(t)}}
when: {arrived: {expression: cart.x - far, direction: rising, action: stop}}
outputs: [cart.x, cart.vx]
simulate: {t_end: 4, method: rn4, tolerance: 1e-9}
)";

Exported pushed_cart() {
  const test::TemporaryFile file(cart);
  return Exported(file.path(), 2);
}

/// The same motion by the library itself.
Values simulated(const std::string& file, double t, double h, const std::vector<std::string>& names,
                 double tolerance) {
  Diagnostics faults;
  const auto loaded = load_model(file, {}, IncludeFrom::model_folder, faults);
  SimulateOptions options;
  options.method = "rn4";
  options.t_end = t;
  options.driver.tolerance = tolerance;
  auto simulation = Simulation::make(loaded->model, {}, options, faults);
  EXPECT_TRUE(simulation) << format(faults);
  for (int i = 1; i * h < t + 0.5 * h; ++i) EXPECT_EQ(simulation->step_to(i * h), "");
  Values out;
  for (const std::string& name : names) {
    const int column = *simulation->find(name);
    out.push_back(simulation->get(column));
  }
  return out;
}

/// Names of the libraries that a shared library asks for.
[[maybe_unused]] std::vector<std::string> needed_by(const std::string& file) {
  const std::string bytes = test::read_all(file);
  const auto* head = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* section = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + head->e_shoff);
  std::vector<std::string> out;
  for (int i = 0; i < head->e_shnum; ++i) {
    if (section[i].sh_type != SHT_DYNAMIC) continue;
    const char* const names = bytes.data() + section[section[i].sh_link].sh_offset;
    const auto* entry = reinterpret_cast<const Elf64_Dyn*>(bytes.data() + section[i].sh_offset);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED) out.emplace_back(names + entry->d_un.d_val);
  }
  EXPECT_FALSE(out.empty());
  return out;
}

TEST(Fmi2, EveryFunctionIsThereAndNothingElse) {
  const Exported fmu(model_file("pendulum.yaml"), 2);
  const Library library(fmu.library());
  for (const char* name : {"GetTypesPlatform",
                           "GetVersion",
                           "SetDebugLogging",
                           "Instantiate",
                           "FreeInstance",
                           "SetupExperiment",
                           "EnterInitializationMode",
                           "ExitInitializationMode",
                           "Terminate",
                           "Reset",
                           "GetReal",
                           "GetInteger",
                           "GetBoolean",
                           "GetString",
                           "SetReal",
                           "SetInteger",
                           "SetBoolean",
                           "SetString",
                           "GetFMUstate",
                           "SetFMUstate",
                           "FreeFMUstate",
                           "SerializedFMUstateSize",
                           "SerializeFMUstate",
                           "DeSerializeFMUstate",
                           "GetDirectionalDerivative",
                           "EnterEventMode",
                           "NewDiscreteStates",
                           "EnterContinuousTimeMode",
                           "CompletedIntegratorStep",
                           "SetTime",
                           "SetContinuousStates",
                           "GetDerivatives",
                           "GetEventIndicators",
                           "GetContinuousStates",
                           "GetNominalsOfContinuousStates",
                           "SetRealInputDerivatives",
                           "GetRealOutputDerivatives",
                           "DoStep",
                           "CancelStep",
                           "GetStatus",
                           "GetRealStatus",
                           "GetIntegerStatus",
                           "GetBooleanStatus",
                           "GetStringStatus"})
    EXPECT_TRUE(library.has(std::string("fmi2") + name)) << name;
  EXPECT_STREQ(library.call<const char*>("fmi2GetVersion"), "2.0");
  EXPECT_STREQ(library.call<const char*>("fmi2GetTypesPlatform"), "default");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // It carries everything but the C library.
  EXPECT_THAT(needed_by(fmu.library()),
              testing::IsSubsetOf({"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}));
#endif
}

TEST(Fmi2, MovesAsASimulationOfTheLibrary) {
  struct Case {
    const char* model;
    double t, h, tolerance;
    std::vector<std::string> names;
  };
  // The last one has more unknowns than a dense matrix takes.
  for (const Case& k : {Case{"pendulum.yaml", 2, 0.01, 1e-9, {"bob.x", "bob.vy", "rod.lambda[0]"}},
                        Case{"hmmwv.yaml", 0.2, 0.001, 1e-6, {"chassis.z", "chassis.vx"}},
                        Case{"chain.yaml", 0.1, 0.01, 1e-7, {"link_10.x", "link_10.vy"}}}) {
    const Exported fmu(model_file(k.model), 2, {"--method", "rn4"});
    const Instance i(fmu);
    i.start(k.tolerance, k.t);
    for (int n = 0; n * k.h < k.t - 0.5 * k.h; ++n)
      ASSERT_EQ(i.step(n * k.h, k.h), fmi2OK) << k.model << told();
    const Values known = simulated(model_file(k.model), k.t, k.h, k.names, k.tolerance);
    for (std::size_t n = 0; n < known.size(); ++n)
      EXPECT_NEAR(i.get(k.names[n]), known[n], 10 * k.tolerance * (1 + std::abs(known[n])))
          << k.model << " " << k.names[n];
    EXPECT_EQ(i("fmi2Terminate"), fmi2OK);
  }
}

TEST(Fmi2, InputsAreHeldOrGoAlongTheirSlope) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  EXPECT_EQ(i("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0), fmi2OK);
  EXPECT_EQ(i("fmi2EnterInitializationMode"), fmi2OK);
  EXPECT_EQ(i.set("push", 3), fmi2OK);
  EXPECT_EQ(i.get("cart.vx"), 0);
  EXPECT_EQ(i("fmi2ExitInitializationMode"), fmi2OK) << told();
  EXPECT_EQ(i.step(0, 1), fmi2OK) << told();
  EXPECT_NEAR(i.get("cart.x"), 0.75, 1e-8);  // 3/2 t^2/2
  EXPECT_NEAR(i.get("cart.vx"), 1.5, 1e-8);
  // push = 1 + 2 s
  EXPECT_EQ(i.set("push", 1), fmi2OK);
  const unsigned r = fmu.reference("push");
  const int order = 1;
  const double slope = 2;
  EXPECT_EQ(i("fmi2SetRealInputDerivatives", &r, std::size_t{1}, &order, &slope), fmi2OK);
  EXPECT_EQ(i.step(1, 0.5), fmi2OK) << told();
  EXPECT_NEAR(i.get("cart.vx"), 1.5 + (0.5 + 0.25) / 2, 1e-8);
  EXPECT_NEAR(i.get("cart.x"), 0.75 + 0.75 + (0.125 + 2 * 0.125 / 6) / 2, 1e-8);
  const int second = 2;
  EXPECT_EQ(i("fmi2SetRealInputDerivatives", &r, std::size_t{1}, &second, &slope), fmi2Error);
  EXPECT_THAT(told(), HasSubstr("order 2; wanted 1"));
}

TEST(Fmi2, ParametersAreSetBeforeTheStartAndOnTheWay) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  EXPECT_EQ(i.set("m", 4), fmi2OK);
  i.start();
  EXPECT_EQ(i.step(0, 1), fmi2OK);
  EXPECT_NEAR(i.get("cart.vx"), 0.25, 1e-8);
  EXPECT_EQ(i.set("m", 0.5), fmi2OK) << told();
  EXPECT_EQ(i.step(1, 1), fmi2OK);
  EXPECT_NEAR(i.get("cart.vx"), 2.25, 1e-8);
  EXPECT_EQ(i.get("m"), 0.5);
  // What the model refuses is refused, and named.
  EXPECT_EQ(i.set("m", -1), fmi2Error);
  EXPECT_THAT(told(), HasSubstr("mass"));
  EXPECT_EQ(i("fmi2Reset"), fmi2OK);
  EXPECT_EQ(i.set("cart.x", 1), fmi2Error);
  EXPECT_THAT(told(), HasSubstr("'cart.x' is neither an input nor a parameter"));
  EXPECT_EQ(i("fmi2Reset"), fmi2OK);
  i.start();
  EXPECT_EQ(i.step(0, 1), fmi2OK);
  EXPECT_NEAR(i.get("cart.vx"), 0.5, 1e-8);
}

TEST(Fmi2, StatesThatAreKeptGiveTheSameBits) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  i.start();
  EXPECT_EQ(i.step(0, 0.5), fmi2OK);
  fmi2FMUstate state = nullptr;
  ASSERT_EQ(i("fmi2GetFMUstate", &state), fmi2OK) << told();
  const auto on = [](const Instance& instance) {
    Values out;
    for (int n = 0; n < 10; ++n) {
      EXPECT_EQ(instance.set("push", n), fmi2OK) << told();
      EXPECT_EQ(instance.step(0.5 + 0.1 * n, 0.1), fmi2OK) << told();
      out.push_back(instance.get("cart.x"));
    }
    return out;
  };
  const Values first = on(i);
  ASSERT_EQ(i("fmi2SetFMUstate", state), fmi2OK) << told();
  EXPECT_EQ(on(i), first);
  std::size_t size = 0;
  ASSERT_EQ(i("fmi2SerializedFMUstateSize", state, &size), fmi2OK);
  std::string bytes(size, '\0');
  EXPECT_EQ(i("fmi2SerializeFMUstate", state, bytes.data(), size), fmi2OK);
  EXPECT_EQ(i("fmi2FreeFMUstate", &state), fmi2OK);
  EXPECT_EQ(state, nullptr);
  // In another instance, which has not begun.
  const Instance other(fmu);
  ASSERT_EQ(other("fmi2DeSerializeFMUstate", const_cast<const char*>(bytes.data()), size, &state),
            fmi2OK);
  ASSERT_EQ(other("fmi2SetFMUstate", state), fmi2OK) << told();
  EXPECT_EQ(on(other), first);
  // Whatever bytes are no state of it: an error, and the instance can be begun anew.
  for (std::size_t cut = 0; cut < size; cut += 1 + size / 100) {
    fmi2FMUstate wrong = nullptr;
    ASSERT_EQ(other("fmi2DeSerializeFMUstate", const_cast<const char*>(bytes.data()), cut, &wrong),
              fmi2OK);
    EXPECT_EQ(other("fmi2SetFMUstate", wrong), fmi2Error) << cut;
    EXPECT_EQ(other("fmi2Reset"), fmi2OK);
  }
  other.start();
  EXPECT_EQ(other.step(0, 0.5), fmi2OK);
}

TEST(Fmi2, AnEventThatStopsDiscardsTheRestOfTheStep) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  EXPECT_EQ(i.set("far", 1), fmi2OK);
  i.start();
  EXPECT_EQ(i.step(0, 1), fmi2OK);
  EXPECT_EQ(i.step(1, 2), fmi2Discard);  // x = t^2/4 = 1 at t = 2
  double t = 0;
  fmi2Boolean ended = 0;
  fmi2Status status = fmi2OK;
  EXPECT_EQ(i("fmi2GetRealStatus", fmi2LastSuccessfulTime, &t), fmi2OK);
  EXPECT_EQ(i("fmi2GetBooleanStatus", fmi2Terminated, &ended), fmi2OK);
  EXPECT_EQ(i("fmi2GetStatus", fmi2DoStepStatus, &status), fmi2OK);
  EXPECT_NEAR(t, 2, 1e-7);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(status, fmi2Discard);
  EXPECT_THAT(told(), HasSubstr("one 2 logStatusDiscard"));
  EXPECT_EQ(i("fmi2Terminate"), fmi2OK);
}

TEST(Fmi2, WhatCannotBeInstantiatedIsTold) {
  const Exported fmu = pushed_cart();
  const Library library(fmu.library());
  const auto make = [&](const char* name, fmi2Type type, const std::string& token,
                        const std::string& place) {
    told().clear();
    const auto c = library.call<fmi2Component>("fmi2Instantiate", name, type, token.c_str(),
                                               place.c_str(), &callbacks, 0, 0);
    EXPECT_EQ(c, nullptr);
    return told();
  };
  EXPECT_THAT(make("", fmi2CoSimulation, fmu.token(), fmu.resources()), HasSubstr("no name"));
  EXPECT_THAT(make("a", fmi2ModelExchange, fmu.token(), fmu.resources()),
              HasSubstr("is for co-simulation"));
  EXPECT_THAT(make("a", fmi2CoSimulation, "{0}", fmu.resources()), HasSubstr("the token {0}"));
  EXPECT_THAT(make("a", fmi2CoSimulation, fmu.token(), "file:///nowhere"),
              HasSubstr("/nowhere/model.kardan: cannot be read"));
  EXPECT_THAT(make("a", fmi2CoSimulation, fmu.token(), "file://elsewhere/x"),
              HasSubstr("this machine"));
  // No logger, no pointers: nothing happens.
  EXPECT_EQ(library.call<fmi2Component>("fmi2Instantiate", nullptr, fmi2CoSimulation, nullptr,
                                        nullptr, nullptr, 0, 0),
            nullptr);
  write_all(fmu.path() / "resources" / "model.kardan", "KARDAN FMU 1\nno");
  EXPECT_THAT(make("a", fmi2CoSimulation, fmu.token(), fmu.resources()), HasSubstr("the token"));
}

/// A call of each function with arguments that would do in another stage.
struct Call {
  const char* name;
  unsigned allowed;  // in stages, by their bits below
  std::function<int(const Instance&)> make;
};

enum : unsigned {
  instantiated = 1,
  initialization = 2,
  stepping = 4,
  failed = 8,
  ended = 16,
  error = 32
};

std::vector<Call> calls(unsigned push, unsigned x) {
  static double value = 1;
  static fmi2FMUstate none = nullptr;
  static fmi2Status status{};
  static int whole = 0;
  static const char* text = nullptr;
  static const int order = 1;
  static fmi2EventInfo info{};
  static unsigned in = 0, out = 0;
  in = push;
  out = x;
  const std::size_t one = 1;
  const unsigned read = initialization | stepping | failed | ended | error;
  const unsigned write = instantiated | initialization | stepping;
  const unsigned known = stepping | failed | ended;
  return {
      {"fmi2SetupExperiment", instantiated,
       [](auto& i) { return i("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0); }},
      {"fmi2EnterInitializationMode", instantiated,
       [](auto& i) { return i("fmi2EnterInitializationMode"); }},
      {"fmi2ExitInitializationMode", initialization,
       [](auto& i) { return i("fmi2ExitInitializationMode"); }},
      {"fmi2Terminate", stepping | failed, [](auto& i) { return i("fmi2Terminate"); }},
      {"fmi2GetReal", read, [=](auto& i) { return i("fmi2GetReal", &out, one, &value); }},
      {"fmi2GetInteger", read, [=](auto& i) { return i("fmi2GetInteger", &out, one * 0, &whole); }},
      {"fmi2GetBoolean", read, [=](auto& i) { return i("fmi2GetBoolean", &out, one * 0, &whole); }},
      {"fmi2GetString", read, [=](auto& i) { return i("fmi2GetString", &out, one * 0, &text); }},
      {"fmi2SetReal", write, [=](auto& i) { return i("fmi2SetReal", &in, one, &value); }},
      {"fmi2SetInteger", write, [=](auto& i) { return i("fmi2SetInteger", &in, one * 0, &whole); }},
      {"fmi2SetBoolean", write, [=](auto& i) { return i("fmi2SetBoolean", &in, one * 0, &whole); }},
      {"fmi2SetString", write, [=](auto& i) { return i("fmi2SetString", &in, one * 0, &text); }},
      {"fmi2SetRealInputDerivatives", write,
       [=](auto& i) { return i("fmi2SetRealInputDerivatives", &in, one, &order, &value); }},
      {"fmi2GetRealOutputDerivatives", stepping | failed | ended | error,
       [=](auto& i) { return i("fmi2GetRealOutputDerivatives", &out, one * 0, &order, &value); }},
      {"fmi2DoStep", stepping, [](auto& i) { return i.step(0, 0.001); }},
      {"fmi2CancelStep", 0, [](auto& i) { return i("fmi2CancelStep"); }},
      {"fmi2GetStatus", known,
       [](auto& i) { return i("fmi2GetStatus", fmi2DoStepStatus, &status); }},
      {"fmi2GetRealStatus", known,
       [](auto& i) { return i("fmi2GetRealStatus", fmi2LastSuccessfulTime, &value); }},
      {"fmi2GetBooleanStatus", known,
       [](auto& i) { return i("fmi2GetBooleanStatus", fmi2Terminated, &whole); }},
      {"fmi2GetDirectionalDerivative", 0,
       [=](auto& i) {
         return i("fmi2GetDirectionalDerivative", &out, one, &in, one, &value, &value);
       }},
      {"fmi2SetFMUstate", 0, [](auto& i) { return i("fmi2SetFMUstate", none); }},
      {"fmi2SerializedFMUstateSize", 0,
       [=](auto& i) { return i("fmi2SerializedFMUstateSize", none, &info); }},
      {"fmi2EnterEventMode", 0, [](auto& i) { return i("fmi2EnterEventMode"); }},
      {"fmi2NewDiscreteStates", 0, [](auto& i) { return i("fmi2NewDiscreteStates", &info); }},
      {"fmi2EnterContinuousTimeMode", 0, [](auto& i) { return i("fmi2EnterContinuousTimeMode"); }},
      {"fmi2CompletedIntegratorStep", 0,
       [](auto& i) { return i("fmi2CompletedIntegratorStep", 0, &whole, &whole); }},
      {"fmi2SetTime", 0, [](auto& i) { return i("fmi2SetTime", 0.0); }},
      {"fmi2SetContinuousStates", 0,
       [=](auto& i) { return i("fmi2SetContinuousStates", &value, one); }},
      {"fmi2GetDerivatives", 0, [=](auto& i) { return i("fmi2GetDerivatives", &value, one); }},
      {"fmi2GetEventIndicators", 0,
       [=](auto& i) { return i("fmi2GetEventIndicators", &value, one); }},
      {"fmi2GetContinuousStates", 0,
       [=](auto& i) { return i("fmi2GetContinuousStates", &value, one); }},
      {"fmi2GetNominalsOfContinuousStates", 0,
       [=](auto& i) { return i("fmi2GetNominalsOfContinuousStates", &value, one); }},
      // Null pointers, values that are none, references of nothing: never allowed.
      {"null values", 0, [=](auto& i) { return i("fmi2GetReal", &out, one, nullptr); }},
      {"null references", 0, [=](auto& i) { return i("fmi2SetReal", nullptr, one, &value); }},
      {"no such reference", 0,
       [=](auto& i) {
         static unsigned far = 4000000000U;
         return i("fmi2GetReal", &far, one, &value);
       }},
      {"an output is set", 0, [=](auto& i) { return i("fmi2SetReal", &out, one, &value); }},
      {"not a number", 0,
       [=](auto& i) {
         static double none_at_all = std::nan("");
         return i("fmi2SetReal", &in, one, &none_at_all);
       }},
      {"a step back", 0, [](auto& i) { return i.step(0, -1); }},
      {"a step of no length", 0, [](auto& i) { return i.step(0, 0); }},
      {"a step from elsewhere", 0, [](auto& i) { return i.step(77, 1); }},
      {"an integer", 0, [=](auto& i) { return i("fmi2GetInteger", &out, one, &whole); }},
  };
}

TEST(Fmi2, WrongOrdersAreErrorsAndNothingElse) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  const auto bring_to = [&](unsigned stage) {
    ASSERT_EQ(i("fmi2Reset"), fmi2OK);
    if (stage == failed) {
      ASSERT_EQ(i.set("far", 1e-9), fmi2OK);
    }
    if (stage == instantiated) return;
    ASSERT_EQ(i("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    if (stage == error) {
      ASSERT_EQ(i("fmi2Terminate"), fmi2Error);
      return;
    }
    ASSERT_EQ(i("fmi2EnterInitializationMode"), fmi2OK);
    if (stage == initialization) return;
    ASSERT_EQ(i("fmi2ExitInitializationMode"), fmi2OK) << told();
    if (stage == failed) {
      ASSERT_EQ(i.step(0, 1), fmi2Discard) << told();
    }
    if (stage == ended) {
      ASSERT_EQ(i("fmi2Terminate"), fmi2OK);
    }
  };
  int refused = 0, taken = 0;
  for (const Call& call : calls(fmu.reference("push"), fmu.reference("cart.x")))
    for (const unsigned stage : {instantiated, initialization, stepping, failed, ended, error}) {
      bring_to(stage);
      told().clear();
      const int answer = call.make(i);
      if ((call.allowed & stage) != 0) {
        EXPECT_EQ(answer, fmi2OK) << call.name << " in " << stage << ": " << told();
        ++taken;
        continue;
      }
      EXPECT_EQ(answer, fmi2Error) << call.name << " in " << stage;
      EXPECT_THAT(told(), HasSubstr("logStatusError")) << call.name << " in " << stage;
      // Behind an error only a new beginning is left.
      EXPECT_EQ(i.step(0, 0.001), fmi2Error);
      ++refused;
    }
  EXPECT_GE(refused, 180);
  EXPECT_GE(taken, 40);
}

TEST(Fmi2, AnInstanceThatIsGoneIsNoInstance) {
  const Exported fmu = pushed_cart();
  const Instance i(fmu);
  double value = 0;
  unsigned r = 0;
  const fmi2Component gone =
      i.library.call<fmi2Component>("fmi2Instantiate", "two", fmi2CoSimulation, fmu.token().c_str(),
                                    fmu.resources().c_str(), &callbacks, 0, 0);
  i.library.call<int>("fmi2FreeInstance", gone);
  for (const fmi2Component c : {gone, fmi2Component(nullptr), fmi2Component(&value)}) {
    EXPECT_EQ(i.library.call<int>("fmi2GetReal", c, &r, std::size_t{1}, &value), fmi2Error);
    EXPECT_EQ(i.library.call<int>("fmi2DoStep", c, 0.0, 1.0, 1), fmi2Error);
    i.library.call<int>("fmi2FreeInstance", c);
  }
  // States of one instance are none of another.
  i.start();
  fmi2FMUstate state = nullptr;
  ASSERT_EQ(i("fmi2GetFMUstate", &state), fmi2OK);
  const Instance other(fmu);
  EXPECT_EQ(other("fmi2SetFMUstate", state), fmi2Error);
  EXPECT_EQ(i("fmi2FreeFMUstate", &state), fmi2OK);
}

TEST(Fmi2, InstancesInThreadsMoveAsOneAlone) {
  const Exported fmu = pushed_cart();
  const auto run = [&fmu] {
    const Instance i(fmu);
    i.start();
    for (int n = 0; n < 50; ++n) {
      (void)i.set("push", std::sin(n));
      (void)i.step(0.02 * n, 0.02);
    }
    return i.get("cart.x");
  };
  const double alone = run();
  double a = 0, b = 0;
  std::thread first([&] { a = run(); }), second([&] { b = run(); });
  first.join();
  second.join();
  EXPECT_EQ(a, alone);
  EXPECT_EQ(b, alone);
}

TEST(Fmi2, WhatCannotBeExportedIsRefused) {
  const test::TemporaryFolder folder;
  const std::string out = folder.file("m.fmu");
  const auto refused = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"export", model_file("pendulum.yaml")});
    const test::Output ran = test::run_kardan(options);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_FALSE(fs::exists(out));
    return ran.err;
  };
  EXPECT_THAT(refused({"--out", out, "--method", "bdf"}), HasSubstr("'bdf' is of SUNDIALS"));
  EXPECT_THAT(refused({"--out", out, "--fmi", "1"}), HasSubstr("--fmi 1: wanted 2 or 3"));
  EXPECT_THAT(refused({"--out", out, "--kind", "me"}), HasSubstr("--kind me: wanted cs"));
  EXPECT_THAT(refused({"--out", out + "x"}), HasSubstr("wanted a file ending in .fmu"));
}

}  // namespace
}  // namespace kardan::fmi
