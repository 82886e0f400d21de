#pragma once
/// Emits the postfix program of an expression, folding constants as it goes. Folding runs the
/// program's own instructions, so a folded result has the bits of an evaluated one.

#include <span>
#include <vector>

#include "kardan/base/expression_program.h"

namespace kardan::detail {

/// The code of a finished subexpression: from `begin` to where the next one starts.
struct Operand {
  int begin = 0;
  int depth = 1;          ///< stack it needs, itself included
  bool constant = false;  ///< then its code is one `number`
};

/// A conditional under construction: condition, `first` if it holds, second otherwise.
struct Branch {
  Operand condition;
  Operand first;
  bool folded = false;  ///< the condition is constant, `holds`, and no jumps are needed
  bool holds = false;
  int jump_if_zero = 0;
  int jump = 0;   ///< over the second part
  int split = 0;  ///< where the second part begins
};

class Builder {
 public:
  Operand number(double value);
  Operand name(int index);
  Operand unary(Op op, Operand x, double number = 0.0);
  Operand binary(Op op, Operand left, Operand right);
  Operand step(std::span<const Operand, 5> arguments);
  Operand call(const NamedFunction* function, Operand x);

  /// open(condition), code of the first part, turn(first), code of the second, close(second).
  Branch open(Operand condition);
  void turn(Branch& branch, Operand first);
  Operand close(const Branch& branch, Operand second);

  std::vector<Instruction> take() { return std::move(code_); }

 private:
  int here() const { return static_cast<int>(code_.size()); }
  double constant_at(Operand x) const { return code_[x.begin].number; }
  Operand fold(int begin);
  Operand binary_with_number(Op op, Operand x, double c);
  Operand number_with_binary(Op op, double c, Operand x);

  std::vector<Instruction> code_;
};

}  // namespace kardan::detail
