#pragma once
/// A dataset of a stored result, as strangers may have made it. Nothing of it is read before its
/// link, layout, filters, type and shape are found to be those that Kardan writes: no soft or
/// external links, no external or virtual storage, no filters but shuffle, deflate and Fletcher's
/// checksum. The HDF5 library only says where chunks are; they are unpacked here, each into the
/// room that its shape says, so that a file cannot ask for more memory or time than its size
/// allows.

#include <cstdint>
#include <string>
#include <vector>

#include "kardan/io/hdf5_handle.h"

namespace kardan {

/// What a dataset must be.
struct DatasetShape {
  hid_t type;                  ///< as stored and in memory
  std::vector<hsize_t> inner;  ///< behind the rows
};

class StoredDataset {
 public:
  /// Throws Hdf5Error with the reason unless the dataset is there and as wanted.
  StoredDataset(hid_t file, const std::string& name, const DatasetShape& wanted);

  hsize_t rows() const { return rows_; }
  std::uint64_t stored_bytes() const { return stored_bytes_; }  ///< in the file, packed
  std::size_t row_bytes() const { return row_bytes_; }
  /// Rows `first` to `first + count`; throws Hdf5Error where the file does not hold them.
  void read(hsize_t first, hsize_t count, void* out);

 private:
  void check_creation(std::size_t rank);
  void load_chunk(hsize_t index);

  std::string name_;
  Handle set_;
  std::vector<hsize_t> shape_, chunk_;
  std::size_t item_bytes_ = 0, row_bytes_ = 0, chunk_bytes_ = 0;
  hsize_t rows_ = 0;
  std::uint64_t stored_bytes_ = 0;
  hsize_t loaded_;  // index of the chunk below; rows_ + 1: none
  std::vector<unsigned char> packed_, filtered_, chunk_data_;
};

}  // namespace kardan
