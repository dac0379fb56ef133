import CustomKeyboard

func isShuffled(_ shuffle: ShuffleKind) -> Bool {
  switch shuffle {
  case .none: false
  case .eachOpening, .eachKey: true
  }
}
