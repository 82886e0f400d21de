#pragma once
/// Slopes and curvatures at the points of a table from which its cubic pieces follow. A periodic
/// table goes on behind its last point as behind its first; both have one value.

#include <vector>

namespace kardan::table_slopes {

/// Weighted harmonic means of the neighbouring secants, zero where these differ in sign: monotone
/// where the points are (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984, 300-304; the ends
/// by the three-point formula, limited: Moler, Numerical Computing with MATLAB, section 3.6).
std::vector<double> pchip(const std::vector<double>& x, const std::vector<double>& y,
                          bool periodic);
/// Means of the neighbouring secants weighted by the change of slope on the other side (Akima,
/// J. ACM 17, 1970, 589-602).
std::vector<double> akima(const std::vector<double>& x, const std::vector<double>& y,
                          bool periodic);
/// y'' of the cubic spline that is C2 and straight at its ends, or periodic.
std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y);
std::vector<double> periodic_curvature(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace kardan::table_slopes
