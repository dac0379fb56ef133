// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func isShuffled(_ shuffle: ShuffleKind) -> Bool {
  switch shuffle {
  case .none: false
  case .eachOpening, .eachKey: true
  }
}
