"""Results for other programs: glTF animations, storage files of OpenSim, tables."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import browser
import condyle as cd
from condyle.cli import main

ASSETS = Path(cd.__file__).parent / "report" / "assets"


@pytest.fixture(scope="module")
def run() -> cd.Result:
    """A rod on a hinge, with a soft block that falls and a ligament to the ground."""
    model = cd.Model("swing", gravity=(0, 0, -9.81))
    rod = model.add(cd.RigidBody.box("rod", (0.6, 0.05, 0.04), 900.0, position=(0.3, 0, 0)))
    model.add(cd.Revolute("hinge", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(cd.Ligament("band", [model.ground.at(0.2, 0, 0.3), rod.at(0.2, 0, 0)], 30.0, slack_length=0.4))
    mesh = cd.Mesh.block((0.1, 0.1, 0.1), (1, 1, 2), origin=(1.0, 0.0, 0.0))
    soft = cd.NeoHookean(density=1000.0, young=5e4, poisson=0.3)
    model.add(cd.Solid("block", mesh.nodes, mesh.cells, mesh.element, soft))
    for axis in range(3):
        model.add(cd.Hold(f"hold {axis}", "block", nodes=[0, 1, 2, 3], direction=np.eye(3)[axis].tolist()))
    return cd.simulate(model, end=0.2, dt=2e-3, every=5)


def parts_of(file: Path) -> tuple[dict[str, Any], bytes]:
    """The JSON and the buffer of a .glb file."""
    data = file.read_bytes()
    magic, version, size = struct.unpack_from("<III", data)
    assert (magic, version, size) == (0x46546C67, 2, len(data))
    length, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    content = json.loads(data[20 : 20 + length])
    rest, kind = struct.unpack_from("<II", data, 20 + length)
    assert kind == 0x004E4942 and rest % 4 == 0
    return content, data[28 + length :]


def numbers_of(content: dict[str, Any], buffer: bytes, accessor: int) -> np.ndarray:
    entry = content["accessors"][accessor]
    view = content["bufferViews"][entry["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4"}[entry["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[entry["type"]]
    values = np.frombuffer(buffer, kind, entry["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert np.allclose(values.min(axis=0), entry["min"]) and np.allclose(values.max(axis=0), entry["max"])
    return values


def test_rigid_bodies_are_animated_nodes_and_solids_morph(run, tmp_path):
    file = run.export(tmp_path / "swing.glb", count=11)
    content, buffer = parts_of(file)
    names = {node["name"]: k for k, node in enumerate(content["nodes"])}
    assert {"rod", "block", "band"} <= set(names)
    channels = content["animations"][0]["channels"]
    moved = {
        (c["target"]["node"], c["target"]["path"]): content["animations"][0]["samplers"][c["sampler"]] for c in channels
    }
    place = moved[names["rod"], "translation"]
    times = numbers_of(content, buffer, place["input"])[:, 0]
    frames = [run.at(min(float(t), 0.2)) for t in times]
    assert np.allclose(numbers_of(content, buffer, place["output"]), run.position("rod")[frames], atol=1e-6)
    turns = numbers_of(content, buffer, moved[names["rod"], "rotation"]["output"])
    theirs = run.quaternion("rod")[frames][:, [1, 2, 3, 0]]
    assert np.allclose(np.abs(np.einsum("ti,ti->t", turns, theirs)), 1.0, atol=1e-6)
    weights = numbers_of(content, buffer, moved[names["block"], "weights"]["output"]).reshape(len(times), -1)
    part = content["meshes"][content["nodes"][names["block"]]["mesh"]]["primitives"][0]
    first = numbers_of(content, buffer, part["attributes"]["POSITION"])
    morphs = np.array([numbers_of(content, buffer, target["POSITION"]) for target in part["targets"]])
    last = first + np.einsum("k,kpi->pi", weights[-1], morphs)
    height = run.fields("block", -1).positions[:, 2]
    assert last[:, 2].min() == pytest.approx(height.min(), abs=1e-6)
    assert first[:, 2].min() - last[:, 2].min() > 1e-3  # it has moved


def test_trimesh_reads_the_file(run, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.load(run.export(tmp_path / "swing.glb"))
    rod = next(mesh for name, mesh in scene.geometry.items() if name.startswith("rod"))
    assert np.allclose(np.sort(np.ptp(rod.vertices, axis=0)), [0.04, 0.05, 0.6], atol=1e-6)
    assert scene.bounds[1][1] - scene.bounds[0][1] < 0.5  # y is up


def test_a_model_is_a_still_picture(run, tmp_path):
    content, _ = parts_of(run.model.export(tmp_path / "model.glb"))
    assert "animations" not in content and len(content["nodes"]) > 2
    with pytest.raises(cd.InputError, match=r"ends in \.glb"):
        run.model.export(tmp_path / "model.csv")


# three.js has the parts of a loader in it: the test puts a file together with them, and plays it.
LOADER = """
const bytes = Uint8Array.from(atob(GLB), (c) => c.charCodeAt(0)), view = new DataView(bytes.buffer);
const length = view.getUint32(12, true), gltf = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
const start = 28 + length, width = { SCALAR: 1, VEC3: 3, VEC4: 4 };
const read = (k) => {
  const a = gltf.accessors[k], v = gltf.bufferViews[a.bufferView], n = a.count * width[a.type];
  const part = bytes.buffer.slice(start + v.byteOffset, start + v.byteOffset + 4 * n);
  return a.componentType === 5126 ? new Float32Array(part) : new Uint32Array(part);
};
const objects = gltf.nodes.map((node) => {
  const object = new THREE.Group();
  object.name = node.name;
  if (node.rotation) object.quaternion.fromArray(node.rotation);
  if (node.translation) object.position.fromArray(node.translation);
  for (const p of node.mesh === undefined ? [] : gltf.meshes[node.mesh].primitives) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(read(p.attributes.POSITION), 3));
    geometry.setIndex(new THREE.BufferAttribute(read(p.indices), 1));
    if (p.targets) {
      geometry.morphAttributes.position = p.targets.map((t) => new THREE.BufferAttribute(read(t.POSITION), 3));
      geometry.morphTargetsRelative = true;
    }
    const look = new THREE.MeshBasicMaterial({ color: 0x3060a0 });
    object.add(p.mode === 4 ? new THREE.Mesh(geometry, look) : new THREE.LineSegments(geometry, look));
  }
  return object;
});
gltf.nodes.forEach((node, k) => (node.children || []).forEach((child) => objects[k].add(objects[child])));
const play = (t) => gltf.animations[0].channels.forEach((c) => {
  const s = gltf.animations[0].samplers[c.sampler], object = objects[c.target.node];
  const times = read(s.input), values = read(s.output);
  let k = 0;
  while (k < times.length - 2 && times[k + 1] <= t) k++;
  const share = Math.min((t - times[k]) / (times[k + 1] - times[k]), 1), wide = values.length / times.length;
  const now = Array.from({ length: wide }, (_, i) => (1 - share) * values[k * wide + i] + share * values[(k + 1) * wide + i]);
  if (c.target.path === "translation") object.position.fromArray(now);
  else if (c.target.path === "rotation") object.quaternion.fromArray(now).normalize();
  else object.children.forEach((part) => now.forEach((w, i) => (part.morphTargetInfluences[i] = w)));
});
const scene = new THREE.Scene();
scene.add(objects[gltf.scenes[0].nodes[0]]);
"""


@pytest.mark.skipif(browser.CHROMIUM is None, reason="there is no Chromium")
def test_three_js_plays_the_file(run, tmp_path):
    import base64

    coded = base64.b64encode(run.export(tmp_path / "swing.glb").read_bytes()).decode()
    three = (ASSETS / "three.min.js").read_text(encoding="utf-8")
    page = f"<!doctype html><html><head></head><body data-ready='true'><script>{three}</script></body></html>"
    script = f"""const GLB = "{coded}";{LOADER}
      play(0.1);
      scene.updateMatrixWorld(true);
      const rod = objects.find((o) => o.name === "rod"), tip = rod.localToWorld(new THREE.Vector3(0.3, 0, 0));
      const renderer = new THREE.WebGLRenderer();
      const camera = new THREE.PerspectiveCamera(50, 1, 0.01, 10);
      camera.position.set(0, 0, 3);
      renderer.render(scene, camera);
      return {{ tip: tip.toArray(), triangles: renderer.info.render.triangles, names: objects.map((o) => o.name) }};"""
    said = browser.ask(page, script, tmp_path)
    tip = run.position(run.model["rod"].at(0.3, 0, 0))[run.at(0.1)]
    assert np.allclose(said["tip"], [tip[0], tip[2], -tip[1]], atol=1e-5)  # z of the model is up, which is y of glTF
    assert said["triangles"] > 10 and "block" in said["names"]


def test_storage_files_are_read_again(run, tmp_path):
    file = run.export(tmp_path / "swing.mot", degrees=True)
    table = cd.read_motion(file)
    assert table.degrees and np.allclose(np.radians(table["hinge.angle"]), run.coordinate("hinge.angle"))
    named = cd.read_motion(run.to_sto(tmp_path / "named.sto", names={"hip_flexion": "hinge.angle"}))
    assert named.names() == ["hip_flexion"] and not named.degrees
    forces = cd.read_motion(run.to_sto(tmp_path / "forces.sto", "forces"))
    assert np.allclose(forces["band_tension"], run.path("band")["tension"])
    assert {"hinge_force_x", "hinge_force_z"} <= set(forces.names())
    with pytest.raises(cd.InputError, match=r"no column 'knee\.angle'"):
        run.to_sto(tmp_path / "wrong.sto", names={"knee": "knee.angle"})


def test_tables_have_all_curves(run, tmp_path):
    with run.export(tmp_path / "swing.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(run)
    assert float(rows[-1]["rod x [m]"]) == run.position("rod")[-1, 0]
    assert float(rows[-1]["hinge.angle [rad]"]) == run.coordinate("hinge.angle")[-1]
    assert float(rows[3]["band tension [N]"]) == run.path("band")["tension"][3]


def test_parquet_holds_the_same(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_parquet(run.export(tmp_path / "swing.parquet", contents=["coordinates"]))
    assert list(table.columns) == ["time", "hinge.angle [rad]"]
    assert np.array_equal(table["time"], run.times)


@pytest.mark.parametrize("name", ["run.glb", "run.csv", "run.sto", "run.mot", "run.pvd"])
def test_the_command_chooses_by_the_ending(run, tmp_path, name, capsys):
    run.save(tmp_path / "run.h5")
    assert main(["export", str(tmp_path / "run.h5"), "-o", str(tmp_path / name)]) == 0
    assert "written" in capsys.readouterr().out and (tmp_path / name).stat().st_size > 100
    assert main(["export", str(tmp_path / "run.h5"), "-o", str(tmp_path / name)]) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_endings_that_nothing_is_written_for_are_refused(run, tmp_path):
    with pytest.raises(cd.InputError, match=r"one of these endings: \.glb"):
        run.export(tmp_path / "run.fbx")
    with pytest.raises(cd.InputError, match="there is no folder"):
        run.export(tmp_path / "gone" / "run.glb")
    with pytest.raises(cd.InputError, match="there is no content 'angles'"):
        run.to_csv(tmp_path / "run.csv", "angles")
