#include "kardan/base/dimension.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "kardan/base/unit_factors.h"

namespace kardan {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
};

constexpr std::array<Unit, 11> units{{{"m", {1, 0, 0}},
                                      {"kg", {0, 1, 0}},
                                      {"s", {0, 0, 1}},
                                      {"rad", {0, 0, 0}},
                                      {"1", {0, 0, 0}},
                                      {"Hz", {0, 0, -1}},
                                      {"N", {1, 1, -2}},
                                      {"Nm", {2, 1, -2}},
                                      {"J", {2, 1, -2}},
                                      {"W", {2, 1, -3}},
                                      {"Pa", {-1, 1, -2}}}};

Dimension combined(const Dimension& a, const Dimension& b, int sign) {
  return {a.m + sign * b.m, a.kg + sign * b.kg, a.s + sign * b.s};
}

Dimension scaled(const Dimension& a, int factor) {
  return {a.m * factor, a.kg * factor, a.s * factor};
}

/// "m", "m^2": one factor of a unit.
std::optional<Dimension> parse_factor(std::string_view text) {
  const std::size_t hat = text.find('^');
  const std::string_view name = text.substr(0, hat);
  int power = 1;
  if (hat != std::string_view::npos) {
    const std::string_view digits = text.substr(hat + 1);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
    if (status != std::errc() || end != digits.data() + digits.size() || std::abs(power) > 9)
      return std::nullopt;
  }
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  if (found == units.end()) return std::nullopt;
  return scaled(found->dimension, power);
}

}  // namespace

std::string to_string(const Dimension& d) {
  std::string above, below;
  const auto factor = [&](const char* name, int power) {
    if (power == 0) return;
    std::string& out = power > 0 ? above : below;
    if (!out.empty()) out += ' ';
    out += std::abs(power) == 1 ? std::string(name) : fmt::format("{}^{}", name, std::abs(power));
  };
  factor("kg", d.kg);
  factor("m", d.m);
  factor("s", d.s);
  if (above.empty()) above += '1';
  if (below.empty()) return above;
  return below.find(' ') == std::string::npos ? fmt::format("{}/{}", above, below)
                                              : fmt::format("{}/({})", above, below);
}

std::optional<Dimension> parse_unit(std::string_view unit) {
  Dimension result;
  const bool is_unit = each_unit_factor(unit, [&](std::string_view word, int sign) {
    const auto factor = parse_factor(word);
    if (factor) result = combined(result, *factor, sign);
    return factor.has_value();
  });
  if (!is_unit) return std::nullopt;
  return result;
}

namespace {

/// What is known of an operand. `number`: written without a unit, it may carry any, so that it fits
/// everywhere and what it is multiplied with is no longer known. `pure`: the value of sin, exp, a
/// comparison: it fits everywhere too (cos(b) is a place on the unit circle), but what it is
/// multiplied with keeps its dimension. Those of asin, acos, atan and atan2 are angles.
struct Known {
  enum class Kind { number, pure, unknown, known } kind = Kind::unknown;
  Dimension dimension;
};

class Walk {
 public:
  Walk(const detail::Program& program, const DimensionScope& names)
      : program_(program), names_(names) {}

  Expected<std::optional<Dimension>, std::string> run() {
    for (const detail::Instruction& i : program_.code) {
      if (i.op == detail::Op::jump || i.op == detail::Op::jump_if_zero)
        return std::optional<Dimension>();  // a conditional may have either
      apply(i);
      if (!fault_.empty()) return std::move(fault_);
    }
    const Known& result = stack_.back();
    if (result.kind != Known::Kind::known) return std::optional<Dimension>();
    return std::optional<Dimension>(result.dimension);
  }

 private:
  using Op = detail::Op;

  Known pop() {
    const Known x = stack_.back();
    stack_.pop_back();
    return x;
  }

  /// Two things that are added or compared.
  Known same(const Known& a, const Known& b, const char* what) {
    if (a.kind <= Known::Kind::pure && a.kind <= b.kind) return b;
    if (b.kind <= Known::Kind::pure) return a;
    if (a.kind == Known::Kind::unknown || b.kind == Known::Kind::unknown) return {};
    if (!(a.dimension == b.dimension))
      fault_ = fmt::format("{} of {} and {}", what, to_string(a.dimension), to_string(b.dimension));
    return a;
  }

  Known product(const Known& a, const Known& b, int sign) {
    using Kind = Known::Kind;
    if (a.kind <= Kind::pure && b.kind <= Kind::pure) return a.kind == Kind::number ? a : b;
    const auto fixed = [](const Known& x) { return x.kind == Kind::known || x.kind == Kind::pure; };
    if (!fixed(a) || !fixed(b)) return {};
    return {Known::Kind::known, combined(a.dimension, b.dimension, sign)};
  }

  Known power(const Known& x, double exponent) {
    if (x.kind != Known::Kind::known) return x;
    const Dimension& d = x.dimension;
    const auto whole = [&](int e) { return exponent * e == std::floor(exponent * e); };
    if (std::abs(exponent) > 9 || !whole(d.m) || !whole(d.kg) || !whole(d.s)) return {};
    const auto times = [&](int e) { return static_cast<int>(exponent * e); };
    return {Known::Kind::known, {times(d.m), times(d.kg), times(d.s)}};
  }

  /// sin, exp, ...: of numbers, giving numbers; of asin, acos and atan they are angles.
  Known of_number(const Known& x, Known::Kind result) {
    if (x.kind == Known::Kind::known && !(x.dimension == Dimension{}))
      fault_ = fmt::format("a function of {}, which wants a plain number", to_string(x.dimension));
    return {result, {}};
  }

  void apply(const detail::Instruction& i) {
    if (i.op == Op::number) {
      stack_.push_back({Known::Kind::number, {}});
    } else if (i.op == Op::name) {
      const auto d = names_(program_.names[static_cast<std::size_t>(i.argument)]);
      stack_.push_back(d ? Known{Known::Kind::known, *d} : Known{});
    } else if (i.op == Op::step) {
      const Known y1 = pop(), x1 = pop(), y0 = pop(), x0 = pop(), x = pop();
      (void)same(x, same(x0, x1, "a step between x"), "a step over x");
      stack_.push_back(same(y0, y1, "a step between y"));
    } else if (i.op >= Op::power || (i.op >= Op::add && i.op <= Op::divide)) {
      const Known b = pop(), a = pop();
      stack_.push_back(binary(i.op, a, b));
    } else {
      stack_.push_back(unary(i, pop()));
    }
  }

  Known binary(Op op, const Known& a, const Known& b) {
    switch (op) {
      case Op::add:
        return same(a, b, "a sum");
      case Op::subtract:
        return same(a, b, "a difference");
      case Op::multiply:
        return product(a, b, 1);
      case Op::divide:
        return product(a, b, -1);
      case Op::min:
      case Op::max:
      case Op::hypot:
      case Op::mod:
        return same(a, b, "a function");
      case Op::atan2:
        (void)same(a, b, "atan2");
        return {Known::Kind::known, {}};
      case Op::power:
        return a.kind <= Known::Kind::pure ? a : Known{};
      default:
        (void)same(a, b, "a comparison");
        return {Known::Kind::pure, {}};
    }
  }

  Known unary(const detail::Instruction& i, const Known& x) {
    switch (i.op) {
      case Op::negate:
      case Op::add_number:
      case Op::number_minus:
      case Op::abs:
      case Op::floor:
      case Op::ceil:
      case Op::round:
        return x;
      case Op::times_number:
      case Op::over_number:
      case Op::number_over:
        return x.kind <= Known::Kind::pure ? Known{Known::Kind::number, {}} : Known{};
      case Op::square:
        return power(x, 2);
      case Op::cube:
        return power(x, 3);
      case Op::sqrt:
        return power(x, 0.5);
      case Op::power_number:
        return power(x, i.number);
      case Op::call:
        return called(i.function);
      case Op::truth:
      case Op::negation:
      case Op::sign:
        return {Known::Kind::pure, {}};
      case Op::asin:
      case Op::acos:
      case Op::atan:
        return of_number(x, Known::Kind::known);
      default:
        return of_number(x, Known::Kind::pure);
    }
  }

  Known called(const NamedFunction* function) {
    for (const auto& [name, other] : program_.functions)
      if (other.get() == function)
        if (const auto d = names_(name)) return {Known::Kind::known, *d};
    return {};
  }

  const detail::Program& program_;
  const DimensionScope& names_;
  std::vector<Known> stack_;
  std::string fault_;
};

}  // namespace

Expected<std::optional<Dimension>, std::string> find_dimension(const Expression& expression,
                                                               const DimensionScope& names) {
  return Walk(expression.program(), names).run();
}

}  // namespace kardan
