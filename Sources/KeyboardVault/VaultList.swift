// The names of all items, copied and sorted, so that a caller may use the vault while it reads them.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

/// Items in the order of bytes: by service, then by account. In locked memory that is wiped when this ends.
///
///     ├ offset of each item ┼ items ┤
///     item: ├ created (8) ┼ modified (8) ┼ length of the data (8) ┼ four strings, each with a NUL ┤
package struct VaultList: ~Copyable {
  private let workspace: LargeWorkspace
  package let count: Int

  /// One item.
  package struct Item {
    private let memory: UnsafeRawPointer

    fileprivate init(at memory: UnsafeRawPointer) { self.memory = memory }

    package var created: Int64 { memory.load(as: Int64.self) }
    package var modified: Int64 { memory.load(fromByteOffset: 8, as: Int64.self) }
    package var dataSize: Int64 { memory.load(fromByteOffset: 16, as: Int64.self) }
    package var service: UnsafePointer<CChar> { (memory + 24).assumingMemoryBound(to: CChar.self) }
    package var account: UnsafePointer<CChar> { Self.next(service) }
    package var label: UnsafePointer<CChar> { Self.next(account) }
    package var kind: UnsafePointer<CChar> { Self.next(label) }

    private static func next(_ text: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
      var place = text
      while place.pointee != 0 { place += 1 }
      return place + 1
    }

    /// Whether this item comes before another one. A NUL is below all bytes, so a string comes before a longer one that
    /// begins with it.
    fileprivate func isBefore(_ other: Item) -> Bool {
      var (one, two) = (service, other.service)
      for _ in 0..<2 {
        while one.pointee == two.pointee && one.pointee != 0 {
          one += 1
          two += 1
        }
        if one.pointee != two.pointee { return UInt8(bitPattern: one.pointee) < UInt8(bitPattern: two.pointee) }
        one += 1
        two += 1
      }
      return false
    }
  }

  fileprivate static func byteCount(items: Int, metaBytes: Int) -> Int { 8 * items + metaBytes + 8 * items + 8 }

  /// - Parameter count: how many items the memory has, unsorted.
  fileprivate init(_ workspace: consuming LargeWorkspace, count: Int) {
    self.workspace = workspace
    self.count = count
    sort()
  }

  private var offsets: UnsafeMutablePointer<Int> { workspace.memory.assumingMemoryBound(to: Int.self) }

  package subscript(index: Int) -> Item { Item(at: UnsafeRawPointer(workspace.memory + offsets[index])) }

  // MARK: Sorting

  /// A heap sort: in place, and never slow.
  private func sort() {
    guard count > 1 else { return }
    for start in (0..<count / 2).reversed() { sink(start, end: count) }
    for end in (1..<count).reversed() {
      swap(0, end)
      sink(0, end: end)
    }
  }

  private func sink(_ start: Int, end: Int) {
    var parent = start
    while 2 * parent + 1 < end {
      var child = 2 * parent + 1
      if child + 1 < end && self[child].isBefore(self[child + 1]) { child += 1 }
      guard self[parent].isBefore(self[child]) else { return }
      swap(parent, child)
      parent = child
    }
  }

  private func swap(_ one: Int, _ other: Int) {
    let offset = offsets[one]
    offsets[one] = offsets[other]
    offsets[other] = offset
  }
}

extension OpenVault {
  /// - Parameter service: nil for all.
  /// - Throws: `.mismatch`, `.damaged`, `.memory`, …
  func list(_ table: RowTable, service: UnsafeRawBufferPointer?) throws(KeyboardError) -> VaultList {
    if let service { try findID(table, service, UnsafeRawBufferPointer(start: nil, count: 0)) }
    // What cannot be copied cannot be a closure's result.
    var list: VaultList?
    try reading { () throws(KeyboardError) in list = try copyItems(of: table, ofService: service != nil) }
    return list.take()!
  }

  private func copyItems(of table: RowTable, ofService isOneService: Bool) throws(KeyboardError) -> VaultList {
    if isOneService {
      // All ids that begin with the service's hash.
      let half = VaultKeys.idSize / 2
      (otherID + half).initializeMemory(as: UInt8.self, repeating: 0, count: half)
      id.copyMemory(from: otherID, byteCount: half)
      (id + half).initializeMemory(as: UInt8.self, repeating: 0xff, count: half)
    } else {
      otherID.initializeMemory(as: UInt8.self, repeating: 0, count: VaultKeys.idSize)
      id.initializeMemory(as: UInt8.self, repeating: 0xff, count: VaultKeys.idSize)
    }
    let (items, metaBytes) = try size(of: table)
    let byteCount = VaultList.byteCount(items: items, metaBytes: metaBytes)
    let workspace = try LargeWorkspace(byteCount: byteCount)
    var (count, end) = (0, 8 * items)
    let statement = try database.statement(.list, of: table)
    defer { clear(statement) }
    try bindRange(statement)
    // `otherID` and `id` are bound, so a row's id is in `term` meanwhile.
    while try database.step(statement) {
      term.copyMemory(from: try database.blob(statement, 0, count: VaultKeys.idSize), byteCount: VaultKeys.idSize)
      seals.copyMemory(from: try database.blob(statement, 2, count: Self.rowSealsSize), byteCount: Self.rowSealsSize)
      let sealed = try database.blob(statement, 3)
      try open(sealed, of: table, column: .meta, version: try database.number(statement, 1), id: term)
      let fields = Meta(memory: meta)
      guard fields.isWhole(count: sealed.count), count < items, end + sealed.count + 8 <= byteCount
      else { throw .damaged }
      workspace.memory.storeBytes(of: end, toByteOffset: 8 * count, as: Int.self)
      end += fields.write(to: workspace.memory + end)
      count += 1
    }
    return VaultList(workspace, count: count)
  }

  /// Ids from `otherID` to `id`.
  private func bindRange(_ statement: OpaquePointer) throws(KeyboardError) {
    try database.bind(statement, 1, otherID, count: VaultKeys.idSize)
    try database.bind(statement, 2, id, count: VaultKeys.idSize)
  }

  /// How many items there are between two ids, and how many bytes their metas have.
  private func size(of table: RowTable) throws(KeyboardError) -> (items: Int, metaBytes: Int) {
    let statement = try database.statement(.size, of: table)
    defer { clear(statement) }
    try bindRange(statement)
    guard try database.step(statement) else { throw .damaged }
    let (items, bytes) = (try database.number(statement, 0), try database.number(statement, 1))
    guard items >= 0, bytes >= 0, items < 1 << 40, bytes < 1 << 40 else { throw .damaged }
    return (Int(items), Int(bytes))
  }
}

extension Meta {
  /// Writes the meta as an item of a list.
  ///
  /// - Returns: how many bytes that took, up to a multiple of 8: at most 8 more than the meta has.
  fileprivate func write(to place: UnsafeMutableRawPointer) -> Int {
    place.storeBytes(of: created, as: Int64.self)
    place.storeBytes(of: modified, toByteOffset: 8, as: Int64.self)
    place.storeBytes(of: dataSize, toByteOffset: 16, as: Int64.self)
    var end = 24
    for which in 0..<4 {
      let text = self[Meta.Name(rawValue: which)!]
      if let start = text.baseAddress { (place + end).copyMemory(from: start, byteCount: text.count) }
      end += text.count
      place.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
      end += 1
    }
    return (end + 7) & ~7
  }
}
