// How a page uses the element's types. Each line that is wrong says so: tsc fails if it finds no error there.
// SPDX-License-Identifier: Apache-2.0
import '../../../Bindings/web/custom-keyboard-react';

const keyboard = document.querySelector('custom-keyboard')!;
keyboard.layout = 'pin';
keyboard.maximum = 6;
keyboard.publicKey = null;
keyboard.required = true;
keyboard.mute = false;
keyboard.offer = 'Type with the arrow keys';
keyboard.addEventListener('input', (event) => event.detail.count.toFixed());
keyboard.getText().then((text: Uint8Array) => text.length);
keyboard.open(new Uint8Array(16)).catch((error: CustomKeyboardError) => error.code === 'LOAD');
keyboard.opaque = true;
keyboard.login(async (ke1: Uint8Array) => ke1, { context: 'shop-1' }).then(({ ke3, sessionKey }) => [ke3, sessionKey]);
keyboard.register((request) => request, { memoryKiB: 19456, passes: 2, lanes: 1 }).then(({ record }) => record.length);
export const isValid: boolean = keyboard.checkValidity() && keyboard.validity.valid && keyboard.form !== null;

export const pad = (
  <custom-keyboard layout="pin" maximum={6} public-key="qJ0" scheme="dark" accessible className="pad" name="pin" />
);
export const ofReact18 = <custom-keyboard accessible="false" discreet={false} mute="true" offer="Type" />;

// @ts-expect-error
keyboard.layout = 'qwertz';
// @ts-expect-error
keyboard.count = 1;
// @ts-expect-error
keyboard.accessible = 'false';
// @ts-expect-error
keyboard.open('challenge');
// @ts-expect-error
keyboard.login();
// @ts-expect-error
keyboard.login(async () => new Uint8Array(), { contxt: 'shop-1' });
// @ts-expect-error
keyboard.register(async () => 'response');
// @ts-expect-error
keyboard.open();
// @ts-expect-error
export const wrong = <custom-keyboard layout="qwertz" />;
// @ts-expect-error
export const unknown = <custom-keyboard shufle="key" />;
