#include "kardan/system/multibody.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace kardan {
namespace {

void zero(Vector& x) {
  std::fill(x.begin(), x.end(), 0.0);
}

}  // namespace

template <int D>
MultibodyEquations<D>::MultibodyEquations(const NameData& names, Program<D> program,
                                          const Topology& topology, BoundExpressions expressions,
                                          std::span<const SharedRow> shared)
    : program_(std::move(program)),
      bodies_(names.bodies),
      pairs_(topology.pairs),
      patterns_(names.patterns),
      sizes_(names.sizes),
      gravity_(names.blueprint.gravity),
      mass_scale_(names.scales.mass),
      expressions_(std::move(expressions)),
      formulas_(program_.formulas, expressions_.formulas, names) {
  for (const Sensor<D>& sensor : program_.sensors) {
    std::vector<int>& seen = sensor_bodies_.emplace_back();
    for (const int column : sensor.reading->columns())
      if (const int b = body_of_column(bodies_, column); seen.empty() || seen.back() != b)
        seen.push_back(b);
  }
  first_asked_ = static_cast<int>(names.event_names.size() - 2 * names.frictions.size() -
                                  names.impulses.size() - names.blueprint.events.size());
  conditions_ = Conditions(expressions_, first_asked_);
  for (const RowInfo& row : names.rows) offsets_.push_back(row.offset);
  splits_ =
      std::ranges::all_of(program_.constraints, [](const auto& bank) { return bank->splits(); });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyData& body = names.blueprint.bodies[b];
    masses_.push_back({body.mass, body.inertia});
    const int spin = bodies_[b].v + D;
    const bool turns = bodies_[b].v_count > D;
    spin_block_.push_back(turns ? patterns_.force->find(spin, spin) : -1);
    spin_stride_.push_back(
        turns ? patterns_.force->row_start[spin + 1] - patterns_.force->row_start[spin] : 0);
    if (turns) continue;
    resting_.resize(b + 1);
    resting_[b] = {body.R, body.angle};
  }
  for (const InvariantData& e : names.blueprint.invariants) invariants_.push_back(e.kind);
  bind_held(names, shared);
  bind_inputs(names);
}

template <int D>
std::unique_ptr<Workspace> MultibodyEquations<D>::make_workspace() const {
  auto ws = std::make_unique<Workspace>();
  const auto m = static_cast<std::size_t>(sizes_.constraints());
  for (Vector* x : {&ws->g, &ws->rate, &ws->g_t, &ws->gamma, &ws->accel, &ws->rate_t, &ws->accel_t})
    x->assign(m, 0.0);
  for (Vector* x : {&ws->f, &ws->f_t}) x->assign(sizes_.v, 0.0);
  for (Vector* x : {&ws->b, &ws->b_t}) x->assign(sizes_.r, 0.0);
  for (Vector* x : {&ws->d, &ws->d_t}) x->assign(sizes_.w, 0.0);
  ws->G = SparseMatrix(patterns_.constraint);
  // Explicit methods never ask for the derivatives, half of a workspace: differentiate() fills
  // their values in.
  for (SparseMatrix* A : {&ws->rate_p, &ws->accel_p, &ws->accel_v})
    A->pattern = patterns_.constraint;
  for (SparseMatrix* A : {&ws->f_p, &ws->f_v}) A->pattern = patterns_.force;
  ws->M = SparseMatrix(patterns_.mass);
  ws->aux_p = SparseMatrix(patterns_.aux);
  ws->aux_v = SparseMatrix(patterns_.aux);
  ws->aux_aux = SparseMatrix(patterns_.aux_aux);
  ws->force_aux = SparseMatrix(patterns_.force_aux);
  ws->e.assign(sizes_.e, 0.0);
  if (sizes_.e > 0) {
    ws->e_p = SparseMatrix(patterns_.invariant);
    ws->e_v = SparseMatrix(patterns_.invariant);
  }
  auto scratch = std::make_unique<MotionScratch>();
  scratch->motion.resize(bodies_.size());
  scratch->turn_distances.resize(program_.counters.size());
  scratch->argument_values.resize(static_cast<std::size_t>(expressions_.arguments));
  scratch->argument_gradients.resize(static_cast<std::size_t>(expressions_.arguments));
  scratch->formulas = formulas_.make_scratch();
  if constexpr (D == 3) scratch->motion[0].R = Mat3d::identity();
  ws->scratch = std::move(scratch);
  adopt(*ws);
  return ws;
}

template <int D>
void MultibodyEquations<D>::adopt(Workspace& ws) const {
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const int first = bodies_[b].v;
    for (int k = 0; k < D; ++k)
      ws.M.values[patterns_.mass->find(first + k, first + k)] = masses_[b].mass;
    if (bodies_[b].v_count <= D) continue;
    for (int i = 0; i < spins<D>; ++i)
      for (int j = 0; j < spins<D>; ++j)
        ws.M.values[patterns_.mass->find(first + D + i, first + D + j)] =
            D == 2 ? masses_[b].inertia[2][2] : masses_[b].inertia[i][j];
  }
  for (TurnDistance& known : static_cast<MotionScratch&>(*ws.scratch).turn_distances) known = {};
  ws.constants_of = this;
}

/// R, and in the plane the angle, of body b.
template <int D>
void MultibodyEquations<D>::orient(const State& state, int b, BodyMotion<D>& m) const {
  const double* p = state.p.data() + bodies_[b].p;
  if constexpr (D == 2) {
    m.angle = bodies_[b].v_count > 2 ? p[2] : resting_[b].angle;
    m.R = {std::cos(m.angle), std::sin(m.angle)};
  } else if (bodies_[b].v_count > 3) {
    m.R = rotation_matrix(normalized(Quaternion{p[3], p[4], p[5], p[6]}));
  } else {
    m.R = resting_[b].R;
  }
}

template <int D>
void MultibodyEquations<D>::move_body(const State& state, std::size_t b, std::span<const double> a,
                                      BodyMotion<D>& m) const {
  const double* p = state.p.data() + bodies_[b].p;
  const double* v = state.v.data() + bodies_[b].v;
  for (int k = 0; k < D; ++k) {
    m.x[k] = p[k];
    m.v[k] = v[k];
    m.a[k] = a.empty() ? 0 : a[bodies_[b].v + k];
  }
  orient(state, static_cast<int>(b), m);
  if constexpr (D == 2) {
    const bool turns = bodies_[b].v_count > 2;
    m.w = turns ? v[2] : 0;
    m.alpha = turns && !a.empty() ? a[bodies_[b].v + 2] : 0;
  } else if (bodies_[b].v_count > 3) {
    m.w = {v[3], v[4], v[5]};
    m.alpha =
        a.empty() ? Vec3d{} : Vec3d{a[bodies_[b].v + 3], a[bodies_[b].v + 4], a[bodies_[b].v + 5]};
  }
}

template <int D>
std::vector<BodyMotion<D>>& MultibodyEquations<D>::move(const State& state,
                                                        std::span<const double> a,
                                                        Workspace& ws) const {
  auto& motion = static_cast<MotionScratch&>(*ws.scratch).motion;
  for (std::size_t b = 1; b < bodies_.size(); ++b) move_body(state, b, a, motion[b]);
  return motion;
}

template <int D>
FormulaScratch& MultibodyEquations<D>::formula_scratch(Workspace& ws) {
  return static_cast<MotionScratch&>(*ws.scratch).formulas;
}

template <int D>
Context<D> MultibodyEquations<D>::context(const State& state,
                                          const std::vector<BodyMotion<D>>& motion) const {
  return {state.t,        motion.data(),      state.r.data(),
          state.w.data(), state.turns.data(), state.modes.data()};
}

template <int D>
ConstraintValues MultibodyEquations<D>::constraint_values(Workspace& ws) const {
  return {ws.g.data(),
          ws.rate.data(),
          ws.accel.data(),
          ws.g_t.data(),
          ws.rate_t.data(),
          ws.accel_t.data(),
          ws.G.values.data(),
          ws.rate_p.values.data(),
          ws.accel_p.values.data(),
          ws.accel_v.values.data()};
}

template <int D>
ForceValues MultibodyEquations<D>::force_values(Workspace& ws) const {
  return {ws.f.data(),
          ws.f_t.data(),
          ws.f_p.values.data(),
          ws.f_v.values.data(),
          ws.b.data(),
          ws.d.data(),
          ws.b_t.data(),
          ws.d_t.data(),
          ws.aux_p.values.data(),
          ws.aux_v.values.data(),
          ws.aux_aux.values.data(),
          ws.force_aux.values.data(),
          nullptr};
}

template <int D>
void MultibodyEquations<D>::body_forces(const std::vector<BodyMotion<D>>& motion, Vector& f) const {
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    double* fb = f.data() + bodies_[b].v;
    for (int k = 0; k < D; ++k) fb[k] += masses_[b].mass * gravity_[k];
    if constexpr (D == 3) {
      if (bodies_[b].v_count <= 3) continue;
      const Vec3d gyro = cross(motion[b].w, masses_[b].inertia * motion[b].w);
      for (int k = 0; k < 3; ++k) fb[3 + k] -= gyro[k];
    }
  }
}

template <int D>
void MultibodyEquations<D>::body_force_derivatives(const std::vector<BodyMotion<D>>& motion,
                                                   SparseMatrix& f_v) const {
  if constexpr (D == 3) {
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
      if (spin_block_[b] < 0) continue;
      // d(w x J w)/dw = w~ J - (J w)~
      const Mat3d C =
          tilde(motion[b].w) * masses_[b].inertia - tilde(masses_[b].inertia * motion[b].w);
      double* block = f_v.values.data() + spin_block_[b];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block[i * spin_stride_[b] + j] -= C[i][j];
    }
  } else {
    (void)motion;
    (void)f_v;
  }
}

/// What an evaluation of the constraints goes to.
template <int D>
Depth MultibodyEquations<D>::depth_of(const Request& request) const {
  if (!request.velocity && !request.acceleration) return Depth::value;
  if (!splits_ || !held_.empty() || request.rates == request.gradient) return Depth::first;
  return request.rates ? Depth::rates : Depth::gradient;
}

template <int D>
Eval MultibodyEquations<D>::evaluate(const State& state, Request request, Workspace& ws) const {
  if (request.force && slips_on_load(state)) request = Request::all();
  const auto& motion = move(state, {}, ws);
  const Context<D> at = context(state, motion);
  const Depth depth = depth_of(request);
  if (request.position || depth != Depth::value) {
    const bool rates = depth == Depth::first || depth == Depth::rates;
    std::copy(offsets_.begin(), offsets_.end(), ws.g.begin());
    if (rates) {
      zero(ws.rate);
      zero(ws.accel);
    }
    if (depth == Depth::first || depth == Depth::gradient) {
      zero(ws.g_t);
      ws.G.set_zero();
    }
    const ConstraintValues out = constraint_values(ws);
    for (const auto& bank : program_.constraints) bank->evaluate(at, depth, out);
    if (!held_.empty()) evaluate_held(state, depth, out, ws);
    // Bodies were evaluated without accelerations, so accel is -gamma.
    if (rates)
      for (std::size_t i = 0; i < ws.gamma.size(); ++i) ws.gamma[i] = -ws.accel[i];
    // A measure that is not finite has no finite rate or acceleration either.
    if (!all_finite(ws.g) || (rates && !all_finite(ws.gamma))) return Eval::recoverable;
  }
  if (request.force) {
    zero(ws.f);
    zero(ws.b);
    zero(ws.d);
    body_forces(motion, ws.f);
    const ForceValues out = force_values(ws);
    for (const auto& bank : program_.forces) bank->evaluate(at, pairs_, out);
    if (!formulas_.empty()) formulas_.evaluate(reading(state, at), out, formula_scratch(ws));
    if (!frictions_.empty())
      if (Eval e = add_slips(state, ws); e != Eval::ok) return e;
    if (!(all_finite(ws.f) && all_finite(ws.b) && all_finite(ws.d))) return Eval::recoverable;
  }
  return Eval::ok;
}

/// Without forces that depend on multipliers.
template <int D>
void MultibodyEquations<D>::differentiate_at(const State& state, std::span<const double> a,
                                             std::span<const double> lambda, Workspace& ws) const {
  const auto& motion = move(state, a, ws);
  const Context<D> at = context(state, motion);
  for (SparseMatrix* A : {&ws.rate_p, &ws.accel_p, &ws.accel_v, &ws.f_p, &ws.f_v, &ws.aux_p,
                          &ws.aux_v, &ws.aux_aux, &ws.force_aux})
    A->values.assign(A->pattern->nonzeros(), 0.0);
  for (Vector* x : {&ws.rate_t, &ws.accel_t, &ws.f_t, &ws.b_t, &ws.d_t}) zero(*x);
  const ConstraintValues constraints = constraint_values(ws);
  ForceValues forces = force_values(ws);
  for (const auto& bank : program_.forces) bank->differentiate(at, pairs_, forces);
  if (!formulas_.empty()) formulas_.differentiate(reading(state, at), forces, formula_scratch(ws));
  forces.lambda = lambda.empty() ? nullptr : lambda.data();
  for (const auto& bank : program_.constraints)
    bank->differentiate(at, pairs_, constraints, forces);
  if (!held_.empty()) differentiate_held(state, constraints, forces, ws);
  body_force_derivatives(motion, ws.f_v);
}

template <int D>
Eval MultibodyEquations<D>::differentiate(const State& state, std::span<const double> a,
                                          std::span<const double> lambda, Workspace& ws) const {
  if (slips_on_load(state))
    if (Eval e = follow_loads(state, ws); e != Eval::ok) return e;
  differentiate_at(state, a, lambda, ws);
  if (!frictions_.empty()) differentiate_slips(state, ws);
  // accel = G a - gamma, with G and gamma of the evaluation this call differentiates.
  for (std::size_t i = 0; i < ws.accel.size(); ++i) ws.accel[i] = -ws.gamma[i];
  if (!a.empty()) ws.G.multiply_add(1, a, ws.accel);
  // The matrices are not searched for values that are not finite (they are the bulk of the memory):
  // every factorization does that.
  return all_finite(ws.accel) && all_finite(ws.f_t) ? Eval::ok : Eval::recoverable;
}

template <int D>
void MultibodyEquations<D>::events(const State& state, std::span<double> z, Workspace& ws) const {
  const Context<D> at = context(state, move(state, {}, ws));
  for (const auto* bank : program_.switching) bank->events(at, z.data());
  formulas_.events(reading(state, at), z, formula_scratch(ws));
  for (std::size_t i = 0; i < expressions_.events.size(); ++i)
    z[first_asked_ + i] = expression(expressions_.events[i], state, 0, {}, {}, ws);
  if (frictions_.empty()) return;
  look_at_slips(state, ws);
  const auto& slips = static_cast<MotionScratch&>(*ws.scratch).slip.slips;
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    z[frictions_[i].places.turn] = slips[i].direction != 0 ? slips[i].speed : 1;
}

template <int D>
void MultibodyEquations<D>::event_guards(const State& state, std::span<const double> speed,
                                         std::span<double> guard, std::span<double> rate,
                                         Workspace& ws) const {
  const Context<D> at = context(state, move(state, {}, ws));
  for (const auto* bank : program_.guarded)
    bank->event_guards(at, speed.data(), guard.data(), rate.data());
}

template <int D>
void MultibodyEquations<D>::choose_modes(State& state, Workspace& ws) const {
  const Context<D> at = context(state, move(state, {}, ws));
  for (const auto* bank : program_.switching) bank->choose_modes(at, state.modes.data());
  formulas_.choose_modes(reading(state, at), state.modes, formula_scratch(ws));
}

template <int D>
Energy MultibodyEquations<D>::energy(const State& state, Workspace& ws) const {
  if (!frictions_.empty() && evaluate(state, Request::all(), ws) != Eval::ok)
    return {.kinetic = std::nan(""), .potential = std::nan("")};
  const auto& motion = move(state, {}, ws);
  const Context<D> at = context(state, motion);
  Energy e;
  double potential_rate = 0;
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const BodyMotion<D>& m = motion[b];
    e.kinetic += 0.5 * masses_[b].mass * dot(m.v, m.v);
    if constexpr (D == 3) {
      if (bodies_[b].v_count > 3) e.kinetic += 0.5 * dot(m.w, masses_[b].inertia * m.w);
    } else {
      e.kinetic += 0.5 * masses_[b].inertia[2][2] * m.w * m.w;
    }
    for (int k = 0; k < D; ++k) {
      e.potential -= masses_[b].mass * gravity_[k] * m.x[k];
      potential_rate -= masses_[b].mass * gravity_[k] * m.v[k];
    }
  }
  const bool evaluated = !frictions_.empty();
  if (!evaluated) {
    zero(ws.f);
    zero(ws.b);
    zero(ws.d);
    body_forces(motion, ws.f);
  }
  const ForceValues out = force_values(ws);
  for (const auto& bank : program_.forces) {
    const Potential p = bank->potential(at);
    e.potential += p.energy;
    potential_rate += p.rate;
    if (!evaluated) bank->evaluate(at, pairs_, out);
  }
  if (!evaluated) formulas_.evaluate(reading(state, at), out, formula_scratch(ws));
  e.applied_power = dot(ws.f, state.v) + potential_rate;
  return e;
}

template <int D>
Momentum MultibodyEquations<D>::momentum(const State& state, Workspace& ws) const {
  const auto& motion = move(state, {}, ws);
  Momentum sum;
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    Vec3d x, v, spin;
    for (int k = 0; k < D; ++k) {
      x[k] = motion[b].x[k];
      v[k] = motion[b].v[k];
    }
    if constexpr (D == 3) {
      spin = motion[b].R * (masses_[b].inertia * motion[b].w);
    } else {
      spin.z = masses_[b].inertia[2][2] * motion[b].w;
    }
    sum.linear += masses_[b].mass * v;
    sum.angular += spin + masses_[b].mass * cross(x, v);
  }
  return sum;
}

template <int D>
void MultibodyEquations<D>::element_forces(const State& state, std::span<double> out,
                                           Workspace& ws) const {
  std::fill(out.begin(), out.end(), 0.0);
  const Context<D> at = context(state, move(state, {}, ws));
  for (const auto& bank : program_.forces) bank->magnitudes(at, out.data());
  formulas_.magnitudes(reading(state, at), out, formula_scratch(ws));
}

template <int D>
void MultibodyEquations<D>::force_vectors(const State& state, std::span<Vec3d> out,
                                          Workspace& ws) const {
  std::vector<VecOf<D>> sums(out.size());
  const Context<D> at = context(state, move(state, {}, ws));
  for (const auto& bank : program_.forces) bank->vectors(at, sums.data());
  formulas_.vectors(reading(state, at), sums, formula_scratch(ws));
  for (std::size_t e = 0; e < out.size(); ++e) {
    out[e] = {};
    for (int k = 0; k < D; ++k) out[e][k] = sums[e][k];
  }
}

template <int D>
MultibodyEquations<D>::~MultibodyEquations() = default;
template <int D>
MultibodyEquations<D>::MotionScratch::MotionScratch() = default;
template <int D>
MultibodyEquations<D>::MotionScratch::~MotionScratch() = default;

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
