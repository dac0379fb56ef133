// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func name(_ kind: LayoutKind) -> String {
  switch kind {
  case .letters: "letters"
  case .digits: "digits"
  case .symbols: "symbols"
  case .mixed: "mixed"
  case .pin: "PIN"
  }
}
