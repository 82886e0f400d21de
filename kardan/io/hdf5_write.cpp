#include "kardan/io/hdf5_write.h"

namespace kardan {
namespace {

/// Texts of one length in a row, as HDF5 wants them.
struct PackedTexts {
  std::size_t length = 1;
  std::string bytes;
  explicit PackedTexts(const std::vector<std::string>& texts) {
    for (const std::string& t : texts) length = std::max(length, t.size());
    for (const std::string& t : texts) (bytes += t).append(length - t.size(), '\0');
  }
};

}  // namespace

void put_attribute(hid_t object, const char* name, const std::vector<std::string>& texts) {
  constexpr std::size_t largest = 60'000;  // of an attribute in an object's header
  const PackedTexts packed(texts);
  if (texts.empty() || packed.bytes.size() > largest) return;
  const Handle type = string_type(packed.length);
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, name);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         name);
  check(H5Awrite(attribute, type, packed.bytes.data()) >= 0, name);
}

void put_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type = string_type(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         name);
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  check(H5Awrite(attribute, type, padded.data()) >= 0, name);
}

void put_texts(hid_t place, const std::string& name, const std::vector<std::string>& texts) {
  const PackedTexts packed(texts);
  const Handle type = string_type(packed.length);
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, name);
  const Handle set(
      H5Dcreate2(place, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
      name);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.bytes.data()) >= 0, name);
}

}  // namespace kardan
