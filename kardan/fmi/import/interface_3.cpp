#include <cmath>
#include <limits>

#include "kardan/fmi/fmi3.h"
#include "kardan/fmi/import/interfaces.h"
#include "kardan/fmi/import/library_functions.h"

namespace kardan {
namespace {

void hear_3(void* said, fmi3Status status, fmi3String, fmi3String message) {
  if (status == fmi3OK || !message) return;
  *static_cast<std::string*>(said) += std::string("\n  ") + message;
}

class Interface3 final : public FmuInterface {
 public:
  Interface3(void* library, std::string& said) : library_(library), said_(said) {}
  ~Interface3() override {
    if (i_) library_.call<void>("fmi3FreeInstance", i_);
  }

  std::string instantiate(FmuKind kind, const std::string& token,
                          const std::string& resources) override {
    const fmi3String name = "kardan";
    const fmi3InstanceEnvironment said = &said_;
    if (kind == FmuKind::co_simulation)
      i_ = library_.call<fmi3Instance>(
          "fmi3InstantiateCoSimulation", name, token.c_str(), resources.c_str(), false, false,
          false, false, static_cast<const fmi3ValueReference*>(nullptr), std::size_t{0}, said,
          &hear_3, static_cast<fmi3IntermediateUpdateCallback>(nullptr));
    else
      i_ = library_.call<fmi3Instance>("fmi3InstantiateModelExchange", name, token.c_str(),
                                       resources.c_str(), false, false, said, &hear_3);
    return i_ ? std::string() : std::string("it could not be instantiated");
  }

  std::string set(const ImportedVariable& v, double value) override {
    return with_type(v, [&]<class T>(T, const std::string& name) {
      if (std::is_integral_v<T> && static_cast<double>(static_cast<std::int64_t>(value)) != value)
        return "'" + v.name + "' takes whole numbers";
      const T given = static_cast<T>(value);
      if (static_cast<double>(given) != value && std::is_integral_v<T>)
        return "'" + v.name + "' does not take such a number";
      return good("fmi3Set" + name,
                  on("fmi3Set" + name, &v.reference, std::size_t{1}, &given, std::size_t{1}));
    });
  }

  std::string get(const ImportedVariable& v, double& value) override {
    return with_type(v, [&]<class T>(T, const std::string& name) {
      T given{};
      std::string none = good("fmi3Get" + name, on("fmi3Get" + name, &v.reference, std::size_t{1},
                                                   &given, std::size_t{1}));
      value = static_cast<double>(given);
      return none;
    });
  }

  std::string begin(double start, std::optional<double> stop,
                    std::optional<double> tolerance) override {
    std::string none = good("fmi3EnterInitializationMode",
                            on("fmi3EnterInitializationMode", tolerance.has_value(),
                               tolerance.value_or(0), start, stop.has_value(), stop.value_or(0)));
    if (none.empty()) none = good("fmi3ExitInitializationMode", on("fmi3ExitInitializationMode"));
    return none;
  }

  ImportedStep step(double t, double h) override {
    bool event = false, stops = false, early = false;
    double reached = t + h;
    const int status = on("fmi3DoStep", t, h, true, &event, &stops, &early, &reached);
    using End = ImportedStep::End;
    if (std::string wrong = good("fmi3DoStep", status); !wrong.empty())
      return {End::failed, t, wrong};
    if (stops) return {End::stopped, reached, "it asks to end the simulation"};
    if (early) return {End::failed, reached, "it returned early, which it was not allowed to"};
    return {End::reached, t + h, {}};
  }

  void end() override { (void)on("fmi3Terminate"); }

  std::string enter_event_mode() override {
    return good("fmi3EnterEventMode", on("fmi3EnterEventMode"));
  }
  std::string handle_event(ImportedEvent& out) override {
    bool more = true, nominals = false, values = false, defined = false;
    double next = 0;
    for (int i = 0; more && !out.ends; ++i) {
      if (i == most_event_iterations) return "its event iteration does not end";
      if (std::string none =
              good("fmi3UpdateDiscreteStates", on("fmi3UpdateDiscreteStates", &more, &out.ends,
                                                  &nominals, &values, &defined, &next));
          !none.empty())
        return none;
    }
    out.next = defined ? std::optional(next) : std::nullopt;
    if (out.ends) return {};
    return good("fmi3EnterContinuousTimeMode", on("fmi3EnterContinuousTimeMode"));
  }
  std::string set_point(double t, std::span<const double> states) override {
    std::string none = good("fmi3SetTime", on("fmi3SetTime", t));
    if (none.empty() && !states.empty())
      none = good("fmi3SetContinuousStates",
                  on("fmi3SetContinuousStates", states.data(), states.size()));
    return none;
  }
  std::string states(std::span<double> out) override {
    return take("fmi3GetContinuousStates", out);
  }
  std::string derivatives(std::span<double> out) override {
    return take("fmi3GetContinuousStateDerivatives", out);
  }
  std::string indicators(std::span<double> out) override {
    return take("fmi3GetEventIndicators", out);
  }
  std::string completed_step(bool& event, bool& ends) override {
    return good("fmi3CompletedIntegratorStep",
                on("fmi3CompletedIntegratorStep", true, &event, &ends));
  }

 private:
  template <class... Arguments>
  int on(const std::string& name, Arguments... arguments) const {
    return library_.call<int>(name, i_, arguments...);
  }
  std::string take(const char* name, std::span<double> out) const {
    return out.empty() ? std::string() : good(name, on(name, out.data(), out.size()));
  }
  static std::string good(const std::string& name, int status) {
    if (status == fmi3OK || status == fmi3Warning) return {};
    constexpr const char* words[] = {"OK", "Warning", "Discard", "Error", "Fatal"};
    return name + " answers " + (status >= 0 && status < 5 ? words[status] : "what is no status");
  }

  template <class Use>
  std::string with_type(const ImportedVariable& v, const Use& use) const {
    if (v.type == "Float64") return use(double{}, v.type);
    if (v.type == "Float32") return use(float{}, v.type);
    if (v.type == "Int8") return use(std::int8_t{}, v.type);
    if (v.type == "UInt8") return use(std::uint8_t{}, v.type);
    if (v.type == "Int16") return use(std::int16_t{}, v.type);
    if (v.type == "UInt16") return use(std::uint16_t{}, v.type);
    if (v.type == "Int32") return use(std::int32_t{}, v.type);
    if (v.type == "UInt32") return use(std::uint32_t{}, v.type);
    if (v.type == "UInt64") return use(std::uint64_t{}, v.type);
    if (v.type == "Int64" || v.type == "Enumeration") return use(std::int64_t{}, "Int64");
    if (v.type == "Boolean") return use(bool{}, v.type);
    return "'" + v.name + "' is no number";
  }

  LibraryFunctions library_;
  std::string& said_;
  fmi3Instance i_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInterface> interface_3(void* library, std::string& said) {
  return std::make_unique<Interface3>(library, said);
}

}  // namespace kardan
