#pragma once
/// The postfix program behind Expression, and the stack machine that runs it for any scalar.
/// A program is valid by construction (expression_builder): jumps stay inside, the stack never
/// underflows nor exceeds `max_stack`, names stay below the number of names.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kardan/base/dual.h"
#include "kardan/base/named_function.h"

namespace kardan::detail {

inline constexpr int max_stack = 64;

enum class Op : std::uint8_t {
  // x stands for the top of the stack, y for what is below, c for the instruction's number.
  number,        // push c
  name,          // push values[argument]
  add,           // y + x
  subtract,      // y - x
  multiply,      // y * x
  divide,        // y / x
  negate,        // -x
  add_number,    // x + c: sums with a constant need no dual arithmetic
  times_number,  // x * c
  over_number,   // x / c
  number_minus,  // c - x
  number_over,   // c / x
  square,        // x * x
  cube,          // x * x * x
  jump,          // to this instruction + argument
  jump_if_zero,  // pop x; jump when x == 0
  step,          // pop five
  power_number,  // x^c
  call,          // function(x)
  // functions of one argument
  truth,     // x != 0
  negation,  // x == 0
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  round,
  // functions of two arguments: y first
  power,
  atan2,
  min,
  max,
  hypot,
  mod,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
};

struct Instruction {
  Op op = Op::number;
  std::int32_t argument = 0;
  union {
    double number = 0.0;
    const NamedFunction* function;  // of a call; the program owns it
  };
};

struct Program {
  std::string text;
  std::vector<std::string> names;
  std::vector<int> name_offsets;  ///< first appearance of each name in text
  std::vector<Instruction> code;
  /// Those it calls, by name.
  std::vector<std::pair<std::string, std::shared_ptr<const NamedFunction>>> functions = {};
};

/// Floored division's remainder, with the sign of b: mod(-1, 3) = 2. d = da - floor(a/b) db.
template <class T>
T modulo(const T& a, const T& b) {
  const double va = value_of(a), vb = value_of(b);
  double r = std::fmod(va, vb);
  if (r != 0.0 && (r < 0.0) != (vb < 0.0)) r += vb;
  const double quotient = std::round((va - r) / vb);
  return with_value(T(a - b * quotient), r);
}

/// The smooth step from y0 at x0 to y1 at x1, constant outside:
///   y = y0 + (y1 - y0) s^3 (10 - 15 s + 6 s^2),  s = (x - x0)/(x1 - x0),
/// the quintic with y' = y'' = 0 at both ends, hence C2. For x0 = x1 a jump, y1 at x0 itself.
template <class T>
T smooth_step(const T& x, const T& x0, const T& y0, const T& x1, const T& y1) {
  const double from = value_of(x0), to = value_of(x1), at = value_of(x);
  if (from == to) return at < from ? y0 : y1;
  const bool rising = from < to;
  if (rising ? at <= from : at >= from) return y0;
  if (rising ? at >= to : at <= to) return y1;
  const T s = (x - x0) / (x1 - x0);
  return y0 + (y1 - y0) * (s * s * s * (10.0 + s * (-15.0 + 6.0 * s)));
}

inline double sign_of(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

template <class T>
T apply_unary(Op op, const T& x) {
  switch (op) {
    case Op::truth:
      return T(value_of(x) != 0.0 ? 1.0 : 0.0);
    case Op::negation:
      return T(value_of(x) == 0.0 ? 1.0 : 0.0);
    case Op::sin:
      return sin(x);
    case Op::cos:
      return cos(x);
    case Op::tan:
      return tan(x);
    case Op::asin:
      return asin(x);
    case Op::acos:
      return acos(x);
    case Op::atan:
      return atan(x);
    case Op::sinh:
      return sinh(x);
    case Op::cosh:
      return cosh(x);
    case Op::tanh:
      return tanh(x);
    case Op::exp:
      return exp(x);
    case Op::log:
      return log(x);
    case Op::log10:
      return log10(x);
    case Op::sqrt:
      return sqrt(x);
    case Op::abs:
      return abs(x);
    case Op::sign:
      return T(sign_of(value_of(x)));
    case Op::floor:
      return T(std::floor(value_of(x)));
    case Op::ceil:
      return T(std::ceil(value_of(x)));
    default:
      return T(std::round(value_of(x)));
  }
}

template <class T>
T apply_binary(Op op, const T& a, const T& b) {
  switch (op) {
    case Op::power:
      return pow(a, b);
    case Op::atan2:
      return atan2(a, b);
    case Op::min:
      return min(a, b);
    case Op::max:
      return max(a, b);
    case Op::hypot:
      return hypot(a, b);
    case Op::mod:
      return modulo(a, b);
    case Op::less:
      return T(value_of(a) < value_of(b) ? 1.0 : 0.0);
    case Op::less_equal:
      return T(value_of(a) <= value_of(b) ? 1.0 : 0.0);
    case Op::greater:
      return T(value_of(a) > value_of(b) ? 1.0 : 0.0);
    case Op::greater_equal:
      return T(value_of(a) >= value_of(b) ? 1.0 : 0.0);
    case Op::equal:
      return T(value_of(a) == value_of(b) ? 1.0 : 0.0);
    default:
      return T(value_of(a) != value_of(b) ? 1.0 : 0.0);
  }
}

template <class T>
T apply_with_number(Op op, const T& x, double c) {
  switch (op) {
    case Op::over_number:
      return x / c;
    case Op::number_minus:
      return c - x;
    case Op::number_over:
      return c / x;
    case Op::cube:
      return x * x * x;
    default:
      return pow(x, c);
  }
}

/// The instructions too rare or too slow to deserve a place in the main loop.
template <class T>
T* apply_rest(const Instruction& i, T* top) {
  if (i.op >= Op::power) {
    top[-2] = apply_binary(i.op, top[-2], top[-1]);
    return top - 1;
  }
  if (i.op >= Op::truth) {
    top[-1] = apply_unary(i.op, top[-1]);
    return top;
  }
  if (i.op == Op::step) {
    top[-5] = smooth_step(top[-5], top[-4], top[-3], top[-2], top[-1]);
    return top - 4;
  }
  if (i.op == Op::call)
    top[-1] = extend(i.function->at(value_of(top[-1])), top[-1]);
  else
    top[-1] = apply_with_number(i.op, top[-1], i.number);
  return top;
}

/// Runs the program; load(i) gives the value of name i, rest(instruction, top) does what is not in
/// the main loop, as apply_rest does. Allocates nothing.
template <class T, class Load, class Rest>
T execute(std::span<const Instruction> code, const Load& load, const Rest& rest) {
  std::array<T, max_stack> stack;
  T* top = stack.data();  // one past the uppermost operand
  const Instruction* const end = code.data() + code.size();
  for (const Instruction* i = code.data(); i != end; ++i) {
    switch (i->op) {
      case Op::number:
        *top++ = T(i->number);
        break;
      case Op::name:
        *top++ = load(i->argument);
        break;
      case Op::add:
        --top;
        top[-1] = top[-1] + top[0];
        break;
      case Op::subtract:
        --top;
        top[-1] = top[-1] - top[0];
        break;
      case Op::multiply:
        --top;
        top[-1] = top[-1] * top[0];
        break;
      case Op::divide:
        --top;
        top[-1] = top[-1] / top[0];
        break;
      case Op::negate:
        top[-1] = -top[-1];
        break;
      case Op::add_number:
        top[-1] = top[-1] + i->number;
        break;
      case Op::times_number:
        top[-1] = top[-1] * i->number;
        break;
      case Op::square:
        top[-1] = top[-1] * top[-1];
        break;
      case Op::jump_if_zero:
        --top;
        if (value_of(*top) == 0.0) i += i->argument - 1;
        break;
      case Op::jump:
        i += i->argument - 1;
        break;
      default:
        top = rest(*i, top);
    }
  }
  return stack[0];
}
template <class T, class Load>
T execute(std::span<const Instruction> code, const Load& load) {
  return execute<T>(code, load, [](const Instruction& i, T* top) { return apply_rest(i, top); });
}

}  // namespace kardan::detail
