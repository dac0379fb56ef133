// Types of <custom-keyboard> in JSX, for React 18 and 19: import it once beside custom-keyboard.js.
//
// SPDX-License-Identifier: Apache-2.0

import './custom-keyboard.js';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'custom-keyboard': DetailedHTMLProps<HTMLAttributes<CustomKeyboardElement>, CustomKeyboardElement>
        & CustomKeyboardAttributes;
    }
  }
}
