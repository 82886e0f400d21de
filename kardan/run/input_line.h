#pragma once
/// An input of a simulation: the values it has been given, and the course that follows from them.

#include <array>
#include <optional>
#include <string>

#include "kardan/base/signal.h"
#include "kardan/integrate/integration.h"

namespace kardan {

/// What is known of an input by name.
struct InputInfo {
  std::string name, unit;
  double start = 0;
  SignalMode mode = SignalMode::hold;
};

/// Values an input was given, and when; a value of infinite age is none.
struct InputHistory {
  static constexpr int most = 4;
  struct Given {
    double t = 0, value = 0;
  };
  std::array<Given, most> given{};  ///< the latest first
  int count = 0;
  std::optional<double> rate;  ///< of the last one, where it was given too
};

class InputLine {
 public:
  InputLine(std::shared_ptr<SignalCourse> course, SignalMode mode)
      : course_(std::move(course)), mode_(mode) {}

  /// From `t` on; another value for the same time takes the place of the last one.
  void give(double t, double value, std::optional<double> rate);
  /// How what was given differs at `t` from the course in use.
  [[nodiscard]] Integration::Change change(double t) const;
  /// The course in use becomes that of what was given.
  void follow() { *course_ = wanted(); }

  /// The value at `t` with what was given last.
  [[nodiscard]] double at(double t) const { return wanted().at(t).value; }
  /// Forgets what was given last.
  void take_back();

  /// Everything it remembers.
  struct Memory {
    InputHistory history;
    SignalCourse course;
  };
  [[nodiscard]] Memory memory() const { return {history_, *course_}; }
  void recall(const Memory& memory) {
    history_ = memory.history;
    *course_ = memory.course;
  }

 private:
  [[nodiscard]] SignalCourse wanted() const;

  std::shared_ptr<SignalCourse> course_;
  SignalMode mode_;
  InputHistory history_;
};

}  // namespace kardan
