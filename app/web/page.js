// The page: gives input, files and its size to the worker, which draws, and keeps settings and notes in the browser's storage.
// Nothing is sent anywhere: the only requests are for the viewer's own files and for ?url=.
'use strict';

(() => {
  const PREFIX = 'lanescope:';
  const BUSY_MS = 400;  // before the page says that the program is busy
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

  const byId = (id) => document.getElementById(id);
  const canvas = byId('canvas');
  const typing = byId('typing');
  const busy = byId('busy');
  const message = byId('message');
  const chooser = byId('chooser');

  let worker = null;
  let started = false;
  let waiting = [];  // messages before the worker has started
  let busyTimer = 0;
  let cancelUrl = '';
  let questions = 0;
  const answers = new Map();

  function say(text) {
    message.querySelector('p').textContent = text;
    message.hidden = false;
  }

  function send(what, transfer) {
    if (started) worker.postMessage(what, transfer || []);
    else waiting.push([ what, transfer ]);
  }

  // ---- storage ----

  function kept() {
    const found = {};
    try {
      for (let i = 0; i < localStorage.length; ++i) {
        const key = localStorage.key(i);
        if (key.startsWith(PREFIX)) found[key.slice(PREFIX.length)] = localStorage.getItem(key);
      }
    } catch {
      // Forbidden: the page works without it, until it is closed.
    }
    return found;
  }

  function keep(path, text) {
    try {
      localStorage.setItem(PREFIX + path, text);
    } catch {
      if (path.endsWith('.notes.json')) say('The browser keeps nothing for this page. Keep the downloaded file with the notes.');
    }
  }

  // ---- files ----

  function openFiles(files, add = false) {
    if (files.length === 0) return;
    if (cancelUrl) URL.revokeObjectURL(cancelUrl);
    // A page from disk cannot read such a URL.
    cancelUrl = origin === 'null' || location.protocol === 'file:' ? '' : URL.createObjectURL(new Blob([ 'loading' ]));
    byId('busy-cancel').hidden = !cancelUrl;
    send({kind : 'open', files : [...files ], add, cancelUrl});
  }

  async function openUrl(url) {
    const name = decodeURIComponent(new URL(url, location.href).pathname.split('/').pop()) || 'trace';
    showBusy(`Fetching ${name}`, 0, 0);
    try {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      return new File([ await response.blob() ], name);
    } catch (error) {
      say(`${name} cannot be fetched: ${error.message}. The server must allow this page to read it (CORS).`);
      return null;
    } finally {
      hideBusy();
    }
  }

  async function openUrls(urls) {
    const files = (await Promise.all(urls.map(openUrl))).filter((file) => file);
    openFiles(files);
  }

  // All files below a dropped folder.
  async function filesOf(entry, found) {
    if (entry.isFile) {
      found.push(await new Promise((done, failed) => entry.file(done, failed)));
    } else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const entries = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (entries.length === 0) break;
        for (const each of entries) await filesOf(each, found);
      }
    }
  }

  async function dropped(event) {
    event.preventDefault();
    const entries = [...event.dataTransfer.items ].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    if (!entries.some((entry) => entry && entry.isDirectory)) return openFiles(event.dataTransfer.files);
    const files = [];
    for (const entry of entries) if (entry) await filesOf(entry, files);
    const traces = files.filter((file) => !file.name.startsWith('.'));
    if (traces.length === 0) say('This folder has no files.');
    openFiles(traces);
  }

  function download(name, bytes, type = 'application/octet-stream') {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([ bytes ], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // ---- what the worker says ----

  function showBusy(text, done, total) {
    byId('busy-text').textContent = text;
    const bar = byId('busy-bar');
    bar.hidden = total === 0;
    bar.max = total || 1;
    bar.value = done;
    busy.hidden = false;
  }

  function hideBusy() {
    clearTimeout(busyTimer);
    busyTimer = 0;
    busy.hidden = true;
  }

  function megabytes(bytes) {
    return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
  }

  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      typing.value = text;
      typing.select();
      document.execCommand('copy');
      typing.value = '';
    }
  }

  async function copyPicture(bytes) {
    const blob = new Blob([ bytes ], {type : 'image/png'});
    try {
      await navigator.clipboard.write([ new ClipboardItem({'image/png' : blob}) ]);
    } catch {
      download('lanescope.png', bytes, 'image/png');
    }
  }

  function placeTyping(text) {
    const [x, y] = text ? text.split(' ').map(Number) : [ 0, 0 ];
    typing.style.left = `${x}px`;
    typing.style.top = `${y}px`;
  }

  const take = {
    started : () => {
      started = true;
      for (const [what, transfer] of waiting) worker.postMessage(what, transfer || []);
      waiting = [];
      document.documentElement.dataset.started = 'yes';
    },
    busy : () => { busyTimer = busyTimer || setTimeout(() => showBusy('Computing', 0, 0), BUSY_MS); },
    free : hideBusy,
    progress : (m) => {
      const show = () => showBusy(`Reading ${m.name}: ${megabytes(m.done)} of ${megabytes(m.total)}`, m.done, m.total);
      if (!busy.hidden) show();
      else if (busyTimer) {
        clearTimeout(busyTimer);
        busyTimer = setTimeout(show, BUSY_MS);
      }
    },
    title : (m) => { document.title = m.text; },
    cursor : (m) => { canvas.style.cursor = m.text; },
    copy : (m) => copyText(m.text),
    picture : (m) => copyPicture(m.bytes),
    ime : (m) => placeTyping(m.text),
    choose : () => chooser.click(),
    keep : (m) => keep(m.path, m.text),
    download : (m) => download(m.name, m.bytes),
    problem : (m) => say(m.text),
    stopped : (m) => {
      hideBusy();
      say(m.text);
      byId('message-close').hidden = true;
    },
    state : (m) => {
      answers.get(m.id)(m.text);
      answers.delete(m.id);
    }
  };

  // ---- input ----

  const modifiers = (event) => {
    const ctrl = event.ctrlKey || (isMac && event.metaKey);
    const meta = event.metaKey && !isMac;
    return (event.shiftKey ? 1 : 0) | (ctrl ? 2 : 0) | (event.altKey ? 4 : 0) | (meta ? 8 : 0);
  };
  const place = (event) => ({x : event.offsetX * devicePixelRatio, y : event.offsetY * devicePixelRatio});

  function keyChanged(event, down) {
    if (event.isComposing || event.key === 'Process' || event.key === 'Dead') return;
    const command = event.ctrlKey || event.metaKey;
    // The browser's own: full screen, and pasting, which arrives as an event with the text.
    if (event.key === 'F11' || (command && event.key.toLowerCase() === 'v')) return;
    event.preventDefault();
    const types = down && [...event.key ].length === 1 && (!command || event.getModifierState('AltGraph'));
    let code = event.code;
    if (isMac && code.startsWith('Meta')) code = code.replace('Meta', 'Control');
    send({kind : 'key', code, key : event.key, down, modifiers : modifiers(event), text : types ? event.key : ''});
  }

  function listen() {
    canvas.addEventListener('pointermove', (event) => send({kind : 'pointer', ...place(event)}));
    canvas.addEventListener('pointerleave', () => send({kind : 'left'}));
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      typing.focus({preventScroll : true});
      send({kind : 'button', button : event.button, down : true, ...place(event)});
      event.preventDefault();
    });
    canvas.addEventListener('pointerup', (event) => send({kind : 'button', button : event.button, down : false, ...place(event)}));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const notch = event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1;
      const way = {across : -event.deltaX / notch, along : -event.deltaY / notch};
      // Browsers turn Shift+wheel sideways themselves; Dear ImGui does so, too.
      if (event.shiftKey && way.along === 0) [way.across, way.along] = [ 0, way.across ];
      send({kind : 'wheel', ...way, modifiers : modifiers(event)});
    }, {passive : false});
    typing.addEventListener('keydown', (event) => keyChanged(event, true));
    typing.addEventListener('keyup', (event) => keyChanged(event, false));
    typing.addEventListener('compositionend', (event) => {
      send({kind : 'text', text : event.data});
      typing.value = '';
    });
    typing.addEventListener('input', (event) => {
      if (event.isComposing) return;
      if (typing.value) send({kind : 'text', text : typing.value});
      typing.value = '';
    });
    typing.addEventListener('paste', (event) => {
      event.preventDefault();
      const files = event.clipboardData.files;
      if (files.length > 0) return openFiles(files);
      send({kind : 'clipboard', text : event.clipboardData.getData('text/plain')});
      const key = {kind : 'key', code : 'KeyV', key : 'v', modifiers : 2, text : ''};
      send({...key, down : true});
      send({...key, down : false});
    });
    typing.addEventListener('focus', () => send({kind : 'focus', focused : true}));
    typing.addEventListener('blur', () => send({kind : 'focus', focused : false}));
    document.addEventListener('visibilitychange', () => send({kind : 'hidden', hidden : document.hidden}));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', dropped);
    chooser.addEventListener('change', () => {
      openFiles(chooser.files);
      chooser.value = '';
    });
    chooser.addEventListener('cancel', () => send({kind : 'chooser_closed'}));
    byId('busy-cancel').addEventListener('click', () => {
      URL.revokeObjectURL(cancelUrl);
      byId('busy-text').textContent = 'Stopping';
    });
    byId('message-close').addEventListener('click', () => { message.hidden = true; });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => send({kind : 'dark', dark : event.matches}));
    addEventListener('message', takeMessage);
    new ResizeObserver(() => send({kind : 'resize', ...size()})).observe(canvas);
  }

  // Scripts that open Perfetto's page: PING until PONG, then the bytes of a trace.
  function takeMessage(event) {
    if (event.data === 'PING' && event.source) {
      event.source.postMessage('PONG', {targetOrigin : event.origin === 'null' ? '*' : event.origin});
    } else if (event.data && event.data.perfetto && event.data.perfetto.buffer instanceof ArrayBuffer) {
      const {buffer, title, fileName} = event.data.perfetto;
      openFiles([ new File([ buffer ], String(fileName || title || 'trace')) ]);
    }
  }

  function size() {
    return {
      width : Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)),
      height : Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio)),
      scale : devicePixelRatio
    };
  }

  // ---- start ----

  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

  // A page with everything inside: the program, which is compressed by gzip, and traces, all in base64.
  async function packed() {
    const program = byId('packed-program');
    if (!program) return null;
    const script = URL.createObjectURL(new Blob([ program.textContent ], {type : 'text/javascript'}));
    const traces = [...document.querySelectorAll('script[data-trace]') ];
    const compressed = new Blob([ bytesOf(byId('packed-wasm').textContent) ]);
    return {
      worker : new Worker(script),
      wasm : await new Response(compressed.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer(),
      files : traces.map((each) => new File([ bytesOf(each.textContent) ], each.dataset.trace))
    };
  }

  async function fetched(name) {
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
    return response;
  }

  async function start() {
    if (!canvas.transferControlToOffscreen || typeof WebAssembly !== 'object')
      return say('This browser is too old: the viewer needs WebAssembly and OffscreenCanvas, as in Chrome, Firefox or Safari since 2023.');
    listen();
    typing.focus({preventScroll : true});
    const inside = await packed();
    worker = inside ? inside.worker : new Worker('lanescope.js');
    worker.onmessage = (event) => take[event.data.kind](event.data);
    worker.onerror = (event) => say(`The viewer cannot be started: ${event.message || 'its program cannot be read'}`);
    let wasm = inside ? inside.wasm : null;
    let sample = null;
    if (!inside) {
      try {
        const both = [ fetched('lanescope.wasm'), fetched('synthetic_step.json.gz') ];
        wasm = await (await both[0]).arrayBuffer();
        sample = new File([ await (await both[1]).blob() ], 'synthetic_step.json.gz');
      } catch (error) {
        return say(`The viewer cannot be started: ${error.message}`);
      }
    }
    const drawn = canvas.transferControlToOffscreen();
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    worker.postMessage({kind : 'start', canvas : drawn, wasm, sample, dark, kept : kept(), ...size()}, [ drawn, wasm ]);
    if (inside) openFiles(inside.files);
    const urls = new URLSearchParams(location.search).getAll('url');
    if (urls.length > 0 && !inside) openUrls(urls);
  }

  // For programs that embed the page, and for tests: what the window's state file has.
  globalThis.lanescope = {
    state : () => new Promise((done) => {
      answers.set(++questions, (text) => done(text ? JSON.parse(text) : null));
      send({kind : 'state', id : questions});
    }),
    // A table of the first trace, as "lanescope table NAME --format json" prints it.
    table : (name) => new Promise((done) => {
      answers.set(++questions, done);
      send({kind : 'table', name, id : questions});
    }),
    open : (files, add) => openFiles(files, add)
  };

  start();
})();
