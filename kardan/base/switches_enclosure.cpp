#include <algorithm>
#include <array>

#include "kardan/base/enclosure.h"
#include "kardan/base/switch_functions.h"
#include "kardan/base/switches.h"

namespace kardan {
namespace {

using detail::Instruction;
using detail::Op;

/// Conditions that are no switches and may hold or not, one inside the other.
constexpr int most_forks = 3;

/// As function() of switches.cpp, over enclosures of the operands below `top`.
Taylor function(Op op, const Taylor* top, int position) {
  const Taylor& x = top[-1];
  const double at = position;
  switch (op) {
    case Op::abs:
      return x;
    case Op::sign:
      return position == 0 ? -abs(x) + detail::at_zero : x;
    case Op::floor:
      return (x + -at) * (-x + (at + 1));
    case Op::ceil:
      return (x + -(at - 1)) * (-x + at);
    case Op::round:
      return (x + -(at - 0.5)) * (-x + (at + 0.5));
    case Op::mod: {
      const Taylor turns = top[-2] / x;
      return (turns + -at) * (-turns + (at + 1));
    }
    case Op::greater:
    case Op::less_equal:
      return top[-2] - x;
    case Op::step: {
      const Taylor &u = top[-5], &from = top[-4], &to = top[-2];
      if (from.c[0] == to.c[0]) return from - u;
      const bool rises = from.c[0].lo <= to.c[0].lo;
      if (position < 0) return rises ? u - from : from - u;
      if (position > 0) return rises ? to - u : u - to;
      return (u - from) * (to - u);
    }
    default:  // min, max, less, greater_equal
      return x - top[-2];
  }
}

/// The instruction with its switch held.
Taylor* apply_held(Op op, Taylor* top, int position, int order) {
  switch (op) {
    case Op::abs:
      if (position < 0) top[-1] = -top[-1];
      return top;
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
      top[-1] = Taylor::constant(position, order);
      return top;
    case Op::mod:
      top[-2] = top[-2] - top[-1] * position;
      return top - 1;
    case Op::min:
    case Op::max:
      if (position != 0) top[-2] = top[-1];
      return top - 1;
    case Op::step: {
      if (position > 0) {
        top[-5] = top[-1];
      } else if (position < 0) {
        top[-5] = top[-3];
      } else {
        const Taylor s = (top[-5] - top[-4]) / (top[-2] - top[-4]);
        const Taylor rise = s * square(s) * ((s * 6.0 + -15.0) * s + 10.0);
        top[-5] = top[-3] + (top[-1] - top[-3]) * rise;
      }
      return top - 4;
    }
    default:  // comparisons
      top[-2] = Taylor::constant(position, order);
      return top - 1;
  }
}

}  // namespace

/// The stack machine of expression_program.h with the switches held.
class Switches::Enclosing {
 public:
  Enclosing(const Switches& of, std::span<const Taylor> values, const int* positions, Taylor* z,
            int order)
      : of_(of), values_(values), positions_(positions), z_(z), order_(order) {}

  Taylor run() {
    Stack stack;
    return run(0, stack, stack.data(), 0);
  }

 private:
  using Stack = std::array<Taylor, detail::max_stack>;

  Taylor run(std::size_t i, Stack& stack, Taylor* top, int forks) {
    const auto& code = of_.expression_.program().code;
    for (; i < code.size(); ++i) {
      const auto behind = i + static_cast<std::size_t>(code[i].argument);
      if (code[i].op == Op::jump) {
        i = behind - 1;
      } else if (code[i].op == Op::jump_if_zero) {
        const int holds = detail::holds(*--top);
        if (holds == 0) {
          i = behind - 1;
        } else if (holds < 0) {
          if (forks >= most_forks) return unknown();
          Stack other = stack;
          const Taylor without = run(behind, other, other.data() + (top - stack.data()), forks + 1);
          return either(run(i + 1, stack, top, forks + 1), without, -1);
        }
      } else {
        top = apply(code[i], of_.at_[i], top, forks > 0);
      }
    }
    return stack[0];
  }

  Taylor* apply(const Instruction& i, int at, Taylor* top, bool open) {
    if (i.op == Op::name) {
      *top = values_[static_cast<std::size_t>(i.argument)];
      return top + 1;
    }
    if (at < 0) return detail::enclose(i, top, order_);
    const Switch& s = of_.switches_[static_cast<std::size_t>(at)];
    if (s.inner) {
      const Taylor x = top[-1];
      top[-1] = s.inner->enclose(std::span(&x, 1), positions_ + s.first,
                                 z_ ? z_ + s.first : nullptr, order_);
      return top;
    }
    const int now = positions_[s.first];
    if (z_) {
      Taylor& z = z_[s.first];
      const Taylor f =
          s.table ? detail::Piece{*s.table}.function(now, top[-1]) : function(i.op, top, now);
      z = open ? either(z, f, -1) : f;
    }
    return s.table ? detail::enclose(i, top, order_) : apply_held(i.op, top, now, order_);
  }

  /// Nothing, of what is behind either.
  Taylor unknown() {
    Taylor out = Taylor::constant(Interval::entire(), order_);
    out.forget_from(0);
    if (z_) std::fill_n(z_, of_.count_, out);
    return out;
  }

  const Switches& of_;
  std::span<const Taylor> values_;
  const int* positions_;
  Taylor* z_;
  int order_;
};

Taylor Switches::enclose(std::span<const Taylor> values, const int* positions, Taylor* z,
                         int order) const {
  if (z) std::fill_n(z, count_, Taylor::constant(1.0, order));
  return Enclosing(*this, values, positions, z, order).run();
}

}  // namespace kardan
