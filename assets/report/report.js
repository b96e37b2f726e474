// The page's script: a timeline that is flown through with the keyboard, and tables that sort and filter.
// It uses no library and no network. Texts of the trace only ever become text nodes or canvas text.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // --- The extract -------------------------------------------------------------------------------
  // A length, a JSON head, and numbers in LEB128: for each row of each lane its slices, then links.
  class Numbers {
    constructor(bytes, at) { this.bytes = bytes; this.at = at; }
    next() {
      let value = 0, scale = 1, byte;
      do {
        byte = this.bytes[this.at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      return value;
    }
  }

  function readExtract(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const numbers = new Numbers(bytes, 4 + length);
    let first = 0;
    for (const lane of head.lanes) {
      lane.rows = lane.counts.map((count) => {
        const row = { first, count, start: new Float64Array(count), end: new Float64Array(count), label: new Uint32Array(count) };
        let time = 0;
        for (let i = 0; i < count; ++i) {
          time += numbers.next();
          row.start[i] = time;
          time += numbers.next();
          row.end[i] = time;
          row.label[i] = numbers.next();
        }
        first += count;
        return row;
      });
    }
    head.from = new Uint32Array(head.links);
    head.to = new Uint32Array(head.links);
    let from = 0;
    for (let i = 0; i < head.links; ++i) {
      from += numbers.next();
      head.from[i] = from;
      head.to[i] = numbers.next();
    }
    head.slices = first;
    return head;
  }

  async function decompress(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // --- Words -------------------------------------------------------------------------------------
  function duration(ns) {
    const size = Math.abs(ns);
    if (size < 1e3) return `${+ns.toFixed(0)} ns`;
    if (size < 1e6) return `${+(ns / 1e3).toPrecision(4)} µs`;
    if (size < 1e9) return `${+(ns / 1e6).toPrecision(4)} ms`;
    return `${+(ns / 1e9).toPrecision(4)} s`;
  }
  // Four digits hide where in a long trace a time is: positions have nine.
  function position(ns) {
    if (ns < 1e6) return `${+(ns / 1e3).toFixed(3)} µs`;
    if (ns < 1e9) return `${+(ns / 1e6).toFixed(3)} ms`;
    return `${+(ns / 1e9).toFixed(6)} s`;
  }

  // --- The timeline ------------------------------------------------------------------------------
  const HEAD = 190, RULER = 22, GAP = 6, ROW = 18, CHAR = 6.1;

  class Timeline {
    constructor(canvas, trace) {
      this.canvas = canvas;
      this.trace = trace;
      this.context = canvas.getContext("2d");
      this.begin = 0;
      this.end = Math.max(trace.span, 1);
      this.top = 0;
      this.selected = -1;
      this.found = [];
      this.matches = null;
      this.keys = new Set();
      this.times = [];
      this.dirty = true;
      this.placeRows();
      this.linksOf();
      this.listen();
      this.resize();
    }

    placeRows() {
      let y = GAP;
      this.rows = [];
      for (const lane of this.trace.lanes) {
        lane.y = y;
        for (const row of lane.rows) {
          row.y = y;
          row.lane = lane;
          this.rows.push(row);
          y += ROW;
        }
        lane.height = y - lane.y;
        y += GAP;
      }
      this.height = y;
    }

    linksOf() {
      const { from, to } = this.trace;
      this.out = new Map();
      this.into = new Map();
      for (let i = 0; i < from.length; ++i) {
        if (!this.out.has(from[i])) this.out.set(from[i], []);
        if (!this.into.has(to[i])) this.into.set(to[i], []);
        this.out.get(from[i]).push(to[i]);
        this.into.get(to[i]).push(from[i]);
      }
    }

    resize() {
      const ratio = window.devicePixelRatio || 1;
      const high = Math.min(Math.max(this.height + RULER, 160), Math.max(320, window.innerHeight * 0.7));
      this.canvas.style.height = `${high}px`;
      this.wide = this.canvas.clientWidth;
      this.high = high;
      this.canvas.width = Math.round(this.wide * ratio);
      this.canvas.height = Math.round(high * ratio);
      this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.redraw();
    }

    redraw() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame((now) => this.frame(now));
    }

    frame(now) {
      this.waiting = false;
      const began = performance.now();
      this.fly(Math.min(now - (this.last || now), 50));
      this.last = this.keys.size ? now : 0;
      this.draw();
      this.times.push(performance.now() - began);
      if (this.times.length > 5000) this.times.shift();
      if (this.keys.size) this.redraw();
    }

    fly(passed) {
      const speed = passed / 1000;
      const length = this.end - this.begin;
      if (this.keys.has("a")) this.move(-length * speed * 0.9);
      if (this.keys.has("d")) this.move(length * speed * 0.9);
      if (this.keys.has("w")) this.zoom(Math.exp(-2.2 * speed), this.pointer);
      if (this.keys.has("s")) this.zoom(Math.exp(2.2 * speed), this.pointer);
    }

    move(by) { this.show(this.begin + by, this.end + by); }

    zoom(factor, x) {
      const at = this.timeAt(x === undefined ? HEAD + (this.wide - HEAD) / 2 : Math.max(x, HEAD));
      this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
    }

    show(begin, end) {
      const length = Math.min(Math.max(end - begin, 10), this.trace.span * 1.2);
      const middle = Math.min(Math.max((begin + end) / 2, 0), this.trace.span);
      this.begin = middle - length / 2;
      this.end = middle + length / 2;
      this.redraw();
    }

    timeAt(x) { return this.begin + (x - HEAD) / (this.wide - HEAD) * (this.end - this.begin); }
    xOf(time) { return HEAD + (time - this.begin) / (this.end - this.begin) * (this.wide - HEAD); }

    // The first slice of a row that ends behind a time.
    firstAt(row, time) {
      let low = 0, high = row.count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (row.end[middle] > time) high = middle; else low = middle + 1;
      }
      return low;
    }

    draw() {
      const c = this.context, style = getComputedStyle(document.body), dark = document.body.classList.contains("dark");
      const color = (name) => style.getPropertyValue(name);
      this.hi = color("--hi");
      this.colors = this.trace.classes.map((one) => dark ? one.dark : one.light);
      this.inks = this.trace.classes.map((one) => dark ? one.darkText : one.lightText);
      c.fillStyle = color("--bg");
      c.fillRect(0, 0, this.wide, this.high);
      c.font = "11px Roboto, Helvetica, Arial, sans-serif";
      c.textBaseline = "middle";
      c.save();
      c.beginPath();
      c.rect(HEAD, RULER, this.wide - HEAD, this.high - RULER);
      c.clip();
      for (const row of this.rows) {
        const y = row.y + RULER - this.top;
        if (y > this.high || y + ROW < RULER) continue;
        this.drawRow(row, y);
      }
      this.drawLinks(color("--accent"));
      c.restore();
      this.drawHeads(color);
      this.drawRuler(color);
    }

    drawRow(row, y) {
      const c = this.context, scale = (this.wide - HEAD) / (this.end - this.begin);
      const labels = this.trace.labels;
      let i = this.firstAt(row, this.begin);
      let drawn = -1;
      while (i < row.count && row.start[i] < this.end) {
        const x0 = Math.max(this.xOf(row.start[i]), HEAD - 1), x1 = Math.min(HEAD + (row.end[i] - this.begin) * scale, this.wide + 1);
        const width = x1 - x0;
        const kind = labels[row.label[i]][1];
        const faded = this.matches && !this.matches[row.label[i]];
        c.globalAlpha = faded ? 0.25 : 1;
        c.fillStyle = this.colors[kind];
        if (width < 1) {
          // Everything in this column of pixels is one mark.
          const column = Math.floor(x0);
          if (column > drawn) c.fillRect(column, y, 1, ROW - 2);
          drawn = column;
          i = Math.max(i + 1, this.firstAt(row, this.begin + (column + 1 - HEAD) / scale));
          continue;
        }
        c.fillRect(x0, y, Math.max(width - 0.5, 1), ROW - 2);
        if (row.first + i === this.selected) this.frameSlice(x0, y, width);
        if (width > 24) {
          c.fillStyle = this.inks[kind];
          const name = labels[row.label[i]][2] || labels[row.label[i]][0];
          const fits = Math.floor((width - 8) / CHAR);
          c.fillText(name.length > fits ? `${name.slice(0, Math.max(fits - 1, 1))}…` : name, x0 + 4, y + ROW / 2 - 1);
        }
        ++i;
      }
      c.globalAlpha = 1;
    }

    frameSlice(x, y, width) {
      this.context.strokeStyle = this.hi;
      this.context.lineWidth = 2;
      this.context.strokeRect(x, y - 1, width, ROW);
    }

    drawLinks(color) {
      if (this.selected < 0) return;
      const c = this.context, here = this.where(this.selected);
      c.strokeStyle = color;
      c.lineWidth = 1.5;
      const line = (from, to) => {
        const x0 = this.xOf(from.row.start[from.index]), y0 = from.row.y + RULER - this.top + ROW / 2;
        const x1 = this.xOf(to.row.start[to.index]), y1 = to.row.y + RULER - this.top + ROW / 2;
        c.beginPath();
        c.moveTo(x0, y0);
        c.bezierCurveTo(x0 + 40, y0, x1 - 40, y1, x1, y1);
        c.stroke();
      };
      for (const to of this.out.get(this.selected) || []) line(here, this.where(to));
      for (const from of this.into.get(this.selected) || []) line(this.where(from), here);
    }

    drawHeads(color) {
      const c = this.context;
      c.fillStyle = color("--panel");
      c.fillRect(0, RULER, HEAD, this.high - RULER);
      c.save();
      c.beginPath();
      c.rect(0, RULER, HEAD - 6, this.high - RULER);
      c.clip();
      for (const lane of this.trace.lanes) {
        const y = lane.y + RULER - this.top;
        if (y > this.high || y + lane.height < RULER) continue;
        const shown = Math.max(y, Math.min(RULER, y + lane.height - ROW));
        c.fillStyle = color("--hi");
        c.fillText(lane.name, 8, shown + ROW / 2 - 1);
        if (lane.rows.length > 1 && lane.group) {
          c.fillStyle = color("--low");
          c.fillText(lane.group, 8, shown + ROW * 1.5 - 1);
        }
      }
      c.restore();
    }

    drawRuler(color) {
      const c = this.context;
      c.fillStyle = color("--panel");
      c.fillRect(0, 0, this.wide, RULER);
      const length = this.end - this.begin;
      let step = 10 ** Math.ceil(Math.log10(length / (this.wide - HEAD) * 90));
      if (step / 5 * (this.wide - HEAD) / length > 90) step /= 5;
      else if (step / 2 * (this.wide - HEAD) / length > 90) step /= 2;
      for (let time = Math.ceil(this.begin / step) * step; time < this.end; time += step) {
        const x = this.xOf(time);
        if (x < HEAD) continue;
        c.fillStyle = color("--line");
        c.fillRect(x, RULER - 6, 1, 6);
        c.fillStyle = color("--mid");
        c.fillText(position(time), x + 4, RULER / 2);
      }
      c.fillStyle = color("--mid");
      c.fillText(`${duration(length)} shown`, 8, RULER / 2);
    }

    // The row and index of a slice by its number.
    where(slice) {
      let low = 0, high = this.rows.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.rows[middle].first <= slice) low = middle; else high = middle - 1;
      }
      while (this.rows[low].count === 0) ++low;
      return { row: this.rows[low], index: slice - this.rows[low].first };
    }

    sliceAt(x, y) {
      if (x < HEAD || y < RULER) return -1;
      const at = y - RULER + this.top;
      const row = this.rows.find((one) => at >= one.y && at < one.y + ROW - 2);
      if (!row) return -1;
      const i = this.firstAt(row, this.timeAt(x - 1));
      return i < row.count && row.start[i] <= this.timeAt(x + 1) ? row.first + i : -1;
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

  // --- Tables ------------------------------------------------------------------------------------
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

  // --- The page ----------------------------------------------------------------------------------
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
})();
