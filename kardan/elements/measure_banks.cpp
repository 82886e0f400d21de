/// Rows, springs, dampers, motors and controllers on every measure of two frames: compiled once, and
/// as what runs all the time, not with every joint and force that has one.

#include "kardan/elements/builder.h"
#include "kardan/elements/measure.h"

namespace kardan {

template class MeasureRows<2, Dot1<2>>;
template class MeasureRows<2, Dot2<2>>;
template class MeasureRows<2, Length<2>>;
template class MeasureRows<2, Distance<2>>;
template class MeasureRows<2, Angle<2>>;
template class MeasureRows<2, AnyMeasure<2>>;
template class MeasureRows<3, Dot1<3>>;
template class MeasureRows<3, Dot2<3>>;
template class MeasureRows<3, Length<3>>;
template class MeasureRows<3, Distance<3>>;
template class MeasureRows<3, Angle<3>>;
template class MeasureRows<3, AnyMeasure<3>>;
template class LineForces<2, Length<2>>;
template class LineForces<2, Dot2<2>>;
template class LineForces<2, Angle<2>>;
template class LineForces<3, Length<3>>;
template class LineForces<3, Dot2<3>>;
template class LineForces<3, Angle<3>>;
template void Builder<2>::line_force(Length<2>, int, int, Law, int, double);
template void Builder<2>::line_force(Dot2<2>, int, int, Law, int, double);
template void Builder<2>::line_force(Angle<2>, int, int, Law, int, double);
template void Builder<3>::line_force(Length<3>, int, int, Law, int, double);
template void Builder<3>::line_force(Dot2<3>, int, int, Law, int, double);
template void Builder<3>::line_force(Angle<3>, int, int, Law, int, double);

}  // namespace kardan
