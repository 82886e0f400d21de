#include "apps/cli/study_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/text.h"
#include "kardan/io/output_file.h"
#include "kardan/study/design.h"
#include "kardan/study/distribution.h"
#include "kardan/study/kept.h"
#include "kardan/study/study_reader.h"

namespace kardan::cli {
namespace {

std::string keys_of(const std::vector<FieldDoc>& fields) {
  std::string out;
  for (const FieldDoc& f : fields) out += (out.empty() ? "" : ", ") + f.key;
  return out;
}

template <class Type>
void print_types(const char* title, const std::vector<Type>& types) {
  fmt::print("\n{}\n", title);
  for (const Type& t : types)
    fmt::print("  {:<20}{}{}\n", t.name, t.summary,
               t.fields.empty() ? "" : fmt::format(" ({})", keys_of(t.fields)));
}

std::string number(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.6g}", x);
}

std::string percent(double x) {
  return fmt::format("{:.3g} %", 100 * x);
}

/// Numbers as JSON knows them.
Json json(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}

std::vector<std::string> value_names(const RowShape& shape) {
  std::vector<std::string> out = shape.names();
  out.resize(shape.values());
  return out;
}

void print_sensitivities(const StudyStore& store, const Sensitivities& s) {
  const auto& parameters = store.shape().parameters();
  for (std::size_t k = 0; k < s.of.size(); ++k) {
    fmt::print("\nshares of the variance of {} ({} rows)\n{:<20}{:>12}{:>10}{:>12}{:>10}\n",
               store.shape().kept()[k], s.rows[k], "", "alone", "+-", "with others", "+-");
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      constexpr double z = 1.96;  // 95 % of a normal distribution
      const Sensitivity& x = s.of[k][j];
      fmt::print("{:<20}{:>12.4f}{:>10.4f}{:>12.4f}{:>10.4f}\n", parameters[j], x.first,
                 z * x.first_error, x.total, z * x.total_error);
    }
  }
}

}  // namespace

void print_study_catalogs() {
  fmt::print("A study is a file; `kardan study STUDY.yaml` does its runs.\n\nkeys\n");
  for (const auto& [key, doc] : study_keys()) fmt::print("  {:<20}{}\n", key, doc);
  print_types("vary: {PARAMETER: {type: ...}}", distribution_catalog());
  print_types("design: {type: ...}", design_catalog());
  fmt::print("\nkeep: {{NAME: FUNCTION(EXPRESSION)}}\n");
  for (const KeptFunction& f : kept_catalog())
    fmt::print("  {:<20}{}{}\n", f.name, f.summary,
               f.sight == Sight::rows ? " Of rows: needs `every`." : "");
}

void print_study(const StudyStore& store, const StudyResults& r) {
  const StudyStatistics& s = r.statistics;
  fmt::print("{}\n\n{:<14}{} of {}", printable(store.title(), Lines::one), "runs", store.done(),
             store.table().rows());
  if (s.failed + s.amber > 0)
    fmt::print("; in the sample {} failed, {} with remarks", s.failed, s.amber);
  fmt::print("\n{:<14}{} of {} runs fail or break what is required", "not met", s.not_met.hits,
             s.not_met.trials);
  if (store.drawn())
    fmt::print(": {}, between {} and {} at 95 %", percent(s.not_met.value), percent(s.not_met.low),
               percent(s.not_met.high));
  fmt::print("\n\n{:<20}{:>13}{:>13}{:>13}{:>13}", "", "mean", "deviation", "smallest", "largest");
  for (const double q : store.shares()) fmt::print("{:>13}", percent(q));
  const std::vector<std::string> names = value_names(store.shape());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Moments& m = s.moments[i];
    fmt::print("\n{:<20}{:>13}{:>13}{:>13}{:>13}", names[i], number(m.mean), number(m.deviation),
               number(m.smallest), number(m.largest));
    for (const double q : r.quantiles[i]) fmt::print("{:>13}", number(q));
    if (m.count < s.runs) fmt::print("   of {} runs", m.count);
  }
  fmt::print("\n");
  if (r.sensitivities) print_sensitivities(store, *r.sensitivities);
}

Json study_json(const StudyStore& store, const StudyResults& r) {
  const StudyStatistics& s = r.statistics;
  Json out{{"study", store.title()},
           {"runs", store.table().rows()},
           {"done", store.done()},
           {"sample", s.runs},
           {"failed", s.failed},
           {"amber", s.amber},
           {"not_met", {{"runs", s.not_met.hits}, {"share", json(s.not_met.value)}}}};
  if (store.drawn()) out["not_met"]["between"] = {json(s.not_met.low), json(s.not_met.high)};
  const std::vector<std::string> names = value_names(store.shape());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Moments& m = s.moments[i];
    Json& value = out["values"][names[i]];
    value = {{"count", m.count},
             {"mean", json(m.mean)},
             {"deviation", json(m.deviation)},
             {"smallest", json(m.smallest)},
             {"smallest_run", m.smallest_run},
             {"largest", json(m.largest)},
             {"largest_run", m.largest_run}};
    for (std::size_t k = 0; k < store.shares().size(); ++k)
      value["quantiles"][fmt::format("{}", store.shares()[k])] = json(r.quantiles[i][k]);
    for (std::size_t j = 0; j < names.size(); ++j)
      value["correlation"][names[j]] = json(s.correlation[i][j]);
  }
  if (!r.sensitivities) return out;
  for (std::size_t k = 0; k < r.sensitivities->of.size(); ++k)
    for (std::size_t j = 0; j < store.shape().parameters().size(); ++j) {
      const Sensitivity& x = r.sensitivities->of[k][j];
      out["sobol"][store.shape().kept()[k]][store.shape().parameters()[j]] = {
          {"first", json(x.first)},
          {"first_error", json(x.first_error)},
          {"total", json(x.total)},
          {"total_error", json(x.total_error)}};
    }
  return out;
}

std::string study_csv_header(const RowShape& shape) {
  return fmt::format("run,{}", fmt::join(shape.names(), ","));
}

void write_study_csv(const std::string& path, const StudyStore& store) {
  OutputFile file(path);
  file.write(study_csv_header(store.shape()) + "\n");
  store.table().scan([&](std::uint64_t run, std::span<const double> row) {
    file.print("{}", run);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i == store.shape().reason())
        file.print(",{}", reason_name(static_cast<int>(row[i])));
      else
        file.print(",{}", format_number(row[i]));
    file.write("\n");
  });
  file.close();
}

}  // namespace kardan::cli
