// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func keyLength(_ way: EncryptionWay) -> Int {
  switch way {
  case .des: 8
  case .tripleDES: 24
  case .sm4: 16
  }
}
