#include "kardan/io/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "kardan/base/text.h"
#include "kardan/io/checksum.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/input_file.h"
#include "kardan/io/memory_archive.h"
#include "kardan/io/run_options.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/run/versions.h"

namespace kardan {
namespace {

constexpr const char* title = "KARDAN CHECKPOINT ";
constexpr int version = 6;
/// More than any head of a later version.
constexpr std::size_t longest_head = 256;

}  // namespace

template <class A>
static void fields(A& a, JournalMark& x) {
  a(x.bytes, x.checksum);
}
template <class A>
static void fields(A& a, Checkpoint& x) {
  a(x.program, x.model, x.set, x.options, x.command, x.rows, x.memory);
}

namespace {

Diagnostic error(std::string code, std::string message, std::string hint) {
  return {Severity::error, std::move(code), std::move(message), std::move(hint), {}};
}

/// 64 bits of FNV-1a (Fowler, Noll, Vo).
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::string head(std::string_view body) {
  return fmt::format("{}{}\nbytes {}\nchecksum {:08x}\n\n", title, version, body.size(),
                     checksum(body));
}

const std::string* find(const NamedTexts& in, const std::string& name) {
  for (const auto& [key, value] : in)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

std::uint64_t model_hash(const Model& model, const ParameterValues& overrides) {
  Model plain = model;
  plain.name.clear();
  plain.simulate = {};
  YamlNode tree = to_tree(plain);
  for (const auto& [name, value] : overrides) set_parameter(tree, name, value);
  return hash(to_yaml(tree));
}

NamedTexts option_texts(const SimulateOptions& o) {
  NamedTexts out{{"method", o.method}};
  for (const RunOption& option : run_options())
    if (option.resumed == RunOption::Resumed::same)
      out.emplace_back(option.key, format_number(option.value(o)));
  for (const VariableTolerance& t : o.tolerance_of)
    out.emplace_back("tolerance of " + t.name, format_number(t.value));
  for (const auto& [name, value] : o.options) out.emplace_back(name, value);
  for (const auto& [name, value] : driver_option_values(o.driver))
    if (name != "max_steps") out.emplace_back(name, value);
  return out;
}

std::string to_bytes(const Checkpoint& checkpoint) {
  Checkpoint copy = checkpoint;  // an archive names members for reading too
  ArchiveWriter writer;
  fields(writer, copy);
  const std::string body = writer.take();
  return head(body) + body;
}

Expected<Checkpoint, Diagnostic> read_checkpoint(std::string_view bytes) {
  const std::string start(bytes.substr(0, longest_head));
  if (!start.starts_with(title))
    return error("checkpoint.foreign", "this is no checkpoint of Kardan",
                 "give a file that `kardan run --checkpoint FILE` has written");
  int found = 0;
  if (std::sscanf(start.c_str(), "KARDAN CHECKPOINT %9d", &found) == 1 && found != version)
    return error("checkpoint.version",
                 fmt::format("written in version {} of the format; this program reads version {}",
                             found, version),
                 "go on with the program that wrote it");
  const std::size_t end = start.find("\n\n");
  const std::string_view body =
      end == std::string::npos ? std::string_view() : bytes.substr(end + 2);
  Checkpoint out;
  ArchiveReader reader(body);
  // The head holds the length and the checksum of the body: it is compared as a whole.
  bool good = end != std::string::npos && head(body) == start.substr(0, end + 2);
  if (good) {
    fields(reader, out);
    good = reader.complete();
  }
  if (!good)
    return error("checkpoint.damaged", "the checksum does not fit: the file was changed or cut",
                 "take another copy, or begin the run anew");
  if (out.memory.paused) out.memory.report.driver.reason = Reason::paused;
  return out;
}

std::optional<Checkpoint> load_checkpoint(const std::string& path, Diagnostics& diagnostics) {
  const auto bytes = read_input(path, std::string::npos, FileKind::regular);
  if (!bytes) {
    diagnostics.error("file.open", bytes.error().why, {path}, "check the path and the permissions");
    return std::nullopt;
  }
  auto read = read_checkpoint(*bytes);
  if (read) return std::move(read).value();
  Diagnostic d = read.error();
  d.where = {path};
  diagnostics.add(std::move(d));
  return std::nullopt;
}

std::string rows_path(const std::string& checkpoint) {
  return checkpoint + ".rows";
}

void check_same_run(const Checkpoint& checkpoint, const std::string& path, std::uint64_t model,
                    const System& system, const SimulateOptions& options,
                    Diagnostics& diagnostics) {
  if (model != checkpoint.model) {
    diagnostics.error("checkpoint.model", "the checkpoint is of another model", {path},
                      "give the model, and the parameters (--set), that it was written with");
    return;
  }
  NamedTexts now = option_texts(options), then = checkpoint.options;
  for (const auto& [name, value] : then)
    if (!find(now, name)) now.emplace_back(name, "not given");
  for (const auto& [name, value] : now) {
    const std::string* before = find(then, name);
    if (before && *before == value) continue;
    diagnostics.error("checkpoint.option",
                      fmt::format("{} = {}; the run of the checkpoint has {}", name, value,
                                  before ? *before : "none"),
                      {path}, "leave it out: only t_end and max_steps may change");
  }
  if (diagnostics.has_errors()) return;
  if (!fits(system, checkpoint.memory)) {
    diagnostics.error("checkpoint.damaged", "its state does not belong to the model", {path},
                      "begin the run anew");
    return;
  }
  if (options.t_end < checkpoint.memory.state.t)
    diagnostics.error(
        "checkpoint.end",
        fmt::format("t_end = {} lies before the checkpoint, t = {}", format_number(options.t_end),
                    format_number(checkpoint.memory.state.t)),
        {path}, "give a later end");
  for (const auto& [name, value] : versions())
    if (name == "kardan" && value != checkpoint.program)
      diagnostics.warning(
          "checkpoint.program",
          fmt::format("written by kardan {}; this is {}", checkpoint.program, value), {path},
          "the run goes on, but bits may differ from those of a run in one piece");
}

}  // namespace kardan
