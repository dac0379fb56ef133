// The keys of an appID, read once for a call.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import KeyboardText

/// Records as the vault had them: a view of memory.
///
///     ├ count ┼ names, while they are read ┼ records: length (8), record ┤
struct KeyList {
  private let memory: UnsafeMutableRawPointer

  /// More than a person has at one appID; and some for clients that register at the same time.
  static var capacity: Int { FidoState.maximumKeys + 24 }
  private static var namesOffset: Int { 16 }
  private static var recordsOffset: Int { namesOffset + (capacity * KeyPlace.accountSize + 15) & ~15 }
  private static var stride: Int { 16 + KeyRecord.capacity }
  static var byteCount: Int { recordsOffset + capacity * stride }

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private(set) var count: Int {
    get { memory.load(as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, as: Int.self) }
  }

  /// A key, until the keys are read again.
  subscript(index: Int) -> KeyRecord {
    let place = memory + Self.recordsOffset + index * Self.stride
    return KeyRecord(UnsafeRawBufferPointer(start: place + 16, count: place.load(as: Int.self)))!
  }

  /// Reads the keys of a service.
  ///
  /// - Returns: whether all are there. If not, one was deleted after it was listed, and another one may have taken its
  ///   place.
  func load(from store: KeyStore, service: UnsafePointer<CChar>) throws(FidoResult) -> Bool {
    count = 0
    let rv = CustomVault_listItems(
      store.vault, service,
      { context, item in
        KeyList(at: context!).addName(item.pointee.account!)
        return 0
      }, memory)
    try KeyStore.succeed(rv)
    let listed = count
    count = 0
    for index in 0..<listed {
      let place = memory + Self.recordsOffset + count * Self.stride
      let size = try store.read(service, name(index), into: place + 16, capacity: KeyRecord.capacity)
      guard let size else { return false }
      guard KeyRecord(UnsafeRawBufferPointer(start: place + 16, count: size)) != nil
      else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
      place.storeBytes(of: size, as: Int.self)
      count += 1
    }
    return true
  }

  private func name(_ index: Int) -> UnsafeMutablePointer<CChar> {
    (memory + Self.namesOffset + index * KeyPlace.accountSize).assumingMemoryBound(to: CChar.self)
  }

  private func addName(_ name: UnsafePointer<CChar>) {
    guard count < Self.capacity else { return }
    let place = self.name(count)
    var size = 0
    while size < KeyPlace.accountSize - 1, name[size] != 0 {
      place[size] = name[size]
      size += 1
    }
    place[size] = 0
    count += 1
  }
}
