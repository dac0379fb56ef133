// The element's file where there is no document: a server that prepares pages imports it, and nothing happens.
// SPDX-License-Identifier: Apache-2.0
import { check, end } from './check.mjs';

const before = Object.getOwnPropertyNames(globalThis).join();
const module = await import('../../Bindings/web/custom-keyboard.js');
check('exports', Object.keys(module), []);
check('names', Object.getOwnPropertyNames(globalThis).join(), before);
end('bare');
