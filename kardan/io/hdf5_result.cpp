#include "kardan/io/hdf5_result.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "kardan/io/description_json.h"
#include "kardan/io/hdf5_handle.h"
#include "kardan/io/hdf5_seal.h"
#include "kardan/io/hdf5_write.h"

namespace kardan {
namespace {

/// Of all blocks together; a chunk of each block holds as many rows.
constexpr double chunk_bytes = 1 << 20;
constexpr std::size_t fewest_chunk_rows = 8, most_rows = 512;
constexpr std::size_t text_chunk = 4096, step_chunk = 512, event_chunk = 64;
constexpr int compression = 4;
/// How often a run is flushed. A chunk that is not full is written when it has twice the rows it
/// had when it was written last, or after `longest_wait`: its old place in the file is lost.
constexpr std::chrono::milliseconds flush_interval{200}, longest_wait{30'000};

std::string file_name(hid_t file) {
  const auto length = std::max<ssize_t>(0, H5Fget_name(file, nullptr, 0));
  std::string out(static_cast<std::size_t>(length), '\0');
  if (length > 0) H5Fget_name(file, out.data(), out.size() + 1);
  return out;
}

/// A dataset that grows along its first dimension.
class Series {
 public:
  Series(hid_t file, const std::string& name, const Handle& type, std::vector<hsize_t> shape,
         hsize_t chunk)
      : name_(file_name(file) + ", " + name),
        type_(H5Tcopy(type), H5Tclose, name),
        shape_(std::move(shape)) {
    std::vector<hsize_t> most = shape_, chunks = shape_;
    shape_[0] = 0;
    most[0] = H5S_UNLIMITED;
    chunks[0] = chunk;
    const Handle space(H5Screate_simple(rank(), shape_.data(), most.data()), H5Sclose, name);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
    check(H5Pset_chunk(how, rank(), chunks.data()) >= 0 && H5Pset_shuffle(how) >= 0 &&
              H5Pset_deflate(how, compression) >= 0 && H5Pset_fletcher32(how) >= 0,
          name);
    set_ = Handle(H5Dcreate2(file, name.c_str(), type_, space, H5P_DEFAULT, how, H5P_DEFAULT),
                  H5Dclose, "cannot create " + name_);
  }

  hid_t id() const { return set_; }
  void leave() { set_.leave(); }
  /// Writes rows from `first` on; rows that were written before are replaced.
  void write(hsize_t first, hsize_t count, const void* data) {
    shape_[0] = std::max(shape_[0], first + count);
    check(H5Dset_extent(set_, shape_.data()) >= 0, "cannot extend " + name_);
    std::vector<hsize_t> start(shape_.size(), 0), size = shape_;
    start[0] = first;
    size[0] = count;
    const Handle file(H5Dget_space(set_), H5Sclose, name_);
    const Handle memory(H5Screate_simple(rank(), size.data(), nullptr), H5Sclose, name_);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >=
                  0 &&
              H5Dwrite(set_, type_, memory, file, H5P_DEFAULT, data) >= 0,
          "cannot write " + name_ + ": is the disk full?");
  }
  hsize_t rows() const { return shape_[0]; }

 private:
  int rank() const { return static_cast<int>(shape_.size()); }

  std::string name_;  // for messages, with the file
  Handle type_;
  std::vector<hsize_t> shape_;
  Handle set_;
};

/// A long text, compressed, as bytes.
Series put_text(hid_t file, const char* name, const std::string& text, const char* doc) {
  const Handle byte(H5Tcopy(H5T_STD_U8LE), H5Tclose, name);
  Series set(file, name, byte, {0}, text_chunk);
  put_attribute(set.id(), "doc", std::string(doc));
  if (!text.empty()) set.write(0, text.size(), text.data());
  return set;
}

class Hdf5Result final : public ResultSink {
 public:
  explicit Hdf5Result(const std::string& path) : path_(path) {
    silence_hdf5();
    const Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
    check(H5Pset_userblock(create, seal_size) >= 0 &&
              H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0,
          path);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create, access);
    if (file < 0) throw std::system_error(errno ? errno : EIO, std::generic_category(), path);
    file_ = Handle(file, H5Fclose, path);
  }
  Hdf5Result(const Hdf5Result&) = delete;
  Hdf5Result& operator=(const Hdf5Result&) = delete;
  /// Closing a file that it could not write crashes the HDF5 library.
  ~Hdf5Result() override {
    if (whole_) return;
    for (std::vector<Series>* const list : {&blocks_, &extra_})
      for (Series& series : *list) series.leave();
    file_.leave();
  }

  void begin(const ResultDescription& description) override;
  void row(std::span<const double> row) override;
  void step(const StepRecord& step) override;
  void end(const Json& certificate) override;

 private:
  void add_block(const ResultBlock& block);
  void write_rows();
  void write_steps();
  void flush();
  void flush_sometimes();

  using Clock = std::chrono::steady_clock;
  std::string path_;
  bool whole_ = true;  // the last call came to its end
  Handle file_, real_, step_type_, event_type_;
  ResultLayout layout_;
  std::vector<std::string> events_;  // names
  std::vector<Series> blocks_;
  std::vector<Series> extra_;  // steps, events, certificate
  std::size_t chunk_rows_ = 1;
  std::vector<double> buffer_, piece_;     // rows of the chunk that is being filled
  std::size_t buffered_ = 0, stored_ = 0;  // rows of it; of these, written
  hsize_t first_ = 0;                      // row where it begins
  std::vector<StoredStep> steps_;
  std::size_t stored_steps_ = 0;
  hsize_t first_step_ = 0;
  Clock::time_point next_flush_ = Clock::now() + flush_interval, last_rows_ = Clock::now();
};

void Hdf5Result::add_block(const ResultBlock& block) {
  std::vector<hsize_t> shape{0};
  if (!block.items.empty()) shape.push_back(block.items.size());
  if (!block.components.empty()) shape.push_back(block.components.size());
  blocks_.emplace_back(file_, block.name, real_, shape, chunk_rows_);
  const hid_t set = blocks_.back().id();
  put_attribute(set, "doc", block.doc);
  put_attribute(set, "units", block.units);
  put_attribute(set, "components", block.components);
  if (block.items.empty()) return;
  put_texts(file_, "names/" + block.name, block.items);
  if (block.components.empty()) put_texts(file_, "units/" + block.name, block.units);
}

void Hdf5Result::begin(const ResultDescription& description) {
  whole_ = false;
  layout_ = description.layout;
  events_ = description.events;
  const double row_bytes = 8.0 * layout_.width;
  chunk_rows_ =
      std::clamp(static_cast<std::size_t>(chunk_bytes / row_bytes), fewest_chunk_rows, most_rows);
  buffer_.resize(chunk_rows_ * layout_.width);
  real_ = Handle(H5Tcopy(H5T_IEEE_F64LE), H5Tclose, path_);
  step_type_ = step_type();
  event_type_ = event_type();
  put_attribute(file_, "format", std::string("kardan result 1"));
  put_attribute(file_, "title", description.title);
  put_text(file_, "model", description.model, "the model as YAML, with the options of this run");
  put_text(file_, "description", to_json(description).dump(), "layout and scene as JSON");
  for (const char* group : {"names", "units"})
    Handle(H5Gcreate2(file_, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, group);
  for (const ResultBlock& block : layout_.blocks) add_block(block);
  if (!description.events.empty()) put_texts(file_, "names/events", description.events);
  extra_.emplace_back(file_, "steps", step_type_, std::vector<hsize_t>{0}, step_chunk);
  put_attribute(extra_[0].id(), "units",
                {"s", "s", "tolerances", "1", "1", "1", "1", "J", "J", "J", "J"});
  put_attribute(extra_[0].id(), "doc",
                std::string("the start and every accepted step; residuals in the model's scales"));
  extra_.emplace_back(file_, "events", event_type_, std::vector<hsize_t>{0}, event_chunk);
  put_attribute(extra_[1].id(), "units", {"s", "index in names/events", "+1 rising, -1 falling"});
  extra_.push_back(put_text(file_, "certificate", "", "as `kardan run --json` prints it"));
  // From here on the file can be read at any time, also when the program is killed.
  check(H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0 && H5Fstart_swmr_write(file_) >= 0,
        "cannot write " + path_);
  flush();
  whole_ = true;
}

void Hdf5Result::row(std::span<const double> row) {
  whole_ = false;
  std::copy(row.begin(), row.end(), buffer_.begin() + static_cast<long>(buffered_ * layout_.width));
  ++buffered_;
  if (buffered_ == chunk_rows_) {
    write_rows();
    first_ += buffered_;
    buffered_ = stored_ = 0;
  }
  flush_sometimes();
  whole_ = true;
}

/// The time goes last: a row counts when it has one.
void Hdf5Result::write_rows() {
  if (buffered_ == 0) return;
  silence_hdf5();
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const ResultBlock& block = layout_.blocks[b];
    piece_.clear();
    for (std::size_t i = 0; i < buffered_; ++i) {
      const double* from = buffer_.data() + i * layout_.width + block.first;
      piece_.insert(piece_.end(), from, from + block.size());
    }
    blocks_[b].write(first_, buffered_, piece_.data());
  }
  stored_ = buffered_;
  last_rows_ = Clock::now();
}

void Hdf5Result::step(const StepRecord& s) {
  whole_ = false;
  steps_.push_back(to_stored(s));
  if (steps_.size() == step_chunk) {
    write_steps();
    first_step_ += steps_.size();
    steps_.clear();
    stored_steps_ = 0;
  }
  flush_sometimes();
  whole_ = true;
}

void Hdf5Result::write_steps() {
  silence_hdf5();
  if (!steps_.empty()) extra_[0].write(first_step_, steps_.size(), steps_.data());
  stored_steps_ = steps_.size();
}

void Hdf5Result::flush_sometimes() {
  const auto now = Clock::now();
  if (now < next_flush_) return;
  const bool long_ago = now > last_rows_ + longest_wait;
  if (buffered_ > stored_ && (buffered_ >= 2 * stored_ || long_ago)) write_rows();
  if (steps_.size() > stored_steps_ && (steps_.size() >= 2 * stored_steps_ || long_ago))
    write_steps();
  flush();
}

void Hdf5Result::flush() {
  silence_hdf5();
  check(H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0, "cannot write " + path_);
  Seal seal;
  seal.bytes = std::filesystem::file_size(path_);
  seal.rows = first_ + stored_;
  write_seal(path_, seal);
  next_flush_ = Clock::now() + flush_interval;
}

void Hdf5Result::end(const Json& certificate) {
  whole_ = false;
  write_rows();
  write_steps();
  std::vector<StoredEvent> events;
  for (const Json& e : certificate.at("events")) {
    const auto name = std::find(events_.begin(), events_.end(), e.at("event"));
    events.push_back({e.at("t"), static_cast<int>(name - events_.begin()),
                      e.at("direction") == "rising" ? 1 : -1});
  }
  if (!events.empty()) extra_[1].write(0, events.size(), events.data());
  const std::string text = certificate.dump(2);
  extra_[2].write(0, text.size(), text.data());
  Seal seal;
  seal.state = SealState::complete;
  seal.rows = first_ + buffered_;
  blocks_.clear();
  extra_.clear();
  check(file_.reset(), "cannot close " + path_);
  measure(path_, seal);
  write_seal(path_, seal);
  whole_ = true;
}

}  // namespace

std::unique_ptr<ResultSink> make_hdf5_result(const std::string& path, const ResultResources&) {
  return std::make_unique<Hdf5Result>(path);
}

}  // namespace kardan
