#pragma once
/// Which joints are about a direction.

#include <string_view>

namespace kardan {

/// Whether a joint of this built-in type turns about, slides along or stays normal to the z axis of
/// its frames in space: where it is placed without one, it is about that of the world.
[[nodiscard]] bool has_axis(std::string_view joint);

}  // namespace kardan
