"""Result: everything a run left behind, read by the names of the model. The same in memory and from a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Graded
from condyle.errors import InputError, unknown_name
from condyle.laws.section_frames import polar_spin
from condyle.model.fields import blamed
from condyle.model.part import name_of
from condyle.model.point import Point, as_point
from condyle.model.showing import Showable
from condyle.results import animation, columns, plots, rotations, shapes, tables
from condyle.results.constraint_levels import constraint_levels
from condyle.results.crash.sections import section_force
from condyle.results.fields import SolidFields, SolidShape, write_vtk
from condyle.results.history import History
from condyle.results.passive import passive_moment
from condyle.results.stores import check_names, write_copy
from condyle.system.touching.memory import PASSED, RESIDUAL, UNSOLVED

if TYPE_CHECKING:
    from condyle.model.given import BodyLike, NumbersLike, PartLike, PointLike
    from condyle.model.model import Model
    from condyle.results.contact import ContactHistory
    from condyle.system.running import RunningSystem
    from condyle.system.system import System
    from condyle.system.weights import Weights

Array = NDArray[np.float64]


class Result(History, Showable):
    """Time histories of a run. Frames are the recorded states; energies, momenta and counts are kept at every step.

    `result[a:b]` is a result with these frames and the steps between them. Points are given as body.at(…), 'body.name',
    'body.node' or the name of a body (its origin).
    """

    @cached_property
    def model(self) -> Model:
        """The model that was simulated."""
        if self._system is not None:
            return self._system.model
        if self._model is not None:
            return self._model
        from condyle.parts import Model

        header = self._store.header
        give = f"give it: condyle.load('{self.file}', model=model)"
        if header.model_note:
            raise InputError(f"'{self.file}' does not hold the whole model ({header.model_note}); {give}")
        try:
            return Model.from_dict(json.loads(header.model), allow_code=getattr(self._store, "allow_code", False))
        except (ValueError, RecursionError) as error:
            raise InputError(f"the model in '{self.file}' cannot be made again ({error}); {give}") from None

    @cached_property
    def system(self) -> System:
        """The compiled model, which knows where points are."""
        if self._system is not None:
            return self._system
        from condyle.system.compile import compile

        model = self.model
        with blamed(f"'{self.file}'" if self.file else f"the result '{self.name}'"):
            system = compile(model, formulation=self.formulation)
            self._check_fits(system)
        return system

    def _running(self) -> RunningSystem:
        """The system with data of its own, as a run with the step of this one has it."""
        from condyle.system.running import RunningSystem

        system = RunningSystem(self.system)
        system.step = float(self.options.get("dt", system.step))
        return system

    def _check_fits(self, system: System) -> None:
        """InputError if a system has other rows or multipliers than that of the run."""
        names = [(m.part, m.component, bool(m.internal)) for m in system.multipliers]
        check_names(self._store, names, (system.n, system.d), f"the model '{system.model.name}'")

    def coordinate(self, name: str) -> Array:
        """A joint coordinate, 'joint.angle' [rad or m], shape (frames,); angles unwrapped, from the turn of an Initial on."""
        from condyle.laws.codes import ANGLE

        coordinate = self.system.coordinate(name)
        values = coordinate.at(self._store.array("x"))
        if coordinate.kind == ANGLE:
            values = np.unwrap(values)
            values += 2.0 * np.pi * np.round((self._started_at(name, values[0]) - values[0]) / (2.0 * np.pi))
        return np.asarray(values)[self._frames]

    def coordinate_rate(self, name: str) -> Array:
        """The rate of a joint coordinate [rad/s or m/s], shape (frames,)."""
        rate = self.system.coordinate(name).rate(self._store.array("x"), self._store.array("v"))
        return np.asarray(rate)[self._frames]

    @property
    def contact_residual(self) -> Array:
        """Of the contact problem of the last step at each frame, relative to its impulses (frames,), of `Nonsmooth` steps."""
        if RESIDUAL not in self._store.memory_names():
            return np.zeros(len(self))
        return np.asarray(self._store.array(f"memory/{RESIDUAL}"))[self._frames][:, 0]

    @property
    def unsolved_steps(self) -> int:
        """How many steps of `Nonsmooth` were left with a residual of their contact problem above the tolerance."""
        return self._counted(UNSOLVED)

    @property
    def passed_steps(self) -> int:
        """In how many steps of `Nonsmooth` bodies passed through each other."""
        return self._counted(PASSED)

    def _counted(self, name: str) -> int:
        if name not in self._store.memory_names() or not len(self):
            return 0
        return int(np.asarray(self._store.array(f"memory/{name}"))[self._frames][-1, 0])

    def contact(self, name: str) -> ContactHistory:
        """Pressure, traction, gap, slip, resultant and area of a contact, by its name."""
        from condyle.results.contact import ContactHistory

        return ContactHistory(self, name)

    # --- points and bodies --------------------------------------------------------------------------------------------

    def position(self, point: PointLike) -> Array:
        """Positions of a point [m], shape (frames, d)."""
        return self._history("x", self.system.position(point))[self._frames]

    def velocity(self, point: PointLike) -> Array:
        """Velocities of a point [m/s], shape (frames, d)."""
        return self._history("v", self.system.position(point))[self._frames]

    def displacement(self, point: PointLike) -> Array:
        """Displacements of a point from the start of the run [m], shape (frames, d)."""
        history = self._history("x", self.system.position(point))
        return (history - history[0])[self._frames]

    def acceleration(self, point: PointLike) -> Array:
        """Accelerations of a point [m/s²], shape (frames, d): slopes of its recorded velocity, of second order."""
        return self._slope(self._history("v", self.system.position(point)))[self._frames]

    def directors(self, body: PointLike) -> Array:
        """Directors d_i of a body as the columns of matrices, shape (frames, d, d)."""
        return self._directors("x", body)[self._frames]

    def rotation_matrix(self, body: PointLike) -> Array:
        """Rotation from body axes to world axes, shape (frames, d, d); of a body that deforms, the rotation in it."""
        return rotations.nearest_rotation(self.directors(body))

    def angular_velocity(self, body: PointLike) -> Array:
        """In world axes [rad/s], shape (frames, 3); in 2D shape (frames,).

        Of a point of a beam or an ANCF solid, such as beam.point("end"), that of the rotation in its gradients there
        (`polar_spin`); `directors` and `rotation_matrix` take such points too.
        """
        return self._spin(body)[self._frames]

    def angular_acceleration(self, body: PointLike) -> Array:
        """In world axes [rad/s²], shape (frames, 3); in 2D shape (frames,). Of second order, as `acceleration`."""
        return self._slope(self._spin(body))[self._frames]

    def body_momentum(self, body: BodyLike) -> tuple[Array, Array]:
        """Linear momentum [kg m/s], shape (frames, d), and angular momentum about the origin [kg m²/s], shape (frames, 3).

        Nodes of a body that follow another one belong to that one.
        """
        name, system = self.model.body(name_of(body)).name, self.system
        mass = system.mass
        mine = system.rows_of(name)[mass.first]
        first, second, value = mass.first[mine], mass.second[mine], mass.value[mine]
        if not value.any():
            raise InputError(f"{self.model[name].label} has no mass of its own, so it has no momentum")
        rows = np.unique((first, second))
        x, v = (self._store.rows(a, rows)[:, np.searchsorted(rows, k)] for a, k in (("x", first), ("v", second)))
        p = value[:, None] * v
        angular = np.zeros((len(x), 3))
        if self.dimension == 2:
            angular[:, 2] = np.sum(x[..., 0] * p[..., 1] - x[..., 1] * p[..., 0], axis=1)
        else:
            angular = np.cross(x, p).sum(axis=1)
        return np.einsum("k,tkd->td", system.translation[first], p)[self._frames], angular[self._frames]

    def angle(self, body: BodyLike, relative_to: BodyLike | None = None, axis: Sequence[float] | None = None) -> Array:
        """Angle by which a body has turned since the start [rad], counting full turns; shape (frames,).

        relative_to: another body. axis: 3D only, the world axis at the start (it moves with `relative_to`) about which
        the turn is measured.
        """
        store = self._store
        times = store.steps["time"][store.frame_steps]
        neighbours = np.diff(store.frame_steps) == 1
        if self.dimension == 2:
            if axis is not None:
                raise InputError("angle: in 2D the axis is out of the plane; leave it out")
            angles = [
                rotations.unwrapped(rotations.angle_in_plane(self._directors("x", b)), self._spin(b), times, neighbours)
                for b in (body, relative_to) if b is not None
            ]  # fmt: skip
            return (angles[0] - (angles[1] if relative_to is not None else 0.0))[self._frames]
        if axis is None:
            raise InputError("angle: in 3D say about which world axis, for example axis=(0, 0, 1)")
        turned = rotations.since_start(rotations.nearest_rotation(self._directors("x", body)))
        rate = self._spin(body)
        if relative_to is not None:
            reference = rotations.since_start(rotations.nearest_rotation(self._directors("x", relative_to)))
            back = np.swapaxes(reference, 1, 2)
            turned = back @ turned
            rate = np.einsum("tij,tj->ti", back, rate - self._spin(relative_to))
        about = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
        return rotations.unwrapped(rotations.angle_about(turned, axis), rate @ about, times, neighbours)[self._frames]

    def euler_angles(self, body: BodyLike, sequence: str = "zxz") -> Array:
        """Euler angles about the turned axes [rad], shape (frames, 3), as `condyle.rotation(euler=…)` takes them."""
        self._in_space("Euler angles")
        return rotations.euler_angles(self.rotation_matrix(body), sequence)

    def quaternion(self, body: BodyLike) -> Array:
        """Unit quaternions (w, x, y, z) of the rotation from body to world axes, shape (frames, 4)."""
        self._in_space("quaternions")
        return rotations.quaternions(self.rotation_matrix(body))

    # --- multipliers --------------------------------------------------------------------------------------------------

    @cached_property
    def multiplier_times(self) -> Array:
        """Times that multipliers and joint forces belong to [s]: one for each frame but the start of the run."""
        steps = self._store.steps[self._store.frame_steps[self._loaded]]
        return np.asarray(steps["time"] - (1.0 - self._store.header.multiplier_time) * steps["step"])

    def multipliers(self, part: PartLike) -> dict[str, Array]:
        """Multipliers of a joint (or body) by component, at `multiplier_times`.

        Several of the same name (a tie of many nodes) stand side by side, shape (times, number).
        """
        name = self._with_multipliers(part)
        values = self._store.array("multipliers")[self._loaded]
        columns: dict[str, list[int]] = {}
        for k, (owner, component, _) in enumerate(self._store.header.multipliers):
            if owner == name:
                columns.setdefault(component, []).append(k)
        return {component: values[:, k if len(k) > 1 else k[0]] for component, k in columns.items()}

    def energy_of_gaps(self, compliance: float) -> Array:
        """½ Σ c²/C [J] of all constraints held by multipliers, whose compliance C [m/N] a method has given; (frames,).

        With it the energy of joints that give way is complete: `energy["total"]` of a frame does not contain it.
        """
        if not compliance > 0.0:
            raise InputError(f"energy_of_gaps: the compliance must be above 0 m/N, not {compliance!r}")
        system = self._running()
        live, found = system.multiplier_unknowns >= 0, []
        for k in range(len(self)):
            state = self.state(k)
            system.set_turns(state.turns)
            found.append(np.sum(system.constraint_values(state.x, state.t)[live] ** 2))
        return 0.5 * np.array(found) / compliance

    def joint_force(self, joint: PartLike) -> Array:
        """Force of a joint on its body b (of a tie: on `to`) [N] at `multiplier_times`, shape (times, d).

        A tie by elimination has no multipliers: every step is solved once more with the tie as a constraint.
        """
        from condyle.joints import Joint, Tie
        from condyle.results.reactions import force_on_b

        tie = self._eliminated(joint)
        if tie is not None:
            if self._tie_force is None:
                raise InputError(
                    f"{tie.label}: the force of an eliminated tie follows from steps that are solved again, which "
                    f"'{self.name}' does not have; hold the tie by enforcement='multiplier'"
                )
            return self._tie_force(self, tie)
        part = self.model[self._with_multipliers(joint)]
        if not isinstance(part, Joint | Tie):
            raise InputError(f"{part.label} is no joint between two points; see result.multipliers('{part.name}')")
        multipliers = self._store.array("multipliers")[self._loaded]
        return force_on_b(self.system, part, multipliers, self._at_multipliers)

    def joint_torque(self, joint: PartLike) -> Array:
        """Torque of a joint on its body b about its point [N m] at `multiplier_times`; shape (times, 3), in 2D (times,).

        What the joint itself holds: springs, motors and drives on its coordinates are parts of their own.
        """
        from condyle.joints import Joint
        from condyle.results.reactions import torque_on_b

        part = self.model[self._with_multipliers(joint)]
        if not isinstance(part, Joint):
            raise InputError(f"{part.label} is no joint between two points; see result.multipliers('{part.name}')")
        multipliers = self._store.array("multipliers")[self._loaded]
        return torque_on_b(self.system, part, multipliers, self._at_multipliers)

    def at_frames(self, values: NumbersLike) -> Array:
        """Values at `multiplier_times`, such as joint forces, at the `times` of the frames instead; shape (frames, …).

        Between them on straight lines, at both ends straight on: of second order, like the multipliers themselves.
        """
        given = np.asarray(values, dtype=float)
        own, times = self.multiplier_times, self.times
        if given.shape[:1] != own.shape:
            raise InputError(f"at_frames: there are {own.size} multiplier_times, but values of shape {given.shape}")
        if own.size < 2:
            return np.repeat(given, len(times), axis=0)
        k = np.clip(np.searchsorted(own, times) - 1, 0, own.size - 2)
        share = ((times - own[k]) / (own[k + 1] - own[k])).reshape(-1, *(1,) * (given.ndim - 1))
        return np.asarray((1.0 - share) * given[k] + share * given[k + 1])

    def reaction(self, part: PartLike) -> Array:
        """Force that a `Hold` or `Tie` puts on its body [N] at `multiplier_times`, shape (times, d): the sum over its nodes."""
        from condyle.joints import Hold, Tie
        from condyle.joints.hold import NODE

        if self._eliminated(part) is not None:
            return -self.joint_force(part)
        hold = self.model[self._with_multipliers(part)]
        if isinstance(hold, Tie):
            return -self.joint_force(part)
        if not isinstance(hold, Hold):
            raise InputError(f"{hold.label} is no Hold or Tie; see result.joint_force('{hold.name}')")
        forces = [v for component, v in self.multipliers(hold).items() if component.startswith(NODE)]
        if not forces:
            raise InputError(
                f"{hold.label} holds directions, which has no resultant; see result.multipliers('{hold.name}')"
            )
        total = sum(np.reshape(v, (len(v), -1)).sum(axis=1) for v in forces)
        n = np.asarray(hold.direction) / np.linalg.norm(hold.direction)
        return -np.outer(total, n)

    def path(self, part: PartLike) -> dict[str, Array]:
        """Length, rate, tension, power and more of a muscle, ligament or force actuator over the run, see docs/muscles.md."""
        from condyle.results.paths import path_history

        return path_history(self, part)

    def moment_arm(self, part: PartLike, coordinate: str) -> Array:
        """Moment arm −dℓ/dq of a path about a joint coordinate, 'joint.angle' [m], shape (frames,).

        Positive where a tension drives the coordinate up. All other joints are held as they are.
        """
        from condyle.results.moment_arms import moment_arms

        return moment_arms(self, part, coordinate)

    constraint_levels = constraint_levels
    section_force = section_force
    passive_moment = passive_moment

    @cached_property
    def _solids(self) -> dict[str, SolidShape]:
        """What fields of solids need in every frame, by their names."""
        return {}

    # --- fields of solids ---------------------------------------------------------------------------------------------

    def fields(self, body: BodyLike, frame: int = -1) -> SolidFields:
        """Strain, stress and energy density of a solid in one frame, see `SolidFields`."""
        return SolidFields(self, body, frame)

    write_vtk = write_vtk

    # --- tables, figures, files ---------------------------------------------------------------------------------------

    to_pandas = tables.to_pandas
    to_xarray = tables.to_xarray
    to_csv = columns.to_csv
    to_parquet = columns.to_parquet
    to_sto = columns.to_sto
    summary = tables.summary
    plot_energy = plots.plot_energy
    plot_momentum = plots.plot_momentum
    plot_points = plots.plot_points
    plot_coordinate = plots.plot_coordinate
    plot_path = plots.plot_path
    plot_iterations = plots.plot_iterations
    plot_shapes = shapes.plot_shapes
    plot_joint_force = plots.plot_joint_force
    plot_joint_torque = plots.plot_joint_torque
    animate = animation.animate

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result (of a slice: its frames and steps) to an HDF5 file; overwrite: replace one that exists."""
        return write_copy(self._store, Path(path), self._frames, self._steps, self._model_or_none(), overwrite)

    def __repr__(self) -> str:
        span = f"{self.times[0]:g} … {self.times[-1]:g} s"
        return f"Result('{self.name}', {self.status}, {self.steps} steps, {len(self)} frames, {span})"

    # --- what the readings share --------------------------------------------------------------------------------------

    def _history(self, name: str, vector: Weights) -> Array:
        """A gathered vector in all frames of the run."""
        return np.einsum("k,tkd->td", vector.values, self._store.rows(name, vector.rows))

    def _slope(self, history: Array) -> Array:
        """The derivative by time of a history over all frames of the run, by parabolas through three of them."""
        store = self._store
        times = store.steps["time"][store.frame_steps]
        if len(times) < 3:
            raise InputError("an acceleration needs at least three frames; simulate longer, or with a smaller `every`")
        if self.clock != "time":
            raise InputError(f"there are no accelerations: '{self.name}' was not simulated in time")
        return np.asarray(np.gradient(history, times, axis=0, edge_order=2))

    def _directors(self, name: str, body: Any) -> Array:
        point = as_point(body)
        part = self.model.body(point.body)
        anchor: Any = self.system.anchors[part.name]
        axes = anchor.gradients(point, part)[0] if self._graded(point) else anchor.axes()
        if len(axes) != self.dimension:
            raise InputError(f"{part.label} has no directors, so it has no rotation; read its points")
        return np.stack([self._history(name, axis) for axis in axes], axis=-1)

    def _graded(self, point: Point) -> bool:
        """Is it a point of a body with gradients?"""
        return point.at is not None and isinstance(self.system.anchors[self.model.body(point.body).name], Graded)

    def _spin(self, body: Any) -> Array:
        x, v = self._directors("x", body), self._directors("v", body)
        if self._graded(as_point(body)):
            return polar_spin(x.swapaxes(1, 2), v.swapaxes(1, 2))
        return rotations.spin(x, v)

    def _in_space(self, what: str) -> None:
        if self.dimension == 2:
            raise InputError(f"{what} are for 3D models; in 2D use result.angle(body)")

    @cached_property
    def _loaded(self) -> NDArray[np.int64]:
        """Frames that have multipliers: all that were reached by a step."""
        reached = self._store.steps["step"][self._store.frame_steps[self._frames]] > 0
        return self._frames[reached]

    def _eliminated(self, part: Any) -> Any:
        """The tie meant, if it is built into the weights, else None."""
        name = str(name_of(part))
        return self.model[name] if name in self.system.eliminated else None

    def _with_multipliers(self, part: Any) -> str:
        name = str(name_of(part))
        owners = {owner for owner, _, _ in self._store.header.multipliers}
        if name in owners:
            return name
        if name in self.model:
            raise InputError(f"{self.model[name].label} has no multipliers: no constraint force holds it")
        raise unknown_name("joint", name, owners, where=f"result '{self.name}'")

    def _at_multipliers(self, vector: Weights) -> Array:
        """A gathered vector at `multiplier_times`: between the ends of the step, or back from its end."""
        store, share = self._store, self._store.header.multiplier_time
        x, frames = self._history("x", vector), self._loaded
        if share == 1.0:
            return x[frames]
        before = np.maximum(frames - 1, 0)
        known = np.diff(store.frame_steps, prepend=-2)[frames] == 1
        rate, h = self._history("v", vector)[frames], store.steps["step"][store.frame_steps[frames]]
        back = x[frames] - (1.0 - share) * h[:, None] * rate
        return np.where(known[:, None], share * x[frames] + (1.0 - share) * x[before], back)

    def _started_at(self, name: str, otherwise: float) -> float:
        """The value that an Initial part gave to a joint coordinate."""
        from condyle.joints import Initial
        from condyle.system.coordinate import split

        for part in self.model:
            if not isinstance(part, Initial) or part.value is None:
                continue
            if split(self.model, part.coordinate, part) == split(self.model, name, part):
                return part.value
        return otherwise

    def _model_or_none(self) -> Model | None:
        return self._system.model if self._system is not None else self._model
