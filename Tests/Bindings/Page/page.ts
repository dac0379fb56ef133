// A page that uses the npm package, without a framework. tsc fails where it finds no error and one is expected.
// SPDX-License-Identifier: Apache-2.0
import 'customkeyboard';
import { sentence } from 'customkeyboard/messages';

const keyboard = document.createElement('custom-keyboard');
keyboard.layout = 'pin';
keyboard.maximum = 6;
keyboard.addEventListener('complete', async (event) => {
  const text: Uint8Array = await keyboard.getText();
  console.log(event.detail.count + text.length);
});
keyboard.open(new Uint8Array(16)).catch((error: CustomKeyboardError) => sentence('codes', error.code));

// @ts-expect-error
keyboard.layout = 'qwertz';
// @ts-expect-error
keyboard.open('challenge');
// @ts-expect-error
sentence('rule', 'COMMON');
