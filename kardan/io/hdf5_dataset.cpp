#include "kardan/io/hdf5_dataset.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kardan {
namespace {

/// Kardan's chunks hold 4096 bytes of text, or rows of at most a megabyte, or the fewest rows.
constexpr std::size_t usual_chunk = std::size_t{1} << 20, fewest_rows = 8;
/// A byte of deflate stands for at most this many (zlib, "Technical details").
constexpr double densest = 1032;
constexpr std::size_t sum_bytes = 4;

/// In the order in which they are applied when writing.
constexpr std::array<H5Z_filter_t, 3> filters{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                              H5Z_FILTER_FLETCHER32};
constexpr unsigned deflate_skipped = 1U << 1;  // where it would not have saved room

/// Fletcher's checksum as HDF5 stores it: over big-endian words, folded to 16 bits each.
std::uint32_t fletcher32(const unsigned char* data, std::size_t size) {
  constexpr std::size_t most = 360;  // words whose sums fit into 32 bits
  const auto fold = [](std::uint32_t x) { return (x & 0xffffU) + (x >> 16U); };
  std::uint32_t one = 0, two = 0;
  for (std::size_t words = size / 2; words > 0;) {
    const std::size_t some = std::min(words, most);
    for (std::size_t i = 0; i < some; ++i, data += 2) {
      one += static_cast<std::uint32_t>(data[0]) << 8U | data[1];
      two += one;
    }
    words -= some;
    one = fold(one);
    two = fold(two);
  }
  if (size % 2 == 1) {
    one += static_cast<std::uint32_t>(*data) << 8U;
    two += one;
    one = fold(one);
    two = fold(two);
  }
  return fold(two) << 16U | fold(one);
}

/// Exactly as many bytes as `out` has, or false.
bool inflate_into(std::vector<unsigned char>& packed, std::size_t size,
                  std::vector<unsigned char>& out) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return false;
  z.next_in = packed.data();
  z.avail_in = static_cast<uInt>(size);
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&z, Z_FINISH);
  const bool good = status == Z_STREAM_END && z.total_out == out.size();
  inflateEnd(&z);
  return good;
}

/// Bytes of the same place of all items stand together: back to items.
void unshuffle(const std::vector<unsigned char>& from, std::size_t item,
               std::vector<unsigned char>& to) {
  const std::size_t count = from.size() / item;
  for (std::size_t byte = 0; byte < item; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * item + byte] = from[byte * count + i];
}

/// Multiplied, or a refusal where it is too large for this machine.
std::size_t product(std::size_t a, hsize_t b, const std::string& name) {
  constexpr std::size_t most = std::size_t{1} << 40;
  check(b <= most && (b == 0 || a <= most / b), name + " is too large");
  return a * b;
}

}  // namespace

StoredDataset::StoredDataset(hid_t file, const std::string& name, const DatasetShape& wanted)
    : name_(name) {
  H5L_info_t link;
  check(H5Lget_info(file, name.c_str(), &link, H5P_DEFAULT) >= 0, "there is no dataset " + name);
  check(link.type == H5L_TYPE_HARD, name + " is a link to somewhere else");
  H5O_info_t object;
  check(H5Oget_info_by_name(file, name.c_str(), &object, H5P_DEFAULT) >= 0 &&
            object.type == H5O_TYPE_DATASET,
        "there is no dataset " + name);
  set_ = Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, name + " cannot be opened");
  check_creation(1 + wanted.inner.size());
  const Handle type(H5Dget_type(set_), H5Tclose, name);
  check(H5Tequal(type, wanted.type) > 0, name + " has another type");
  const Handle space(H5Dget_space(set_), H5Sclose, name);
  shape_.resize(1 + wanted.inner.size());
  check(H5Sis_simple(space) > 0 &&
            H5Sget_simple_extent_ndims(space) == static_cast<int>(shape_.size()) &&
            H5Sget_simple_extent_dims(space, shape_.data(), nullptr) ==
                static_cast<int>(shape_.size()) &&
            std::equal(wanted.inner.begin(), wanted.inner.end(), shape_.begin() + 1),
        name + " has another shape");
  check(std::equal(wanted.inner.begin(), wanted.inner.end(), chunk_.begin() + 1) && chunk_[0] > 0,
        name + " has other chunks");
  rows_ = shape_[0];
  loaded_ = rows_ + 1;
  item_bytes_ = H5Tget_size(type);
  row_bytes_ = item_bytes_;
  for (const hsize_t n : wanted.inner) row_bytes_ = product(row_bytes_, n, name);
  chunk_bytes_ = product(row_bytes_, chunk_[0], name);
  check(row_bytes_ > 0 && chunk_bytes_ <= std::max(usual_chunk, fewest_rows * row_bytes_),
        name + " has other chunks");
  stored_bytes_ = H5Dget_storage_size(set_);
  // Every chunk is there: none stands for values that were never written.
  check(static_cast<double>(rows_) * static_cast<double>(row_bytes_) <=
            densest * static_cast<double>(stored_bytes_),
        name + " has more rows than the file can hold");
}

/// Chunks inside of this file, packed as Kardan packs them.
void StoredDataset::check_creation(std::size_t rank) {
  const Handle how(H5Dget_create_plist(set_), H5Pclose, name_);
  check(H5Pget_layout(how) == H5D_CHUNKED && H5Pget_external_count(how) == 0,
        name_ + " is stored in another way");
  check(H5Pget_nfilters(how) == static_cast<int>(filters.size()), name_ + " is packed otherwise");
  for (unsigned i = 0; i < filters.size(); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    check(H5Pget_filter2(how, i, &flags, &values, nullptr, 0, nullptr, nullptr) == filters[i],
          name_ + " is packed otherwise");
  }
  // As many as HDF5 allows: the true number is compared before any is used.
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  check(H5Pget_chunk(how, H5S_MAX_RANK, chunk.data()) == static_cast<int>(rank),
        name_ + " has another shape");
  chunk_.assign(chunk.begin(), chunk.begin() + static_cast<long>(rank));
}

void StoredDataset::load_chunk(hsize_t index) {
  if (index == loaded_) return;
  loaded_ = rows_ + 1;
  std::vector<hsize_t> at(shape_.size(), 0);
  at[0] = index * chunk_[0];
  hsize_t size = 0;
  check(H5Dget_chunk_storage_size(set_, at.data(), &size) >= 0 && size > sum_bytes,
        name_ + " lacks rows");
  check(size <= compressBound(chunk_bytes_) + sum_bytes, name_ + " is packed otherwise");
  packed_.resize(size);
  std::uint32_t skipped = 0;
  check(H5Dread_chunk(set_, H5P_DEFAULT, at.data(), &skipped, packed_.data()) >= 0,
        name_ + " cannot be read");
  const std::size_t body = size - sum_bytes;
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < sum_bytes; ++k)
    sum |= static_cast<std::uint32_t>(packed_[body + k]) << 8 * k;
  check((skipped & ~deflate_skipped) == 0 && fletcher32(packed_.data(), body) == sum,
        "a checksum inside the file does not fit");
  filtered_.resize(chunk_bytes_);
  if (skipped != 0) {
    check(body == chunk_bytes_, name_ + " is packed otherwise");
    std::copy_n(packed_.begin(), body, filtered_.begin());
  } else {
    check(inflate_into(packed_, body, filtered_), name_ + " cannot be unpacked");
  }
  chunk_data_.resize(chunk_bytes_);
  unshuffle(filtered_, item_bytes_, chunk_data_);
  loaded_ = index;
}

void StoredDataset::read(hsize_t first, hsize_t count, void* out) {
  check(first <= rows_ && count <= rows_ - first, name_ + " lacks rows");
  auto* to = static_cast<unsigned char*>(out);
  while (count > 0) {
    load_chunk(first / chunk_[0]);
    const hsize_t inside = first % chunk_[0], some = std::min(count, chunk_[0] - inside);
    std::memcpy(to, chunk_data_.data() + inside * row_bytes_, some * row_bytes_);
    to += some * row_bytes_;
    first += some;
    count -= some;
  }
}

}  // namespace kardan
