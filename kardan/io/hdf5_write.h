#pragma once
/// Texts in HDF5 files.

#include <string>
#include <vector>

#include "kardan/io/hdf5_handle.h"

namespace kardan {

/// Too long lists are left out.
void put_attribute(hid_t object, const char* name, const std::vector<std::string>& texts);
void put_attribute(hid_t object, const char* name, const std::string& text);
/// A list of names as a dataset.
void put_texts(hid_t place, const std::string& name, const std::vector<std::string>& texts);

}  // namespace kardan
