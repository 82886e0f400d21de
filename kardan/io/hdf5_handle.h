#pragma once
/// Handles of the HDF5 library that close themselves, and its failures as exceptions.

#include <hdf5.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kardan/io/stored_step.h"

namespace kardan {

/// What the library could not do, in our words.
struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the library keeps of its failures would be lost with the thread.
inline void check(bool good, const std::string& what) {
  if (good) return;
  H5Eclear2(H5E_DEFAULT);
  throw Hdf5Error(what);
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
    check(id >= 0, what);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }

  // NOLINTNEXTLINE: used wherever the library wants an id
  operator hid_t() const { return id_; }
  /// False when closing failed: what was written may be lost.
  bool reset() {
    const bool good = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return good;
  }
  /// Leaves it open.
  void leave() { id_ = -1; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// The library speaks through our messages only: in this thread, which need not be the one that
/// made the file.
inline void silence_hdf5() {
  H5dont_atexit();  // files are closed by their owners, or not at all
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

inline Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no string type");
  check(H5Tset_size(type, std::max<std::size_t>(1, length)) >= 0 &&
            H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0,
        "no string type");
  return type;
}

struct StoredEvent {
  double time;
  int event, direction;
};
Handle step_type();
Handle event_type();

}  // namespace kardan
