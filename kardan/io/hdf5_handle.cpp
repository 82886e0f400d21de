#include "kardan/io/hdf5_handle.h"

#include <cstddef>

namespace kardan {

Handle step_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(StoredStep)), H5Tclose, "no type of a step");
  const std::pair<const char*, std::size_t> members[] = {
      {"time", offsetof(StoredStep, time)},
      {"size", offsetof(StoredStep, size)},
      {"error", offsetof(StoredStep, error)},
      {"rejected", offsetof(StoredStep, rejected)},
      {"position", offsetof(StoredStep, position)},
      {"velocity", offsetof(StoredStep, velocity)},
      {"acceleration", offsetof(StoredStep, acceleration)},
      {"kinetic", offsetof(StoredStep, kinetic)},
      {"potential", offsetof(StoredStep, potential)},
      {"work", offsetof(StoredStep, work)},
      {"unbalanced", offsetof(StoredStep, unbalanced)}};
  for (const auto& [name, offset] : members)
    check(H5Tinsert(type, name, offset, H5T_IEEE_F64LE) >= 0, name);
  return type;
}

Handle event_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(StoredEvent)), H5Tclose, "no type of an event");
  check(H5Tinsert(type, "time", offsetof(StoredEvent, time), H5T_IEEE_F64LE) >= 0 &&
            H5Tinsert(type, "event", offsetof(StoredEvent, event), H5T_STD_I32LE) >= 0 &&
            H5Tinsert(type, "direction", offsetof(StoredEvent, direction), H5T_STD_I32LE) >= 0,
        "no type of an event");
  return type;
}

}  // namespace kardan
