#include "kardan/study/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/io/report_json.h"
#include "kardan/run/versions.h"
#include "kardan/study/study_reader.h"

namespace kardan {
namespace {

/// Places of the arrays.
enum Array { summary, moments, correlation, quantile_values, sobol_indices };

const std::vector<std::string> moment_names{"count",        "mean",    "deviation",  "smallest",
                                            "smallest_run", "largest", "largest_run"};
const std::vector<std::string> summary_names{"runs",      "failed",   "amber",    "not_met",
                                             "p_not_met", "p_low_95", "p_high_95"};

/// The instructions that numerical code is chosen by at run time: others may give other last bits.
std::string instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__)
  std::string out = "x86-64";
  if (__builtin_cpu_supports("avx2")) out += " avx2";
  if (__builtin_cpu_supports("fma")) out += " fma";
  if (__builtin_cpu_supports("avx512f")) out += " avx512f";
  return out;
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

Json head_of(const StudyPlan& plan) {
  const RowShape shape(plan);
  Json out{{"format", "kardan study 1"},
           {"title", plan.title},
           {"parameters", shape.parameters()},
           {"kept", shape.kept()},
           {"quantiles", plan.quantiles},
           {"sensitivity_rows", plan.design->facts().pick_freeze_rows},
           {"drawn", plan.design->facts().is_drawn},
           {"runs", plan.design->runs()},
           {"computed_by", computed_here()},
           {"study", plan.text},
           {"model", plan.model_text}};
  for (const int code : {0, 1, 2, 3, 4, 5, 6, bad_model, bad_start, broken})
    out["reasons"][std::to_string(code)] = reason_name(code);
  return out;
}

std::vector<TableArray> arrays_of(const StudyPlan& plan) {
  const RowShape shape(plan);
  std::vector<std::string> values = shape.names();
  values.resize(shape.values());
  std::vector<std::string> shares;
  for (const double q : plan.quantiles) shares.push_back(fmt::format("{}", q));
  std::vector<TableArray> out{
      {"statistics/summary", "of all runs", {summary_names.size()}, {}, summary_names},
      {"statistics/moments",
       "of parameters and kept values",
       {values.size(), moment_names.size()},
       values,
       moment_names},
      {"statistics/correlation", "Pearson's", {values.size(), values.size()}, values, values},
      {"statistics/quantiles",
       "values below which shares of the runs lie",
       {values.size(), std::max<std::size_t>(1, shares.size())},
       values,
       shares}};
  if (plan.design->facts().pick_freeze_rows > 0)
    out.push_back({"statistics/sobol",
                   "kept values x parameters x (first order, its error, total, its error)",
                   {shape.kept().size(), shape.parameters().size(), 4},
                   shape.kept(),
                   {"first", "first_error", "total", "total_error"}});
  return out;
}

}  // namespace

std::string computed_here() {
  std::string out;
  for (const auto& [name, version] : versions()) out += fmt::format("{} {}, ", name, version);
  return out + instruction_set();
}

void StudyStore::create(const std::string& path, const StudyPlan& plan) {
  RunTable::create(
      path, {head_of(plan).dump(), RowShape(plan).names(), plan.design->runs(), arrays_of(plan)});
}

std::optional<StudyStore> StudyStore::open(const std::string& path, RunTable::Access access,
                                           Diagnostics& diagnostics) {
  auto table = RunTable::open(path, access, diagnostics);
  if (!table) return {};
  const Json head = Json::parse(table->head(), nullptr, false);
  const auto bad = [&] {
    diagnostics.error("result.damaged", "the head of the study is not as Kardan writes it",
                      {path, 0, 0}, "copy it again, or repeat the study");
  };
  try {
    RowShape shape(head.at("parameters").get<std::vector<std::string>>(),
                   head.at("kept").get<std::vector<std::string>>());
    if (shape.width() != table->width()) {
      bad();
      return {};
    }
    StudyStore out(std::move(*table), std::move(shape));
    out.title_ = head.at("title");
    out.study_ = head.at("study");
    out.model_ = head.at("model");
    out.computed_by_ = head.at("computed_by");
    out.drawn_ = head.at("drawn");
    out.shares_ = head.at("quantiles").get<std::vector<double>>();
    out.sensitivity_rows_ = head.at("sensitivity_rows");
    const std::size_t wanted = out.sensitivity_rows_ > 0 ? sobol_indices + 1 : sobol_indices;
    if (out.table_.array_count() == wanted) return out;
  } catch (const Json::exception&) {  // of strangers
  }
  bad();
  return {};
}

std::optional<StudyPlan> StudyStore::plan(Diagnostics& diagnostics) const {
  return read_study_text(study_, table_.path(), model_, diagnostics);
}

bool StudyStore::belongs_to(const StudyPlan& plan, Diagnostics& diagnostics) const {
  if (study_ == plan.text && model_ == plan.model_text && table_.rows() == plan.design->runs())
    return true;
  diagnostics.error("study.other",
                    study_ == plan.text ? "the file holds runs of another state of the model"
                                        : "the file holds another study",
                    {table_.path(), 0, 0},
                    "give another file with --out, or begin anew with --force");
  return false;
}

RowScan StudyStore::all() const {
  return [this](const RowVisitor& visit) { table_.scan(visit); };
}

RowScan StudyStore::sample() const {
  if (sensitivity_rows_ == 0) return all();
  return [this](const RowVisitor& visit) {
    const std::size_t block = shape_.parameters().size() + 2;
    table_.scan([&](std::uint64_t run, std::span<const double> row) {
      if (run % block < 2) visit(run, row);
    });
  };
}

std::uint64_t StudyStore::done() const {
  std::uint64_t count = 0;
  table_.scan([&](std::uint64_t, std::span<const double>) { ++count; });
  return count;
}

StudyResults StudyStore::reduce() const {
  StudyResults out;
  out.statistics = statistics(shape_, sample());
  out.quantiles = quantiles(shape_.values(), out.statistics.moments, shares_, sample());
  if (sensitivity_rows_ > 0) out.sensitivities = sensitivities(shape_, all());
  return out;
}

void StudyStore::keep(const StudyResults& r) {
  const StudyStatistics& s = r.statistics;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  table_.write_array(summary, std::vector<double>{number(s.runs), number(s.failed), number(s.amber),
                                                  number(s.not_met.hits), s.not_met.value,
                                                  s.not_met.low, s.not_met.high});
  std::vector<double> flat;
  for (const Moments& m : s.moments)
    flat.insert(flat.end(), {number(m.count), m.mean, m.deviation, m.smallest,
                             number(m.smallest_run), m.largest, number(m.largest_run)});
  table_.write_array(moments, flat);
  flat.clear();
  for (const auto& row : s.correlation) flat.insert(flat.end(), row.begin(), row.end());
  table_.write_array(correlation, flat);
  flat.clear();
  for (const auto& row : r.quantiles) flat.insert(flat.end(), row.begin(), row.end());
  if (!flat.empty()) table_.write_array(quantile_values, flat);
  if (!r.sensitivities) return;
  flat.clear();
  for (const auto& kept : r.sensitivities->of)
    for (const Sensitivity& x : kept)
      flat.insert(flat.end(), {x.first, x.first_error, x.total, x.total_error});
  table_.write_array(sobol_indices, flat);
}

}  // namespace kardan
