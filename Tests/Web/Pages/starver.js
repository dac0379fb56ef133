// A hostile script that runs after the element. It calls what it is given with less and less of the stack left, and
// looks for the module's instance in the stack of every error that it can get: Error.prepareStackTrace is told the
// frames, and V8 says of a frame of WebAssembly which instance it belongs to.
//
// SPDX-License-Identifier: Apache-2.0

globalThis.starver = (() => {
  const instances = new Set(), told = {};
  let overflows = 0;

  Error.prepareStackTrace = (error, sites) => {
    for (const site of sites) {
      for (const part of [site.getThis(), site.getFunction()]) {
        if (part instanceof WebAssembly.Instance) instances.add(part);
      }
    }
    return `${error}`;
  };
  function note(error) {
    if (!(error instanceof Error)) return;
    void error.stack;
    const name = `${error.code ?? error.name}: ${error.message}`;
    told[name] = (told[name] ?? 0) + 1;
  }
  addEventListener('error', (event) => {
    note(event.error);
    event.preventDefault();
  });

  let pending = [];
  function attempt(f) {
    try { pending.push(Promise.resolve(f()).catch(note)); } catch (error) {
      pending.push(Promise.reject(error).catch(note));
    }
  }

  /** Fills the stack, or `steps.depth` of it, and calls `f` on the way back: at `steps.left` steps from the first. */
  function fillStack(f, steps) {
    try { if (!(steps.depth-- <= 0)) fillStack(f, steps); } catch { overflows++; }
    if (steps.first-- > 0 || steps.left-- <= 0) return;
    try { attempt(f); } catch { /* not even for that */ }
  }

  /** What is called for the first time is compiled on this stack: so it is called before. */
  async function warm(prepare, f) {
    for (let i = 0; i < 3; i++) {
      await prepare();
      fillStack(f, { first: 0, left: 1, depth: 1 });
      await Promise.all(pending);
    }
  }

  return {
    /** Calls `f` at each of the steps, after one preparation. */
    async run(prepare, f, steps) {
      await warm(prepare, f);
      await prepare();
      fillStack(f, { first: 0, left: steps });
      await Promise.all(pending);
    },
    /** Calls `f` at one step after the other, each time prepared anew. */
    async runEach(prepare, f, steps) {
      await warm(prepare, f);
      for (let first = 0; first < steps; first++) {
        await prepare();
        pending = [];
        fillStack(f, { first, left: 1 });
        await Promise.all(pending);
        await new Promise((done) => setTimeout(done)); // what the element put off is done now
      }
    },
    /** A module of this script's own, whose only function calls itself until the stack is full. */
    control() {
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
        10, 6, 1, 4, 0, 16, 0, 11]);
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
      try { exports.f(); } catch (error) { note(error); }
    },
    attempt, note,
    found: () => ({ instances: instances.size, overflows, told }),
  };
})();
