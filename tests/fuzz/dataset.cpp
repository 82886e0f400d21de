/// A dataset made by a recipe, in a file in memory: any shape, type, filters and chunks, behind
/// every checksum. It is refused, or read to its end; what HDF5 itself can read, it reads to the
/// same bytes.

#include <algorithm>
#include <cstring>
#include <optional>

#include "fuzz/targets.h"
#include "kardan/io/hdf5_dataset.h"

namespace kardan::fuzz {
namespace {

constexpr hsize_t most_numbers = 1 << 14;

/// Choices, taken from the bytes one after the other; zeros when they are used up.
class Recipe {
 public:
  explicit Recipe(std::string_view bytes) : rest_(bytes) {}
  unsigned byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  unsigned below(unsigned n) { return byte() % n; }
  std::string_view some(std::size_t count) {
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(out.size());
    return out;
  }

 private:
  std::string_view rest_;
};

Handle copy_of(hid_t type) {
  return {H5Tcopy(type), H5Tclose, "no type"};
}

Handle type_of(unsigned choice) {
  switch (choice) {
    case 0:
      return copy_of(H5T_STD_U8LE);
    case 1:
      return step_type();
    case 2:
      return copy_of(H5T_IEEE_F32LE);
    case 3:
      return event_type();
    case 4:
      return copy_of(H5T_IEEE_F64BE);
    default:
      return copy_of(H5T_IEEE_F64LE);
  }
}

struct Made {
  hsize_t numbers = 1;
  bool whole = false;  ///< written by the library, not by hand
};

/// False where HDF5 itself refuses the recipe.
bool make(hid_t file, Recipe& recipe, Made& made) {
  const Handle type = type_of(recipe.below(8));
  const int rank = static_cast<int>(recipe.below(5));
  std::vector<hsize_t> shape, most, chunk;
  for (int k = 0; k < rank; ++k) {
    const unsigned n = recipe.byte();
    shape.push_back(k == 0 && n == 255 ? hsize_t{1} << 43 : n % 40);
    most.push_back(k == 0 ? H5S_UNLIMITED : shape.back());
    const unsigned other = recipe.byte();
    chunk.push_back(other < 200 ? std::max<hsize_t>(1, k == 0 ? other : shape.back()) : other);
    made.numbers = std::min(made.numbers * shape.back(), most_numbers + 1);
  }
  const Handle space(
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), most.data()),
      H5Sclose, "no space");
  const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no list");
  const unsigned filters = recipe.below(10);
  if (rank > 0 && H5Pset_chunk(how, rank, chunk.data()) < 0) return false;
  if (rank > 0 && filters != 1) H5Pset_shuffle(how);
  if (rank > 0 && filters == 2) H5Pset_nbit(how);
  if (rank > 0 && filters != 3) H5Pset_deflate(how, 4);
  if (rank > 0 && filters != 4) H5Pset_fletcher32(how);
  const hid_t id = H5Dcreate2(file, "data", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (id < 0) return false;
  const Handle set(id, H5Dclose, "data");
  const std::size_t bytes = made.numbers * H5Tget_size(type);
  const unsigned way = recipe.below(4);
  if (way == 0) return true;  // nothing is written
  if (way == 1 && rank > 0) {
    const std::string_view raw = recipe.some(recipe.byte() + 1);
    // The library cannot write a chunk of nothing, nor into a dataset without rows: it crashes.
    if (raw.empty() || made.numbers == 0) return true;
    const std::vector<hsize_t> at(shape.size(), 0);
    (void)H5Dwrite_chunk(set, H5P_DEFAULT, recipe.below(8), at.data(), raw.size(), raw.data());
    return true;
  }
  if (made.numbers > most_numbers) return true;
  std::vector<char> data(bytes);
  for (char& c : data) c = static_cast<char>(recipe.byte());
  made.whole = data.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) >= 0;
  return true;
}

void read(hid_t file, Recipe& recipe, const Made& made) {
  const unsigned kind = recipe.below(4);
  const Handle type = type_of(kind == 3 ? 7 : kind);
  std::vector<hsize_t> inner;
  for (unsigned k = recipe.below(3); k > 0; --k) inner.push_back(recipe.byte() % 40);
  try {
    StoredDataset set(file, "data", {type, inner});
    const hsize_t piece = 1 + recipe.byte();
    std::vector<char> rows(piece * set.row_bytes()), all;
    for (hsize_t i = 0; i < set.rows(); i += piece) {
      const hsize_t count = std::min(piece, set.rows() - i);
      set.read(i, count, rows.data());
      all.insert(all.end(), rows.begin(),
                 rows.begin() + static_cast<long>(count * set.row_bytes()));
    }
    if (!made.whole) return;
    std::vector<char> expected(all.size());
    const Handle again(H5Dopen2(file, "data", H5P_DEFAULT), H5Dclose, "data");
    require(expected.empty() ||
                H5Dread(again, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected.data()) >= 0,
            "what is read is there");
    require(all == expected, "the bytes are those that HDF5 reads");
  } catch (const Hdf5Error& e) {
    require(std::strlen(e.what()) > 0, "a refusal says why");
  }
}

}  // namespace

void feed_dataset(std::string_view bytes) {
  constexpr std::size_t growth = 1 << 16;
  silence_hdf5();
  Recipe recipe(bytes);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no list");
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_fapl_core(access, growth, false);
  const Handle file(H5Fcreate("fuzz.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "no file");
  Made made;
  if (make(file, recipe, made)) read(file, recipe, made);
}

}  // namespace kardan::fuzz
