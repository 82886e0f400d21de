#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "kardan/fmi/fmi2.h"
#include "kardan/fmi/import/interfaces.h"
#include "kardan/fmi/import/library_functions.h"

namespace kardan {
namespace {

void hear_2(void* said, fmi2String, fmi2Status status, fmi2String, fmi2String message, ...) {
  if (status == fmi2OK || !message) return;
  std::array<char, 2048> text{};
  std::va_list rest;
  va_start(rest, message);
  std::vsnprintf(text.data(), text.size(), message, rest);
  va_end(rest);
  *static_cast<std::string*>(said) += std::string("\n  ") + text.data();
}

void* give_room(std::size_t count, std::size_t size) {
  return std::calloc(count, size);
}

class Interface2 final : public FmuInterface {
 public:
  Interface2(void* library, std::string& said)
      : library_(library), callbacks_{hear_2, give_room, std::free, nullptr, &said} {}
  ~Interface2() override {
    if (c_) library_.call<void>("fmi2FreeInstance", c_);
  }

  std::string instantiate(FmuKind kind, const std::string& token,
                          const std::string& resources) override {
    const fmi2Type type = kind == FmuKind::co_simulation ? fmi2CoSimulation : fmi2ModelExchange;
    c_ = library_.call<fmi2Component>("fmi2Instantiate", static_cast<fmi2String>("kardan"), type,
                                      token.c_str(), ("file://" + resources).c_str(),
                                      static_cast<const fmi2CallbackFunctions*>(&callbacks_), 0, 0);
    return c_ ? std::string() : std::string("it could not be instantiated");
  }

  std::string set(const ImportedVariable& v, double value) override {
    const fmi2ValueReference r = v.reference;
    const std::size_t one = 1;
    if (v.type == "Real")
      return good("fmi2SetReal", on<const fmi2ValueReference*>("fmi2SetReal", &r, one,
                                                               static_cast<const double*>(&value)));
    const int whole = static_cast<int>(std::lround(value));
    if (whole != value) return "'" + v.name + "' takes whole numbers";
    const char* const name = v.type == "Boolean" ? "fmi2SetBoolean" : "fmi2SetInteger";
    return good(name,
                on<const fmi2ValueReference*>(name, &r, one, static_cast<const int*>(&whole)));
  }

  std::string get(const ImportedVariable& v, double& value) override {
    const fmi2ValueReference r = v.reference;
    const std::size_t one = 1;
    if (v.type == "Real")
      return good("fmi2GetReal", on<const fmi2ValueReference*>("fmi2GetReal", &r, one, &value));
    int whole = 0;
    const char* const name = v.type == "Boolean" ? "fmi2GetBoolean" : "fmi2GetInteger";
    std::string none = good(name, on<const fmi2ValueReference*>(name, &r, one, &whole));
    value = whole;
    return none;
  }

  std::string begin(double start, std::optional<double> stop,
                    std::optional<double> tolerance) override {
    std::string none = good("fmi2SetupExperiment",
                            on<int>("fmi2SetupExperiment", tolerance ? 1 : 0, tolerance.value_or(0),
                                    start, stop ? 1 : 0, stop.value_or(0)));
    if (none.empty()) none = good("fmi2EnterInitializationMode", on("fmi2EnterInitializationMode"));
    if (none.empty()) none = good("fmi2ExitInitializationMode", on("fmi2ExitInitializationMode"));
    return none;
  }

  ImportedStep step(double t, double h) override {
    const int status = on<double>("fmi2DoStep", t, h, 1);
    if (status == fmi2OK || status == fmi2Warning) return {ImportedStep::End::reached, t + h, {}};
    ImportedStep out{ImportedStep::End::failed, t, good("fmi2DoStep", status)};
    if (status != fmi2Discard) return out;
    double reached = t;
    int ended = 0;
    if (on<fmi2StatusKind>("fmi2GetRealStatus", fmi2LastSuccessfulTime, &reached) == fmi2OK)
      out.t = reached;
    if (on<fmi2StatusKind>("fmi2GetBooleanStatus", fmi2Terminated, &ended) == fmi2OK && ended)
      out.end = ImportedStep::End::stopped;
    return out;
  }

  void end() override { (void)on("fmi2Terminate"); }

  std::string enter_event_mode() override {
    return good("fmi2EnterEventMode", on("fmi2EnterEventMode"));
  }
  std::string handle_event(ImportedEvent& out) override {
    fmi2EventInfo info{1, 0, 0, 0, 0, 0};
    for (int i = 0; info.newDiscreteStatesNeeded && !info.terminateSimulation; ++i) {
      if (i == most_event_iterations) return "its event iteration does not end";
      if (std::string none = good("fmi2NewDiscreteStates", on("fmi2NewDiscreteStates", &info));
          !none.empty())
        return none;
    }
    out.ends = info.terminateSimulation != 0;
    out.next = info.nextEventTimeDefined ? std::optional(info.nextEventTime) : std::nullopt;
    if (out.ends) return {};
    return good("fmi2EnterContinuousTimeMode", on("fmi2EnterContinuousTimeMode"));
  }
  std::string set_point(double t, std::span<const double> states) override {
    std::string none = good("fmi2SetTime", on<double>("fmi2SetTime", t));
    if (none.empty() && !states.empty())
      none = good("fmi2SetContinuousStates",
                  on("fmi2SetContinuousStates", states.data(), states.size()));
    return none;
  }
  std::string states(std::span<double> out) override {
    return take("fmi2GetContinuousStates", out);
  }
  std::string derivatives(std::span<double> out) override {
    return take("fmi2GetDerivatives", out);
  }
  std::string indicators(std::span<double> out) override {
    return take("fmi2GetEventIndicators", out);
  }
  std::string completed_step(bool& event, bool& ends) override {
    int asks = 0, stops = 0;
    std::string none = good("fmi2CompletedIntegratorStep",
                            on<int>("fmi2CompletedIntegratorStep", 1, &asks, &stops));
    event = asks != 0;
    ends = stops != 0;
    return none;
  }

 private:
  template <class... Arguments>
  int on(const char* name, Arguments... arguments) const {
    return library_.call<int>(name, c_, arguments...);
  }
  std::string take(const char* name, std::span<double> out) const {
    return out.empty() ? std::string() : good(name, on(name, out.data(), out.size()));
  }
  static std::string good(const char* name, int status) {
    if (status == fmi2OK || status == fmi2Warning) return {};
    constexpr const char* words[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
    return std::string(name) + " answers " +
           (status >= 0 && status < 6 ? words[status] : "what is no status");
  }

  LibraryFunctions library_;
  fmi2CallbackFunctions callbacks_;
  fmi2Component c_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInterface> interface_2(void* library, std::string& said) {
  return std::make_unique<Interface2>(library, said);
}

}  // namespace kardan
