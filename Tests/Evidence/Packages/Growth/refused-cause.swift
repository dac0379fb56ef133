// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func name(_ cause: KeyboardError.StateCause) -> String {
  switch cause {
  case .unspecified: "?"
  case .open: "open"
  case .notOpen: "not open"
  }
}
