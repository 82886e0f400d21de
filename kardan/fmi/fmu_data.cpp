#include "kardan/fmi/fmu_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "kardan/base/signal.h"
#include "kardan/io/archive.h"
#include "kardan/model/parameters.h"
#include "kardan/run/prepare.h"
#include "kardan/run/recorder.h"

namespace kardan {
namespace {

constexpr std::string_view title = "KARDAN FMU 1\n";
constexpr std::size_t hash_digits = 32;

std::uint64_t hash(std::string_view text, std::uint64_t h) {
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

/// 128 bits of FNV-1a (Fowler, Noll, Vo), twice 64 from different starts.
std::string digits_of(std::string_view bytes) {
  const std::uint64_t a = hash(bytes, 0xcbf29ce484222325);
  return fmt::format("{:016x}{:016x}", a, hash(bytes, a ^ 0x9e3779b97f4a7c15));
}

template <class A, class Enum>
void choice(A& a, Enum& x) {
  int number = static_cast<int>(x);
  a(number);
  x = static_cast<Enum>(number);
}

}  // namespace

template <class A>
static void fields(A& a, SourceLocation& x) {
  std::string file = x.file.str();
  a(file, x.line, x.column);
  if (file != x.file.str()) x.file = SharedText(file);
}
template <class A>
static void fields(A& a, NamedFields& x) {
  a(x.name, x.fields, x.where, x.section);
}
template <class A>
static void fields(A& a, Model& x) {
  a(x.name, x.dimension, x.gravity, x.parameters, x.functions, x.defaults, x.ground, x.bodies,
    x.elements, x.wishes, x.events, x.frictions, x.invariants, x.outputs, x.equations,
    x.equilibrium, x.start, x.where);
}
template <class A>
static void fields(A& a, VariableTolerance& x) {
  a(x.name, x.value);
}
template <class A>
static void fields(A& a, FmuVariable& x) {
  a(x.name, x.unit, x.description, x.output, x.start);
  choice(a, x.of);
}

static void fields(ArchiveWriter& a, FieldValue& x) {
  std::size_t kind = x.data.index();
  a(kind);
  std::visit([&a](auto& value) { a(value); }, x.data);
  a(x.where);
}
static void fields(ArchiveReader& a, FieldValue& x) {
  std::size_t kind = 0;
  a(kind);
  if (kind == 0) x.data.emplace<0>();
  if (kind == 1) x.data.emplace<1>();
  if (kind == 2) x.data.emplace<2>();
  if (kind == 3) x.data.emplace<3>();
  std::visit([&a](auto& value) { a(value); }, x.data);
  a(x.where);
}

/// Options of a run that mean something step by step.
template <class A>
static void option_fields(A& a, SimulateOptions& x) {
  std::vector<std::pair<std::string, std::string>> options(x.options.begin(), x.options.end());
  a(x.method, options, x.t_end, x.relative, x.absolute, x.error_estimate, x.accuracy,
    x.checkpoint_every, x.tolerance_of);
  x.options = {options.begin(), options.end()};
  DriverOptions& d = x.driver;
  a(d.tolerance, d.first_step, d.smallest_step, d.largest_step, d.fixed_step, d.safety, d.growth,
    d.shrink, d.keep_below, d.max_steps, d.event_samples, d.event_resolution);
  choice(a, d.control);
  choice(a, d.estimate);
  choice(a, d.error_per);
}

template <class A>
static void fields(A& a, FmuData& x) {
  a(x.model, x.overrides, x.variables);
  option_fields(a, x.options);
}

namespace {

/// What stands under "unit" of a parameter or function that is written as a mapping.
std::string unit_of(const FieldValue& written) {
  if (const auto* map = std::get_if<FieldMap>(&written.data))
    for (const auto& [field, given] : *map)
      if (const auto* text = std::get_if<std::string>(&given.data); text && field == "unit")
        return *text;
  return {};
}

const FieldMap* input_fields(const FieldValue& function) {
  const auto* map = std::get_if<FieldMap>(&function.data);
  if (!map) return nullptr;
  for (const auto& [field, given] : *map)
    if (const auto* text = std::get_if<std::string>(&given.data))
      if (field == "type" && *text == "input") return map;
  return nullptr;
}

}  // namespace

std::vector<FmuVariable> fmu_variables(const Model& model, const ParameterValues& overrides,
                                       const std::vector<std::string>& fixed,
                                       Diagnostics& diagnostics) {
  using Of = FmuVariable::Of;
  std::vector<FmuVariable> out{{"time", "s", "", Of::time}};
  const Environment parameters = resolve_parameters(model.parameters, overrides, diagnostics);
  const auto system = compile_model(model, overrides, diagnostics);
  if (!system || diagnostics.has_errors()) return {};
  for (const auto& [name, function] : model.functions) {
    if (!input_fields(function)) continue;
    const auto compiled = system->blueprint().parameters.function(name);
    const auto* signal = dynamic_cast<const SignalFunction*>(compiled.get());
    if (signal)
      out.push_back({name, unit_of(function), "input", Of::input, false, signal->start()});
  }
  for (const auto& [name, written] : model.parameters)
    if (const double* value = parameters.find(name))
      if (std::ranges::find(fixed, name) == fixed.end())
        out.push_back({name, unit_of(written), "parameter", Of::parameter, false, *value});
  const Recorder recorder(*system);
  for (const ResultColumn& c : recorder.layout().columns)
    if (c.name != "time")
      out.push_back({c.name, c.unit, "", Of::column, c.chosen && !model.outputs.empty()});
  // A model that asks for no outputs shows its sensors and the motion of its bodies.
  if (model.outputs.empty())
    for (FmuVariable& v : out)
      v.output = v.of == Of::column && system->find_quantity(v.name).has_value();
  std::unordered_set<std::string> names;
  for (const FmuVariable& v : out)
    if (!names.insert(v.name).second)
      diagnostics.error("fmu.name", fmt::format("two variables are called '{}'", v.name), {},
                        "give one of them another name");
  return out;
}

std::string to_bytes(const FmuData& data) {
  FmuData copy = data;  // an archive names members for reading too
  ArchiveWriter writer;
  fields(writer, copy);
  const std::string body = writer.take();
  return std::string(title) + digits_of(body) + "\n" + body;
}

Expected<FmuData, std::string> read_fmu_data(std::string_view bytes) {
  const std::size_t head = title.size() + hash_digits + 1;
  if (!bytes.starts_with(title) || bytes.size() < head)
    return std::string("this is no model for the library inside FMUs, or one of another version");
  const std::string_view body = bytes.substr(head);
  if (bytes.substr(title.size(), hash_digits) != digits_of(body))
    return std::string("the model was changed or cut");
  FmuData out;
  ArchiveReader reader(body);
  fields(reader, out);
  if (!reader.complete()) return std::string("the model was changed or cut");
  return out;
}

std::string fmu_token(std::string_view bytes) {
  const std::string d = digits_of(bytes);
  return fmt::format("{{{}-{}-{}-{}-{}}}", d.substr(0, 8), d.substr(8, 4), d.substr(12, 4),
                     d.substr(16, 4), d.substr(20, 12));
}

}  // namespace kardan
