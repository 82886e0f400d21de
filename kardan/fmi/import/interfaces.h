#pragma once
/// The versions of the interface that FMUs are stepped with.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kardan/fmi/import/imported_description.h"

namespace kardan {

/// How a step of an FMU ended.
struct ImportedStep {
  enum class End { reached, stopped, failed } end = End::reached;
  double t = 0;  ///< [s] the last time it has reached
  std::string message;
};

/// What an FMU says of an event.
struct ImportedEvent {
  bool ends = false;           ///< the simulation shall end
  std::optional<double> next;  ///< [s] the next event at a time that is known
};

enum class FmuKind { co_simulation, model_exchange };

/// The functions of a version. Messages are empty where all is well.
class FmuInterface {
 public:
  virtual ~FmuInterface() = default;
  virtual std::string instantiate(FmuKind kind, const std::string& token,
                                  const std::string& resources) = 0;
  virtual std::string set(const ImportedVariable& variable, double value) = 0;
  virtual std::string get(const ImportedVariable& variable, double& value) = 0;
  virtual std::string begin(double start, std::optional<double> stop,
                            std::optional<double> tolerance) = 0;
  virtual ImportedStep step(double t, double h) = 0;
  virtual void end() = 0;

  // Model exchange. Behind begin() an instance is in event mode.
  virtual std::string enter_event_mode() = 0;
  /// All that happens at the time of an event, then on in continuous time.
  virtual std::string handle_event(ImportedEvent& out) = 0;
  virtual std::string set_point(double t, std::span<const double> states) = 0;
  virtual std::string states(std::span<double> out) = 0;
  virtual std::string derivatives(std::span<double> out) = 0;
  virtual std::string indicators(std::span<double> out) = 0;
  virtual std::string completed_step(bool& event, bool& ends) = 0;
};

/// What an FMU says is added to `said`, which outlives it, as the library does.
std::unique_ptr<FmuInterface> interface_2(void* library, std::string& said);
std::unique_ptr<FmuInterface> interface_3(void* library, std::string& said);

}  // namespace kardan
