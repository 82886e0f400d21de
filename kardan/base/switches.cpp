#include "kardan/base/switches.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kardan/base/switch_functions.h"
#include "kardan/base/time_function.h"

namespace kardan {
namespace {

using detail::at_zero;
using detail::Instruction;
using detail::Op;
using detail::Piece;

/// Continuous derivatives of a table that needs no switch.
constexpr int smooth_table = 2;

bool switches(Op op) {
  switch (op) {
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::mod:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::step:
      return true;
    default:
      return false;
  }
}

/// Where x of a smooth step is: -1 before it begins, 0 inside, 1 behind its end.
int stretch(double x, double from, double to) {
  if (from == to) return x < from ? -1 : 1;
  const bool rises = from < to;
  if (rises ? x <= from : x >= from) return -1;
  return (rises ? x >= to : x <= to) ? 1 : 0;
}

/// Positions of the switch at the operands below `top`, and the function that tells of its end.
int position(Op op, const double* top) {
  const double x = top[-1];
  switch (op) {
    case Op::abs:
      return x > 0 ? 1 : -1;
    case Op::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Op::floor:
      return static_cast<int>(std::floor(x));
    case Op::ceil:
      return static_cast<int>(std::ceil(x));
    case Op::round:
      return static_cast<int>(std::round(x));
    case Op::mod:
      return static_cast<int>(std::floor(top[-2] / x));
    case Op::min:
      return x - top[-2] > 0 ? 0 : 1;
    case Op::max:
    case Op::less:
      return x - top[-2] > 0 ? 1 : 0;
    case Op::greater:
      return top[-2] - x > 0 ? 1 : 0;
    case Op::less_equal:
      return top[-2] - x > 0 ? 0 : 1;
    case Op::greater_equal:
      return x - top[-2] > 0 ? 0 : 1;
    default:  // step
      return stretch(top[-5], top[-4], top[-2]);
  }
}
double function(Op op, const double* top, int position) {
  const double x = top[-1];
  switch (op) {
    case Op::abs:
      return x;
    case Op::sign:
      return position == 0 ? at_zero - std::abs(x) : x;
    case Op::floor:
      return (x - position) * (position + 1 - x);
    case Op::ceil:
      return (x - (position - 1)) * (position - x);
    case Op::round:
      return (x - (position - 0.5)) * (position + 0.5 - x);
    case Op::mod:
      return (top[-2] / x - position) * (position + 1 - top[-2] / x);
    case Op::greater:
    case Op::less_equal:
      return top[-2] - x;
    case Op::step: {
      const double at = top[-5], from = top[-4], to = top[-2], way = from <= to ? 1 : -1;
      if (from == to) return from - at;
      if (position < 0) return way * (at - from);
      if (position > 0) return way * (to - at);
      return (at - from) * (to - at);
    }
    default:  // min, max, less, greater_equal
      return x - top[-2];
  }
}

/// The instruction with its switch held.
template <class T>
T* apply_held(const Instruction& i, T* top, int position) {
  switch (i.op) {
    case Op::abs:
      if (position < 0) top[-1] = -top[-1];
      return top;
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
      top[-1] = T(static_cast<double>(position));
      return top;
    case Op::mod:
      top[-2] = T(top[-2] - static_cast<double>(position) * top[-1]);
      return top - 1;
    case Op::min:
    case Op::max:
      if (position != 0) top[-2] = top[-1];
      return top - 1;
    case Op::step: {
      const T &x = top[-5], &x0 = top[-4], &y0 = top[-3], &x1 = top[-2], &y1 = top[-1];
      if (position > 0) {
        top[-5] = y1;
      } else if (position < 0) {
        top[-5] = y0;
      } else {
        const T s = (x - x0) / (x1 - x0);
        top[-5] = y0 + (y1 - y0) * (s * s * s * (10.0 + s * (-15.0 + 6.0 * s)));
      }
      return top - 4;
    }
    default:  // comparisons
      top[-2] = T(static_cast<double>(position));
      return top - 1;
  }
}

/// The one argument of a function of time. A type of its own: the loader of a caller is not part of
/// it, so that functions inside of functions need no further ones.
template <class T>
struct Argument {
  const T& value;
  const T& operator()(int) const { return value; }
};

}  // namespace

struct Switches::Watch {
  const int* positions = nullptr;  // null: those of the values are chosen
  double* functions = nullptr;
  int* chosen = nullptr;
};

Switches::Switches(Expression expression) : expression_(std::move(expression)) {
  const auto& code = expression_.program().code;
  at_.assign(code.size(), -1);
  for (std::size_t k = 0; k < code.size(); ++k) {
    Switch found;
    found.place = static_cast<int>(k);
    found.first = count_;
    int positions = switches(code[k].op) ? 1 : 0;
    if (code[k].op == Op::call)
      if (const auto* f = dynamic_cast<const TimeFunction*>(code[k].function)) {
        if (f->table() && f->table()->continuous_derivatives() < smooth_table) {
          found.table = f->table();
          positions = 1;
        } else if (f->expression()) {
          auto inner = std::make_shared<const Switches>(*f->expression());
          positions = inner->count();
          if (positions > 0) found.inner = std::move(inner);
        }
      }
    if (positions == 0) continue;
    at_[k] = static_cast<int>(switches_.size());
    count_ += positions;
    switches_.push_back(std::move(found));
  }
}

bool Switches::twice_smooth() const {
  return std::ranges::all_of(switches_, [&](const Switch& s) {
    const Op op = expression_.program().code[static_cast<std::size_t>(s.place)].op;
    return s.inner ? s.inner->twice_smooth() : op == Op::step;
  });
}

namespace {

/// Values of names: numbers, of which some are variables, or one that stands for all.
template <class T>
struct Values {
  const double* numbers = nullptr;
  std::size_t first = 0;  // name of the first derivative
  const T* one = nullptr;

  T operator()(int i) const {
    if (one) return *one;
    if constexpr (std::is_same_v<T, double>) {
      return numbers[i];
    } else {
      T x(numbers[i]);
      for (std::size_t k = 0; k < x.d.size(); ++k)
        x.d[k] = static_cast<std::size_t>(i) == first + k ? 1.0 : 0.0;
      return x;
    }
  }
};

}  // namespace

template <class T, class Load>
T Switches::run(const Load& load, const int* positions) const {
  const auto& code = expression_.program().code;
  return detail::execute<T>(code, load, [&](const Instruction& i, T* top) {
    const int k = at_[static_cast<std::size_t>(&i - code.data())];
    if (k < 0 || switches_[k].table) return detail::apply_rest(i, top);
    const Switch& s = switches_[k];
    if (!s.inner) return apply_held(i, top, positions[s.first]);
    const T x = top[-1];
    top[-1] = s.inner->template run<T>(Argument<T>{x}, positions + s.first);
    return top;
  });
}

double Switches::evaluate(std::span<const double> values, const int* positions) const {
  return run<double>(Values<double>{.numbers = values.data()}, positions);
}

double Switches::evaluate_with_gradient(std::span<const double> values, const int* positions,
                                        std::span<double> gradient) const {
  constexpr int chunk = 4;
  using Number = Dual<double, chunk>;
  const std::size_t count = expression_.names().size();
  double value = count == 0 ? evaluate(values, positions) : 0;
  for (std::size_t first = 0; first < count; first += chunk) {
    const Number f =
        run<Number>(Values<Number>{.numbers = values.data(), .first = first}, positions);
    for (std::size_t k = 0; k < chunk && first + k < count; ++k) gradient[first + k] = f.d[k];
    value = f.value;
  }
  return value;
}

double Switches::watch(std::span<const double> values, const Watch& watch) const {
  const auto& code = expression_.program().code;
  return detail::execute<double>(
      code, [&](int i) -> const double& { return values[i]; },
      [&](const Instruction& i, double* top) {
        const int k = at_[static_cast<std::size_t>(&i - code.data())];
        if (k < 0) return detail::apply_rest(i, top);
        const Switch& s = switches_[k];
        if (s.inner) {
          const double x = top[-1];
          Watch inside = watch;
          if (inside.positions) inside.positions += s.first;
          if (inside.functions) inside.functions += s.first;
          if (inside.chosen) inside.chosen += s.first;
          top[-1] = s.inner->watch(std::span(&x, 1), inside);
          return top;
        }
        const int now = watch.positions ? watch.positions[s.first]
                        : s.table       ? Piece{*s.table}.at(top[-1])
                                        : position(i.op, top);
        if (watch.functions)
          watch.functions[s.first] =
              s.table ? Piece{*s.table}.function(now, top[-1]) : function(i.op, top, now);
        if (watch.chosen) watch.chosen[s.first] = now;
        return s.table ? detail::apply_rest(i, top) : apply_held(i, top, now);
      });
}

void Switches::functions(std::span<const double> values, const int* positions, double* z) const {
  std::fill_n(z, count_, 1.0);
  (void)watch(values, {.positions = positions, .functions = z});
}

void Switches::choose(std::span<const double> values, int* positions) const {
  std::fill_n(positions, count_, 0);
  (void)watch(values, {.chosen = positions});
}

}  // namespace kardan
