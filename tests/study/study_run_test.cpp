/// Runs of studies: known moments, the same bits whoever does them, failures as rows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "kardan/io/verdict.h"
#include "kardan/study/study.h"
#include "kardan/study/study_reader.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan {
namespace {

/// x'' = -w^2 x from x = A: x(T) = A cos(w T).
constexpr const char* oscillator = R"(kardan: 1
parameters: {A: 1, w: 3}
equations:
  positions: {x: A}
  velocities: {v: 0}
  mass: {v: 1}
  forces: {v: -w^2*x}
simulate: {t_end: 1, tolerance: 1e-7}
)";

struct Study {
  test::TemporaryFolder folder;
  StudyPlan plan;

  Study(const std::string& model, const std::string& text) {
    write(folder.file("model.yaml"), model);
    Diagnostics faults;
    auto read = read_study_text("kardan_study: 1\nmodel: model.yaml\n" + text,
                                folder.file("study.yaml"), std::nullopt, faults);
    EXPECT_TRUE(read) << format(faults);
    if (read) plan = std::move(*read);
  }
  static void write(const std::string& path, const std::string& text) {
    FILE* file = std::fopen(path.c_str(), "w");
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
  StudyStore store(const std::string& name) const {
    StudyStore::create(folder.file(name), plan);
    return reopened(name);
  }
  StudyStore reopened(const std::string& name) const {
    Diagnostics faults;
    auto out = StudyStore::open(folder.file(name), RunTable::Access::write, faults);
    EXPECT_TRUE(out) << format(faults);
    return std::move(*out);
  }
};

std::vector<std::vector<double>> rows_of(const StudyStore& store) {
  std::vector<std::vector<double>> out;
  store.table().scan([&](std::uint64_t, std::span<const double> row) {
    out.emplace_back(row.begin(), row.end());
  });
  return out;
}

bool same_bits(const std::vector<std::vector<double>>& a,
               const std::vector<std::vector<double>>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; i < a.size() && same; ++i)
    same = std::memcmp(a[i].data(), b[i].data(), 8 * a[i].size()) == 0;
  return same;
}

TEST(StudyRuns, OfAnOscillatorHaveItsMoments) {
  for (const char* design : {"{type: random, runs: 400, seed: 4}", "{type: sobol, runs: 256}",
                             "{type: latin_hypercube, runs: 256}"}) {
    const Study study(oscillator, std::string("design: ") + design + R"(
vary: {A: {type: uniform, from: 1, to: 2}, w: {type: normal, mean: 3, deviation: 0.2}}
keep: {end: final(x)}
require: [end > -1.5]
)");
    auto store = study.store("s.h5");
    const StudyProgress p = do_runs(study.plan, store, {2});
    EXPECT_EQ(p.done, study.plan.design->runs());
    EXPECT_EQ(p.failed, 0U);
    const StudyResults r = store.reduce();
    // E cos w = exp(-s^2/2) cos m, E cos^2 w = (1 + exp(-2 s^2) cos 2m)/2, A independent of it.
    const double s2 = 0.04, m = 3, mean_a = 1.5, mean_a2 = 7.0 / 3;
    const double mean = mean_a * std::exp(-s2 / 2) * std::cos(m);
    const double variance = mean_a2 * (1 + std::exp(-2 * s2) * std::cos(2 * m)) / 2 - mean * mean;
    const Moments& end = r.statistics.moments[2];
    const double n = static_cast<double>(end.count);
    EXPECT_NEAR(end.mean, mean, 3 * std::sqrt(variance / n)) << design;
    EXPECT_NEAR(end.deviation, std::sqrt(variance), 3 * std::sqrt(variance / (2 * n))) << design;
    for (const auto& row : rows_of(store)) {
      EXPECT_NEAR(row[2], row[0] * std::cos(row[1]), 1e-5);
      EXPECT_EQ(row[store.shape().met()] == 1, row[2] > -1.5);
    }
  }
}

/// T. Ishigami, T. Homma 1990, as the speed of a body that nothing pulls.
TEST(StudyRuns, OfIshigamisFunctionAsEquationsHaveItsSobolIndices) {
  const Study study(R"(kardan: 1
parameters: {a: 0, b: 0, c: 0}
equations:
  positions: {x: 0}
  velocities: {v: sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)}
  mass: {v: 1}
  forces: {v: 0}
simulate: {t_end: 1, tolerance: 1e-6}
)",
                    R"(design: {type: sensitivity, rows: 512}
vary:
  a: {type: uniform, from: -pi, to: pi}
  b: {type: uniform, from: -pi, to: pi}
  c: {type: uniform, from: -pi, to: pi}
keep: {y: final(x)}
)");
  auto store = study.store("s.h5");
  EXPECT_EQ(do_runs(study.plan, store, {2}).failed, 0U);
  const StudyResults r = store.reduce();
  ASSERT_TRUE(r.sensitivities);
  const double p4 = std::pow(std::numbers::pi, 4), v1 = std::pow(1 + 0.1 * p4 / 5, 2) / 2;
  const double v2 = 49.0 / 8, v13 = 8 * 0.01 * p4 * p4 / 225, v = v1 + v2 + v13;
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int j = 0; j < 3; ++j) {
    const Sensitivity& x = r.sensitivities->of[0][j];
    EXPECT_NEAR(x.first, first[j], 1.96 * x.first_error) << j;
    EXPECT_NEAR(x.total, total[j], 1.96 * x.total_error) << j;
  }
  // Mean and variance are those of the independent points.
  const Moments& y = r.statistics.moments[3];
  EXPECT_EQ(y.count, 1024U);
  EXPECT_NEAR(y.mean, 3.5, 3 * std::sqrt(v / 1024));
  EXPECT_NEAR(y.deviation, std::sqrt(v), 0.05 * std::sqrt(v));
  store.keep(r);
  EXPECT_EQ(store.table().read_array(4).front(), r.sensitivities->of[0][0].first);
}

TEST(StudyPlan, DrawsCorrelatedParametersWithTheirCovariance) {
  const Study study(oscillator, R"(design: {type: random, runs: 20000}
correlated: {p: {parameters: [A, w], mean: [1, 5], covariance: [[0.04, -0.03], [-0.03, 0.09]]}}
keep: {end: final(x)}
)");
  double a = 0, w = 0, aa = 0, aw = 0, ww = 0;
  constexpr int n = 20'000;
  std::vector<double> x(2);
  for (int i = 0; i < n; ++i) {
    study.plan.sample(i, x);
    a += x[0] / n;
    w += x[1] / n;
    aa += (x[0] - 1) * (x[0] - 1) / n;
    aw += (x[0] - 1) * (x[1] - 5) / n;
    ww += (x[1] - 5) * (x[1] - 5) / n;
  }
  // Within four standard errors.
  const double root = 4 / std::sqrt(n);
  EXPECT_NEAR(a, 1, 0.2 * root);
  EXPECT_NEAR(w, 5, 0.3 * root);
  EXPECT_NEAR(aa, 0.04, 0.04 * std::sqrt(2) * root);
  EXPECT_NEAR(ww, 0.09, 0.09 * std::sqrt(2) * root);
  EXPECT_NEAR(aw, -0.03, std::sqrt(0.04 * 0.09 + 0.0009) * root);
}

TEST(StudyRuns, HaveTheSameBitsOnAnyNumberOfThreadsInPartsAndAfterABreak) {
  const Study study(oscillator, R"(design: {type: random, runs: 24}
every: 0.05
vary: {A: {type: triangular, from: 1, mode: 1.2, to: 2}, w: {type: steps, from: 1, to: 9, count: 5}}
keep: {end: final(x), r: rms(x), most: max(v), e: max(energy.kinetic)}
)");
  auto one = study.store("one.h5");
  do_runs(study.plan, one, {1});
  const auto expected = rows_of(one);
  ASSERT_EQ(expected.size(), 24U);
  for (const int threads : {2, 4}) {
    auto store = study.store("some.h5");
    do_runs(study.plan, store, {threads});
    EXPECT_TRUE(same_bits(rows_of(store), expected)) << threads;
  }
  auto whole = study.store("whole.h5");
  for (std::uint64_t i = 1; i <= 5; ++i) {
    auto part = study.store("part.h5");
    const StudyProgress p = do_runs(study.plan, part, {2, {i, 5}, {}});
    Diagnostics faults;
    EXPECT_EQ(merge(whole, part, faults), p.done);
    EXPECT_TRUE(faults.empty()) << format(faults);
  }
  EXPECT_TRUE(same_bits(rows_of(whole), expected));
  auto broken = study.store("broken.h5");
  const StudyProgress first =
      do_runs(study.plan, broken, {2, {}, [](const StudyProgress& p) { return p.done < 7; }});
  EXPECT_LT(first.done, 24U);
  auto again = study.reopened("broken.h5");
  const StudyProgress rest = do_runs(study.plan, again, {2});
  EXPECT_EQ(first.done + rest.done, 24U) << "nothing lost, nothing done twice";
  EXPECT_TRUE(same_bits(rows_of(again), expected));
}

TEST(StudyRuns, OfPartsThatDifferAreTold) {
  const Study study(oscillator, R"(design: {type: random, runs: 3}
vary: {w: {type: uniform, from: 1, to: 9}}
keep: {end: final(x)}
)");
  auto one = study.store("one.h5"), other = study.store("other.h5");
  do_runs(study.plan, one, {1});
  do_runs(study.plan, other, {1});
  auto row = rows_of(other)[2];
  row[1] = std::nextafter(row[1], 9);
  other.table().write(2, row);
  Diagnostics faults;
  EXPECT_EQ(merge(one, other, faults), 0U);
  EXPECT_THAT(format(faults), testing::HasSubstr("warning[study.bits]: run 2 has other bits"));
  EXPECT_NE(rows_of(one)[2][1], row[1]) << "the first one is kept";
}

TEST(StudyRuns, OfAStoredPlanHaveTheBitsOfTheFile) {
  const Study study(oscillator, R"(design: {type: sobol, runs: 4}
vary: {w: {type: uniform, from: 1, to: 9}}
keep: {end: final(x)}
)");
  auto store = study.store("s.h5");
  do_runs(study.plan, store, {1});
  Diagnostics faults;
  const auto plan = store.plan(faults);
  ASSERT_TRUE(plan) << format(faults);
  EXPECT_TRUE(store.belongs_to(*plan, faults));
  auto again = study.store("again.h5");
  do_runs(*plan, again, {1});
  EXPECT_TRUE(same_bits(rows_of(again), rows_of(store)));
}

TEST(StudyRuns, ThatFailAreRowsWithTheirReason) {
  // Without a mass the model cannot be compiled, with few steps a fast one does not come to its end.
  const Study study(R"(kardan: 1
dimension: 2
parameters: {m: 1, k: 1}
bodies: {a: {kind: point, mass: m, position: [1, 0]}}
forces: {s: {type: spring_damper, between: [ground, a], stiffness: k, free_length: 0.5}}
simulate: {t_end: 10, method: dopri5, tolerance: 1e-6, options: {max_steps: 100}}
)",
                    R"(design: {type: grid}
vary: {m: {type: list, values: [-1, 1]}, k: {type: list, values: [1, 1e6]}}
keep: {end: final(a.x)}
)");
  auto store = study.store("s.h5");
  const StudyProgress p = do_runs(study.plan, store, {2});
  EXPECT_EQ(p.done, 4U);
  EXPECT_EQ(p.failed, 3U);
  const auto rows = rows_of(store);
  ASSERT_EQ(rows.size(), 4U);
  const std::size_t reason = store.shape().reason();
  EXPECT_EQ(reason_name(static_cast<int>(rows[0][reason])), "bad_model");
  EXPECT_EQ(reason_name(static_cast<int>(rows[2][reason])), "finished");
  EXPECT_EQ(reason_name(static_cast<int>(rows[3][reason])), "too_many_steps");
  EXPECT_TRUE(std::isnan(rows[3][2]));
  EXPECT_EQ(store.reduce().statistics.not_met.hits, 3U);
}

/// x = A cos(w t): the extremes of x and v lie anywhere in steps, which are long here.
TEST(StudyRuns, FindExtremesBetweenTheEndsOfSteps) {
  for (const char* method : {"dopri5", "dop853", "rn4"}) {
    const Study study(oscillator,
                      std::string("simulate: {t_end: 3, tolerance: 1e-4, method: ") + method + R"(}
design: {type: random, runs: 12}
vary: {A: {type: uniform, from: 1, to: 2}, w: {type: uniform, from: 3, to: 6}}
keep: {fast: max(v), back: min(x), far: max(abs(x - 3*A)), steps: 'max(t)'}
)");
    auto store = study.store("s.h5");
    do_runs(study.plan, store, {2});
    double worst = 0;
    for (const auto& row : rows_of(store)) {
      const double A = row[0], w = row[1];
      // Twenty tolerances: what the motion itself may be off after so many steps.
      EXPECT_NEAR(row[2], A * w, 2e-3 * A * w) << method;
      EXPECT_NEAR(row[3], -A, 2e-3 * A) << method;
      EXPECT_NEAR(row[4], 4 * A, 2e-3 * A) << method;
      EXPECT_EQ(row[5], 3);
      worst = std::max(worst, 3 * w / row[store.shape().steps()]);
    }
    // The ends alone would miss 1 - cos(w h/2) of it.
    EXPECT_GT(1 - std::cos(worst / 2), 2e-3) << method;
  }
}

/// A ball lies on the floor, where its stop holds it, and is pulled to and fro: vx = pull/5 (1 - cos 5t).
TEST(StudyRuns, FindExtremesWhileAStopRests) {
  const Study study(R"(kardan: 1
gravity: [0, 0, -9.81]
parameters: {pull: 3}
bodies: {ball: {kind: point, mass: 1, position: [0, 0, 0.1]}}
forces: {air: {type: force, on: ball, fx: pull*sin(5*t)}}
when: {hit: {expression: ball.z, direction: falling, action: {impulse: {restitution: 0}}}}
simulate: {t_end: 2, tolerance: 1e-6, method: dop853}
)",
                    R"(design: {type: grid}
vary: {pull: {type: list, values: [1, 3]}}
keep: {fast: max(ball.vx), low: min(ball.z)}
)");
  auto store = study.store("s.h5");
  EXPECT_EQ(do_runs(study.plan, store, {1}).failed, 0U);
  for (const auto& row : rows_of(store)) {
    EXPECT_NEAR(row[1], 2 * row[0] / 5, 1e-5 * row[0]);
    EXPECT_NEAR(row[2], 0, 1e-6);
  }
}

TEST(StudyRuns, TellErrorsThatAreEstimatedOrMeasured) {
  const std::string vary = "vary: {w: {type: uniform, from: 1, to: 9}}\nkeep: {end: final(x)}\n";
  for (const char* how : {"", "simulate: {error_estimate: 1}\n", "certify: true\n"}) {
    const Study study(oscillator, how + vary + "design: {type: random, runs: 4}\n");
    auto store = study.store("s.h5");
    EXPECT_EQ(do_runs(study.plan, store, {1}).failed, 0U) << how;
    const std::size_t errors = store.shape().errors();
    for (const auto& row : rows_of(store)) {
      if (*how == 0) {
        EXPECT_TRUE(std::isnan(row[errors]));
        continue;
      }
      const double x = std::cos(row[0]), at_end = std::abs(row[1] - x) / (1 + std::abs(x));
      EXPECT_GE(1.1 * row[errors], at_end) << how;  // the largest of the run
      EXPECT_LT(row[errors], 1e-4) << how;
      EXPECT_GT(row[errors + 1], 0) << how;
      EXPECT_GE(row[errors + 2], 1) << how;
    }
  }
  // One that cannot be certified has failed, and says why.
  const Study coarse(oscillator,
                     "certify: true\nsimulate: {options: {fixed_step: 0.2}, method: "
                     "dopri5, tolerance: 1e-12}\n" +
                         vary + "design: {type: random, runs: 1}\n");
  const RowShape shape(coarse.plan);
  std::vector<double> row(shape.width());
  WholeRun whole;
  do_run(coarse.plan, shape, 0, row, whole);
  EXPECT_TRUE(shape.failed(row) || row[shape.errors()] < 1e-12) << whole.message;
  EXPECT_EQ(shape.failed(row), !whole.message.empty());
}

TEST(StudyRuns, HaveTheColourOfTheirCertificate) {
  const Study study(oscillator, R"(design: {type: random, runs: 3}
vary: {w: {type: uniform, from: 1, to: 9}}
keep: {end: final(x)}
)");
  const RowShape shape(study.plan);
  std::vector<double> row(shape.width());
  for (std::uint64_t run = 0; run < 3; ++run) {
    WholeRun whole;
    do_run(study.plan, shape, run, row, whole);
    const ConsistentStart& end = whole.prepared.start;
    for (const bool spoiled : {false, true}) {
      if (spoiled) whole.report.against.emplace_back("planted");
      const Json certificate =
          to_json(*whole.prepared.system, whole.report, {&end.state, &end.a, &end.lambda});
      const char* const names[] = {"red", "amber", "green"};
      EXPECT_EQ(make_verdict(certificate).colour, names[static_cast<int>(colour_of(whole.report))]);
    }
  }
}

TEST(StudyRuns, KeepValuesAtEventsAndAccelerationsAndReactions) {
  const Study study(R"(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {h: 1}
bodies: {a: {kind: point, mass: 2, position: [0, h]}}
when: {floor: {expression: a.y, direction: falling}}
simulate: {t_end: 1, method: dopri5, tolerance: 1e-9}
)",
                    R"(design: {type: grid}
vary: {h: {type: list, values: [1, 2, 9]}}
keep: {t_hit: time_of(floor), v_hit: 'at(floor, a.vy)', a: min(a.ay), speed: abs(v_hit)}
)");
  auto store = study.store("s.h5");
  do_runs(study.plan, store, {1});
  const auto rows = rows_of(store);
  ASSERT_EQ(rows.size(), 3U);
  for (int i = 0; i < 2; ++i) {
    const double h = rows[i][0], t = std::sqrt(2 * h / 9.81);
    EXPECT_NEAR(rows[i][1], t, 1e-7);
    EXPECT_NEAR(rows[i][2], -9.81 * t, 1e-6);
    EXPECT_NEAR(rows[i][3], -9.81, 1e-9);
    EXPECT_NEAR(rows[i][4], 9.81 * t, 1e-6);
  }
  EXPECT_TRUE(std::isnan(rows[2][1])) << "it does not come down in time";
}

TEST(StudyFiles, HoldNoRowThatIsNotWholeOrInAnothersPlace) {
  const Study study(oscillator, R"(design: {type: random, runs: 8}
vary: {w: {type: uniform, from: 1, to: 9}}
keep: {end: final(x)}
)");
  auto store = study.store("s.h5");
  do_runs(study.plan, store, {1});
  const std::size_t width = store.shape().width(), size = 8 * (width + 1);
  const std::string bytes = test::read_all(study.folder.file("s.h5"));
  std::vector<double> row(width);
  ASSERT_TRUE(store.table().read(3, row));
  const std::size_t at = bytes.find(std::string(reinterpret_cast<char*>(row.data()), 8 * width));
  ASSERT_NE(at, std::string::npos);
  const auto with = [&](const std::function<void(std::string&)>& change) {
    std::string changed = bytes;
    change(changed);
    FILE* file = std::fopen(study.folder.file("changed.h5").c_str(), "wb");
    std::fwrite(changed.data(), 1, changed.size(), file);
    std::fclose(file);
    return study.reopened("changed.h5").done();
  };
  EXPECT_EQ(with([](std::string&) {}), 8U);
  EXPECT_EQ(with([&](std::string& b) { b[at + 5] ^= 1; }), 7U);
  EXPECT_EQ(with([&](std::string& b) { b.replace(at, size, size, '\0'); }), 7U);
  EXPECT_EQ(with([&](std::string& b) { b.replace(at + size, size, b.substr(at, size)); }), 7U);
  for (const std::size_t spoil : {std::size_t{20}, std::size_t{600}}) {
    std::string damaged = bytes;
    damaged[spoil] ^= 1;
    if (spoil > 512) damaged.resize(700);
    FILE* file = std::fopen(study.folder.file("bad.h5").c_str(), "wb");
    std::fwrite(damaged.data(), 1, damaged.size(), file);
    std::fclose(file);
    Diagnostics faults;
    EXPECT_FALSE(
        StudyStore::open(study.folder.file("bad.h5"), RunTable::Access::read, faults).has_value());
    EXPECT_THAT(format(faults), testing::HasSubstr("error[result.damaged]"));
  }
}

}  // namespace
}  // namespace kardan
