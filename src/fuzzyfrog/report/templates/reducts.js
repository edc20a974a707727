// The subsets: features down, subsets across, and never more than a window of both is drawn.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  if (!at("explorer")) return; // a single subset leaves nothing to sort
  const ROW = 26;
  const COLUMN = 20;
  const FIRST_ROWS = data.names.length <= 18 ? 18 : 12; // never hide a few
  const SVG = "http://www.w3.org/2000/svg";
  const members = data.reducts.map((features) => new Set(features));
  const core = new Set(data.core);
  const wanted = new Map(); // feature -> "with" or "without"
  let matching = [];
  let features = [];
  let counts = [];
  let first = 0;
  let nRows = FIRST_ROWS;
  let here = -1; // the column that is pointed at

  const plural = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;
  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const shape = (tag, attributes) => {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const nColumns = () => Math.max(4, Math.floor(at("matrix").clientWidth / COLUMN));

  const shared = (reduct) => {
    const chosen = members[data.chosen ?? 0];
    let both = 0;
    for (const feature of reduct) both += chosen.has(feature);
    return both / (reduct.length + chosen.size - both);
  };
  const keys = {
    rank: (i) => i,
    chosen: (i) => -shared(data.reducts[i]),
    size: (i) => data.reducts[i].length,
    gamma: (i) => -Number(data.gammas[i]),
  };

  const suits = (i) => {
    const size = at("size").value;
    if (size && data.reducts[i].length !== Number(size)) return false;
    for (const [feature, rule] of wanted)
      if (members[i].has(feature) !== (rule === "with")) return false;
    return true;
  };

  const choose = () => {
    matching = data.reducts.map((_, i) => i).filter(suits);
    const key = matching.map(keys[at("sort-reducts").value]);
    const order = matching.map((_, place) => place).sort((a, b) => key[a] - key[b] || a - b);
    matching = order.map((place) => matching[place]);
    counts = new Array(data.names.length).fill(0);
    for (const i of matching) for (const feature of data.reducts[i]) counts[feature] += 1;
    first = 0;
    here = -1;
    arrange();
  };

  const arrange = () => {
    const text = at("find").value.toLocaleLowerCase();
    features = data.names.map((_, feature) => feature);
    if (text) features = features.filter((f) => data.names[f].toLocaleLowerCase().includes(text));
    const order = at("sort-features").value;
    if (order === "frequency")
      features.sort((a, b) => wanted.has(b) - wanted.has(a) || counts[b] - counts[a] || a - b);
    if (order === "name") features.sort((a, b) => data.names[a].localeCompare(data.names[b]));
    draw();
  };

  const cycle = (feature) => {
    const next = { undefined: "with", with: "without" }[wanted.get(feature)];
    if (next) wanted.set(feature, next);
    else wanted.delete(feature);
    choose();
    at("rows").querySelector(`[data-feature="${feature}"]`)?.focus();
  };

  const row = (feature) => {
    const rule = wanted.get(feature);
    const button = element("button", rule ?? "");
    button.type = "button";
    button.dataset.feature = feature;
    const share = counts[feature] / Math.max(1, matching.length);
    const isChosen = data.chosen !== null && members[data.chosen].has(feature);
    const name = element("span", isChosen ? "what selected" : "what");
    name.append(element("bdi", "name", data.names[feature]));
    if (core.has(feature)) name.append(element("em", "", "core"));
    button.title = data.names[feature];
    button.setAttribute("aria-pressed", rule === "with" ? "true" : rule ? "mixed" : "false");
    const meter = element("i", "meter");
    meter.style.setProperty("--share", `${100 * share}%`);
    const mark = rule === "without" ? "−" : "+";
    const number = element("span", "number", counts[feature].toLocaleString("en"));
    button.append(element("span", "mark", mark), name, meter, number);
    const state = rule ? `only subsets ${rule} it` : "not filtered";
    button.setAttribute("aria-label", `${data.names[feature]}: in ${counts[feature]} of ${matching.length}; ${state}`);
    button.addEventListener("click", () => cycle(feature));
    const item = element("li");
    item.append(button);
    return item;
  };

  const column = (i, place, rows) => {
    const isChosen = i === data.chosen;
    const group = shape("g", { transform: `translate(${place * COLUMN} 0)` });
    const back = shape("rect", { width: COLUMN, height: rows.length * ROW });
    back.setAttribute("class", `column${isChosen ? " chosen" : ""}`);
    group.append(back);
    const ys = [];
    rows.forEach((feature, r) => {
      const has = members[i].has(feature);
      const y = r * ROW + ROW / 2;
      if (has) ys.push(y);
      else group.append(shape("circle", { cx: COLUMN / 2, cy: y, r: 2, class: "off" }));
    });
    if (ys.length > 1)
      group.append(
        shape("line", {
          x1: COLUMN / 2, x2: COLUMN / 2, y1: ys[0], y2: ys.at(-1),
          class: isChosen ? "chosen-link" : "link",
        }),
      );
    for (const y of ys)
      group.append(
        shape("circle", { cx: COLUMN / 2, cy: y, r: 5.5, class: isChosen ? "chosen-member" : "member" }),
      );
    return group;
  };

  const draw = () => {
    const rows = features.slice(0, nRows);
    const width = nColumns();
    first = Math.max(0, Math.min(first, matching.length - width));
    const shown = matching.slice(first, first + width);
    at("rows").replaceChildren(...rows.map(row));
    const picture = shape("svg", { height: rows.length * ROW, "aria-hidden": "true" });
    rows.forEach((_, r) => {
      if (r % 2 === 0)
        picture.append(shape("rect", { y: r * ROW, width: "100%", height: ROW, class: "stripe" }));
    });
    picture.append(...shown.map((i, place) => column(i, place, rows)));
    at("matrix").replaceChildren(picture);
    list(shown);
    tell(shown.length, rows.length, width);
  };

  const tell = (nShown, nFeatures, width) => {
    const range = nShown ? `${(first + 1).toLocaleString("en")}–${(first + nShown).toLocaleString("en")} of ` : "";
    const hidden = features.length - nFeatures;
    const parts = [`Subsets ${range}${matching.length.toLocaleString("en")} that match`];
    if (matching.length < data.reducts.length) parts[0] += ` (${data.reducts.length.toLocaleString("en")} in all)`;
    if (hidden > 0) parts.push(`${plural(hidden, "rarer feature")} not shown`);
    at("status").textContent = `${parts.join("; ")}.`;
    const slider = at("window");
    slider.max = Math.max(0, matching.length - width);
    slider.value = first;
    slider.disabled = matching.length <= width;
    at("back").disabled = first === 0;
    at("on").disabled = first + width >= matching.length;
    at("more-rows").hidden = hidden <= 0;
    at("clear").disabled = !wanted.size && !at("size").value && !at("find").value;
    read();
  };

  const list = (shown) => {
    at("listed").replaceChildren(
      ...shown.map((i) => {
        const line = element("tr", i === data.chosen ? "chosen" : "");
        const names = element("td", "names");
        data.reducts[i].forEach((feature, n) => {
          if (n) names.append(", ");
          const name = element("bdi", "name", data.names[feature]);
          name.title = data.names[feature];
          names.append(name);
        });
        line.append(
          element("td", "number", String(i + 1)),
          element("td", "number", String(data.reducts[i].length)),
          element("td", "number", data.gammas[i]),
          names,
        );
        return line;
      }),
    );
  };

  const read = () => {
    const columns = at("matrix").querySelectorAll(".column");
    columns.forEach((one, place) => one.classList.toggle("here", place === here));
    const i = matching[first + here];
    const line = at("readout");
    if (here < 0 || i === undefined) {
      line.textContent = matching.length ? "Point at a column, or use the arrow keys, to read a subset." : "No subset matches.";
      return;
    }
    const head = `${i === data.chosen ? "Chosen subset" : `Subset ${(i + 1).toLocaleString("en")}`}, ${plural(data.reducts[i].length, "feature")}, ${data.symbol} ${data.gammas[i]}${data.minimal[i] ? "" : ", not checked to be minimal"}: `;
    line.replaceChildren(element("b", "", head));
    data.reducts[i].forEach((feature, n) => {
      if (n) line.append(", ");
      line.append(element("bdi", "", data.names[feature]));
    });
  };

  const move = (by) => {
    const width = Math.min(nColumns(), matching.length);
    here += by;
    if (here < 0 || here >= width) {
      first += by;
      here = Math.max(0, Math.min(here, width - 1));
      draw();
    } else read();
  };

  at("matrix").addEventListener("pointermove", (event) => {
    const x = event.clientX - at("matrix").getBoundingClientRect().left;
    const place = Math.floor(x / COLUMN);
    if (place !== here && place < matching.length - first) {
      here = place;
      read();
    }
  });
  at("matrix").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    move(by);
  });
  for (const id of ["sort-reducts", "size"]) at(id).addEventListener("change", choose);
  at("sort-features").addEventListener("change", arrange);
  at("find").addEventListener("input", () => {
    nRows = FIRST_ROWS;
    arrange();
  });
  const page = (by) => {
    first += by * nColumns();
    here = -1;
    draw();
  };
  at("back").addEventListener("click", () => page(-1));
  at("on").addEventListener("click", () => page(1));
  at("window").addEventListener("input", (event) => {
    first = Number(event.target.value);
    here = -1;
    draw();
  });
  at("more-rows").addEventListener("click", () => {
    nRows += FIRST_ROWS;
    draw();
  });
  at("clear").addEventListener("click", () => {
    wanted.clear();
    at("size").value = "";
    at("find").value = "";
    nRows = FIRST_ROWS;
    choose();
  });
  for (const size of [...new Set(data.reducts.map((one) => one.length))].sort((a, b) => a - b))
    at("size").append(new Option(String(size), String(size)));

  at("explorer").hidden = false;
  choose();
  let lastWidth = nColumns();
  new ResizeObserver(() => {
    if (nColumns() === lastWidth) return;
    lastWidth = nColumns();
    draw();
  }).observe(at("matrix"));
})();
