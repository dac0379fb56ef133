// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

func name(_ error: KeyboardError) -> String {
  switch error {
  case .key: "key"
  case .operationDisabled: "state"
  case .tooLong: "long"
  case .spaceTooSmall: "space"
  case .argument: "argument"
  case .undecryptable: "text"
  case .memory: "memory"
  case .random: "random"
  }
}
