// ---- The automaton: 32 cells a word, a function of straight code made from the gates.

const CHANNELS = CIRCUIT.kept.length;
const INPUTS = 9 * CHANNELS;
const PERIODIC = CIRCUIT.boundary === "periodic";
const FIRE = 154; // of 256: cells fire with probability 0.6

const OPERATIONS = [
  "0", "a & b", "a & ~b", "a", "~a & b", "b", "a ^ b", "a | b",
  "~(a | b)", "~(a ^ b)", "~b", "a | ~b", "~a", "~a | b", "~(a & b)", "-1",
];

function reads([code, a, b]) {
  if (code === 0 || code === 15) return [];
  if (code === 3 || code === 12) return [a];
  return code === 5 || code === 10 ? [b] : [a, b];
}

const USED = [...new Set([...CIRCUIT.gates.flatMap(reads), ...CIRCUIT.outputs])].filter((n) => n < INPUTS).sort((a, b) => a - b);

function stepFunction() {
  const lines = [];
  for (const node of USED) {
    const place = Math.floor(node / CHANNELS), line = `${["up", "row", "down"][Math.floor(place / 3)]} + ${node % CHANNELS} * words`;
    const side = ["west", "here", "east"][place % 3];
    lines.push(`const n${node} = ${side}(now, ${line}, w, width);`);
  }
  CIRCUIT.gates.forEach(([code, a, b], g) => {
    const text = OPERATIONS[code].replace(/[ab]/g, (side) => `n${side === "a" ? a : b}`);
    lines.push(`const n${INPUTS + g} = ${text};`);
  });
  CIRCUIT.outputs.forEach((node, c) => {
    const at = `row + ${c} * words + w`;
    lines.push(`next[${at}] = (n${node} & fires) | (now[${at}] & grid & ~fires);`);
  });
  // A row outside the grid is the row of zeros behind the last one.
  return new Function("now", "next", "fire", "height", "width", `
    const words = (width + 31) >> 5, pitch = ${CHANNELS} * words;
    const last = width & 31 ? (1 << (width & 31)) - 1 : -1;
    const here = (s, line, w) => s[line + w];
    const west = (s, line, w, width) => s[line + w] << 1
      | (w ? s[line + w - 1] >>> 31 : ${PERIODIC} ? s[line + ((width - 1) >> 5)] >>> ((width - 1) & 31) & 1 : 0);
    const east = (s, line, w, width) => s[line + w] >>> 1
      | (32 * (w + 1) < width ? s[line + w + 1] << 31 : ${PERIODIC} ? (s[line] & 1) << ((width - 1) & 31) : 0);
    for (let y = 0; y < height; y++) {
      const row = y * pitch;
      const up = y ? row - pitch : ${PERIODIC} ? (height - 1) * pitch : height * pitch;
      const down = y + 1 < height ? row + pitch : ${PERIODIC} ? 0 : height * pitch;
      for (let w = 0; w < words; w++) {
        const grid = w + 1 < words ? -1 : last;
        const fires = fire ? grid & fire[y * words + w] : grid;
        ${lines.join("\n        ")}
      }
    }`);
}

class Automaton {
  constructor(height, width) {
    this.advance = stepFunction();
    this.resize(height, width);
  }

  resize(height, width) {
    this.height = height;
    this.width = width;
    this.words = (width + 31) >> 5;
    this.now = new Int32Array((height + 1) * CHANNELS * this.words);
    this.next = new Int32Array(this.now.length);
    this.steps = 0;
  }

  index(channel, y, x) {
    return (y * CHANNELS + channel) * this.words + (x >> 5);
  }

  get(channel, y, x) {
    return (this.now[this.index(channel, y, x)] >>> (x & 31)) & 1;
  }

  set(channel, y, x, bit) {
    const at = this.index(channel, y, x), mask = 1 << (x & 31);
    this.now[at] = bit ? this.now[at] | mask : this.now[at] & ~mask;
  }

  start(kind) {
    this.now.fill(0);
    this.steps = 0;
    for (let c = 0; c < CHANNELS; c++) {
      if (kind === "cell") this.set(c, this.height >> 1, this.width >> 1, 1);
      if (kind === "random") this.each((y, x) => this.set(c, y, x, Math.random() < 0.5));
    }
  }

  each(visit) {
    for (let y = 0; y < this.height; y++) for (let x = 0; x < this.width; x++) visit(y, x);
  }

  step(fire = null) {
    this.advance(this.now, this.next, fire, this.height, this.width);
    [this.now, this.next] = [this.next, this.now];
    this.steps += 1;
  }

  // Every bit is 1 with probability FIRE / 256: a random byte is compared with FIRE, bit by bit from the lowest.
  chance() {
    const fire = new Int32Array(this.height * this.words);
    for (let i = 0; i < fire.length; i++) {
      let word = 0;
      for (let bit = 0; bit < 8; bit++) {
        const random = (Math.random() * 4294967296) | 0;
        word = (FIRE >> bit) & 1 ? word | random : word & random;
      }
      fire[i] = word;
    }
    return fire;
  }

  // The grid of a channel as text, a row a line: what tests and the curious read.
  text(channel) {
    const rows = [];
    for (let y = 0; y < this.height; y++) {
      let row = "";
      for (let x = 0; x < this.width; x++) row += this.get(channel, y, x);
      rows.push(row);
    }
    return rows.join("\n");
  }

  load(texts) {
    texts.forEach((text, c) => text.trim().split("\n").forEach((row, y) => [...row].forEach((bit, x) => this.set(c, y, x, bit === "1"))));
    this.steps = 0;
  }
}

// ---- The page.

const $ = (id) => document.getElementById(id);
const automaton = new Automaton(64, 64);
const context = $("grid").getContext("2d");
const COLOURS = { on: [38, 70, 83], off: [244, 241, 234], brush: [231, 111, 81] };
const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300, 1000, Infinity];
const inspected = { y: 32, x: 32 };
let playing = false, brushShown = false, image, owed = 0, before = 0, sampled = { time: 0, steps: 0 };

function shown() {
  const value = $("channel").value;
  return value === "colour" ? CIRCUIT.visible.map((c) => CIRCUIT.kept.indexOf(c)) : [Number(value)];
}

function draw() {
  const { height, width } = automaton, data = image.data, channels = shown();
  let at = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++, at += 4) {
    const colour = automaton.get(channels[0], y, x) ? COLOURS.on : COLOURS.off;
    for (let k = 0; k < 3; k++) data[at + k] = channels.length === 3 ? 255 * automaton.get(channels[k], y, x) : colour[k];
    data[at + 3] = 255;
  }
  if (brushShown) under((y, x) => {
    const p = 4 * (y * width + x);
    for (let k = 0; k < 3; k++) data[p + k] = (data[p + k] + COLOURS.brush[k]) / 2;
  });
  context.putImageData(image, 0, 0);
  $("count").value = automaton.steps;
  colourCircuit();
}

function under(visit) {
  const size = Number($("size").value), radius = (size - 1) / 2;
  for (let dy = -Math.floor(radius); dy <= Math.ceil(radius); dy++) for (let dx = -Math.floor(radius); dx <= Math.ceil(radius); dx++) {
    const y = inspected.y + dy, x = inspected.x + dx;
    if (y >= 0 && x >= 0 && y < automaton.height && x < automaton.width) visit(y, x);
  }
}

function brush() {
  const kind = $("brush").value, channels = shown();
  under((y, x) => {
    if (kind === "draw" || kind === "erase") for (const c of channels) automaton.set(c, y, x, kind === "draw");
    else for (let c = 0; c < CHANNELS; c++) automaton.set(c, y, x, kind === "noise" && Math.random() < 0.5);
  });
  draw();
}

function step() {
  automaton.step($("mode").value === "async" ? automaton.chance() : null);
}

function frame(time) {
  if (playing) {
    const speed = SPEEDS[$("speed").value], until = performance.now() + 12;
    owed = speed === Infinity ? Infinity : Math.min(owed + speed * (time - before) / 1000, speed);
    while (owed >= 1 && performance.now() < until) { step(); owed -= 1; }
    draw();
  }
  before = time;
  if (time - sampled.time > 500) {
    $("rate").value = Math.max(0, Math.round(1000 * (automaton.steps - sampled.steps) / (time - sampled.time)));
    sampled = { time, steps: automaton.steps };
  }
  requestAnimationFrame(frame);
}

function play(on) {
  playing = on;
  owed = 0;
  $("play").textContent = on ? "Pause" : "Play";
}

function resize() {
  const [height, width] = ["height", "width"].map((id) => Math.min(1024, Math.max(1, Number($(id).value) || 64)));
  automaton.resize(height, width);
  $("grid").height = height;
  $("grid").width = width;
  image = context.createImageData(width, height);
  inspected.y = height >> 1;
  inspected.x = width >> 1;
  restart();
}

function restart() {
  automaton.start($("start").value);
  draw();
}

function point(event) {
  const box = $("grid").getBoundingClientRect();
  inspected.y = Math.min(automaton.height - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * automaton.height)));
  inspected.x = Math.min(automaton.width - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * automaton.width)));
  brushShown = true;
}

// ---- The drawing of the circuit: inputs at the left, every gate right of what it reads.

const SYMBOLS = ["0", "∧", "∧¬", "a", "¬∧", "b", "⊕", "∨", "⊽", "=", "¬", "∨¬", "¬", "¬∨", "⊼", "1"];
const NAMES = ["FALSE", "A AND B", "A AND NOT B", "A", "NOT A AND B", "B", "A XOR B", "A OR B", "A NOR B", "A XNOR B",
  "NOT B", "A OR NOT B", "NOT A", "NOT A OR B", "A NAND B", "TRUE"];
const ARROWS = ["↖", "↑", "↗", "←", "·", "→", "↙", "↓", "↘"];
const drawn = { nodes: new Map(), wires: [] };

function levels() {
  const level = new Map(USED.map((node) => [node, 0]));
  CIRCUIT.gates.forEach((gate, g) => level.set(INPUTS + g, 1 + Math.max(0, ...reads(gate).map((node) => level.get(node)))));
  return level;
}

function places() {
  const level = levels(), columns = [];
  for (const [node, depth] of level) (columns[depth] ??= []).push(node);
  const tallest = Math.max(...columns.map((column) => column.length), CIRCUIT.outputs.length);
  const place = new Map(), gap = tallest > 60 ? 18 : 30;
  columns.forEach((column, depth) => {
    const wish = (node) => {
      const from = node < INPUTS ? [] : reads(CIRCUIT.gates[node - INPUTS]).map((n) => place.get(n).y);
      return from.length ? from.reduce((a, b) => a + b) / from.length : node;
    };
    if (depth) column.sort((a, b) => wish(a) - wish(b));
    column.forEach((node, k) => place.set(node, { x: 58 + 74 * depth, y: 24 + gap * (k + 0.5 + (tallest - column.length) / 2) }));
  });
  return { place, width: 58 + 74 * columns.length, height: 40 + gap * tallest, gap, tallest };
}

function element(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function drawCircuit() {
  const { place, width, height, tallest } = places();
  const svg = element("svg", { viewBox: `0 0 ${width + 110} ${height}`, style: `width: min(100%, ${width + 110}px); min-width: ${(width + 110) / 2}px`, role: "img", "aria-label": "The gates and their wires" }, $("drawing"));
  const wire = (from, to, node) => {
    const middle = (from.x + to.x) / 2;
    const path = `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
    drawn.wires.push({ node, path: element("path", { class: "wire", d: path }, svg) });
  };
  CIRCUIT.gates.forEach((gate, g) => reads(gate).forEach((node) => wire(place.get(node), place.get(INPUTS + g), node)));
  const rows = CIRCUIT.outputs.map((node, c) => ({ x: width + 16, y: 24 + (height - 40) * (c + 0.5) / CHANNELS, node, c }));
  rows.forEach((end) => wire(place.get(end.node) ?? end, end, end.node));
  for (const [node, at] of place) {
    const input = node < INPUTS, radius = tallest > 60 ? 7 : 12;
    const shape = input
      ? element("rect", { class: "node", x: at.x - 10, y: at.y - 10, width: 20, height: 20, rx: 4 }, svg)
      : element("circle", { class: "node", cx: at.x, cy: at.y, r: radius }, svg);
    const channel = CIRCUIT.kept[node % CHANNELS];
    const label = input ? ARROWS[Math.floor(node / CHANNELS)] : SYMBOLS[CIRCUIT.gates[node - INPUTS][0]];
    element("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, svg).textContent = label;
    if (input) element("text", { x: at.x - 16, y: at.y + 4, "text-anchor": "end" }, svg).textContent = channel;
    element("title", {}, shape).textContent = input ? `neighbour ${label}, channel ${channel}` : NAMES[CIRCUIT.gates[node - INPUTS][0]];
    drawn.nodes.set(node, shape);
  }
  for (const end of rows) {
    const seen = CIRCUIT.visible.includes(CIRCUIT.kept[end.c]);
    const shape = element("rect", { class: "node output", x: end.x, y: end.y - 10, width: 20, height: 20, rx: 4 }, svg);
    element("text", { x: end.x + 26, y: end.y + 4 }, svg).textContent = `channel ${CIRCUIT.kept[end.c]}${seen ? " ◉" : ""}`;
    drawn.nodes.set(`out${end.c}`, shape);
  }
}

function valuesAt(y, x) {
  const value = new Map();
  for (const node of USED) {
    const place = Math.floor(node / CHANNELS);
    let v = y + Math.floor(place / 3) - 1, u = x + place % 3 - 1;
    const inside = v >= 0 && u >= 0 && v < automaton.height && u < automaton.width;
    v = (v + automaton.height) % automaton.height;
    u = (u + automaton.width) % automaton.width;
    value.set(node, PERIODIC || inside ? automaton.get(node % CHANNELS, v, u) : 0);
  }
  CIRCUIT.gates.forEach(([code, a, b], g) => {
    value.set(INPUTS + g, (code >> (3 - 2 * (value.get(a) ?? 0) - (value.get(b) ?? 0))) & 1);
  });
  CIRCUIT.outputs.forEach((node, c) => value.set(`out${c}`, value.get(node)));
  return value;
}

function colourCircuit() {
  const value = valuesAt(inspected.y, inspected.x);
  for (const [node, shape] of drawn.nodes) shape.classList.toggle("one", value.get(node) === 1);
  for (const { node, path } of drawn.wires) path.classList.toggle("one", value.get(node) === 1);
  $("legend").textContent = `Orange wires carry a 1 at the cell in row ${inspected.y}, column ${inspected.x}; point at another cell to look at it.`;
}

// ---- What the user does.

function setUp() {
  const gates = CIRCUIT.gates.length;
  const edge = PERIODIC ? "a torus" : "zeros outside";
  $("facts").textContent = `${gates} gate${gates === 1 ? "" : "s"}, ${CHANNELS} of ${CIRCUIT.channels} channel${CIRCUIT.channels === 1 ? "" : "s"} kept, ${edge}. Everything runs in this page.`;
  if (CIRCUIT.visible.length === 3) $("channel").add(new Option("colour", "colour"));
  CIRCUIT.kept.forEach((c, k) => $("channel").add(new Option(`${c}${CIRCUIT.visible.includes(c) ? " (visible)" : ""}`, k)));
  if (CIRCUIT.visible.length !== 3) $("channel").value = CIRCUIT.kept.indexOf(CIRCUIT.visible[0]);
  $("start").value = CIRCUIT.start;
  drawCircuit();
  resize();
}

$("play").onclick = () => play(!playing);
$("step").onclick = () => { play(false); step(); draw(); };
$("restart").onclick = restart;
$("start").onchange = restart;
$("height").onchange = $("width").onchange = resize;
$("channel").onchange = $("size").oninput = draw;
$("grid").onpointerdown = (event) => { $("grid").setPointerCapture(event.pointerId); point(event); brush(); };
$("grid").onpointermove = (event) => { point(event); if (event.buttons) brush(); else draw(); };
$("grid").onpointerleave = () => { brushShown = false; draw(); };

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const KEYS = {
  " ": () => play(!playing),
  s: () => $("step").click(),
  r: restart,
  a: () => { $("mode").value = $("mode").value === "sync" ? "async" : "sync"; },
  c: () => { $("channel").selectedIndex = ($("channel").selectedIndex + 1) % $("channel").length; draw(); },
  "+": () => { $("speed").value = Number($("speed").value) + 1; },
  "-": () => { $("speed").value = Number($("speed").value) - 1; },
};

document.addEventListener("keydown", (event) => {
  const on = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || on.matches("select, input")) return;
  if (on === $("grid") && event.key in MOVES) {
    const [dy, dx] = MOVES[event.key];
    inspected.y = (inspected.y + dy + automaton.height) % automaton.height;
    inspected.x = (inspected.x + dx + automaton.width) % automaton.width;
    brushShown = true;
    draw();
  } else if (on === $("grid") && event.key === "Enter") brush();
  else if (event.key.toLowerCase() in KEYS && !(event.key === " " && on.matches("button"))) KEYS[event.key.toLowerCase()]();
  else return;
  event.preventDefault();
});

setUp();
requestAnimationFrame(frame);
