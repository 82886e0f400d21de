/// `kardan study`: many runs of a model.

#include "kardan/study/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/print.h"
#include "apps/cli/ranks.h"
#include "apps/cli/study_page.h"
#include "apps/cli/study_print.h"
#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/simulate_options.h"
#include "kardan/io/verdict.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/study/study_reader.h"

namespace kardan::cli {
namespace {

/// How the files of a study begin: those of runs are not theirs.
const std::string study_header = "KARDAN STUDY";

struct StudyCommand {
  std::vector<std::string> words, out;
  std::string chunk;
  int threads = 0;
  bool resume = false, force = false, json = false, quiet = false;
};

std::optional<std::uint64_t> whole_number(const std::string& text) {
  const std::optional<double> x = parse_number(text);
  if (!x || !(*x >= 0) || *x > most_runs || *x != static_cast<double>(std::uint64_t(*x))) return {};
  return static_cast<std::uint64_t>(*x);
}

/// "2/8": the second of eight parts.
Chunk chunk_from(const std::string& text, Diagnostics& faults) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = whole_number(text.substr(0, slash));
    const auto count = whole_number(text.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  faults.error("usage.chunk", fmt::format("--chunk {}: wanted I/N, 1 <= I <= N", text), {},
               "as in --chunk 2/8, the second of eight parts");
  return {};
}

/// Done, rate, time left, failures: on a terminal, a few times a second.
class Bar {
 public:
  explicit Bar(bool shown) : active_(shown && isatty(STDERR_FILENO) != 0) {}
  ~Bar() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void at(const StudyProgress& p) {
    const auto now = Clock::now();
    if (!active_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double rate = static_cast<double>(p.done) / seconds;
    fmt::print(stderr, "\r\x1b[K{} of {} runs, {:.4g} a second, {:.0f} s left, {} failed", p.done,
               p.of, rate, static_cast<double>(p.of - p.done) / rate, p.failed);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool active_, drawn_ = false;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::milliseconds(500);
};

/// The file of the study among the outputs, and what else is written of it.
struct Outputs {
  std::string store;
  std::vector<std::string> tables, pages;
  std::vector<Output> all;
};

Outputs outputs_of(const StudyCommand& given, const std::string& store, Diagnostics& faults) {
  Outputs out;
  for (const std::string& path : given.out) {
    if (path.ends_with(".h5") && out.store.empty() && store.ends_with(".yaml")) {
      out.store = path;
    } else if (path.ends_with(".csv")) {
      out.tables.push_back(path);
      out.all.push_back({"--out", path, OutputKind::result});
    } else if (path.ends_with(".html")) {
      out.pages.push_back(path);
      out.all.push_back({"--out", path, OutputKind::page});
    } else {
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted one file ending in .h5, others in .csv or .html");
    }
  }
  if (out.store.empty()) {
    const std::string stem = std::filesystem::path(store).stem().string();
    std::string part = given.chunk;
    std::ranges::replace(part, '/', '_');
    out.store = stem + (part.empty() ? "" : "." + part) + ".h5";
  }
  return out;
}

/// By its first line a table of this study is known as one.
void expect_tables(Outputs& outputs, const RowShape& shape) {
  for (Output& output : outputs.all)
    if (output.path.ends_with(".csv")) output.header = study_csv_header(shape);
}

void tell_results(const StudyCommand& given, const Outputs& outputs, StudyStore& store, bool keep) {
  const StudyResults results = store.reduce();
  if (keep) store.keep(results);
  for (const std::string& path : outputs.tables) write_study_csv(path, store);
  for (const std::string& path : outputs.pages) write_file(path, study_page(store, results));
  if (given.json)
    print_json(study_json(store, results));
  else if (!given.quiet)
    print_study(store, results);
}

/// The store to write into: a new one, or the one there is.
std::optional<StudyStore> store_for(const StudyCommand& given, const std::string& path,
                                    const StudyPlan& plan, Diagnostics& faults) {
  const bool there = std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
  if (there && given.resume) {
    auto store = StudyStore::open(path, RunTable::Access::write, faults);
    if (!store || !store->belongs_to(plan, faults)) return {};
    if (store->computed_by() != computed_here())
      faults.warning(
          "study.program", "its first runs were computed by another program or processor",
          {path, 0, 0},
          fmt::format("bits may differ: {}; here {}", store->computed_by(), computed_here()));
    return store;
  }
  StudyStore::create(path, plan);
  return StudyStore::open(path, RunTable::Access::write, faults);
}

/// What all ranks have done together, from the file; `of` were to be done.
StudyProgress counted(const StudyStore& store, const Chunk& chunk, std::uint64_t of) {
  const std::uint64_t first = chunk.first(store.table().rows());
  const std::uint64_t last = chunk.last(store.table().rows());
  std::uint64_t there = 0, failures = 0;
  store.table().scan([&](std::uint64_t run, std::span<const double> row) {
    if (run < first || run >= last) return;
    ++there;
    if (store.shape().failed(row)) ++failures;
  });
  const std::uint64_t missing = last - first - there;
  return {of - std::min(of, missing), of, std::min(of, failures)};
}

/// A rank of several that is not the first: it does runs, and the first one reports everything.
int help_study(const StudyCommand& given, const StudyPlan* plan, const std::string& path,
               const Chunk& chunk, Ranks& ranks) {
  if (!ranks.all(plan != nullptr)) return bad_input;
  Diagnostics faults;
  auto store = StudyStore::open(path, RunTable::Access::write, faults);
  const bool good = store && store->belongs_to(*plan, faults);
  if (!good) print_faults(faults);
  if (!ranks.all(good)) return bad_input;
  const Interrupt interrupt;
  do_runs(*plan, *store,
          {std::max(1, given.threads),
           chunk,
           [](const StudyProgress&) { return Interrupt::asked() == 0; },
           {ranks.size(), [&] { return ranks.next(); }}});
  ranks.all(true);
  return Interrupt::asked() == 0 ? finished : 128 + Interrupt::asked();
}

int run_study(const StudyCommand& given, const std::string& file) {
  Diagnostics faults;
  const Chunk chunk = chunk_from(given.chunk, faults);
  std::optional<Ranks> ranks = Ranks::of_launcher(faults);
  if (!ranks && faults.has_errors()) {
    print_faults(faults);
    return bad_input;
  }
  auto plan = read_study(file, faults);
  Outputs outputs = outputs_of(given, file, faults);
  if (ranks && ranks->rank() > 0)
    return help_study(given, faults.has_errors() || !plan ? nullptr : &*plan, outputs.store, chunk,
                      *ranks);
  // What the others wait for: whether there is a store to open.
  const auto refuse = [&] {
    print_faults(faults);
    if (ranks) ranks->all(false);
    return bad_input;
  };
  if (!given.resume && !given.force && std::filesystem::exists(outputs.store) &&
      std::filesystem::file_size(outputs.store) > 0)
    faults.error("study.exists", fmt::format("{} is there already", outputs.store), {},
                 "--resume does the runs it has not; --force begins anew");
  outputs.all.push_back({"--out", outputs.store, OutputKind::result, study_header});
  if (faults.has_errors() || !plan) return refuse();
  print_faults(faults);
  faults = {};
  const Overwrite overwrite = given.force ? Overwrite::anything : Overwrite::own_files;
  expect_tables(outputs, RowShape(*plan));
  // Once before anything is written, and then for the file that has been made.
  if (OutputGuard({file}, outputs.all, overwrite, faults); faults.has_errors()) return refuse();
  auto store = store_for(given, outputs.store, *plan, faults);
  const OutputGuard guard({file}, outputs.all, overwrite, faults);
  if (faults.has_errors() || !store) return refuse();
  print_faults(faults);
  if (ranks && (!ranks->all(true) || !ranks->all(true))) return bad_input;
  const Interrupt interrupt;
  StudyProgress progress;
  {
    Bar bar(!given.quiet && !given.json);
    StudyShare share;
    if (ranks) share = {ranks->size(), [&] { return ranks->next(); }};
    progress = do_runs(*plan, *store,
                       {ranks ? std::max(1, given.threads) : given.threads, chunk,
                        [&](const StudyProgress& p) {
                          bar.at(p);
                          return Interrupt::asked() == 0;
                        },
                        share});
  }
  if (ranks) {
    ranks->all(true);
    progress = counted(*store, chunk, progress.of);
  }
  if (progress.done < progress.of) {
    fmt::print(stderr, "kardan: {} of {} runs were done\n        --resume goes on\n", progress.done,
               progress.of);
    return Interrupt::asked() ? 128 + Interrupt::asked() : failed;
  }
  tell_results(given, outputs, *store, true);
  if (!given.json && !given.quiet) fmt::print("\nwrote {}\n", outputs.store);
  return progress.of > 0 && progress.failed == progress.of ? failed : finished;
}

int show_study(const StudyCommand& given, const std::string& file) {
  Diagnostics faults;
  Outputs outputs = outputs_of(given, file, faults);
  auto store = StudyStore::open(file, RunTable::Access::read, faults);
  if (print_faults(faults)) return bad_input;
  expect_tables(outputs, store->shape());
  const OutputGuard guard({file}, outputs.all,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  tell_results(given, outputs, *store, false);
  return finished;
}

int merge_studies(const StudyCommand& given) {
  Diagnostics faults;
  if (given.words.size() < 3) {
    faults.error("usage.study", "merge: wanted an output and parts", {},
                 "as in kardan study merge WHOLE.h5 PART.h5...");
    print_faults(faults);
    return bad_input;
  }
  const std::string& whole = given.words[1];
  const std::vector<std::string> parts(given.words.begin() + 2, given.words.end());
  auto first = StudyStore::open(parts.front(), RunTable::Access::read, faults);
  if (print_faults(faults)) return bad_input;
  const std::vector<Output> outputs{{"merge", whole, OutputKind::result, study_header}};
  const Overwrite overwrite = given.force ? Overwrite::anything : Overwrite::own_files;
  // Once before anything is written, and then for the file that has been made.
  if (OutputGuard(parts, outputs, overwrite, faults); faults.has_errors()) {
    print_faults(faults);
    return bad_input;
  }
  auto plan = first->plan(faults);
  if (!plan) {
    print_faults(faults);
    return bad_input;
  }
  StudyStore::create(whole, *plan);
  auto store = StudyStore::open(whole, RunTable::Access::write, faults);
  const OutputGuard guard(parts, outputs, overwrite, faults);
  if (print_faults(faults)) return bad_input;
  for (const std::string& path : parts) {
    const auto part = StudyStore::open(path, RunTable::Access::read, faults);
    if (!part || !part->belongs_to(*plan, faults)) continue;
    if (part->computed_by() != first->computed_by())
      faults.warning(
          "study.program", "computed by another program or processor than the first", {path, 0, 0},
          fmt::format("bits may differ: {}; {}", part->computed_by(), first->computed_by()));
    merge(*store, *part, faults);
  }
  if (print_faults(faults)) return bad_input;
  const std::uint64_t done = store->done(), all = store->table().rows();
  if (done < all)
    fmt::print(stderr,
               "kardan: {} of {} runs are there\n        `kardan study` with --out {} "
               "--resume does the others\n",
               done, all, whole);
  tell_results(given, {}, *store, true);
  return finished;
}

/// The model of one run, which `kardan run` takes.
void write_run_model(const std::string& path, const StudyPlan& plan, std::uint64_t run) {
  Model model = plan.model;
  model.simulate.fields = simulate_fields(plan.options);
  YamlNode tree = to_tree(model);
  for (const auto& [name, value] : parameters_of(plan, run)) set_parameter(tree, name, value);
  write_file(path, std::string(model_header) + to_yaml(tree));
}

void print_run(const StudyPlan& plan, const RowShape& shape, std::uint64_t run,
               std::span<const double> row, const WholeRun& whole) {
  fmt::print("{}, run {}\n\n", printable(plan.title, Lines::one), run);
  const std::vector<std::string> names = shape.names();
  for (std::size_t i = 0; i < shape.values(); ++i)
    fmt::print("{:<22}{}\n", names[i], format_number(row[i]));
  fmt::print("{:<22}{}\n\n", "met", row[shape.met()] == 1 ? "yes" : "no");
  if (!whole.prepared.system || row[shape.reason()] >= bad_model) {
    fmt::print("{}: {}\n", reason_name(static_cast<int>(row[shape.reason()])), whole.message);
    return;
  }
  const ConsistentStart& end = whole.prepared.start;
  const Verdict verdict = make_verdict(
      to_json(*whole.prepared.system, whole.report, {&end.state, &end.a, &end.lambda}));
  for (const std::string& sentence : verdict.sentences) fmt::print("{}\n", printable(sentence));
}

int show_run(const StudyCommand& given) {
  Diagnostics faults;
  const auto number = given.words.size() == 3 ? whole_number(given.words[2]) : std::nullopt;
  const std::uint64_t run = number.value_or(0);
  if (!number)
    faults.error("usage.study", "show: wanted a file of a study and the number of a run", {},
                 "as in kardan study show RESULT.h5 17");
  std::vector<Output> outputs;
  for (const std::string& path : given.out) {
    outputs.push_back({"--out", path, OutputKind::model});
    if (!path.ends_with(".yaml"))
      faults.error("output.format", fmt::format("--out {}: no such format", path), {},
                   "wanted a model, ending in .yaml, which `kardan run` takes");
  }
  if (print_faults(faults)) return bad_input;
  const auto store = StudyStore::open(given.words[1], RunTable::Access::read, faults);
  std::optional<StudyPlan> plan;
  if (store) plan = store->plan(faults);
  if (plan && run >= plan->design->runs())
    faults.error("usage.study", fmt::format("there is no run {}; the last one is {}", run,
                                            plan->design->runs() - 1));
  const OutputGuard guard({given.words[1]}, outputs,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  const RowShape shape(*plan);
  std::vector<double> row(shape.width()), stored(shape.width());
  WholeRun whole;
  do_run(*plan, shape, run, row, whole);
  print_run(*plan, shape, run, row, whole);
  for (const std::string& path : given.out) write_run_model(path, *plan, run);
  if (!store->table().read(run, stored)) {
    fmt::print("\nIt is not in the file.\n");
    return finished;
  }
  const bool same = std::memcmp(row.data(), stored.data(), 8 * row.size()) == 0;
  fmt::print("\n{}\n", same ? "The same bits as in the file." : "Other bits than in the file.");
  return same ? finished : failed;
}

int study(const StudyCommand& given) {
  if (given.words.empty()) {
    print_study_catalogs();
    return finished;
  }
  const std::string& first = given.words.front();
  if (first == "show") return show_run(given);
  if (first == "merge") return merge_studies(given);
  if (given.words.size() > 1) {
    Diagnostics faults;
    faults.error("usage.study", fmt::format("got '{}' behind '{}'", given.words[1], first), {},
                 "one study at a time; `show` and `merge` come first");
    print_faults(faults);
    return bad_input;
  }
  return first.ends_with(".h5") ? show_study(given, first) : run_study(given, first);
}

}  // namespace

Verb study_verb() {
  auto o = std::make_shared<StudyCommand>();
  return {
      "study",
      "many runs of a model: what varies, what is kept, what it says together",
      {{"WHAT", "study (.yaml), its file (.h5), `show FILE N`, `merge WHOLE PART...`; none: lists",
        &o->words},
       {"--out", "file of the study (.h5), table (.csv), page (.html); of `show` a model (.yaml)",
        &o->out},
       {.name = "--threads",
        .doc = "0: all processors",
        .to = &o->threads,
        .range = Argument::Range::non_negative,
        .show_default = true},
       {"--resume", "do the runs that the file has not", &o->resume},
       {"--chunk", "I/N: part I of N, for several processes", &o->chunk},
       force_argument(o->force),
       {"--json", "print one JSON document", &o->json},
       {"--quiet", "print nothing but errors", &o->quiet}},
      [o] { return study(*o); }};
}

}  // namespace kardan::cli
