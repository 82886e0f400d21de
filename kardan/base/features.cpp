#include "kardan/base/features.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kardan {
namespace {

/// What a step found may leave the way by this share of its length.
constexpr double off_the_way = 0.01;
/// Conditions on what does not depend on the state, one inside the other: beyond, all is featured.
constexpr int most_forks = 8;
/// What is narrow may range so many times wider over a step than its ends show.
constexpr double wider_than_shown = 4;

using detail::Instruction;
using detail::Op;

/// How many operands an instruction takes; 0: it pushes one.
int operands(Op op) {
  if (op == Op::number || op == Op::name) return 0;
  if (op == Op::step) return 5;
  const bool two = op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide;
  return two || op >= Op::power ? 2 : 1;
}

/// Of what can be steep where its operand, no straight line, comes near to nothing.
Dependence steep(Dependence of) {
  return of <= Dependence::straight ? Dependence::smooth : std::max(of, Dependence::narrow);
}

bool is_root_or_pole(double exponent) {
  return exponent < 0 || exponent != std::floor(exponent);
}

/// Of operands that depend on the state, `last` the uppermost.
Dependence of_operation(const Instruction& i, Dependence least, Dependence most, Dependence last) {
  const Op op = i.op;
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::negate:
    case Op::add_number:
    case Op::times_number:
    case Op::over_number:
    case Op::number_minus:
      return most;
    case Op::multiply:
      return least == Dependence::none ? most : std::max(most, Dependence::smooth);
    case Op::power_number:
      if (is_root_or_pole(i.number)) return steep(most);
      [[fallthrough]];
    case Op::square:
    case Op::cube:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::sinh:
    case Op::cosh:
      return std::max(most, Dependence::smooth);
    case Op::divide:
      return std::max(most, steep(last));
    case Op::number_over:
    case Op::log:
    case Op::log10:
    case Op::sqrt:
    case Op::power:
    case Op::hypot:
      return steep(most);
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::atan2:
      return std::max(most, Dependence::narrow);
    default:
      return Dependence::featured;
  }
}

/// The stack machine of expression_program.h for what depends on the state.
class DependenceMachine {
 public:
  DependenceMachine(std::span<const Instruction> code, std::span<const Dependence> names, bool held)
      : code_(code), names_(names), held_(held) {}
  Dependence run() { return run(0, {}, 0); }

 private:
  Dependence run(std::size_t i, std::vector<Dependence> stack, int forks) {
    for (; i < code_.size(); ++i) {
      const Instruction& now = code_[i];
      const auto jump = static_cast<std::size_t>(now.argument);
      if (now.op == Op::jump) {
        i += jump - 1;
      } else if (now.op == Op::jump_if_zero) {
        if (stack.back() != Dependence::none || forks >= most_forks) return Dependence::featured;
        stack.pop_back();
        return std::max(run(i + jump, stack, forks + 1), run(i + 1, stack, forks + 1));
      } else {
        apply(now, stack);
      }
    }
    return stack.back();
  }

  void apply(const Instruction& now, std::vector<Dependence>& stack) const {
    const int count = operands(now.op);
    if (count == 0) {
      stack.push_back(now.op == Op::name ? names_[static_cast<std::size_t>(now.argument)]
                                         : Dependence::none);
      return;
    }
    const auto first = stack.end() - count;
    const auto [least, most] = std::minmax_element(first, stack.end());
    const bool shares = now.op == Op::divide && stack.back() == Dependence::none;
    Dependence out = *most;
    if (held_ && is_switch(now.op))
      out = of_held(now.op, *most);
    else if (*most != Dependence::none && !shares)
      out = of_operation(now, *least, *most, stack.back());
    stack.erase(first, stack.end());
    stack.push_back(out);
  }

  static bool is_switch(Op op) {
    switch (op) {
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::mod:
      case Op::step:
      case Op::sign:
      case Op::floor:
      case Op::ceil:
      case Op::round:
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
        return true;
      default:
        return false;
    }
  }
  /// One of the operands, a polynomial, or a number.
  static Dependence of_held(Op op, Dependence most) {
    if (op == Op::abs || op == Op::min || op == Op::max) return most;
    if (op != Op::mod && op != Op::step) return Dependence::none;
    return most == Dependence::none ? most : std::max(most, Dependence::smooth);
  }

  std::span<const Instruction> code_;
  std::span<const Dependence> names_;
  bool held_;
};

Taylor chord(double x0, double x1, double h, double off, const Taylor& since) {
  Taylor out = since * ((x1 - x0) / h) + x0;
  off += off_the_way * std::abs(x1 - x0);
  out.c[0] = out.c[0] + Interval(-off, off);
  return out;
}

}  // namespace

Dependence dependence(const Expression& expression, std::span<const Dependence> names) {
  const std::vector<Instruction>& code = expression.program().code;
  return DependenceMachine(code, names, false).run();
}

Dependence dependence_between_switches(const Expression& expression,
                                       std::span<const Dependence> names) {
  const std::vector<Instruction>& code = expression.program().code;
  return DependenceMachine(code, names, true).run();
}

bool shown_by_ends(const Taylor& f, const Taylor& at_start, const Taylor& at_end, double h) {
  const Interval ends = hull(at_start.c[0], at_end.c[0]);
  const double slopes = h * std::max(at_start.c[1].size(), at_end.c[1].size());
  return f.c[0].width() <= wider_than_shown * (ends.width() + slopes);
}

/// A way whose speed is nowhere above L leaves its chord, of slope c, by h (L^2 - c^2)/(2 L): a
/// distance may fall to nothing and rise again. The cubic leaves it by s (1 - s) h |(1 - s) (v0 - c)
/// - s (v1 - c)|, no more than 4/27 of h times each.
Taylor along_chord(double x0, double v0, double x1, double v1, double h, const Taylor& since) {
  const double slope = (x1 - x0) / h;
  const double cubic = 4.0 / 27 * h * (std::abs(v0 - slope) + std::abs(v1 - slope));
  const double L = std::max({std::abs(v0), std::abs(v1), std::abs(slope)});
  const double turning = L > 0 ? 0.5 * h * (L - slope * slope / L) : 0;
  return chord(x0, x1, h, std::max(cubic, turning), since);
}

/// The slope of the cubic leaves the chord of its ends by 6 s (1 - s) |c - (v0 + v1)/2|.
Taylor rate_along_chord(double x0, double v0, double x1, double v1, double h, const Taylor& since) {
  return chord(v0, v1, h, 1.5 * std::abs((x1 - x0) / h - 0.5 * (v0 + v1)), since);
}

}  // namespace kardan
