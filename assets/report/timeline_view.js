// The visible part of the timeline: rows, times and their pixels, and the painting of a frame.

const HEAD = 190, RULER = 22, GAP = 6, ROW = 18, CHAR = 6.1;

class TimelineView {
  constructor(canvas, trace) {
    this.canvas = canvas;
    this.trace = trace;
    this.context = canvas.getContext("2d");
    this.begin = 0;
    this.end = Math.max(trace.span, 1);
    this.top = 0;
    this.selected = -1;
    this.matches = null;
    this.keys = new Set();
    this.times = [];
    this.placeRows();
    this.linksOf();
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
        // All slices in this column of pixels are drawn as one mark.
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
}
