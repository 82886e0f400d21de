// Replaces the global operator new of the whole test program to count: this is why the file stands
// alone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "kardan/base/expression.h"
#include "kardan/base/time_function.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Not inlined: g++ takes the half it sees for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace kardan {
namespace {

template <class F>
long count_allocations(const F& f) {
  const long before = allocations;
  f();
  return allocations - before;
}

TEST(ExpressionAllocation, TheCounterCounts) {
  // By function call: the compiler may leave out a new-expression whose memory is not used.
  EXPECT_EQ(count_allocations([] { ::operator delete(::operator new(8)); }), 1);
}

TEST(ExpressionAllocation, EvaluationAllocatesNothing) {
  const Expression e =
      Expression::parse("a > 0 ? step(a, 0, b, 1, c)^2.5 + min(a, b, c)*sin(d + e) : mod(a, f)")
          .value();
  const std::array<double, 6> values{0.3, 2.0, 3.0, 0.4, 0.5, 0.6};
  std::array<double, 6> gradient{};
  using Nested = Dual<Dual<double, 3>, 2>;
  std::array<Nested, 6> nested{};
  double sink = 0.0;
  EXPECT_EQ(count_allocations([&] {
              sink += e.evaluate(values);
              sink += e.evaluate_with_gradient(values, gradient);
              sink += e.evaluate<Nested>(nested).value.value;
              const Expression copy = e;
              sink += copy.evaluate<double>(values);
            }),
            0);
  EXPECT_TRUE(std::isfinite(gradient[0]));
}

TEST(ExpressionAllocation, FunctionsOfTimeAllocateNothing) {
  const TimeFunction wave = TimeFunction::make(Expression::parse("sin(t)*t").value()).value();
  const TimeFunction ramp(Table::make({0, 1, 2}, {0, 1, 4}, Interpolation::cubic_spline).value());
  double sink = 0.0;
  EXPECT_EQ(count_allocations([&] {
              for (const TimeFunction& f : {std::cref(wave), std::cref(ramp)}) {
                sink += f.at(0.5).d3 + f(0.5) + f(Dual<double, 2>::variable(0.5)).d[0];
              }
            }),
            0);
}

}  // namespace
}  // namespace kardan
