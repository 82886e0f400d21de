#pragma once
/// The inputs of a system for an integration of it.

#include <memory>

#include "kardan/base/inputs.h"
#include "kardan/system/system.h"

namespace kardan {

class SystemInputs final : public InputSource {
 public:
  /// `system` must outlive this.
  explicit SystemInputs(const System& system) : system_(system) {}

  const std::vector<InputEffect>& of_time(const State& s) const override {
    return system_.at(s).time_inputs();
  }
  const std::vector<InputEffect>& of_way(const State& s) const override {
    return system_.at(s).way_inputs();
  }
  void enclose(const State& at, double a, double b, int order,
               std::span<InputBounds> out) override {
    system_.at(at, workspace()).enclose_time_inputs(at, a, b, order, out, workspace());
  }
  void enclose(const State& from, const State& to, const StepError& error, double a, double b,
               int order, std::span<InputBounds> out) override {
    system_.at(from, workspace())
        .enclose_way_inputs(from, to, error, a, b, order, out, workspace());
  }

 private:
  Workspace& workspace() {
    if (!ws_) ws_ = system_.make_workspace();
    return *ws_;
  }

  const System& system_;
  std::unique_ptr<Workspace> ws_;  // none before an input is looked at
};

}  // namespace kardan
