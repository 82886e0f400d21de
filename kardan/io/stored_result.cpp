#include "kardan/io/stored_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/io/description_json.h"
#include "kardan/io/hdf5_handle.h"
#include "kardan/io/hdf5_seal.h"

namespace kardan {
namespace {

using io::check;
using io::Handle;

/// A dataset with its present shape.
struct Opened {
  Handle set;
  std::vector<hsize_t> shape;

  Opened(hid_t file, const std::string& name)
      : set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "there is no dataset " + name) {
    const Handle space(H5Dget_space(set), H5Sclose, name);
    const int rank = H5Sget_simple_extent_ndims(space);
    check(rank >= 1 && rank <= 3, name + " has another shape");
    shape.resize(rank);
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  }
  void read(hid_t type, hsize_t first, hsize_t count, void* out) const {
    std::vector<hsize_t> start(shape.size(), 0), size = shape;
    start[0] = first;
    size[0] = count;
    const Handle file(H5Dget_space(set), H5Sclose, "no space");
    const Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                        H5Sclose, "no space");
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >=
                  0 &&
              H5Dread(set, type, memory, file, H5P_DEFAULT, out) >= 0,
          "a checksum inside the file does not fit");
  }
};

/// A killed run leaves the mark of its writer; reading beside a writer does not mind it.
Handle open_file(const std::string& path, bool complete) {
  const unsigned flags = complete ? H5F_ACC_RDONLY : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return {H5Fopen(path.c_str(), flags, access), H5Fclose, "HDF5 cannot open it"};
}

std::string read_text(hid_t file, const char* name) {
  const Opened set(file, name);
  check(set.shape.size() == 1, std::string(name) + " has another shape");
  std::string text(set.shape[0], '\0');
  if (!text.empty()) set.read(H5T_NATIVE_UINT8, 0, text.size(), text.data());
  return text;
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

std::optional<Json> parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

StepRecord step_of(const io::StoredStep& s) {
  StepRecord r;
  r.t = s.time;
  r.h = s.size;
  r.error = s.error;
  r.rejected = static_cast<long>(s.rejected);
  r.residuals = {s.position, s.velocity, s.acceleration};
  r.kinetic = s.kinetic;
  r.potential = s.potential;
  r.work = s.work;
  r.unbalanced = s.unbalanced;
  return r;
}

void damaged(const std::string& path, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.error("result.damaged", what, {path}, "copy it again, or repeat the run");
}

}  // namespace

bool is_stored_result(std::string_view path) {
  return path.ends_with(".h5");
}

std::optional<StoredResult> StoredResult::open(const std::string& path, Diagnostics& diagnostics) {
  io::Seal seal;
  if (!io::check_seal(path, seal, diagnostics)) return std::nullopt;
  io::silence_hdf5();
  StoredResult out;
  out.path_ = path;
  out.complete_ = seal.state == io::SealState::complete;
  try {
    const Handle file = open_file(path, out.complete_);
    const auto json = parsed(read_text(file, "description"));
    check(json.has_value(), "its description is no JSON");
    out.description_ = description_from(*json);
    out.description_.model = read_text(file, "model");
    out.rows_ = Opened(file, "time").shape[0];
    for (const ResultBlock& block : out.description_.layout.blocks) {
      const Opened set(file, block.name);
      hsize_t size = 1;
      for (std::size_t k = 1; k < set.shape.size(); ++k) size *= set.shape[k];
      check(size == static_cast<hsize_t>(block.size()), block.name + " has another shape");
      out.rows_ = std::min<std::size_t>(out.rows_, set.shape[0]);
    }
    const auto certificate = parsed(read_text(file, "certificate"));
    double t = 0;
    if (out.rows_ > 0) Opened(file, "time").read(H5T_NATIVE_DOUBLE, out.rows_ - 1, 1, &t);
    out.complete_ = out.complete_ && certificate;
    out.certificate_ = out.complete_ ? *certificate : without_end(out.description_, t);
    if (!out.complete_)
      diagnostics.warning("result.unfinished",
                          fmt::format("the run was ended by force; it is shown to t = {:.9g} s", t),
                          {path});
    return out;
  } catch (const io::Hdf5Error& e) {
    damaged(path, e.what(), diagnostics);
  } catch (const std::exception& e) {
    damaged(path, fmt::format("its description does not fit: {}", e.what()), diagnostics);
  }
  return std::nullopt;
}

bool StoredResult::tell(ResultSink& sink, Diagnostics& diagnostics) const {
  constexpr std::size_t piece = 256;
  const ResultLayout& layout = description_.layout;
  sink.begin(description_);
  try {
    const Handle file = open_file(path_, complete_);
    const Opened steps(file, "steps");
    const Handle type = io::step_type();
    std::vector<io::StoredStep> some(piece);
    for (hsize_t i = 0; i < steps.shape[0]; i += piece) {
      const hsize_t count = std::min<hsize_t>(piece, steps.shape[0] - i);
      steps.read(type, i, count, some.data());
      for (hsize_t k = 0; k < count; ++k) sink.step(step_of(some[k]));
    }
    std::vector<Opened> sets;
    for (const ResultBlock& block : layout.blocks) sets.emplace_back(file, block.name);
    std::vector<double> rows(piece * layout.width), values;
    for (std::size_t i = 0; i < rows_; i += piece) {
      const std::size_t count = std::min(piece, rows_ - i);
      for (std::size_t b = 0; b < sets.size(); ++b) {
        const ResultBlock& block = layout.blocks[b];
        const std::size_t size = block.size();
        values.resize(count * size);
        sets[b].read(H5T_NATIVE_DOUBLE, i, count, values.data());
        for (std::size_t k = 0; k < count; ++k)
          std::copy_n(values.begin() + static_cast<long>(k * size), size,
                      rows.begin() + static_cast<long>(k * layout.width + block.first));
      }
      for (std::size_t k = 0; k < count; ++k)
        sink.row(std::span(rows).subspan(k * layout.width, layout.width));
    }
    sink.end(certificate_);
    return true;
  } catch (const io::Hdf5Error& e) {
    damaged(path_, e.what(), diagnostics);
    return false;
  }
}

}  // namespace kardan
