#include "kardan/io/stored_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kardan/io/description_json.h"
#include "kardan/io/hdf5_dataset.h"
#include "kardan/io/hdf5_seal.h"

namespace kardan {
namespace {

/// A killed run leaves the mark of its writer; reading beside a writer does not mind it.
Handle open_file(const std::string& path, bool complete) {
  // Beside a writer the library tries again what does not fit yet, after 1, 2, 4, ... ns: 30 ms in
  // all. Its own number, 100, would have it wait for ever at a damaged place.
  constexpr unsigned attempts = 25;
  const unsigned flags = complete ? H5F_ACC_RDONLY : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  check(H5Pset_metadata_read_attempts(access, attempts) >= 0, path);
  return {H5Fopen(path.c_str(), flags, access), H5Fclose, "HDF5 cannot open it"};
}

std::string read_text(hid_t file, const char* name) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  StoredDataset set(file, name, {H5T_STD_U8LE, {}});
  check(set.rows() <= longest, std::string(name) + " is too large");
  std::string text(set.rows(), '\0');
  set.read(0, text.size(), text.data());
  return text;
}

StoredDataset open_block(hid_t file, const ResultBlock& block) {
  std::vector<hsize_t> inner;
  if (!block.items.empty()) inner.push_back(block.items.size());
  if (!block.components.empty()) inner.push_back(block.components.size());
  return {file, block.name, {H5T_IEEE_F64LE, inner}};
}

StoredDataset open_steps(hid_t file) {
  return {file, "steps", {step_type(), {}}};
}

/// What can be said of a run that was killed.
Json without_end(const ResultDescription& d, double t) {
  Json c{{"model", d.title},
         {"reason", "interrupted"},
         {"message", "the program was ended before the run was;"},
         {"advice", "what had been computed is here."},
         {"t_reached", t},
         {"method", d.asked.value("method", "")},
         {"formulation", ""},
         {"tolerance", d.asked.value("tolerance", 0.0)},
         {"asked", d.asked},
         {"events", Json::array()}};
  return c;
}

/// Nothing where the text is no JSON, or so deep that nobody could write it out again.
std::optional<Json> parsed(const std::string& text) {
  constexpr int deepest = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > deepest) return std::nullopt;
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

void damaged(const std::string& path, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.error("result.damaged", what, {path}, "copy it again, or repeat the run");
}

void tell_steps(hid_t file, ResultSink& sink) {
  constexpr hsize_t piece = 256;
  StoredDataset steps = open_steps(file);
  std::vector<StoredStep> some(piece);
  for (hsize_t i = 0; i < steps.rows(); i += piece) {
    const hsize_t count = std::min(piece, steps.rows() - i);
    steps.read(i, count, some.data());
    for (hsize_t k = 0; k < count; ++k) {
      const auto step = from_stored(some[k]);
      check(step.has_value(), "a step has no number of rejected attempts");
      sink.step(*step);
    }
  }
}

void tell_rows(hid_t file, const ResultLayout& layout, std::size_t all, ResultSink& sink) {
  constexpr std::size_t most_numbers = std::size_t{1} << 20, most_rows = 256;
  const auto width = static_cast<std::size_t>(layout.width);
  const std::size_t piece = std::clamp<std::size_t>(most_numbers / width, 1, most_rows);
  std::vector<StoredDataset> sets;
  for (const ResultBlock& block : layout.blocks) sets.push_back(open_block(file, block));
  std::vector<double> rows(piece * width), values;
  for (std::size_t i = 0; i < all; i += piece) {
    const std::size_t count = std::min(piece, all - i);
    for (std::size_t b = 0; b < sets.size(); ++b) {
      const ResultBlock& block = layout.blocks[b];
      const auto size = static_cast<std::size_t>(block.size());
      values.resize(count * size);
      sets[b].read(i, count, values.data());
      for (std::size_t k = 0; k < count; ++k)
        std::copy_n(values.begin() + static_cast<long>(k * size), size,
                    rows.begin() + static_cast<long>(k * width) + block.first);
    }
    for (std::size_t k = 0; k < count; ++k) sink.row(std::span(rows).subspan(k * width, width));
  }
}

}  // namespace

bool is_stored_result(std::string_view path) {
  return path.ends_with(".h5");
}

std::optional<StoredResult> StoredResult::open(const std::string& path, Diagnostics& diagnostics) {
  Seal seal;
  if (!check_seal(path, seal, diagnostics)) return std::nullopt;
  silence_hdf5();
  StoredResult out;
  out.path_ = path;
  out.complete_ = seal.state == SealState::complete;
  try {
    const Handle file = open_file(path, out.complete_);
    const auto json = parsed(read_text(file, "description"));
    check(json.has_value(), "its description is no JSON");
    out.description_ = description_from(*json);
    out.description_.model = read_text(file, "model");
    StoredDataset time = open_block(file, out.description_.layout.blocks.front());
    std::uint64_t stored = open_steps(file).stored_bytes();
    hsize_t rows = time.rows();
    for (const ResultBlock& block : out.description_.layout.blocks) {
      const StoredDataset set = open_block(file, block);
      rows = std::min(rows, set.rows());
      stored += set.stored_bytes();
    }
    // No part of the file is two parts of the result.
    check(stored <= std::filesystem::file_size(path), "more is in it than the file can hold");
    out.rows_ = rows;
    const auto certificate = parsed(read_text(file, "certificate"));
    check(!out.complete_ || (certificate && certificate->is_object()),
          "its certificate is no JSON object");
    double t = 0;
    if (out.rows_ > 0) time.read(out.rows_ - 1, 1, &t);
    out.certificate_ = out.complete_ ? *certificate : without_end(out.description_, t);
    if (!out.complete_)
      diagnostics.warning("result.unfinished",
                          fmt::format("the run was ended by force; it is shown to t = {:.9g} s", t),
                          {path});
    return out;
  } catch (const Hdf5Error& e) {
    damaged(path, e.what(), diagnostics);
  } catch (const std::exception& e) {
    damaged(path, fmt::format("its description does not fit: {}", e.what()), diagnostics);
  }
  return std::nullopt;
}

bool StoredResult::replay(ResultSink& sink, Diagnostics& diagnostics) const {
  try {
    sink.begin(description_);
    const Handle file = open_file(path_, complete_);
    tell_steps(file, sink);
    tell_rows(file, description_.layout, rows_, sink);
    sink.end(certificate_);
    return true;
  } catch (const Hdf5Error& e) {
    damaged(path_, e.what(), diagnostics);
  } catch (const Json::exception& e) {
    damaged(path_, fmt::format("its certificate does not fit: {}", e.what()), diagnostics);
  }
  return false;
}

}  // namespace kardan
