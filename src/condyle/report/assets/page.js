"use strict";
// The page of a run. Data: a description (JSON) and one compressed block of arrays that it points into.

const $ = (id) => document.getElementById(id);
const element = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};
const LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#888888"];
const VIRIDIS = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
const STEPS = 65535;
const MOST_TUBES = 4000; // edges that are drawn as rods; more are drawn as thin lines
const SIDES = 6;
const MOST_NAMES = 40; // parts of a model before it runs whose names are shown at once
const FIRST_FIELDS = ["contact pressure", "von Mises stress", "activation"]; // what colours a page when it opens
const PLACES = [[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1], [0, 2], [0, -2], [1, 2], [1, -2], [-1, 2], [-1, -2]]; // of a name beside its part: right, down

function viridis(share) {
  const s = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const k = Math.min(Math.floor(s), VIRIDIS.length - 2);
  return VIRIDIS[k].map((c, i) => (c + (s - k) * (VIRIDIS[k + 1][i] - c)) / 255);
}

function shown(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

// A number at an axis has little room: as few digits as it needs.
function tick(value) {
  const size = Math.abs(value), short = Number(value.toPrecision(6));
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? short.toExponential().replace("e+", "e") : String(short);
}

// A value with its unit; the prefix is that of the value, or of the largest one that stands beside it.
function withUnit(value, unit, beside = value) {
  const prefixes = { Pa: [[1e9, "GPa"], [1e6, "MPa"], [1e3, "kPa"]], N: [[1e3, "kN"]] };
  for (const [size, name] of prefixes[unit] || []) if (Math.abs(beside) >= size) return `${shown(value / size)} ${name}`;
  return unit ? `${shown(value)} ${unit}` : shown(value);
}

async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

class Arrays {
  constructor(buffer) { this.buffer = buffer; }
  read(place) {
    const kinds = { f4: Float32Array, u2: Uint16Array, u4: Uint32Array };
    return new kinds[place.kind](this.buffer, place.at, place.count);
  }
}

// One thing of the model: its places in each frame, and what draws it.
class Item {
  constructor(about, arrays, radius) {
    this.about = about;
    this.boxes = arrays.read(about.boxes);
    this.places = arrays.read(about.places);
    this.triangles = arrays.read(about.triangles);
    this.edges = arrays.read(about.edges);
    this.dots = arrays.read(about.dots);
    this.fields = Object.fromEntries(about.fields.map((f) => [f.name, { ...f, data: arrays.read(f.values) }]));
    this.now = new Float32Array(3 * about.points);
    this.first = new Float32Array(3 * about.points);
    this.group = new THREE.Group();
    this.group.userData.item = this;
    const reach = Math.max(...[3, 4, 5].map((i) => this.boxes[i])); // a rod is never thick beside its own length
    this.symbol = ["muscle", "ligament"].includes(about.kind) ? 1.2 * radius : radius;
    this.thickest = about.points > 1 && !["joint", "point"].includes(about.kind) ? 0.02 * reach : radius;
    this.radius = Math.min(this.symbol, this.thickest);
    this.thickness = 1;
    this.colour = new THREE.Color(about.colour);
    this.build();
    this.move(0);
    this.first.set(this.now);
  }

  build() {
    const { kind } = this.about;
    const flat = kind !== "shape";
    if (this.triangles.length) {
      const geometry = new THREE.BufferGeometry();
      this.position = new THREE.BufferAttribute(this.now, 3);
      this.position.setUsage(THREE.DynamicDrawUsage);
      this.tint = new THREE.BufferAttribute(new Float32Array(this.now.length), 3);
      geometry.setAttribute("position", this.position);
      geometry.setAttribute("color", this.tint);
      geometry.setIndex(new THREE.BufferAttribute(this.triangles, 1));
      const seen = kind === "plane" ? { transparent: true, opacity: 0.18, depthWrite: false } : {};
      const material = new THREE.MeshStandardMaterial({ vertexColors: true, side: THREE.DoubleSide, flatShading: flat, roughness: 0.7, metalness: 0.05, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, ...seen });
      this.mesh = new THREE.Mesh(geometry, material);
      this.group.add(this.mesh);
    }
    if (this.edges.length) {
      const rods = !this.triangles.length && this.edges.length / 2 <= MOST_TUBES && kind !== "plane";
      if (rods) this.buildRods(); else this.buildLines();
    }
    if (this.dots.length) this.buildDots();
    if (["joint", "point"].includes(kind)) this.group.traverse((part) => { // seen through the bodies that they are in
      if (part.material) { part.material.depthTest = false; part.material.transparent = true; part.renderOrder = 1; }
    });
  }

  buildLines() {
    const geometry = new THREE.BufferGeometry();
    this.linePosition = this.position || new THREE.BufferAttribute(this.now, 3);
    geometry.setAttribute("position", this.linePosition);
    geometry.setIndex(new THREE.BufferAttribute(this.edges, 1));
    const faint = this.triangles.length ? { color: 0x10151c, transparent: true, opacity: 0.28 } : { color: this.colour };
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(faint));
    this.group.add(this.lines);
  }

  buildRods() {
    const count = this.edges.length / 2;
    this.rods = new Float32Array(count * 2 * SIDES * 3);
    const index = new Uint32Array(count * SIDES * 6);
    let k = 0;
    for (let e = 0; e < count; e++) {
      const a = e * 2 * SIDES;
      for (let s = 0; s < SIDES; s++) {
        const t = (s + 1) % SIDES;
        index.set([a + s, a + t, a + SIDES + s, a + t, a + SIDES + t, a + SIDES + s], k);
        k += 6;
      }
    }
    const geometry = new THREE.BufferGeometry();
    this.rodPosition = new THREE.BufferAttribute(this.rods, 3);
    this.rodTint = new THREE.BufferAttribute(new Float32Array(this.rods.length), 3);
    geometry.setAttribute("position", this.rodPosition);
    geometry.setAttribute("color", this.rodTint);
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.rodMesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ vertexColors: true, side: THREE.DoubleSide, flatShading: true, roughness: 0.6 }));
    this.group.add(this.rodMesh);
  }

  buildDots() {
    this.balls = Array.from(this.dots, (point) => {
      const ball = new THREE.Mesh(new THREE.SphereGeometry((this.about.kind === "point" ? 1.6 : 2.5) * this.radius, 20, 14), new THREE.MeshStandardMaterial({ color: this.colour, roughness: 0.6 }));
      ball.userData.point = point;
      this.group.add(ball);
      return ball;
    });
  }

  move(frame) {
    const n = 3 * this.about.points;
    const k = this.about.still ? 0 : frame;
    const box = this.boxes.subarray(6 * k, 6 * k + 6);
    const scale = [box[3] / STEPS, box[4] / STEPS, box[5] / STEPS];
    for (let i = 0, from = n * k; i < n; i += 3, from += 3) {
      this.now[i] = box[0] + scale[0] * this.places[from];
      this.now[i + 1] = box[1] + scale[1] * this.places[from + 1];
      this.now[i + 2] = box[2] + scale[2] * this.places[from + 2];
    }
    if (this.mesh) {
      this.position.needsUpdate = true;
      this.mesh.geometry.computeBoundingSphere();
      if (!this.mesh.material.flatShading) this.mesh.geometry.computeVertexNormals();
    }
    if (this.lines) {
      this.linePosition.needsUpdate = true;
      this.lines.geometry.computeBoundingSphere();
    }
    if (this.rodMesh) this.moveRods();
    for (const ball of this.balls || []) ball.position.fromArray(this.now, 3 * ball.userData.point);
  }

  moveRods() {
    const p = new THREE.Vector3(), q = new THREE.Vector3(), along = new THREE.Vector3(), u = new THREE.Vector3(), v = new THREE.Vector3();
    const radius = Math.min(this.thickness * this.symbol, this.thickest);
    for (let e = 0, out = 0; e < this.edges.length; e += 2) {
      p.fromArray(this.now, 3 * this.edges[e]);
      q.fromArray(this.now, 3 * this.edges[e + 1]);
      along.subVectors(q, p);
      if (along.lengthSq() === 0) along.set(0, 0, 1);
      along.normalize();
      u.set(Math.abs(along.x) < 0.9 ? 1 : 0, Math.abs(along.x) < 0.9 ? 0 : 1, 0).cross(along).normalize();
      v.crossVectors(along, u);
      for (const end of [p, q]) {
        for (let s = 0; s < SIDES; s++) {
          const c = radius * Math.cos((2 * Math.PI * s) / SIDES), d = radius * Math.sin((2 * Math.PI * s) / SIDES);
          this.rods[out++] = end.x + c * u.x + d * v.x;
          this.rods[out++] = end.y + c * u.y + d * v.y;
          this.rods[out++] = end.z + c * u.z + d * v.z;
        }
      }
    }
    this.rodPosition.needsUpdate = true;
    this.rodMesh.geometry.computeBoundingSphere();
  }

  // The value of a field at a point in a frame; undefined where the item does not have it.
  value(name, frame, point) {
    if (name === "displacement") return Math.hypot(...[0, 1, 2].map((i) => this.now[3 * point + i] - this.first[3 * point + i]));
    const field = this.fields[name];
    if (!field) return undefined;
    const step = field.data[field.each === 1 ? frame : frame * field.each + point];
    return field.low + (step / STEPS) * (field.high - field.low);
  }

  paint(name, frame, range, chosen) {
    const has = name && this.about.kind !== "plane" && (name === "displacement" ? this.about.kind === "body" : name in this.fields);
    const plain = [this.colour.r, this.colour.g, this.colour.b].map((c) => (name && !has ? 0.35 * c + 0.45 : c));
    const lit = chosen ? plain.map((c) => 0.4 * c + 0.6) : plain;
    const at = (point) => {
      if (!has) return lit;
      const tint = new THREE.Color(...viridis((this.value(name, frame, point) - range[0]) / (range[1] - range[0] || 1))).convertSRGBToLinear();
      return [tint.r, tint.g, tint.b];
    };
    if (this.mesh) {
      for (let i = 0; i < this.about.points; i++) this.tint.array.set(at(i), 3 * i);
      this.tint.needsUpdate = true;
    }
    if (this.rodMesh) {
      const tint = this.rodTint.array;
      this.edges.forEach((point, e) => { const c = at(point); for (let s = 0; s < SIDES; s++) tint.set(c, 3 * (e * SIDES + s)); });
      this.rodTint.needsUpdate = true;
    }
    for (const ball of this.balls || []) ball.material.color.setRGB(...at(ball.userData.point));
  }

  // Rods and dots are symbols: who looks closer sees them thinner beside what has a size.
  thin(thickness) {
    this.thickness = thickness;
    for (const ball of this.balls || []) ball.scale.setScalar(thickness);
    if (this.rodMesh) this.moveRods();
  }

  nearest(place) {
    let best = 0, least = Infinity;
    for (let i = 0; i < this.about.points; i++) {
      const gap = Math.hypot(this.now[3 * i] - place.x, this.now[3 * i + 1] - place.y, this.now[3 * i + 2] - place.z);
      if (gap < least) { least = gap; best = i; }
    }
    return best;
  }
}

// The model in motion.
class Viewer {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.items = [];
    this.field = "";
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    canvas.addEventListener("pointerdown", (e) => { this.pressed = [e.clientX, e.clientY]; });
    canvas.addEventListener("pointerup", (e) => {
      if (this.pressed && Math.hypot(e.clientX - this.pressed[0], e.clientY - this.pressed[1]) < 5) this.pick(e);
    });
  }

  open(run, arrays, joints) {
    this.run = run;
    this.scene = new THREE.Scene();
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a93a0, 2.1));
    this.low = new THREE.Vector3(...run.low);
    this.high = new THREE.Vector3(...run.high);
    this.size = this.high.distanceTo(this.low) || 1;
    this.middle = this.low.clone().add(this.high).multiplyScalar(0.5);
    this.items = run.items.map((about) => new Item(about, arrays, 0.004 * this.size));
    for (const item of this.items) {
      item.group.visible = !["joint", "point"].includes(item.about.kind) || joints;
      this.scene.add(item.group);
    }
    this.camera = run.dimension === 2 ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 0.01 * this.size, 100 * this.size);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.6);
    this.camera.add(this.sun);
    this.sun.position.set(0.4, 0.7, 1);
    this.scene.add(this.camera);
    this.controls?.dispose();
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = run.dimension === 3;
    this.controls.screenSpacePanning = true;
    if (run.dimension === 2) { this.controls.mouseButtons = { LEFT: 2, MIDDLE: 1, RIGHT: 2 }; this.controls.touches = { ONE: 1, TWO: 2 }; }
    this.controls.addEventListener("change", () => { this.thin(); this.draw(); });
    this.thickness = 1;
    this.chosen = null;
    this.look("fit");
    this.resize();
    this.show(0);
  }

  up() { return new THREE.Vector3(...this.run.up); }

  look(way) {
    const up = this.up();
    let from;
    if (this.run.dimension === 2) from = new THREE.Vector3(0, 0, 1);
    else if (way === "fit") {
      const side = new THREE.Vector3(Math.abs(up.x) > 0.9 ? 0 : 1, Math.abs(up.x) > 0.9 ? 1 : 0, 0).addScaledVector(up, -up.x).normalize();
      from = side.clone().multiplyScalar(0.6).addScaledVector(new THREE.Vector3().crossVectors(up, side), -1).addScaledVector(up, 0.45).normalize();
    } else from = new THREE.Vector3(way === "x" ? 1 : 0, way === "y" ? 1 : 0, way === "z" ? 1 : 0);
    this.camera.up.copy(Math.abs(up.dot(from)) > 0.99 ? new THREE.Vector3(...(Math.abs(up.y) > 0.9 ? [0, 0, -1] : [0, 1, 0])) : up);
    const [middle, size] = this.bounds();
    const far = (length) => (0.62 * length) / Math.tan((17.5 * Math.PI) / 180);
    const distance = this.run.dimension === 2 ? this.size : far(size);
    this.whole = far(this.size);
    this.camera.position.copy(middle).addScaledVector(from, distance);
    this.controls.target.copy(middle);
    if (this.run.dimension === 2) this.camera.zoom = this.chosen ? this.size / (1.2 * size) : 1;
    this.resize();
    this.controls.update();
    this.thin();
    this.draw();
  }

  thin() {
    const near = this.run.dimension === 2 ? 1 / this.camera.zoom : this.camera.position.distanceTo(this.controls.target) / this.whole;
    const thickness = Math.min(1, 0.8 ** Math.round(Math.log(Math.max(near, 1e-4)) / Math.log(0.8))); // in steps: not at every turn of the wheel
    if (thickness === this.thickness) return;
    this.thickness = thickness;
    this.items.forEach((item) => item.thin(thickness));
  }

  // Middle and size of what is to be seen: of the chosen part, or of everything.
  bounds() {
    if (!this.chosen) return [this.middle, this.size];
    const box = new THREE.Box3().setFromArray(this.chosen.now);
    const size = box.min.distanceTo(box.max);
    return [box.min.clone().add(box.max).multiplyScalar(0.5), size > 0 ? size : 0.1 * this.size];
  }

  resize() {
    if (!this.camera) return;
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    const aspect = width / height;
    if (this.camera.isPerspectiveCamera) this.camera.aspect = aspect;
    else {
      const extent = [0, 1].map((i) => 0.58 * (this.run.high[i] - this.run.low[i]) || 0.1 * this.size);
      const half = Math.max(extent[1], extent[0] / aspect, 0.02 * this.size);
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -100 * this.size, far: 100 * this.size });
    }
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  // All fields that some item has, with the range over all items and frames.
  fields() {
    const found = { displacement: { unit: "m", low: 0, high: 0 } };
    for (const item of this.items)
      for (const { name, unit, low, high } of Object.values(item.fields)) {
        const known = found[name] || (found[name] = { unit, low, high });
        known.low = Math.min(known.low, low);
        known.high = Math.max(known.high, high);
      }
    const last = this.frame;
    for (let f = 0; f < this.run.frames.length; f += Math.max(1, Math.floor(this.run.frames.length / 12)))
      for (const item of this.items.filter((i) => i.about.kind === "body" && !i.about.still)) {
        item.move(f);
        for (let i = 0; i < item.about.points; i += Math.max(1, Math.floor(item.about.points / 300))) found.displacement.high = Math.max(found.displacement.high, item.value("displacement", f, i));
      }
    for (const field of Object.values(found)) if (Math.abs(field.low) < 1e-9 * Math.abs(field.high)) field.low = 0;
    if (last !== undefined) this.show(last);
    return found;
  }

  show(frame) {
    this.frame = frame;
    for (const item of this.items) { item.move(frame); this.paint(item); }
    this.draw();
  }

  paint(item) { item.paint(this.field, this.frame, this.range || [0, 1], item === this.chosen); }

  colourBy(field, range) {
    this.field = field;
    this.range = range;
    this.items.forEach((item) => this.paint(item));
    this.draw();
  }

  draw() {
    if (!this.scene) return;
    this.renderer.render(this.scene, this.camera);
    this.onDraw?.();
  }

  // Where the name of each visible part stands, in shares of the picture: its dot, or the middle of its points.
  names() {
    return this.items.filter((item) => item.group.visible && item.about.kind !== "plane").map((item) => {
      const at = new THREE.Vector3();
      if (item.dots.length) at.fromArray(item.now, 3 * item.dots[0]);
      else new THREE.Box3().setFromArray(item.now).getCenter(at);
      at.project(this.camera);
      const name = item.about.kind === "point" ? item.about.name.split(".").pop() : item.about.name; // the body has a name of its own
      return { name, kind: item.about.kind, x: (at.x + 1) / 2, y: (1 - at.y) / 2, seen: Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && Math.abs(at.z) < 1 };
    });
  }

  choose(item, place) {
    this.chosen = item;
    this.place = item && place ? item.nearest(place) : 0;
    this.items.forEach((i) => this.paint(i));
    this.draw();
    this.onChoose?.();
  }

  pick(event) {
    const frame = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (event.clientX - frame.left)) / frame.width - 1, 1 - (2 * (event.clientY - frame.top)) / frame.height);
    const ray = new THREE.Raycaster();
    ray.params.Line.threshold = 0.008 * this.size;
    ray.setFromCamera(at, this.camera);
    const hit = ray.intersectObjects(this.items.filter((i) => i.group.visible && i.about.kind !== "plane").map((i) => i.group), true)[0];
    const owner = hit && (hit.object.userData.item || hit.object.parent.userData.item);
    this.choose(owner || null, hit?.point);
  }
}

// Curves with a line at the time that is shown; a click moves the time there.
function addPlot(host, about, arrays, page) {
  const box = element("div", { className: "plot" }, element("h2", { textContent: about.unit ? `${about.title} [${about.unit}]` : about.title }));
  host.append(box);
  const times = Array.from(arrays.read(about.times));
  const series = about.series.map((s) => Array.from(arrays.read(s.values)));
  const largest = series.flat().reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
  const read = (value) => shown(value !== null && Math.abs(value) < 1e-12 * largest ? 0 : value); // round-off beside the other curves
  const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--soft");
  const grid = () => getComputedStyle(document.documentElement).getPropertyValue("--line");
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const marker = (u) => {
    const x = Math.round(u.valToPos(page.now(), "x", true));
    u.ctx.save();
    u.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    u.ctx.lineWidth = 2;
    u.ctx.setLineDash([]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  };
  const plot = new uPlot({
    width: Math.max(box.clientWidth, 260), height: 190, pxAlign: 0,
    scales: { x: { time: false } },
    axes: [{ ...axis, label: page.run.clock === "time" ? "time [s]" : page.run.clock, labelSize: 20, size: 34 }, { ...axis, size: 62, values: (u, ticks) => ticks.map(tick) }],
    series: [{ label: page.run.clock, value: (u, v) => shown(v) }, ...about.series.map((s, k) => ({ label: s.name, stroke: LINES[k % LINES.length], dash: [[], [8, 4], [2, 3]][Math.floor(k / LINES.length) % 3], width: 1.6, value: (u, v) => read(v), points: { show: false } }))],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
    hooks: { draw: [marker], ready: [() => setTimeout(() => plot.mark())] },
  }, [times, ...series], box);
  plot.over.addEventListener("click", (event) => {
    if (plot.select.width < 3) page.goTo(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
  });
  plot.mark = () => {
    let k = 0;
    while (k < times.length - 1 && times[k + 1] - page.now() < 0.5 * (times[k + 1] - times[k])) k++; // the nearest: times are rounded
    if (!plot.cursor.left || plot.cursor.left < 0) plot.setLegend({ idx: k });
    plot.redraw(false);
  };
  new ResizeObserver(() => { if (box.clientWidth && Math.abs(box.clientWidth - plot.width) > 1) plot.setSize({ width: box.clientWidth, height: 190 }); }).observe(box);
  return plot;
}

class Page {
  constructor(about, arrays) {
    this.about = about;
    this.arrays = arrays;
    $("title").textContent = about.title;
    $("version").textContent = about.version;
    $("text").textContent = about.text;
    $("about-text").hidden = !about.text;
    if (about.runs.length) try { this.viewer = new Viewer($("canvas")); } catch (error) {
      $("no-view").textContent = "This browser shows no 3D graphics (WebGL); curves and tables are on the right.";
      $("no-view").hidden = false;
    }
    about.runs.forEach((run, k) => $("run").append(element("option", { value: k, textContent: run.label })));
    $("run-choice").hidden = about.runs.length < 2;
    this.listen();
    const first = [FIRST_FIELDS, null].map((wanted) => about.runs.findIndex((run) => run.items.some((item) => item.fields.some((f) => f.high > f.low && (!wanted || wanted.includes(f.name)))))).find((k) => k >= 0) ?? 0; // with something to colour
    if (about.runs.length) { $("run").value = first; this.open(first); }
    else { document.body.classList.add("no-runs"); $("status").hidden = true; this.fillPanes(); }
  }

  listen() {
    $("run").onchange = () => this.open(Number($("run").value));
    $("time").oninput = () => this.showFrame(Number($("time").value));
    $("play").onclick = () => this.play(!this.playing);
    $("field").onchange = () => this.colour($("field").value);
    $("naming").onclick = () => this.name(!this.named);
    $("theme").onclick = () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    for (const button of document.querySelectorAll("[data-look]")) button.onclick = () => this.viewer?.look(button.dataset.look);
    document.addEventListener("keydown", (event) => {
      if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && event.target.id !== "time") return;
      const moves = { ArrowLeft: -1, ArrowRight: 1 };
      if (!this.run) return;
      if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); this.play(!this.playing); }
      else if (event.key in moves && event.target.id !== "time") this.showFrame(this.frame + moves[event.key]);
    });
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.theme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => this.theme(dark.matches ? "dark" : "light"));
    if (this.viewer) { this.viewer.onChoose = () => this.tellPicked(); this.viewer.onDraw = () => this.placeNames(); }
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    for (const plot of this.plots || []) plot.redraw(false);
    this.viewer?.draw();
  }

  open(number) {
    this.play(false);
    this.run = this.about.runs[number];
    this.frame = 0;
    $("status").textContent = this.run.status;
    document.body.classList.toggle("flat", this.run.dimension === 2);
    $("time").max = this.run.frames.length - 1;
    $("player").hidden = this.run.frames.length < 2;
    const span = this.run.frames[this.run.frames.length - 1] - this.run.frames[0];
    const speeds = Array.from($("speed").options, (option) => Number(option.value));
    if (this.run.clock === "time" && span > 0) // the run as it is; slower where it would be over in half a second, faster where it takes minutes
      $("speed").value = String(span < 0.5 ? speeds.find((speed) => span / speed < 3) ?? 1 : span > 60 ? speeds.find((speed) => span / speed < 60) ?? 16 : 1);
    this.plots = [];
    this.viewer?.open(this.run, this.arrays, this.about.before);
    this.name(this.about.before && this.run.items.length <= MOST_NAMES);
    this.fillFields();
    this.fillPanes();
    this.showFrame(this.run.clock === "load factor" ? this.run.frames.length - 1 : 0); // statics under the whole load
    this.tellPicked();
  }

  // New data of the same run: the camera and the time stay; who looks at the last frame sees the new last one.
  async replace(about, arrays) {
    const atEnd = this.frame === this.run.frames.length - 1, time = this.now(), field = $("field").value;
    const view = this.viewer && [this.viewer.camera.position.clone(), this.viewer.controls.target.clone(), this.viewer.camera.zoom];
    const tab = document.querySelector("#tabs [aria-selected=true]")?.id;
    this.about = about;
    this.arrays = arrays;
    this.open(0);
    if (view) {
      this.viewer.camera.position.copy(view[0]);
      this.viewer.controls.target.copy(view[1]);
      this.viewer.camera.zoom = view[2];
      this.viewer.camera.updateProjectionMatrix();
      this.viewer.controls.update();
    }
    if (field in this.fields) { $("field").value = field; this.colour(field); }
    if (tab) $(tab)?.click();
    if (atEnd) this.showFrame(this.run.frames.length - 1); else this.goTo(time);
  }

  // Names beside the parts, or none.
  name(on) {
    this.named = on;
    $("naming").setAttribute("aria-pressed", on);
    $("names").hidden = !on;
    this.viewer?.draw();
  }

  placeNames() {
    if (!this.named) return;
    const { clientWidth: width, clientHeight: height } = $("stage");
    const ink = (this.ink ||= document.createElement("canvas").getContext("2d"));
    ink.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const spans = [], stage = $("stage").getBoundingClientRect();
    const taken = [...$("tools").children, $("legend")].map((part) => part.getBoundingClientRect()).filter((box) => box.width).map((box) => [box.left - stage.left, box.top - stage.top, box.width, box.height]);
    // Bodies and muscles have their names first, then joints, then points: who comes later moves aside, or stays away.
    const rank = { joint: 1, point: 2 };
    const seen = this.viewer.names().filter((label) => label.seen).sort((a, b) => (rank[a.kind] || 0) - (rank[b.kind] || 0));
    for (const { name, kind, x, y } of seen) {
      const wide = ink.measureText(name).width + 9, high = 18, besides = kind in rank;
      const fits = PLACES.map(([right, down]) => [x * width - wide / 2 + (right + (besides && !right ? 1 : 0)) * (wide / 2 + 8), y * height - high / 2 + (down - (besides && !right && !down ? 1 : 0)) * (high + 1)])
        .find(([a, b]) => a >= 0 && b >= 0 && a + wide <= width && b + high <= height && taken.every(([c, d, w, h]) => a + wide <= c || c + w <= a || b + high <= d || d + h <= b));
      if (!fits) continue;
      taken.push([...fits, wide, high]);
      spans.push(element("span", { textContent: name, className: kind, style: `left:${fits[0]}px;top:${fits[1]}px` }));
    }
    $("names").replaceChildren(...spans);
  }

  fillFields() {
    const fields = this.viewer ? this.viewer.fields() : {};
    this.fields = fields;
    $("field").replaceChildren(element("option", { value: "", textContent: "colours of parts" }), ...Object.keys(fields).map((name) => element("option", { value: name, textContent: name })));
    const first = FIRST_FIELDS.find((name) => name in fields && fields[name].high > fields[name].low) || "";
    $("field").value = first;
    this.colour(first);
  }

  colour(name) {
    const field = this.fields[name];
    $("legend").hidden = !field;
    this.viewer?.colourBy(name, field ? [field.low, field.high] : [0, 1]);
    if (!field) return;
    $("legend-name").textContent = name;
    const largest = Math.max(Math.abs(field.low), Math.abs(field.high));
    const last = 10 ** (Math.floor(Math.log10(largest || 1)) - 2); // three digits of the largest, the same place for all
    for (const [end, value] of [["high", field.high], ["middle", (field.low + field.high) / 2], ["low", field.low]])
      $(`legend-${end}`).textContent = withUnit(Number((Math.round(value / last) * last).toPrecision(3)), field.unit, largest);
    const bar = $("legend-bar").getContext("2d");
    for (let y = 0; y < 128; y++) {
      bar.fillStyle = `rgb(${viridis(1 - y / 127).map((c) => Math.round(255 * c)).join(",")})`;
      bar.fillRect(0, y, 12, 1);
    }
  }

  fillPanes() {
    const panes = { plots: () => this.plotsPane(), parts: () => this.partsPane(), claims: () => this.claimsPane(), figures: () => this.figuresPane(), model: () => this.modelPane(), run: () => this.runPane(), data: () => this.dataPane() };
    if (!this.run) for (const name of ["plots", "parts", "model", "run", "data"]) delete panes[name];
    else if (!this.run.plots.length) for (const name of ["plots", "data"]) delete panes[name];
    if (!this.about.claims.length) delete panes.claims;
    if (!this.about.figures.length) delete panes.figures;
    $("tabs").replaceChildren();
    $("panes").replaceChildren();
    for (const [name, fill] of Object.entries(panes)) {
      const pane = element("div", { className: "pane", id: `pane-${name}`, hidden: true });
      const tab = element("button", { type: "button", textContent: name, id: `tab-${name}` });
      tab.setAttribute("role", "tab");
      tab.onclick = () => {
        for (const other of $("panes").children) other.hidden = other !== pane;
        for (const other of $("tabs").children) other.setAttribute("aria-selected", other === tab);
        if (!pane.childNodes.length) pane.append(...[fill()].flat());
        if (name === "plots" && !this.plots.length) { this.plots = this.run.plots.map((plot) => addPlot(pane, plot, this.arrays, this)); this.plots.forEach((plot) => plot.mark()); }
      };
      $("tabs").append(tab);
      $("panes").append(pane);
    }
    $("tabs").firstElementChild?.click();
  }

  plotsPane() { return element("p", { className: "small", textContent: "A click moves the time, dragging zooms, a double click shows all. Names in the legend hide curves." }); }

  partsPane() {
    const list = element("ul", { className: "parts" });
    const search = element("input", { type: "search", placeholder: "find a part", ariaLabel: "find a part" });
    for (const item of this.viewer?.items || []) {
      const box = element("input", { type: "checkbox", checked: item.group.visible, ariaLabel: `show ${item.about.name}` });
      box.onchange = () => { item.group.visible = box.checked; this.viewer.draw(); };
      const name = element("button", { type: "button", textContent: item.about.name });
      name.onclick = () => this.viewer.choose(item);
      const row = element("li", {}, box, element("span", { className: "swatch", style: `background:${item.about.colour}` }), name, element("span", { className: "small", textContent: item.about.kind }));
      list.append(row);
    }
    search.oninput = () => { for (const row of list.children) row.style.display = row.textContent.toLowerCase().includes(search.value.toLowerCase()) ? "" : "none"; };
    return [search, list];
  }

  claimsPane() {
    const counts = {};
    for (const claim of this.about.claims) counts[claim.outcome] = (counts[claim.outcome] || 0) + 1;
    const verbs = { holds: "hold", differs: "differ", fails: "fail" };
    const told = Object.entries(counts).map(([outcome, count]) => `${count} ${count === 1 ? outcome : verbs[outcome] || outcome}`).join(", ");
    const rows = this.about.claims.map((claim) => {
      const quantity = element("td", {}, claim.quantity, element("div", { className: "small", textContent: `${claim.kind}${claim.from ? `: ${claim.from}` : ""}${claim.reason ? `. ${claim.reason}` : ""}` }));
      return element("tr", {}, quantity, element("td", { textContent: claim.expected }), element("td", { textContent: shown(claim.computed), className: "number" }), element("td", { textContent: claim.outcome, className: `number ${claim.outcome}` }));
    });
    const head = element("tr", {}, ...["quantity", "expected", "computed", ""].map((text) => element("th", { textContent: text })));
    return [element("p", { textContent: told, id: "claim-counts" }), element("table", { className: "list" }, element("thead", {}, head), element("tbody", {}, ...rows))];
  }

  figuresPane() {
    return this.about.figures.map((figure) => {
      const image = element("img", { src: `data:image/png;base64,${figure.png}`, alt: figure.name, title: "click to enlarge" });
      image.onclick = () => this.enlarge(image);
      return element("figure", { className: "figure" }, image, element("figcaption", { className: "small", textContent: figure.name.replace(/_/g, " ") }));
    });
  }

  // A figure over the whole window; a click or Escape closes it.
  enlarge(image) {
    const sheet = element("dialog", { className: "sheet" }, element("img", { src: image.src, alt: image.alt }));
    sheet.onclick = () => sheet.remove();
    sheet.onclose = () => sheet.remove();
    document.body.append(sheet);
    sheet.showModal();
  }

  modelPane() {
    return this.run.tree.map((kind) => {
      const parts = kind.parts.map((part) => element("details", {}, element("summary", { textContent: part.name }), element("table", { className: "list" }, ...part.values.map(([name, value, unit]) => element("tr", {}, element("td", { textContent: name }), element("td", { textContent: unit ? `${value} ${unit}` : value }))))));
      const more = kind.count > kind.parts.length ? [element("p", { className: "small", textContent: `and ${kind.count - kind.parts.length} more` })] : [];
      return element("details", {}, element("summary", { textContent: `${kind.kind} (${kind.count})` }), ...parts, ...more);
    });
  }

  runPane() {
    const more = this.about.left_out ? [element("p", { className: "small", textContent: `${this.about.left_out} more results of this run are in its folder, not on this page.` })] : [];
    return [element("pre", { textContent: this.run.summary }), ...more];
  }

  dataPane() {
    const links = this.run.plots.map((plot) => {
      const link = element("button", { type: "button", textContent: `${plot.title}.csv` });
      link.onclick = () => this.download(plot);
      return element("p", {}, link, element("span", { className: "small", textContent: ` ${plot.series.length} curves${plot.unit ? ` in ${plot.unit}` : ""}` }));
    });
    return [element("p", { className: "small", textContent: "The curves as tables. The results file of the run holds all steps." }), ...links];
  }

  csv(plot) {
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const columns = [this.arrays.read(plot.times), ...plot.series.map((s) => this.arrays.read(s.values))];
    const head = [`${this.run.clock}${this.run.clock === "time" ? " [s]" : ""}`, ...plot.series.map((s) => quote(plot.unit ? `${s.name} [${plot.unit}]` : s.name))];
    return [head.join(","), ...Array.from(columns[0], (_, k) => columns.map((c) => c[k]).join(","))].join("\n") + "\n";
  }

  download(plot) {
    const link = element("a", { href: URL.createObjectURL(new Blob([this.csv(plot)], { type: "text/csv" })), download: `${plot.title.replace(/[^a-z0-9]+/gi, "-")}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  now() { return this.run.frames[this.frame]; }

  goTo(time) {
    let best = 0;
    this.run.frames.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(this.run.frames[best] - time)) best = k; });
    this.showFrame(best);
  }

  showFrame(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.run.frames.length - 1);
    $("time").value = this.frame;
    $("clock").textContent = this.run.clock === "time" ? `${this.now().toPrecision(4)} s` : this.now().toPrecision(4);
    document.body.dataset.frame = this.frame;
    this.viewer?.show(this.frame);
    for (const plot of this.plots || []) plot.mark();
    this.tellPicked();
  }

  tellPicked() {
    const box = $("picked"), item = this.viewer?.chosen;
    box.hidden = !item;
    if (!item) return;
    const values = [["kind", item.about.kind]];
    const point = this.viewer.place;
    values.push(["place", [0, 1, 2].slice(0, this.run.dimension).map((i) => shown(item.now[3 * point + i])).join(", ") + " m"]);
    for (const field of Object.values(item.fields)) values.push([field.name, withUnit(item.value(field.name, this.frame, point), field.unit)]);
    if (item.about.kind === "body") values.push(["displacement", withUnit(item.value("displacement", this.frame, point), "m")]);
    const known = this.run.tree.flatMap((kind) => kind.parts.map((part) => [kind.kind, part])).find(([, part]) => part.name === item.about.name);
    if (known) { values[0][1] = known[0]; for (const [name, value, unit] of known[1].values.slice(0, 8)) values.push([name, unit ? `${value} ${unit}` : value]); }
    const close = element("button", { type: "button", textContent: "×", title: "close" });
    close.onclick = () => this.viewer.choose(null);
    box.replaceChildren(close, element("h2", { textContent: item.about.name }), element("table", {}, ...values.map(([name, value]) => element("tr", {}, element("td", { className: "small", textContent: name }), element("td", { textContent: value })))));
  }

  play(on) {
    this.playing = on;
    $("play").textContent = on ? "❚❚" : "▶";
    if (!on) return;
    const times = this.run.frames, span = times[times.length - 1] - times[0] || 1;
    if (this.frame >= times.length - 1) this.showFrame(0);
    const rate = () => Number($("speed").value) * (this.run.clock === "time" ? 1 : span / 4);
    let last = performance.now(), time = this.now();
    const tick = (moment) => {
      if (!this.playing) return;
      time += (rate() * (moment - last)) / 1000;
      last = moment;
      if (time > times[times.length - 1]) time = times[0] + ((time - times[0]) % span);
      let frame = this.frame;
      if (times[frame] > time) frame = 0;
      while (frame < times.length - 1 && times[frame + 1] <= time) frame++;
      if (frame !== this.frame) this.showFrame(frame);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}

// Of a page that is served: ask every second whether there is something new, and show it in the same view.
function follow(page) {
  let known = null;
  setInterval(async () => {
    try {
      const version = await (await fetch("version")).json();
      if (known !== null && version !== known) {
        const fresh = await (await fetch("data")).json();
        await page.replace(fresh.about, new Arrays(await unpack(fresh.arrays)));
      }
      known = version;
      $("status").title = "";
    } catch (error) { $("status").title = "the program that shows this page has ended"; }
  }, 1000);
}

(async () => {
  const arrays = new Arrays(await unpack($("arrays").textContent));
  window.condylePage = new Page(JSON.parse($("about").textContent), arrays);
  if (window.condylePage.about.live) follow(window.condylePage);
  document.body.dataset.ready = "true";
})().catch((error) => {
  $("no-view").textContent = `This page could not be shown: ${error.message}`;
  $("no-view").hidden = false;
  throw error;
});
