// Tables that sort and filter, the theme, and the start of the timeline.

function valueOf(cell) {
  return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v === "" ? NaN : +cell.dataset.v;
}

function sortBy(table, column, head) {
  const reversed = head.getAttribute("aria-sort") === "descending" ||
    (!head.classList.contains("n") && head.getAttribute("aria-sort") !== "ascending");
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", reversed ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row.cells[column]), row]);
  const order = (a, b) => {
    if (typeof a === "string") return a.localeCompare(b) * (reversed ? 1 : -1);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);  // unknown values last
    return (a - b) * (reversed ? 1 : -1);
  };
  rows.sort((a, b) => order(a[0], b[0]));
  table.tBodies[0].append(...rows.map((pair) => pair[1]));
}

function prepare(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sortBy(table, column, head));
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sortBy(table, column, head);
    });
  });
  const filter = document.querySelector(`input[data-table="${table.id}"]`);
  if (filter) filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
  });
}

document.querySelectorAll("table").forEach(prepare);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
document.body.classList.toggle("dark", dark.matches);
byId("theme").addEventListener("click", () => {
  document.body.classList.toggle("dark");
  if (window.lanescope) window.lanescope.redraw();
});
const data = byId("extract");
if (data)
  decompress(data.textContent.trim()).then((bytes) => {
    window.lanescope = new Timeline(byId("timeline"), readExtract(bytes));
    window.lanescope.describe();
  }).catch((error) => {
    byId("details").textContent = `The timeline cannot be shown: ${error}. It needs a browser from 2023 or later.`;
  });
