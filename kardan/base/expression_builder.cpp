#include "kardan/base/expression_builder.h"

#include <algorithm>
#include <utility>

namespace kardan::detail {

Operand Builder::number(double value) {
  code_.push_back({Op::number, 0, value});
  return {here() - 1, 1, true};
}

Operand Builder::name(int index) {
  code_.push_back({Op::name, index, 0.0});
  return {here() - 1, 1, false};
}

/// Replaces the code from `begin` on, which has no names, by its result.
Operand Builder::fold(int begin) {
  const std::span<const Instruction> tail = std::span(code_).subspan(begin);
  const double value = execute<double>(tail, [](int) { return 0.0; });
  code_.resize(begin);
  return number(value);
}

Operand Builder::unary(Op op, Operand x, double number) {
  code_.push_back({op, 0, number});
  if (x.constant) return fold(x.begin);
  return {x.begin, x.depth, false};
}

Operand Builder::call(const NamedFunction* function, Operand x) {
  Instruction call{Op::call, 0, {}};
  call.function = function;
  code_.push_back(call);
  if (x.constant) return fold(x.begin);
  return {x.begin, x.depth, false};
}

/// x op c, where an instruction with a built-in number exists; its arithmetic is that of x op c.
Operand Builder::binary_with_number(Op op, Operand x, double c) {
  switch (op) {
    case Op::add:
      return unary(Op::add_number, x, c);
    case Op::subtract:
      return unary(Op::add_number, x, -c);
    case Op::multiply:
      return unary(Op::times_number, x, c);
    case Op::divide:
      return unary(Op::over_number, x, c);
    default:  // power: the two commonest without a call of pow
      if (c == 2.0) return unary(Op::square, x);
      if (c == 3.0) return unary(Op::cube, x);
      return unary(Op::power_number, x, c);
  }
}

/// c op x, likewise.
Operand Builder::number_with_binary(Op op, double c, Operand x) {
  switch (op) {
    case Op::add:
      return unary(Op::add_number, x, c);
    case Op::subtract:
      return unary(Op::number_minus, x, c);
    case Op::multiply:
      return unary(Op::times_number, x, c);
    default:
      return unary(Op::number_over, x, c);
  }
}

Operand Builder::binary(Op op, Operand left, Operand right) {
  const bool is_arithmetic =
      op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide;
  if (right.constant && (is_arithmetic || op == Op::power)) {
    const double c = constant_at(right);
    code_.pop_back();
    return binary_with_number(op, left, c);
  }
  if (left.constant && !right.constant && is_arithmetic) {
    const double c = constant_at(left);
    // Jumps are relative, so the right side may move.
    code_.erase(code_.begin() + left.begin);
    return number_with_binary(op, c, {left.begin, right.depth, false});
  }
  code_.push_back({op, 0, 0.0});
  if (left.constant && right.constant) return fold(left.begin);
  return {left.begin, std::max(left.depth, right.depth + 1), false};
}

Operand Builder::step(std::span<const Operand, 5> arguments) {
  code_.push_back({Op::step, 0, 0.0});
  Operand result{arguments[0].begin, 0, true};
  for (int i = 0; i < 5; ++i) {
    result.depth = std::max(result.depth, arguments[i].depth + i);
    result.constant = result.constant && arguments[i].constant;
  }
  return result.constant ? fold(result.begin) : result;
}

Branch Builder::open(Operand condition) {
  Branch branch;
  branch.condition = condition;
  branch.folded = condition.constant;
  if (branch.folded) {
    branch.holds = constant_at(condition) != 0.0;
    code_.pop_back();
  } else {
    branch.jump_if_zero = here();
    code_.push_back({Op::jump_if_zero, 0, 0.0});
  }
  return branch;
}

void Builder::turn(Branch& branch, Operand first) {
  branch.first = first;
  if (!branch.folded) {
    branch.jump = here();
    code_.push_back({Op::jump, 0, 0.0});
    code_[branch.jump_if_zero].argument = here() - branch.jump_if_zero;
  }
  branch.split = here();
}

Operand Builder::close(const Branch& branch, Operand second) {
  if (!branch.folded) {
    code_[branch.jump].argument = here() - branch.jump;
    const int depth = std::max({branch.condition.depth, branch.first.depth, second.depth});
    return {branch.condition.begin, depth, false};
  }
  if (branch.holds) {
    code_.resize(branch.split);
    return branch.first;
  }
  code_.erase(code_.begin() + branch.first.begin, code_.begin() + branch.split);
  second.begin = branch.first.begin;
  return second;
}

}  // namespace kardan::detail
