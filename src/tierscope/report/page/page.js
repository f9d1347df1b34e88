"use strict";
// Draws the figures of this page and serves its few buttons. Nothing is ever fetched.
(() => {
  const LETTER = 6.4, SYMBOL = 40; // as in tierscope/report/vega.py: pixels of a letter and around it in a legend
  const root = document.documentElement;
  const failures = [];
  const fail = (what) => { failures.push(String(what)); root.dataset.errors = failures.join(" | "); };
  window.addEventListener("error", (event) => fail(event.message));
  window.addEventListener("unhandledrejection", (event) => fail(event.reason));

  // ---- light and dark
  const shades = ["auto", "light", "dark"];
  const remember = (shade) => { try { localStorage.setItem("tierscope-theme", shade); } catch { /* a file may have no storage */ } };
  const recall = () => { try { return localStorage.getItem("tierscope-theme"); } catch { return null; } };
  const toggle = document.getElementById("theme");
  function shade(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    toggle.textContent = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[name];
    toggle.dataset.shade = name;
  }
  const wanted = location.hash.slice(1);
  shade(shades.includes(wanted) ? wanted : shades.includes(recall()) ? recall() : "auto");
  toggle.addEventListener("click", () => {
    const next = shades[(shades.indexOf(toggle.dataset.shade) + 1) % shades.length];
    shade(next); remember(next);
  });

  // ---- tooltip: text only, never markup
  const tip = document.getElementById("tip");
  function showTip(_handler, event, _item, value) {
    if (!value || typeof value !== "object") { tip.style.visibility = "hidden"; return; }
    tip.replaceChildren();
    for (const [key, entry] of Object.entries(value)) {
      if (entry === "null" || entry === "undefined" || entry === "NaN" || entry === null || entry === "") continue;
      const name = document.createElement("span"), text = document.createElement("b");
      name.textContent = key; text.textContent = entry;
      tip.append(name, text);
    }
    tip.style.visibility = "visible";
    const box = tip.getBoundingClientRect();
    const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - box.width - 12 : event.clientX + 16;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 4)) + "px";
  }

  // ---- what the page carries: data as columns and rows, libraries as gzip
  function unpack(_key, value) {
    if (!value || !Array.isArray(value.columns) || !Array.isArray(value.packed)) return value;
    return value.packed.map((row) => Object.fromEntries(value.columns.map((name, i) => [name, row[i]]).filter(([, entry]) => entry !== null)));
  }
  async function libraries() {
    const bytes = Uint8Array.from(atob(document.getElementById("bundle").textContent), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    document.head.append(script);
  }

  // ---- figures
  const specs = JSON.parse(document.getElementById("specs").textContent, unpack);
  const coarse = matchMedia("(pointer: coarse)").matches;
  const views = {};

  function walk(node, visit) {
    if (Array.isArray(node)) { for (const entry of node) walk(entry, visit); return; }
    if (!node || typeof node !== "object") return;
    visit(node);
    for (const [key, entry] of Object.entries(node)) if (key !== "values") walk(entry, visit);
  }

  function binarySteps(rows, field) {
    const top = Math.max(...rows.map((row) => row[field] ?? 0));
    const step = 2 ** Math.round(Math.log2(top / 8));
    return Array.from({ length: Math.floor(top / step) + 1 }, (_entry, i) => i * step);
  }

  function numbersOn(spec, axis) {
    const fields = new Set();
    const rows = [];
    walk(spec, (node) => {
      rows.push(...(node.data?.values ?? []));
      for (const channel of [axis, axis + "2"]) fields.add(node.encoding?.[channel]?.field);
    });
    return rows.flatMap((row) => [...fields].map((field) => row[field])).filter((value) => typeof value === "number");
  }

  // A logarithm has no place for 0: an axis with such a number is linear up to the least positive one.
  function logarithmic(scale, numbers) {
    delete scale.zero; scale.nice = false; scale.padding = 10;
    if (numbers.every((value) => value > 0)) return;
    scale.type = "symlog";
    scale.constant = numbers.filter((value) => value > 0).reduce((a, b) => Math.min(a, b), Infinity);
    if (scale.constant === Infinity) scale.constant = 1;
  }

  function switchAxes(spec, axes) {
    walk(spec, (node) => {
      for (const axis of ["x", "y"]) {
        const scale = node.encoding?.[axis]?.scale;
        if (!scale || !axes[axis] || axes[axis] === scale.type) continue;
        scale.type = axes[axis];
        if (axes[axis] === "log") { logarithmic(scale, numbersOn(spec, axis)); continue; }
        const ticks = scale.base === 2 ? binarySteps(spec.data.values, node.encoding[axis].field) : undefined;
        delete scale.base; delete scale.domainMax; delete scale.padding;
        scale.zero = true;
        if (node.encoding[axis].axis) node.encoding[axis].axis.values = ticks;
      }
    });
  }

  function fit(spec, width) {
    const letters = spec.usermeta.tierscope.legend;
    spec.config.legend.columns = Math.max(1, Math.floor(width / (letters * LETTER + SYMBOL)));
    spec.config.legend.labelLimit = width - SYMBOL;
    spec.config.legend.layout.top.direction = width < 620 ? "vertical" : "horizontal";
    if (spec.facet) {
      const columns = Math.max(1, Math.min(spec.columns, Math.floor(width / 240)));
      spec.columns = columns;
      spec.spec.width = Math.max(110, Math.floor((width - 46) / columns) - 22);
    } else if (spec.vconcat) {
      for (const part of spec.vconcat) part.width = Math.max(120, width - 190);
    } else if (spec.hconcat) {
      shrink(spec, width);
    } else {
      spec.width = width;
      if (width < 460 && spec.height > 270) spec.height = 270;  // a phone shows a figure and what it says at once
      spec.autosize = { type: "fit-x", contains: "padding" };
    }
  }

  // Maps keep their square cells: all shrink by one factor, and stand one below the other where it is too narrow.
  function shrink(spec, width) {
    const maps = spec.hconcat;
    const beside = (width - 80 * maps.length) / maps.reduce((sum, map) => sum + map.width, 0);
    const below = (width - 80) / Math.max(...maps.map((map) => map.width));
    if (beside < 0.8 && maps.length > 1) { spec.vconcat = maps; delete spec.hconcat; }
    const factor = Math.min(1, spec.hconcat ? beside : below);
    for (const map of maps) {
      map.width *= factor;
      map.height *= factor;
      for (const { mark } of map.layer) if (mark.fontSize) { mark.fontSize *= Math.max(factor, 0.7); mark.dy *= factor; }
    }
  }

  function adapt(name, width, axes) {
    const spec = structuredClone(specs[name]);
    delete spec.title;
    // A finger that moves the page must not drag the axes.
    if (coarse) walk(spec, (node) => { if (node.params) node.params = node.params.filter((param) => param.bind !== "scales"); });
    switchAxes(spec, axes);
    fit(spec, width);
    return spec;
  }

  const noNetwork = { load: () => Promise.reject(new Error("no network")), sanitize: () => Promise.reject(new Error("no links")) };

  async function draw(box) {
    const name = box.dataset.figure;
    const width = Math.floor(box.clientWidth);
    if (width < 50) return;
    const state = views[name] ??= { axes: { ...specs[name].usermeta.tierscope.axes }, signals: {} };
    state.width = width;
    try {
      state.result?.finalize();
      document.getElementById("bind-" + name).replaceChildren();
      state.result = await vegaEmbed(box, adapt(name, width, state.axes), {
        mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, ast: true, hover: true, tooltip: showTip,
        bind: "#bind-" + name, loader: noNetwork, logLevel: 1, // errors
        patch: (drawn) => {
          for (const signal of drawn.signals ?? []) if (signal.name in state.signals) signal.value = state.signals[signal.name];
          return drawn;
        },
      });
      state.view = state.result.view;
      box.querySelector("svg").setAttribute("aria-hidden", "true"); // its box is named, and its table has the numbers
      if (specs[name].params) state.view.addSignalListener("experiment", (signal, value) => { state.signals[signal] = value; });
    } catch (error) {
      box.classList.add("failed");
      box.textContent = "This figure could not be drawn: " + error.message;
      fail(name + ": " + error.message);
    }
  }

  const boxes = [...document.querySelectorAll(".chart")];
  libraries().then(() => Promise.all(boxes.map(draw))).then(() => { root.dataset.drawn = boxes.length; }).catch((error) => {
    for (const box of boxes) { box.classList.add("failed"); box.textContent = "Figures need a browser of 2023 or later: " + error.message; }
    fail(error.message);
  });
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { for (const box of boxes) if (Math.abs((views[box.dataset.figure]?.width ?? 0) - box.clientWidth) > 8) draw(box); }, 150);
  });

  // ---- saving: the colours are names in the page and values in a file
  const plain = (svg) => svg.replace(/var\(--([a-z]+)\)/g, (_all, role) => getComputedStyle(root).getPropertyValue("--" + role).trim());
  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob); link.download = name; link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 5000);
  }
  async function picture(name, kind) {
    const svg = plain(await views[name].view.toSVG());
    const file = root.dataset.files + name + (root.dataset.origin === "real" ? "" : "-" + root.dataset.origin);
    if (kind === "svg") return save(new Blob([svg], { type: "image/svg+xml" }), file + ".svg");
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width * 2; canvas.height = image.height * 2;
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, file + ".png"));
  }

  // ---- tables
  const quote = (text) => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  const raw = (cell) => cell.dataset.v ?? cell.textContent.trim();
  function csvOfTable(table) {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.name);
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => quote(raw(cell))));
    return [heads, ...rows].map((row) => row.join(",")).join("\n") + "\n";
  }
  function csvOfFigure(name) {
    const values = specs[name].data.values;
    const heads = [...new Set(values.flatMap((row) => Object.keys(row)))];
    return [heads, ...values.map((row) => heads.map((head) => quote(String(row[head] ?? ""))))].map((row) => row.join(",")).join("\n") + "\n";
  }
  async function copy(text, button) {
    let done = false;
    try { await navigator.clipboard.writeText(text); done = true; } catch { /* not allowed for this file: the old way */ }
    if (!done) {
      const area = document.createElement("textarea");
      area.value = text; area.style.position = "fixed"; area.style.opacity = "0";
      document.body.append(area); area.select(); done = document.execCommand("copy"); area.remove();
    }
    const label = button.textContent;
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = label; }, 1400);
  }
  function sortBy(cell) {
    const table = cell.closest("table"), body = table.tBodies[0], column = cell.cellIndex;
    const up = cell.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => raw(row.cells[column]);
    const number = [...body.rows].every((row) => key(row) === "" || !Number.isNaN(Number(key(row))));
    const order = (a, b) => number ? Number(key(a) || "-Infinity") - Number(key(b) || "-Infinity") : key(a).localeCompare(key(b));
    body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-do], th.sortable");
    if (!button) return;
    if (button.tagName === "TH") { sortBy(button); return; }
    const { figure, axis, table, text } = button.dataset;
    const box = figure && document.querySelector(`.chart[data-figure="${figure}"]`);
    const work = {
      axis: () => {
        const axes = views[figure].axes;
        axes[axis] = axes[axis] === "log" ? "linear" : "log";
        button.setAttribute("aria-pressed", axes[axis] === "log");
        return draw(box);
      },
      reset: () => draw(box),
      svg: () => picture(figure, "svg"),
      png: () => picture(figure, "png"),
      csv: () => copy(table ? csvOfTable(document.getElementById(table)) : csvOfFigure(figure), button),
      copy: () => copy(text, button),
    }[button.dataset.do];
    Promise.resolve(work()).catch((error) => fail(error.message));
  });
  for (const cell of document.querySelectorAll("th.sortable")) {
    cell.tabIndex = 0;
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sortBy(cell); } });
  }
})();
