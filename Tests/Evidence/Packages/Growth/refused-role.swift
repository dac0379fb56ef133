// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func isTyped(_ role: KeyRole) -> Bool {
  switch role {
  case .character, .space: true
  case .delete, .clear, .shift, .toLetters, .toDigits, .toSymbols, .return, .blank: false
  }
}
