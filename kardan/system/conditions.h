#pragma once
/// Events that are formulas: conditions, and the kinks of formulas of the motion. Each is a function
/// of arguments, which are scalars of the motion; over enclosures of those it is enclosed.

#include <span>
#include <vector>

#include "kardan/base/taylor.h"
#include "kardan/model/equation_data.h"
#include "kardan/system/bound_expressions.h"

namespace kardan {

class Conditions {
 public:
  struct Scratch {
    std::vector<Taylor> inner, values;
  };

  /// Those of `when`, from the event `first` on, and those of formulas.
  Conditions(const BoundExpressions& bound, int first);
  /// Of written equations.
  explicit Conditions(const EquationData& data);
  Conditions() = default;

  [[nodiscard]] bool empty() const { return terms_.empty() && switched_.empty(); }
  /// What the functions depend on.
  [[nodiscard]] const std::vector<Quantity>& arguments() const { return arguments_; }
  /// Marks the events that are formulas.
  void mark(std::span<char> events) const;
  /// The functions over enclosures of the arguments, of order 1, with switches as `modes` hold
  /// them; of other events z is left as it is.
  void enclose(std::span<const int> modes, std::span<const Taylor> arguments, std::span<Taylor> z,
               Scratch& scratch) const;

 private:
  /// An expression; its names are arguments (i >= 0), or values of terms before it (~i).
  struct Term {
    Expression value;
    std::vector<int> slots;
    int event = -1;  // none: others use its value
  };
  struct SwitchedTerm {
    const BoundFormula* formula = nullptr;
    std::vector<int> slots;
  };
  int argument(const Quantity& q);
  int slot(const Quantity& q, const std::vector<BoundExpression>& sensors, std::vector<int>& known);
  void load(const std::vector<int>& slots, std::span<const Taylor> arguments,
            Scratch& scratch) const;

  std::vector<Quantity> arguments_;
  std::vector<Term> terms_;
  std::vector<SwitchedTerm> switched_;
};

}  // namespace kardan
