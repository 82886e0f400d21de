/// The same input gives the same bits: in one process, in two, and on any number of threads.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "kardan/io/checkpoint.h"
#include "kardan/run/compare.h"
#include "support/models.h"
#include "support/process.h"

namespace kardan {
namespace {

/// Enough for events, rejections and a second partition to happen somewhere; the models and methods
/// are many.
constexpr int first_steps = 12;

/// FNV-1a of everything a run computes.
std::uint64_t hash_run(Prepared& prepared, const std::string& method) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  };
  SimulateOptions options;
  options.method = method;
  options.t_end = 0.5;
  options.every = 0.01;
  options.driver.tolerance = 1e-4;
  options.driver.max_steps = first_steps;
  if (const Method* m = find_method(method); m && m->name.starts_with("baumgarte"))
    options.driver.fixed_step = 0.01;
  const ConsistentStart start = prepared.start;
  Watchers watchers;
  watchers.grid = [&](const Instant& at) {
    for (const Vector* x : {&at.state->p, &at.state->v, at.a, at.lambda})
      add(x->data(), x->size() * sizeof(double));
    return std::string();
  };
  Diagnostics diagnostics;
  Checkpoint end;
  end.memory.report = simulate(prepared, options, watchers, diagnostics);
  end.memory.report.cpu_seconds = 0;
  end.memory.state = prepared.start.state;
  const std::string bytes = to_bytes(end);
  add(bytes.data(), bytes.size());
  const std::string& message = end.memory.report.driver.message;
  add(message.data(), message.size());
  prepared.start = start;
  return hash;
}

using Hashes = std::map<std::string, std::uint64_t>;

/// Of every model with every method.
Hashes hash_all() {
  Hashes out;
  for (const std::string& name : test::shipped_names()) {
    Diagnostics diagnostics;
    Prepared prepared = prepare(test::shipped(name), {}, diagnostics);
    EXPECT_EQ(prepared.start.report.status, Eval::ok) << name;
    for (const Method& m : methods())
      out[name + " " + std::string(m.name)] = hash_run(prepared, std::string(m.name));
  }
  return out;
}

constexpr const char* hash_file = "KARDAN_TEST_HASH_FILE";

/// Run by the test below in another process; by itself it has nothing to do.
TEST(Determinism, WritesItsHashes) {
  const char* path = std::getenv(hash_file);
  if (!path) GTEST_SKIP() << "only for Determinism.EveryModelAndMethodGivesTheSameBits";
  std::ofstream file(path);
  for (const auto& [run, hash] : hash_all()) file << hash << " " << run << "\n";
}

/// This test program once more, in a process whose memory is filled with something else.
Hashes hash_in_another_process() {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("hashes");
  const pid_t child = fork();
  if (child == 0) {
    setenv(hash_file, path.c_str(), 1);
    setenv("MALLOC_PERTURB_", "165", 1);
    unsetenv("GTEST_FILTER");
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    execl("/proc/self/exe", "trust_tests", "--gtest_filter=Determinism.WritesItsHashes", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Hashes out;
  std::ifstream file(path);
  std::uint64_t hash = 0;
  for (std::string run; file >> hash && std::getline(file, run);) out[run.substr(1)] = hash;
  return out;
}

TEST(Determinism, EveryModelAndMethodGivesTheSameBits) {
  const Hashes first = hash_all();
  EXPECT_GE(first.size(), 25u * 21u);
  for (const Hashes& again : {hash_all(), hash_in_another_process()}) {
    ASSERT_EQ(again.size(), first.size());
    for (const auto& [run, hash] : first) EXPECT_EQ(again.at(run), hash) << run;
  }
}

/// The end of a run, and how it came there.
struct Walked {
  State end;
  long steps = 0, rejected = 0, failed = 0;
};

Walked walk(Prepared& run, const std::string& method, double every) {
  const ConsistentStart start = run.start;
  SimulateOptions options;
  options.method = method;
  options.t_end = 2;
  options.every = every;
  options.driver.tolerance = 1e-4;
  options.driver.max_steps = 60;
  const GridSink ignored = [](const Instant&) { return std::string(); };
  Diagnostics diagnostics;
  const Counters c = simulate(run, options, ignored, {}, diagnostics).driver.counters;
  const State end = std::exchange(run.start, start).state;
  return {end, c.steps, c.rejected, c.failed};
}

/// Redundant joints, singular positions, stiff forces, events: where what was computed last could
/// matter for what is computed next.
TEST(Determinism, LookingAtARunDoesNotChangeIt) {
  for (const std::string name :
       {"n_four_bar", "bricard", "slider_crank_haug", "andrews", "hmmwv"}) {
    Diagnostics diagnostics;
    const ParameterValues overrides =
        name == "n_four_bar" ? ParameterValues{{"N", 2}} : ParameterValues{};
    Prepared prepared = prepare(test::shipped(name, overrides), overrides, diagnostics);
    for (const Method& m : methods()) {
      const Walked seldom = walk(prepared, std::string(m.name), 2);
      for (const double every : {0.02, 0.0013}) {
        const Walked often = walk(prepared, std::string(m.name), every);
        const std::string what = name + " " + std::string(m.name);
        EXPECT_EQ(often.steps, seldom.steps) << what;
        EXPECT_EQ(often.rejected, seldom.rejected) << what;
        EXPECT_EQ(often.failed, seldom.failed) << what;
        EXPECT_EQ(often.end.t, seldom.end.t) << what;
        EXPECT_TRUE(often.end.p == seldom.end.p && often.end.v == seldom.end.v) << what;
      }
    }
  }
}

TEST(Determinism, ComparisonsDoNotDependOnTheNumberOfThreads) {
  const Model model = test::shipped("three_link");
  const PrepareRun make = [&] {
    Diagnostics diagnostics;
    return prepare(model, {}, diagnostics);
  };
  CompareOptions options;
  options.methods = {"rn4", "dopri5", "radau5", "adams", "hem5"};
  options.tolerances = {1e-3, 1e-5};
  options.base.t_end = 0.3;
  options.repetitions = 0;
  std::vector<CompareRow> rows[3];
  for (const int k : {0, 1, 2}) {
    options.threads = std::array{1, 3, 8}[k];
    Diagnostics diagnostics;
    rows[k] = compare(make, options, diagnostics).rows;
    ASSERT_EQ(rows[k].size(), 10u) << format(diagnostics);
  }
  for (const int k : {1, 2})
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      EXPECT_TRUE(rows[k][i].finished);
      EXPECT_EQ(rows[k][i].method, rows[0][i].method);
      EXPECT_EQ(rows[k][i].position_error, rows[0][i].position_error);
      EXPECT_EQ(rows[k][i].velocity_error, rows[0][i].velocity_error);
    }
}

}  // namespace
}  // namespace kardan
