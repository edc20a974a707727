"use strict";
// Theme, hints, tables that can be sorted, and printing. Texts of the data are only ever set as text.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colors`);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  system.addEventListener("change", label);
  button.hidden = false;
  label();

  const tip = document.getElementById("tip");
  const showTip = (target) => {
    tip.textContent = target.getAttribute("aria-label");
    tip.style.left = 0; // so that its width is that of its text
    tip.hidden = false;
    const spot = target.getBoundingClientRect();
    const left = spot.left + spot.width / 2 - tip.offsetWidth / 2;
    const above = spot.top - tip.offsetHeight - 14;
    tip.style.left = `${Math.max(8, Math.min(left, root.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${scrollY + (above > 60 ? above : spot.bottom + 14)}px`; // below the bar
  };
  const hideTip = () => {
    tip.hidden = true;
  };
  for (const target of document.querySelectorAll("[data-tip]")) {
    target.addEventListener("pointerenter", () => showTip(target));
    target.addEventListener("pointerleave", hideTip);
    target.addEventListener("focus", () => showTip(target));
    target.addEventListener("blur", hideTip);
  }

  const value = (cell) => cell.dataset.value ?? cell.textContent.trim();
  const compare = (a, b) => {
    const numbers = [Number(a), Number(b)];
    return numbers.some(Number.isNaN) ? a.localeCompare(b) : numbers[0] - numbers[1];
  };
  const sortBy = (table, column, head) => {
    const isUp = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (isUp ? 1 : -1) * compare(value(a.cells[column]), value(b.cells[column])));
    table.tBodies[0].append(...rows);
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const control = document.createElement("button");
      control.type = "button";
      control.textContent = head.textContent;
      control.addEventListener("click", () => sortBy(table, column, head));
      head.replaceChildren(control);
    });
  }

  for (const field of document.querySelectorAll("input[data-filters]")) {
    const rows = document.getElementById(field.dataset.filters).tBodies[0].rows;
    const seen = (row) => [...row.cells].map((cell) => (cell.querySelector("summary") ?? cell).textContent);
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !seen(row).join(" ").toLowerCase().includes(wanted);
    });
  }

  const openRow = () => {
    const row = location.hash.startsWith("#column-") && document.getElementById(location.hash.slice(1));
    if (!row) return;
    row.hidden = false; // it may be filtered out
    for (const one of row.querySelectorAll("details")) one.open = true;
    row.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", openRow);
  openRow();

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });
})();
