"use strict";
// The table of all machines: search and sort over data, at most 200 rows in the document.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const rows = data.rows.map((r) => ({ cells: [r[0], data.groups[r[1]], r[2], r[3] || data.healthy], page: r[4] }));
  for (const row of rows) row.text = `${row.cells[0]} ${row.cells[1]} ${row.cells[3]}`.toLowerCase();
  const body = document.getElementById("rows"), count = document.getElementById("count");
  const search = document.getElementById("search"), most = 200;
  let by = 2, up = true;
  const compare = (a, b) => {
    const [x, y] = [a.cells[by], b.cells[by]];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "number" ? x - y : x.localeCompare(y, undefined, { numeric: true });
    return up ? order : -order;
  };
  const cell = (line, text, name) => {
    const one = line.insertCell();
    one.textContent = text;
    one.className = name || "";
    return one;
  };
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    const found = rows.filter((row) => words.every((word) => row.text.includes(word))).sort(compare);
    body.replaceChildren();
    for (const row of found.slice(0, most)) {
      const line = body.insertRow(), [host, group, score, verdict] = row.cells;
      line.title = `${host}: ${verdict}; ${group}`;
      const first = cell(line, row.page ? "" : host);
      if (row.page) first.append(Object.assign(document.createElement("a"), { href: row.page, textContent: host }));
      cell(line, group);
      cell(line, score === null ? "no peers" : `${(Math.expm1(score / 1e4) * 100).toFixed(2)} %`, "n");
      cell(line, verdict, `is-${verdict.split(" ")[0]}`);
    }
    const told = `${found.length} machine${found.length === 1 ? "" : "s"}`;
    count.textContent = found.length > most ? `${told}, the first ${most} are shown` : told;
    for (const head of document.querySelectorAll("#heads th")) head.removeAttribute("aria-sort");
    document.querySelector(`#heads button[data-by="${by}"]`).parentElement.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  for (const button of document.querySelectorAll("#heads button"))
    button.addEventListener("click", () => {
      const next = Number(button.dataset.by);
      up = next === by ? !up : true;
      by = next;
      show();
    });
  search.addEventListener("input", show);
  show();
})();
