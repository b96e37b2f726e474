// The timeline with its input: selection, search, keyboard and pointer.

class Timeline extends TimelineView {
  constructor(canvas, trace) {
    super(canvas, trace);
    this.found = [];
    this.listen();
    this.resize();
  }

  select(slice) {
    this.selected = slice;
    this.describe();
    this.redraw();
  }

  // Shows a slice or a range so that it fills a third of the width, and its row.
  go(begin, end, row) {
    const around = Math.max(end - begin, 30);
    this.show(begin - around, end + around);
    if (row) {
      const visible = this.high - RULER;
      if (row.y < this.top || row.y + ROW > this.top + visible) this.scroll(row.y - visible / 2);
    }
  }

  scroll(top) {
    this.top = Math.min(Math.max(top, 0), Math.max(this.height - (this.high - RULER), 0));
    this.redraw();
  }

  goTo(slice) {
    const { row, index } = this.where(slice);
    this.select(slice);
    this.go(row.start[index], row.end[index], row);
  }

  describe() {
    const box = byId("details");
    box.replaceChildren();
    const line = (text, kind) => {
      const p = document.createElement("p");
      p.textContent = text;
      if (kind) p.className = kind;
      box.append(p);
      return p;
    };
    if (this.selected < 0) {
      line("Click a slice to see its name, times and links.", "low");
      return;
    }
    const { row, index } = this.where(this.selected);
    const [name, kind] = this.trace.labels[row.label[index]];
    line(name).className = "title";
    line(`${this.trace.classes[kind].name} · ${duration(row.end[index] - row.start[index])} ` +
      `(${(row.end[index] - row.start[index]).toLocaleString("en")} ns) · at ${position(row.start[index])} · ${row.lane.group} · ${row.lane.name}`, "mid");
    const link = (words, slices) => {
      if (!slices || !slices.length) return;
      const p = line(`${words} `, "mid");
      for (const other of slices.slice(0, 5)) {
        const at = this.where(other);
        const button = document.createElement("button");
        button.textContent = this.trace.labels[at.row.label[at.index]][0].slice(0, 80);
        button.addEventListener("click", () => this.goTo(other));
        p.append(button, " ");
      }
      if (slices.length > 5) p.append(`and ${slices.length - 5} more`);
    };
    link("launches or leads to", this.out.get(this.selected));
    link("launched by or follows", this.into.get(this.selected));
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.found = [];
    this.matches = null;
    if (wanted) {
      this.matches = Uint8Array.from(this.trace.labels, (label) => label[0].toLowerCase().includes(wanted) ? 1 : 0);
      for (const row of this.rows)
        for (let i = 0; i < row.count; ++i)
          if (this.matches[row.label[i]]) this.found.push(row.first + i);
      this.found.sort((a, b) => this.startOf(a) - this.startOf(b));
    }
    this.at = -1;
    byId("found").textContent = wanted ? `${this.found.length.toLocaleString("en")} found` : "";
    this.redraw();
  }

  startOf(slice) {
    const { row, index } = this.where(slice);
    return row.start[index];
  }

  next(by) {
    if (!this.found.length) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    byId("found").textContent = `${(this.at + 1).toLocaleString("en")} of ${this.found.length.toLocaleString("en")}`;
    this.goTo(this.found[this.at]);
  }

  listen() {
    const canvas = this.canvas;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("keyup", (event) => this.keys.delete(event.key.toLowerCase()));
    canvas.addEventListener("blur", () => this.keys.clear());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      this.drag = { ...place(event), begin: this.begin, end: this.end, top: this.top, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const at = place(event);
      this.pointer = at.x;
      if (!this.drag) {
        canvas.title = this.hint(this.sliceAt(at.x, at.y));
        return;
      }
      if (Math.abs(at.x - this.drag.x) + Math.abs(at.y - this.drag.y) > 4) this.drag.moved = true;
      if (!this.drag.moved) return;
      const by = (this.drag.x - at.x) / (this.wide - HEAD) * (this.drag.end - this.drag.begin);
      this.show(this.drag.begin + by, this.drag.end + by);
      this.scroll(this.drag.top + this.drag.y - at.y);
    });
    canvas.addEventListener("pointerup", (event) => {
      const at = place(event);
      if (this.drag && !this.drag.moved) this.select(this.sliceAt(at.x, at.y));
      this.drag = null;
    });
    canvas.addEventListener("pointerleave", () => { this.pointer = undefined; });
    // Without the focus, the wheel scrolls the page.
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      if (event.shiftKey) this.move((event.deltaY || event.deltaX) / 600 * (this.end - this.begin));
      else if (event.altKey) this.scroll(this.top + event.deltaY);
      else this.zoom(Math.exp(event.deltaY / 400), place(event).x);
    }, { passive: false });
    window.addEventListener("resize", () => this.resize());
    byId("search").addEventListener("input", (event) => this.search(event.target.value));
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { event.target.value = ""; this.search(""); canvas.focus(); }
    });
    for (const button of document.querySelectorAll("button[data-begin]"))
      button.addEventListener("click", () => this.goToPlace(button.dataset));
  }

  hint(slice) {
    if (slice < 0) return "";
    const { row, index } = this.where(slice);
    return `${this.trace.labels[row.label[index]][0]}\n${duration(row.end[index] - row.start[index])}`;
  }

  goToPlace(data) {
    const begin = +data.begin, end = +data.end;
    const lane = this.trace.lanes.find((one) => one.id === +data.lane);
    let row = lane && lane.rows[0];
    this.selected = -1;
    if (lane)
      for (const one of lane.rows) {
        const i = this.firstAt(one, begin);
        if (i < one.count && one.start[i] === begin && one.end[i] === end) {
          this.selected = one.first + i;
          row = one;
        }
      }
    this.describe();
    this.go(begin, end, row);
    this.canvas.scrollIntoView({ block: "center" });
    this.canvas.focus({ preventScroll: true });
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if ("wasd".includes(key) && key.length === 1) {
      this.keys.add(key);
      this.redraw();
    } else if (key === "f") this.fit();
    else if (key === "arrowdown") this.scroll(this.top + 3 * ROW);
    else if (key === "arrowup") this.scroll(this.top - 3 * ROW);
    else if (key === "arrowleft") this.move(-(this.end - this.begin) / 10);
    else if (key === "arrowright") this.move((this.end - this.begin) / 10);
    else if (key === "/") byId("search").focus();
    else if (key === "n") this.next(event.shiftKey ? -1 : 1);
    else if (key === "escape") this.select(-1);
    else return;
    event.preventDefault();
  }

  // F: the selected slice, else everything.
  fit() {
    if (this.selected < 0) this.show(0, this.trace.span);
    else this.goTo(this.selected);
  }
}
