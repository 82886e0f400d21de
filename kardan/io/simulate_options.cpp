#include "kardan/io/simulate_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/run/ranges.h"

namespace kardan {
namespace {

struct SimulateFields {
  double t_end = 1, tolerance = 1e-6, relative = 0, absolute = 0, every = 0, step = 0;
  double checkpoint_every = 0;
  std::string method{method_for(Task::unless_asked).name}, formulation;

  template <class F>
  static void fields(F& f) {
    using S = SimulateFields;
    f("t_end", &S::t_end, {.unit = "s", .doc = "end of the run", .check = Check::positive});
    f("method", &S::method, {.doc = "see `kardan methods`; or METHOD@FORMULATION"});
    f("formulation", &S::formulation, {.doc = "default: the method's"});
    f("tolerance", &S::tolerance,
      {.doc = "relative, and absolute in the model's units", .check = Check::positive});
    f("relative", &S::relative, {.doc = "where it differs", .check = Check::positive});
    f("absolute", &S::absolute, {.doc = "where it differs", .check = Check::positive});
    f("every", &S::every,
      {.unit = "s", .doc = "spacing of the output grid", .check = Check::positive});
    f("step", &S::step,
      {.unit = "s", .doc = "fixed step, without error control", .check = Check::positive});
    f("checkpoint_every", &S::checkpoint_every,
      {.unit = "s", .doc = "distance of the restart points", .check = Check::positive});
  }
};

const FieldMap* mapping(const NamedFields& simulate, const char* key, Diagnostics& diagnostics) {
  const FieldValue* value = simulate.find(key);
  if (!value) return nullptr;
  const auto* map = std::get_if<FieldMap>(&value->data);
  if (!map)
    diagnostics.error("field.type", fmt::format("simulate.{}: wanted {{name: value, ...}}", key),
                      value->where);
  return map;
}

/// The same with the place in the file.
void add_at(const SourceLocation& where, const Diagnostics& found, Diagnostics& diagnostics) {
  for (Diagnostic d : found.all()) {
    if (d.where.line == 0) d.where = where;
    diagnostics.add(std::move(d));
  }
}

std::string option_text(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return format_number(*number);
  const auto* text = std::get_if<std::string>(&value.data);
  return text ? *text : "a list";
}

void method_option(const Choice& choice, const std::string& name, const FieldValue& value,
                   SimulateOptions& out, Diagnostics& diagnostics) {
  if (!choice.method || !choice.formulation) return;  // told already
  std::vector<OptionInfo> declared = choice.method->options;
  declared.insert(declared.end(), choice.formulation->options.begin(),
                  choice.formulation->options.end());
  const auto info = std::find_if(declared.begin(), declared.end(),
                                 [&](const OptionInfo& o) { return o.name == name; });
  if (info == declared.end()) {
    std::vector<std::string> names;
    names.reserve(declared.size());
    for (const OptionInfo& o : declared) names.push_back(o.name);
    for (const FieldDoc& d : driver_option_docs()) names.push_back(d.key);
    const std::string near = did_you_mean(name, names);
    diagnostics.error(
        "option.unknown", fmt::format("simulate.options: there is no option '{}'", name),
        value.where, near.empty() ? "`kardan methods` lists them" : "did you mean '" + near + "'?");
    return;
  }
  Diagnostics found;
  out.options[name] = option_text(value);
  check_option(*info, out.options[name], found);
  add_at(value.where, found, diagnostics);
}

}  // namespace

std::vector<FieldDoc> simulate_field_docs() {
  return field_docs<SimulateFields>();
}

FieldMap simulate_fields(const SimulateOptions& o) {
  FieldMap out{{"t_end", o.t_end}, {"method", o.method}, {"tolerance", o.driver.tolerance}};
  const auto where_set = [&](const char* key, double value) {
    if (value > 0) out.emplace_back(key, value);
  };
  where_set("relative", o.relative);
  where_set("absolute", o.absolute);
  where_set("every", o.every);
  where_set("step", o.driver.fixed_step);
  where_set("checkpoint_every", o.checkpoint_every);
  FieldMap options, each;
  for (const auto& [name, value] : o.options) options.emplace_back(name, value);
  const auto defaults = driver_option_values(DriverOptions{});
  const auto values = driver_option_values(o.driver);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != defaults[i] && values[i].first != "stop_times")
      options.emplace_back(values[i].first, values[i].second);
  if (!o.driver.stop_times.empty())
    options.emplace_back("stop_times",
                         FieldValue::List(o.driver.stop_times.begin(), o.driver.stop_times.end()));
  for (const VariableTolerance& t : o.tolerance_of) each.emplace_back(t.name, t.value);
  if (!options.empty()) out.emplace_back("options", std::move(options));
  if (!each.empty()) out.emplace_back("tolerance_of", std::move(each));
  return out;
}

void read_simulate_options(const NamedFields& simulate, const Environment& parameters,
                           MethodChoice who, SimulateOptions& out, Diagnostics& diagnostics) {
  std::vector<std::string> known{"options", "tolerance_of"};
  for (const FieldDoc& d : simulate_field_docs()) known.push_back(d.key);
  report_unknown_keys(simulate.fields, known, "simulate", diagnostics);
  const ValueReader reader(parameters, diagnostics);
  SimulateFields f;
  f.t_end = out.t_end;
  f.method = out.method;
  f.tolerance = out.driver.tolerance;
  if (!read_fields(simulate.fields, "simulate", simulate.where, reader, f)) return;
  out.t_end = f.t_end;
  out.driver.tolerance = f.tolerance;
  out.relative = f.relative;
  out.absolute = f.absolute;
  out.every = f.every;
  out.checkpoint_every = f.checkpoint_every;
  out.driver.fixed_step = f.step;
  out.method = f.method;
  if (!f.formulation.empty())
    out.method = f.method.substr(0, f.method.find('@')) + "@" + f.formulation;

  const FieldValue* named = simulate.find("formulation");
  if (!named) named = simulate.find("method");
  Diagnostics found;
  const Choice choice = choose_method(out.method, found);
  add_at(named ? named->where : simulate.where, found, diagnostics);
  if (const FieldMap* options = mapping(simulate, "options", diagnostics)) {
    for (const auto& [name, value] : *options) {
      if (is_driver_option(name))
        set_driver_option(name, value, out.driver, diagnostics);
      else if (who == MethodChoice::of_the_file)
        method_option(choice, name, value, out, diagnostics);
    }
  }
  if (const FieldMap* each = mapping(simulate, "tolerance_of", diagnostics)) {
    for (const auto& [name, value] : *each) {
      double tolerance = 0;
      if (reader.read(value, "simulate.tolerance_of." + name, {.check = Check::positive},
                      tolerance))
        out.tolerance_of.push_back({name, tolerance});
    }
  }
  const auto place = [&](std::string_view name) {
    const FieldValue* value = simulate.find(std::string(name));
    return value ? value->where : simulate.where;
  };
  check_ranges(out, 0, place, diagnostics);
}

}  // namespace kardan
