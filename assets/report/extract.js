// Reads the data of the timeline from the page, and formats times.
// A report's script consists of extract.js, timeline_view.js, timeline.js and page.js, in this order.
// It uses no library and no network. Texts of the trace only become text nodes or canvas text.

const byId = (id) => document.getElementById(id);

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
