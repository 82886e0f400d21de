#include "kardan/base/enclosure.h"

#include <cmath>
#include <limits>

#include "kardan/base/time_function.h"

namespace kardan {
namespace {

using detail::Instruction;
using detail::Op;

/// Conditions that may hold and may not hold, one inside the other: beyond, nothing is known.
constexpr int most_forks = 5;

/// 1 where a condition holds, 0 where not, a jump between them where that is open.
Taylor truth(bool surely, bool surely_not, int order) {
  Taylor out = Taylor::constant({surely ? 1.0 : 0.0, surely_not ? 0.0 : 1.0}, order);
  if (!surely && !surely_not) out.forget_from(1);
  return out;
}

Taylor compare(Op op, const Interval& a, const Interval& b, int order) {
  switch (op) {
    case Op::less:
      return truth(a.hi < b.lo, a.lo >= b.hi, order);
    case Op::less_equal:
      return truth(a.hi <= b.lo, a.lo > b.hi, order);
    case Op::greater:
      return compare(Op::less, b, a, order);
    case Op::greater_equal:
      return compare(Op::less_equal, b, a, order);
    default: {
      const bool same = a.lo == a.hi && a == b, apart = a.hi < b.lo || b.hi < a.lo;
      return op == Op::equal ? truth(same, apart, order) : truth(apart, same, order);
    }
  }
}

Taylor unary(Op op, const Taylor& x) {
  const bool zero = x.c[0] == Interval(0.0), away = !x.c[0].contains(0.0);
  switch (op) {
    case Op::truth:
      return truth(away, zero, x.order);
    case Op::negation:
      return truth(zero, away, x.order);
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
      return log(x) * (1 / 2.302585092994045684);
    case Op::sqrt:
      return sqrt(x);
    case Op::abs:
      return abs(x);
    case Op::sign:
      return stairs(x, detail::sign_of);
    case Op::floor:
      return stairs(x, [](double v) { return std::floor(v); });
    case Op::ceil:
      return stairs(x, [](double v) { return std::ceil(v); });
    default:
      return stairs(x, [](double v) { return std::round(v); });
  }
}

Taylor binary(Op op, const Taylor& a, const Taylor& b) {
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
    case Op::mod: {
      const Taylor turns = stairs(a / b, [](double v) { return std::floor(v); });
      return a - b * turns;
    }
    default:
      return compare(op, a.c[0], b.c[0], std::min(a.order, b.order));
  }
}

/// s^3 (10 - 15 s + 6 s^2), s between 0 and 1: it grows.
Taylor rise(const Taylor& s) {
  const Taylor inner = (s * 6.0 + -15.0) * s + 10.0;
  Taylor out = s * square(s) * inner;
  const auto value = [](double v) { return v * v * v * (10.0 + v * (-15.0 + 6.0 * v)); };
  out.c[0] = clipped(monotone(s.c[0], value), 0, 1);
  return out;
}

Taylor smooth_step(const Taylor& x, const Taylor& x0, const Taylor& y0, const Taylor& x1,
                   const Taylor& y1) {
  const Interval &from = x0.c[0], &to = x1.c[0];
  if (from.lo != from.hi || to.lo != to.hi) return Taylor::constant(Interval::entire(), x.order);
  const Interval& at = x.c[0];
  if (from.lo == to.lo) return at.hi < from.lo ? y0 : at.lo >= from.lo ? y1 : either(y0, y1, -1);
  const bool rising = from.lo < to.lo;
  if (rising ? at.hi <= from.lo : at.lo >= from.lo) return y0;
  if (rising ? at.lo >= to.lo : at.hi <= to.lo) return y1;
  Taylor s = (x - x0) / (x1 - x0);
  s.c[0] = clipped(s.c[0], 0, 1);
  const Taylor inside = y0 + (y1 - y0) * rise(s);
  const double low = std::min(from.lo, to.lo), high = std::max(from.lo, to.lo);
  Taylor out = inside;
  if (at.lo < low) out = either(out, rising ? y0 : y1, 2);
  if (at.hi > high) out = either(out, rising ? y1 : y0, 2);
  return out;
}

Taylor with_number(const Instruction& i, const Taylor& x) {
  switch (i.op) {
    case Op::negate:
      return -x;
    case Op::add_number:
      return x + i.number;
    case Op::times_number:
      return x * i.number;
    case Op::over_number:
      return x / Taylor::constant(i.number, x.order);
    case Op::number_minus:
      return -x + i.number;
    case Op::number_over:
      return Taylor::constant(i.number, x.order) / x;
    case Op::square:
      return square(x);
    case Op::cube:
      return pow(x, 3.0);
    case Op::call:
      return i.function->enclose(x);
    default:
      return pow(x, i.number);
  }
}

/// On the operands below `top`; the new top.
Taylor* apply(const Instruction& i, Taylor* top, int order) {
  switch (i.op) {
    case Op::number:
      *top = Taylor::constant(i.number, order);
      return top + 1;
    case Op::add:
      top[-2] = top[-2] + top[-1];
      return top - 1;
    case Op::subtract:
      top[-2] = top[-2] - top[-1];
      return top - 1;
    case Op::multiply:
      top[-2] = top[-2] * top[-1];
      return top - 1;
    case Op::divide:
      top[-2] = top[-2] / top[-1];
      return top - 1;
    case Op::step:
      top[-5] = smooth_step(top[-5], top[-4], top[-3], top[-2], top[-1]);
      return top - 4;
    default:
      if (i.op >= Op::power) {
        top[-2] = binary(i.op, top[-2], top[-1]);
        return top - 1;
      }
      top[-1] = i.op >= Op::truth ? unary(i.op, top[-1]) : with_number(i, top[-1]);
      return top;
  }
}

/// The stack machine of expression_program.h for enclosures.
class Machine {
 public:
  Machine(std::span<const Instruction> code, std::span<const Taylor> values, int order)
      : end_(code.data() + code.size()), values_(values), order_(order) {}

  Taylor run(const Instruction* begin) {
    Stack stack;
    return run(begin, stack, stack.data(), 0);
  }

 private:
  using Stack = std::array<Taylor, detail::max_stack>;

  Taylor unknown() const {
    Taylor out = Taylor::constant(Interval::entire(), order_);
    out.forget_from(0);
    return out;
  }

  Taylor run(const Instruction* i, Stack& stack, Taylor* top, int forks) {
    for (; i != end_; ++i) {
      if (i->op == Op::jump) {
        i += i->argument - 1;
      } else if (i->op == Op::jump_if_zero) {
        --top;
        const int holds = detail::holds(*top);
        if (holds == 0) {
          i += i->argument - 1;
        } else if (holds < 0) {
          if (forks >= most_forks) return unknown();
          Stack other = stack;
          Taylor* const other_top = other.data() + (top - stack.data());
          const Taylor without = run(i + i->argument, other, other_top, forks + 1);
          return either(run(i + 1, stack, top, forks + 1), without, -1);
        }
      } else {
        top = apply(*i, top);
      }
    }
    return stack[0];
  }

  Taylor* apply(const Instruction& i, Taylor* top) {
    if (i.op != Op::name) return detail::enclose(i, top, order_);
    *top = values_[static_cast<std::size_t>(i.argument)];
    return top + 1;
  }

  const Instruction* end_;
  std::span<const Taylor> values_;
  int order_;
};

}  // namespace

Taylor* detail::enclose(const Instruction& i, Taylor* top, int order) {
  return apply(i, top, order);
}

int detail::holds(const Taylor& condition) {
  if (condition.c[0] == Interval(0.0)) return 0;
  return condition.c[0].contains(0.0) ? -1 : 1;
}

Taylor enclose(const Expression& expression, std::span<const Taylor> values, int order) {
  const std::span<const Instruction> code = expression.program().code;
  return Machine(code, values, order).run(code.data());
}

Taylor TimeFunction::enclose(const Taylor& t) const {
  if (const Expression* const expression = std::get_if<Expression>(&source_))
    return kardan::enclose(*expression, std::span(&t, 1), t.order);
  if (const Table* const table = std::get_if<Table>(&source_)) return table->enclose(t);
  return Taylor::constant(std::get<double>(source_), t.order);
}

/// Over one piece its polynomial; over several, all of theirs, each over its own part.
Taylor Table::enclose(const Taylor& x) const {
  const double begin = data_->x.front(), end = data_->x.back();
  if (data_->outside != Outside::repeat || (x.c[0].lo >= begin && x.c[0].hi <= end))
    return enclose_within(x);
  if (!x.c[0].finite() || x.c[0].width() >= period()) {
    Taylor all = x;  // a whole period, or more
    all.c[0] = Interval(begin, end);
    Taylor out = enclose_within(all);
    out.forget_from(continuous_derivatives() + 2);
    return out;
  }
  // Moved into one period, and what reaches into the next one. Rounding of the place counts.
  const double periods = std::floor((x.c[0].lo - begin) / period());
  Taylor moved = x + -(periods * period());
  const double blur = 4 * std::numeric_limits<double>::epsilon() * x.c[0].size();
  moved.c[0] = moved.c[0] + Interval(-blur, blur);
  Taylor out;
  bool first = true;
  for (const double shift : {-period(), 0.0, period()}) {
    Taylor part = moved + -shift;
    if (part.c[0].hi < begin || part.c[0].lo > end) continue;
    part.c[0] = clipped(part.c[0], begin, end);
    const Taylor y = enclose_within(part);
    out = first ? y : either(out, y, continuous_derivatives());
    first = false;
  }
  return out;
}

Taylor Table::enclose_within(const Taylor& x) const {
  const std::vector<double>& grid = data_->x;
  const Interval& at = x.c[0];
  const std::size_t first = piece(at.lo), last = piece(at.hi);
  Taylor out;
  for (std::size_t i = first; i <= last; ++i) {
    const Segment& s = data_->segments[i];
    Taylor u = x;
    if (i > first) u.c[0].lo = grid[i - 1];
    if (i < last) u.c[0].hi = grid[i];
    u = u + -s.origin;
    Taylor y = s.c2 == 0 && s.c3 == 0 ? u * s.c1 + s.c0 : ((u * s.c3 + s.c2) * u + s.c1) * u + s.c0;
    if (!std::isfinite(s.c0)) y.forget_from(0);
    out = i == first ? y : either(out, y, continuous_at(i));
  }
  return out;
}

}  // namespace kardan
