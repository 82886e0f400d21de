#pragma once
/// A function of one variable that expressions may call by its name.

#include <functional>
#include <memory>
#include <string_view>

#include "kardan/base/time_jet.h"

namespace kardan {

struct Taylor;

class NamedFunction {
 public:
  virtual ~NamedFunction() = default;

  /// Value and derivatives to the third order.
  [[nodiscard]] virtual TimeJet at(double x) const = 0;
  /// Values and derivatives of f(x(t)) over a stretch of time (taylor.h).
  [[nodiscard]] virtual Taylor enclose(const Taylor& x) const = 0;
  /// How many of its derivatives are known to be continuous; `smooth` when nothing says
  /// otherwise.
  [[nodiscard]] virtual int continuous_derivatives() const = 0;
  /// Longest chain of functions it calls, itself included.
  [[nodiscard]] virtual int depth() const = 0;
  /// How many functions one call of it evaluates, itself included.
  [[nodiscard]] virtual double calls() const = 0;

  static constexpr int smooth = 1000;
};

/// The function of a name, or null.
using FunctionScope = std::function<std::shared_ptr<const NamedFunction>(std::string_view)>;

}  // namespace kardan
