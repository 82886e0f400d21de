/// Designs: every one of the catalog, and what each promises.

#include "kardan/study/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kardan/study/counter_random.h"
#include "kardan/study/sobol_sequence.h"
#include "support/process.h"

namespace kardan {
namespace {

constexpr int runs = 256, parameters = 3;

/// A design of the catalog with this many runs.
std::unique_ptr<Design> make(const DesignType& type, double seed, const std::string& table = "") {
  DesignTask task{{"a", "b", "c"}, {4, 8, 8}, true, ""};
  FieldMap fields;
  for (const FieldDoc& f : type.fields) {
    if (f.key == "runs") fields.emplace_back("runs", runs);
    if (f.key == "rows") fields.emplace_back("rows", runs);
    if (f.key == "seed") fields.emplace_back("seed", seed);
    if (f.key == "file") fields.emplace_back("file", table), task = {};
  }
  const Environment none;
  Diagnostics faults;
  auto out = type.make(fields, task, {}, ValueReader(none, faults));
  EXPECT_FALSE(faults.has_errors()) << format(faults);
  return out;
}

std::vector<double> point(const Design& design, std::uint64_t run) {
  std::vector<double> out(parameters);
  design.point(run, out);
  return out;
}

TEST(Designs, GivePointsInTheOpenCubeThatDependOnTheRunAlone) {
  std::string rows = "a,b,c\n";
  for (int i = 0; i < runs; ++i) rows += "0.25, 0.5,0.75\n";
  const test::TemporaryFile table(rows);
  for (const DesignType& type : design_catalog()) {
    const auto design = make(type, 5, table.path()), again = make(type, 5, table.path());
    ASSERT_TRUE(design && again) << type.name;
    ASSERT_GE(design->runs(), static_cast<std::uint64_t>(runs)) << type.name;
    for (std::uint64_t run = design->runs(); run-- > 0;) {
      const std::vector<double> u = point(*design, run);
      for (const double x : u) EXPECT_TRUE(x > 0 && x < 1) << type.name << ", run " << run;
      EXPECT_EQ(u, point(*again, run)) << type.name;
    }
    const bool seeded = std::ranges::any_of(type.fields, [](auto& f) { return f.key == "seed"; });
    if (seeded) {
      EXPECT_NE(point(*design, 1), point(*make(type, 6), 1)) << type.name;
    }
  }
}

/// How often each of `count` equal shares of a coordinate holds a point.
std::vector<int> held(const Design& design, int column, int count) {
  std::vector<int> out(count, 0);
  for (int run = 0; run < runs; ++run)
    ++out[static_cast<std::size_t>(point(design, run)[column] * count)];
  return out;
}

const DesignType& type_of(const std::string& name) {
  return *std::ranges::find(design_catalog(), name, &DesignType::name);
}

TEST(Designs, OfALatinHypercubeHoldEveryShareOnce) {
  const auto design = make(type_of("latin_hypercube"), 3);
  for (int column = 0; column < parameters; ++column)
    EXPECT_THAT(held(*design, column, runs), testing::Each(1));
}

TEST(Designs, OfSobolHoldEverySliceAndEveryBoxOfThePlaneEqually) {
  for (const double seed : {0.0, 1.0, 7.0}) {
    const auto design = make(type_of("sobol"), seed);
    for (int column = 0; column < parameters; ++column)
      EXPECT_THAT(held(*design, column, runs), testing::Each(1));
    // A (0, 8, 2)-net: boxes of area 2^-8, whatever their shape.
    for (int log_x = 0; log_x <= 8; ++log_x) {
      std::map<std::pair<int, int>, int> boxes;
      for (int run = 0; run < runs; ++run) {
        const std::vector<double> u = point(*design, run);
        ++boxes[{static_cast<int>(std::ldexp(u[0], log_x)),
                 static_cast<int>(std::ldexp(u[1], 8 - log_x))}];
      }
      EXPECT_EQ(boxes.size(), static_cast<std::size_t>(runs)) << log_x;
    }
  }
}

/// L2 star discrepancy: T. T. Warnock 1972, in Zaremba (ed.), Applications of number theory to
/// numerical analysis.
double discrepancy(const Design& design) {
  double single = 0, pairs = 0;
  for (int i = 0; i < runs; ++i) {
    const std::vector<double> x = point(design, i);
    double product = 1;
    for (const double u : x) product *= (1 - u * u) / 2;
    single += product;
    for (int j = 0; j < runs; ++j) {
      const std::vector<double> y = point(design, j);
      product = 1;
      for (int k = 0; k < parameters; ++k) product *= 1 - std::max(x[k], y[k]);
      pairs += product;
    }
  }
  return std::sqrt(std::pow(3.0, -parameters) - 2 * single / runs + pairs / (1.0 * runs * runs));
}

TEST(Designs, AreAsEvenAsTheyPromise) {
  const double random = discrepancy(*make(type_of("random"), 1));
  // Of random points its square has the mean (2^-d - 3^-d) / n.
  const double expected =
      std::sqrt((std::pow(2.0, -parameters) - std::pow(3.0, -parameters)) / runs);
  EXPECT_GT(random, expected / 2);
  EXPECT_LT(random, expected * 2);
  EXPECT_LT(discrepancy(*make(type_of("sobol"), 1)), random / 3);
}

TEST(Designs, OfAGridAreAllCombinations) {
  const auto design = make(type_of("grid"), 0);
  std::set<std::vector<double>> points;
  for (std::uint64_t run = 0; run < design->runs(); ++run) points.insert(point(*design, run));
  EXPECT_EQ(points.size(), 4U * 8U * 8U);
}

TEST(Designs, ForSensitivitiesExchangeOneCoordinateAtATime) {
  const auto design = make(type_of("sensitivity"), 2);
  for (std::uint64_t row = 0; row < 16; ++row) {
    const auto a = point(*design, row * 5), b = point(*design, row * 5 + 1);
    for (int j = 0; j < parameters; ++j) {
      std::vector<double> mixed = a;
      mixed[j] = b[j];
      EXPECT_EQ(point(*design, row * 5 + 2 + j), mixed);
    }
  }
}

TEST(SobolSequence, HasTheFirstPointsOfJoeAndKuo) {
  // Their program sobol.cc prints these for three dimensions, but for half a step.
  const SobolSequence sequence(3, 0);
  const double expected[][3] = {{0, 0, 0},          {0.5, 0.5, 0.5},       {0.75, 0.25, 0.25},
                                {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625}, {0.875, 0.875, 0.125}};
  for (int i = 0; i < 6; ++i)
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(sequence.at(i, d), expected[i][d], 1e-15) << i;
}

TEST(SobolSequence, SlicesEveryDimensionEvenly) {
  const SobolSequence sequence(SobolSequence::most_dimensions, 0);
  for (int d = 0; d < SobolSequence::most_dimensions; ++d) {
    std::set<int> slices;
    for (int i = 0; i < 1024; ++i) slices.insert(static_cast<int>(1024 * sequence.at(i, d)));
    EXPECT_EQ(slices.size(), 1024U) << d;
  }
}

TEST(CounterRandom, IsPhilox) {
  // Known answers of the authors' library Random123: kat_vectors, philox4x32 with 10 rounds.
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, PlacesAreAnOrderOfAllIndices) {
  for (const std::uint64_t count : {1U, 2U, 3U, 17U, 1000U}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t i = 0; i < count; ++i) places.insert(random_place(9, 2, i, count));
    EXPECT_EQ(places.size(), count);
    EXPECT_LT(*places.rbegin(), count);
  }
  // Two columns are in different orders.
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i)
    same += random_place(9, 0, i, 1000) == random_place(9, 1, i, 1000) ? 1 : 0;
  EXPECT_LT(same, 10);
}

}  // namespace
}  // namespace kardan
