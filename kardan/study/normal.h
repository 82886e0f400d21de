#pragma once
/// The standard normal distribution.

namespace kardan {

/// The x below which a share `u` of (0, 1) lies, to 1e-15 of its size.
///
/// M. J. Wichura, Algorithm AS 241: the percentage points of the normal distribution, Applied
/// Statistics 37 (1988) 477-484, PPND16.
[[nodiscard]] double normal_quantile(double u);

/// The share below x.
[[nodiscard]] double normal_share(double x);

}  // namespace kardan
