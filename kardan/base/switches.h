#pragma once
/// The kinks and jumps of an expression, taken apart: abs, sign, min, max, clamp, floor, ceil,
/// round, mod, comparisons, the ends of step, and the points of tables whose second derivative is
/// not continuous. Each is a switch with a position (a whole number), and a function that passes
/// zero where the position changes. With the positions held the expression is smooth: what it is on
/// one side goes on beyond it.
///
/// == and != are no switches (they hold at single points), nor is a number that is taken as true or
/// false. Tables are evaluated as they are.

#include <memory>
#include <span>
#include <vector>

#include "kardan/base/expression.h"
#include "kardan/base/taylor.h"

namespace kardan {

class Table;

class Switches {
 public:
  explicit Switches(Expression expression);

  const Expression& expression() const { return expression_; }
  int count() const { return count_; }
  /// Whether there are none but the ends of steps, where two derivatives go on.
  bool twice_smooth() const;

  /// With the switches in these positions. `values` as for Expression::evaluate.
  double evaluate(std::span<const double> values, const int* positions) const;
  double evaluate_with_gradient(std::span<const double> values, const int* positions,
                                std::span<double> gradient) const;

  /// One function a switch: it changes its sign where the position no longer belongs to the values.
  /// Those of branches that are not taken are 1.
  void functions(std::span<const double> values, const int* positions, double* z) const;
  /// Over enclosures of the values (enclosure.h): of evaluate() with these positions, and of
  /// functions(), where `z` is not null.
  Taylor enclose(std::span<const Taylor> values, const int* positions, Taylor* z, int order) const;
  /// The positions that belong to the values; 0 in branches that are not taken.
  void choose(std::span<const double> values, int* positions) const;

 private:
  struct Switch {
    int place = 0;  // instruction
    int first = 0;  // position, or the first of `inner`
    const Table* table = nullptr;
    std::shared_ptr<const Switches> inner;  // of a function that is called
  };
  struct Watch;  // what is told of each switch that is passed
  class Enclosing;

  template <class T, class Load>
  T run(const Load& load, const int* positions) const;
  double watch(std::span<const double> values, const Watch& watch) const;

  Expression expression_;
  std::vector<Switch> switches_;
  std::vector<int> at_;  // of each instruction: its switch, or -1
  int count_ = 0;
};

}  // namespace kardan
