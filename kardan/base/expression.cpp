#include "kardan/base/expression.h"

#include <algorithm>
#include <utility>

namespace kardan {
Expression::Expression() : Expression(constant(0.0)) {}

Expression::Expression(detail::Program program)
    : program_(std::make_shared<const detail::Program>(std::move(program))) {}

double Expression::evaluate(std::span<const double> values) const {
  return evaluate<double>(values);
}

namespace {

/// The derivatives for names first ... first + N - 1.
template <int N>
double gradient_chunk(const detail::Program& program, std::span<const double> values,
                      std::size_t first, std::span<double> gradient) {
  using Number = Dual<double, N>;
  const Number f = detail::execute<Number>(program.code, [&](int i) {
    Number x;
    x.value = values[i];
    // Every component by comparison: a store to x.d[i - first] would stall the load of x.d.
    for (int k = 0; k < N; ++k) x.d[k] = i == static_cast<int>(first) + k ? 1.0 : 0.0;
    return x;
  });
  for (std::size_t k = 0; k < N && first + k < program.names.size(); ++k) {
    gradient[first + k] = f.d[k];
  }
  return f.value;
}

}  // namespace

double Expression::evaluate_with_gradient(std::span<const double> values,
                                          std::span<double> gradient) const {
  assert(values.size() >= names().size() && gradient.size() >= names().size());
  const std::size_t count = names().size();
  if (count == 0) return evaluate(values);
  if (count == 1) return gradient_chunk<1>(*program_, values, 0, gradient);
  constexpr int chunk = 4;  // two SSE or one AVX register
  double value = 0.0;
  for (std::size_t first = 0; first < count; first += chunk) {
    value = gradient_chunk<chunk>(*program_, values, first, gradient);
  }
  return value;
}

int Expression::continuous_derivatives() const {
  int least = NamedFunction::smooth;
  for (const auto& [name, function] : program_->functions)
    least = std::min(least, function->continuous_derivatives());
  return least;
}

int Expression::call_depth() const {
  int depth = 0;
  for (const auto& [name, function] : program_->functions)
    depth = std::max(depth, function->depth());
  return depth;
}

double Expression::calls() const {
  double count = 0;
  for (const detail::Instruction& i : program_->code)
    if (i.op == detail::Op::call) count += i.function->calls();
  return count;
}

}  // namespace kardan
