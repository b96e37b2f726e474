// The page's worker: it owns the program, the canvas and the files. page.js sends input and files as messages, and gets
// messages for the document. scripts/build-web appends this text to lanescope.js, which defines makeLanescope().
'use strict';

(() => {
  const PROGRESS_MS = 100;
  const AHEAD_BYTES = 1 << 20;  // small reads come from a piece of this size
  const WORK = -2;              // step: work waits
  const SLEEP = -1;             // step: nothing to do until the next input

  let program = null;  // the module
  let call = {};       // its functions
  let hidden = false;
  let planned = null;  // the next step: {cancel}
  let mounted = 0;
  let cancelUrl = '';
  let lastProgress = 0;
  let stopped = false;
  const seen = new Map();  // files of the program that the page knows: path -> time and size

  const tell = (message, transfer) => self.postMessage(message, transfer || []);
  const problem = (text) => tell({kind : 'problem', text});

  // ---- files ----

  // A cancelled load: the page revokes the URL, which a synchronous request notices while the program runs.
  function cancelled() {
    if (!cancelUrl) return false;
    try {
      const request = new XMLHttpRequest();
      request.open('GET', cancelUrl, false);
      request.send();
      return false;
    } catch {
      cancelUrl = '';
      return true;
    }
  }

  function noteProgress(node, position) {
    const now = performance.now();
    if (now - lastProgress < PROGRESS_MS) return;
    lastProgress = now;
    tell({kind : 'progress', name : node.name, done : position, total : node.size});
    if (cancelled()) call.cancel();
  }

  function readSlice(node, from, to) {
    try {
      return new Uint8Array(program.WORKERFS.reader.readAsArrayBuffer(node.contents.slice(from, to)));
    } catch {
      // The file was changed, moved or deleted since the user gave it to the page.
      const EIO = 29;
      throw new program.FS.ErrnoError(EIO);
    }
  }

  function readFile(stream, buffer, offset, length, position) {
    const node = stream.node;
    if (position >= node.size) return 0;
    noteProgress(node, position);
    const end = Math.min(position + length, node.size);
    if (length >= AHEAD_BYTES / 4) {
      const bytes = readSlice(node, position, end);
      buffer.set(bytes, offset);
      return bytes.length;
    }
    let ahead = node.ahead;
    if (!ahead || position < ahead.from || end > ahead.from + ahead.bytes.length) {
      const upTo = Math.min(position + AHEAD_BYTES, node.size);
      ahead = node.ahead = {from : position, bytes : readSlice(node, position, upTo)};
    }
    const at = position - ahead.from;
    buffer.set(ahead.bytes.subarray(at, at + (end - position)), offset);
    return end - position;
  }

  // The path at which the program sees a file. Links stand in a folder where the program may write beside them.
  function mount(file) {
    const FS = program.FS;
    const number = ++mounted;
    const name = file.name.replaceAll('/', '_') || 'trace';
    FS.mkdir(`/input/${number}`);
    FS.mount(program.WORKERFS, {blobs : [ {name, data : file} ]}, `/input/${number}`);
    let folder = '/files';
    if (FS.analyzePath(`${folder}/${name}`).exists) {
      folder = `/files/${number}`;
      FS.mkdir(folder);
    }
    FS.symlink(`/input/${number}/${name}`, `${folder}/${name}`);
    return `${folder}/${name}`;
  }

  function putText(path, text) {
    const FS = program.FS;
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    FS.writeFile(path, text);
    const info = FS.stat(path);
    seen.set(path, `${info.mtime.getTime()} ${info.size}`);
  }

  // Sends what the program has written: settings and notes to be kept, other files to be downloaded.
  function sendWritten(folder) {
    const FS = program.FS;
    for (const name of FS.readdir(folder)) {
      if (name.startsWith('.')) continue;
      const path = `${folder}/${name}`;
      const info = FS.lstat(path);
      if (FS.isDir(info.mode)) sendWritten(path);
      if (!FS.isFile(info.mode)) continue;
      const stamp = `${info.mtime.getTime()} ${info.size}`;
      if (seen.get(path) === stamp) continue;
      seen.set(path, stamp);
      const keeps = path.startsWith('/config/') || path.endsWith('.notes.json');
      if (keeps) tell({kind : 'keep', path, text : FS.readFile(path, {encoding : 'utf8'})});
      if (!path.startsWith('/config/')) {
        const bytes = FS.readFile(path);
        tell({kind : 'download', name, bytes}, [ bytes.buffer ]);
      }
    }
  }

  // ---- steps ----

  function plan(delay) {
    if (planned) planned.cancel();
    if (delay === 0 && !hidden) {
      const id = requestAnimationFrame(step);
      planned = {cancel : () => cancelAnimationFrame(id)};
    } else {
      const id = setTimeout(step, delay);
      planned = {cancel : () => clearTimeout(id)};
    }
  }

  function step() {
    planned = null;
    if (stopped) return;
    let next = SLEEP;
    try {
      const works = call.works() !== 0;
      if (works) tell({kind : 'busy'});
      next = call.step(performance.now() / 1000);
      if (works) tell({kind : 'free'});
      if (next !== 0 && next !== WORK) {
        sendWritten('/config');
        sendWritten('/files');
      }
    } catch (error) {
      return stop(error);
    }
    if (next === WORK) plan(1);
    else if (next === 0) plan(hidden ? 20 : 0);
    else if (next > 0) plan(next * 1000);
  }

  function stop(error) {
    stopped = true;
    const text = String(error && error.message || error);
    const memory = /memory|allocation/i.test(text);
    tell({
      kind : 'stopped',
      text : memory ? 'This trace needs more memory than the browser gives to a page (at most 4 GB). Cut a part of it with' +
                          ' "lanescope cut", or open it with the program for Linux.'
                    : `The viewer has stopped: ${text}`
    });
  }

  // ---- messages ----

  async function start(message) {
    program = await makeLanescope({
      wasmBinary : message.wasm,
      tell : (what) => tell(what),
      print : (text) => console.log(text),
      printErr : (text) => console.warn(text)
    });
    const context = program.GL.createContext(message.canvas, {
      majorVersion : 2,
      minorVersion : 0,
      alpha : false,
      antialias : false,
      depth : false,
      stencil : false,
      preserveDrawingBuffer : true
    });
    if (!context) {
      stopped = true;
      return tell({
        kind : 'stopped',
        text : 'This browser has no WebGL 2, which the timeline is drawn with. Use a newer browser, or allow it to use' +
                   ' hardware or software rendering.'
      });
    }
    program.GL.makeContextCurrent(context);
    const FS = program.FS;
    for (const folder of [ '/config', '/files', '/input' ]) FS.mkdir(folder);
    program.WORKERFS.stream_ops.read = readFile;
    const names = {
      start : [ 'number' ], resize : [ 'number', 'number', 'number' ], open : [ 'string', 'number' ], cancel : [],
      pointer : [ 'number', 'number' ], pointer_left : [], button : [ 'number', 'number' ],
      wheel : [ 'number', 'number', 'number' ], key : [ 'string', 'string', 'number', 'number' ], text : [ 'string' ],
      clipboard : [ 'string' ], focus : [ 'number' ], dark : [ 'number' ], chooser_closed : []
    };
    for (const [name, types] of Object.entries(names))
      call[name] = (...values) => program.ccall(`web_${name}`, null, types, values);
    call.step = program._web_step;
    call.works = program._web_works;
    for (const [path, text] of Object.entries(message.kept)) putText(path, text);
    if (message.sample) {
      const folder = '/input/sample';
      FS.mkdir(folder);
      FS.mount(program.WORKERFS, {blobs : [ {name : message.sample.name, data : message.sample} ]}, folder);
      FS.symlink(`${folder}/${message.sample.name}`, `/files/${message.sample.name}`);
    }
    resize(message, message.canvas);
    canvas = message.canvas;
    call.start(message.dark ? 1 : 0);
    tell({kind : 'started'});
    plan(0);
  }

  let canvas = null;

  function resize(size, target) {
    target.width = size.width;
    target.height = size.height;
    call.resize(size.width, size.height, size.scale);
  }

  function open(message) {
    cancelUrl = message.cancelUrl || '';
    let paths = [];
    for (const file of message.files) {
      try {
        paths.push(mount(file));
      } catch (error) {
        problem(`${file.name} cannot be opened: ${error.message || error}`);
      }
    }
    if (paths.length > 0) call.open(paths.join('\n'), message.add ? 1 : 0);
  }

  const take = {
    resize : (m) => resize(m, canvas),
    open,
    pointer : (m) => call.pointer(m.x, m.y),
    left : () => call.pointer_left(),
    button : (m) => {
      call.pointer(m.x, m.y);
      call.button(m.button, m.down ? 1 : 0);
    },
    wheel : (m) => call.wheel(m.across, m.along, m.modifiers),
    key : (m) => {
      call.key(m.code, m.key, m.down ? 1 : 0, m.modifiers);
      if (m.text) call.text(m.text);
    },
    text : (m) => call.text(m.text),
    clipboard : (m) => call.clipboard(m.text),
    focus : (m) => call.focus(m.focused ? 1 : 0),
    dark : (m) => call.dark(m.dark ? 1 : 0),
    chooser_closed : () => call.chooser_closed(),
    hidden : (m) => { hidden = m.hidden; },
    table : (m) => tell({kind : 'state', id : m.id, text : program.ccall('web_table', 'string', [ 'string' ], [ m.name ])}),
    state : (m) => {
      let text = '';
      try {
        text = program.FS.readFile('/state.json', {encoding : 'utf8'});
      } catch {
        // not yet written
      }
      tell({kind : 'state', id : m.id, text});
    }
  };

  self.onmessage = async (event) => {
    const message = event.data;
    if (message.kind === 'start') {
      try {
        await start(message);
      } catch (error) {
        stop(error);
      }
      return;
    }
    if (stopped || !program) return;
    try {
      take[message.kind](message);
    } catch (error) {
      return stop(error);
    }
    if (message.kind !== 'state') plan(0);
  };
})();
