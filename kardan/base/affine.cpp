#include "kardan/base/affine.h"

#include <algorithm>

namespace kardan {
namespace {

using detail::Instruction;
using detail::Op;

/// 0: does not depend on the names, 1: linear in them, 2: neither.
using Degree = int;

Degree product(Degree a, Degree b) {
  return a == 0 ? b : b == 0 ? a : 2;
}
Degree curved(Degree a) {
  return a == 0 ? 0 : 2;
}

/// The degree of what an instruction leaves, of the operands at the end of the stack.
void apply(const Instruction& i, std::vector<Degree>& stack) {
  const auto pop = [&] {
    const Degree top = stack.back();
    stack.pop_back();
    return top;
  };
  switch (i.op) {
    case Op::add:
    case Op::subtract: {
      const Degree b = pop();
      stack.back() = std::max(stack.back(), b);
      return;
    }
    case Op::multiply: {
      const Degree b = pop();
      stack.back() = product(stack.back(), b);
      return;
    }
    case Op::divide: {
      const Degree b = pop();
      stack.back() = std::max(stack.back(), curved(b));
      return;
    }
    case Op::negate:
    case Op::add_number:
    case Op::times_number:
    case Op::over_number:
    case Op::number_minus:
      return;
    case Op::step:
      for (int k = 0; k < 4; ++k) {
        const Degree x = pop();
        stack.back() = std::max(stack.back(), x);
      }
      stack.back() = curved(stack.back());
      return;
    default:
      if (i.op >= Op::power) {
        const Degree b = pop();
        stack.back() = std::max(stack.back(), b);
      }
      stack.back() = curved(stack.back());
  }
}

}  // namespace

bool is_affine(const Expression& expression, const std::vector<char>& moves) {
  std::vector<Degree> stack;
  for (const Instruction& i : expression.program().code) {
    switch (i.op) {
      case Op::number:
        stack.push_back(0);
        break;
      case Op::name:
        stack.push_back(moves[static_cast<std::size_t>(i.argument)] ? 1 : 0);
        break;
      case Op::jump_if_zero:
        if (stack.back() > 0) return false;
        stack.pop_back();
        break;
      case Op::jump: {
        // The other branch follows: if it is linear, too, either is.
        if (stack.back() > 1) return false;
        stack.pop_back();
        break;
      }
      default:
        apply(i, stack);
    }
  }
  return stack.back() <= 1;
}

}  // namespace kardan
