// The PINs that rules refuse, made one after another: no PIN is ever looked at.
// SPDX-License-Identifier: Apache-2.0

/// A set of PINs of one length: a flag for each number.
struct PinSet: Equatable {
  let length: Int
  private(set) var flags: [Bool]

  init(length: Int) {
    self.length = length
    flags = [Bool](repeating: false, count: Self.power(length))
  }

  static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * 10 } }

  var count: Int { flags.count { $0 } }

  mutating func insert(_ pin: Int) { flags[pin] = true }

  /// Adds a PIN that is given digit by digit.
  mutating func insert(_ digits: [Int]) {
    if digits.count == length { insert(digits.reduce(0) { $0 * 10 + $1 }) }
  }

  /// Adds every PIN that has these digits somewhere.
  mutating func insertAll(with digits: [Int]) {
    guard digits.count <= length else { return }
    let inner = digits.reduce(0) { $0 * 10 + $1 }
    for behind in 0...length - digits.count {
      let (lows, highs) = (Self.power(behind), Self.power(length - digits.count - behind))
      let step = Self.power(length - behind) / highs
      for high in 0..<highs {
        let first = (high * step + inner) * lows
        for pin in first..<first + lows { flags[pin] = true }
      }
    }
  }

  mutating func insertAll(with digits: String) { insertAll(with: digits.map { $0.wholeNumberValue! }) }

  static func same(_ count: Int, length: Int) -> PinSet {
    var set = PinSet(length: length)
    for digit in 0..<10 { set.insertAll(with: [Int](repeating: digit, count: count)) }
    return set
  }

  static func run(_ count: Int, length: Int) -> PinSet {
    var set = PinSet(length: length)
    guard count <= 10 else { return set }
    for lowest in 0...10 - count {
      set.insertAll(with: Array(lowest..<lowest + count))
      set.insertAll(with: (lowest..<lowest + count).reversed())
    }
    return set
  }

  static func pairs(length: Int) -> PinSet {
    var set = PinSet(length: length)
    for pair in 0..<100 where length % 2 == 0 {
      set.insert((0..<length).map { $0 % 2 == 0 ? pair / 10 : pair % 10 })
    }
    return set
  }

  static func doubles(length: Int) -> PinSet {
    var set = PinSet(length: length)
    guard length % 2 == 0 else { return set }
    for half in 0..<power(length / 2) {
      set.insert((0..<length).map { half / power(length / 2 - 1 - $0 / 2) % 10 })
    }
    return set
  }

  static func with(_ parts: [String], length: Int) -> PinSet {
    var set = PinSet(length: length)
    for part in parts { set.insertAll(with: part) }
    return set
  }

  static func exactly(_ pins: [String], length: Int) -> PinSet {
    var set = PinSet(length: length)
    for pin in pins where pin.count == length && Int(pin) != nil { set.insert(Int(pin)!) }
    return set
  }

  static func all(length: Int) -> PinSet {
    var set = PinSet(length: length)
    for pin in 0..<power(length) { set.insert(pin) }
    return set
  }
}

/// The thirteen ways to write a date, spelt out.
func writings(year: String, month: String, day: String) -> [String] {
  let short = String(year.suffix(2))
  return [
    year + month + day, day + month + year, month + day + year, short + month + day, day + month + short,
    month + day + short, year + month, month + year, month + day, day + month, short + month, month + short, year,
  ]
}

/// The ways to take `count` digits in a row out of `digits`.
func parts(of digits: String, count: Int) -> [String] {
  let all = Array(digits)
  return (0...all.count - count).map { String(all[$0..<$0 + count]) }
}
