// The file of a vault: its path, its rights, and how it is made. SQLite opens it; nothing else does.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

/// A path, and the paths of its folder and of another name beside it: a view of ordinary memory.
///
///     ├ path ┼ folder ┼ other name ┤
struct VaultFile {
  let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 3 * capacity }
  private static var capacity: Int { Int(KEYBOARD_PATH_SIZE) }
  /// A dot, and 16 hexadecimal digits.
  private static var suffixSize: Int { 1 + Int(KEYBOARD_DRAFT_DIGITS) }

  var path: UnsafeMutablePointer<CChar> { memory.assumingMemoryBound(to: CChar.self) }
  private var folder: UnsafeMutablePointer<CChar> { path + Self.capacity }
  /// Where a new file is made before it gets its name.
  var draft: UnsafeMutablePointer<CChar> { path + 2 * Self.capacity }

  /// - Parameter given: a path, ended by a NUL. It is read once. Links in its folder's path are followed now, and never
  ///   again.
  /// - Throws: `.argument` for an empty path, and for a name that SQLite's own files beside a vault have; `.storage`
  ///   for one that is too long; `.memory`.
  init(_ given: UnsafePointer<CChar>, at memory: UnsafeMutableRawPointer) throws(KeyboardError) {
    self.memory = memory
    var count = 0
    // SQLite takes `file:…` for an address and `:memory:` for no file, but nothing that begins with a dot or a slash.
    let first = given[0]
    if first != 0x2f {
      path[0] = 0x2e
      path[1] = 0x2f
      count = 2
    }
    var slash = count - 1
    var next = 0
    while true {
      let byte = next == 0 ? first : given[next]
      if byte == 0 { break }
      guard count < Self.capacity - Self.suffixSize - 8 else { throw .storage(.longPath) }
      if byte == 0x2f { slash = count }
      path[count] = byte
      count += 1
      next += 1
    }
    guard next > 0 else { throw .argument(.emptyPath) }
    guard count > slash + 1 else { throw .storage(.noFileName) }
    path[count] = 0
    guard !isNameOfSQLite(path + slash + 1, count: count - slash - 1) else { throw .argument(.nameOfSQLite) }
    let folderCount = max(slash, 1)
    folder.update(from: path, count: folderCount)
    folder[folderCount] = 0
    try resolveFolder(name: path + slash + 1, count: count - slash - 1)
  }

  /// Writes the folder's path without links, and what follows from it. A folder that does not exist stays as it is.
  private mutating func resolveFolder(name: UnsafeMutablePointer<CChar>, count: Int) throws(KeyboardError) {
    switch keyboard_resolve(folder, draft) {
    case 0: folder.update(from: draft, count: strlen(draft) + 1)
    case ENOENT: break
    case ENOMEM: throw .memory
    default: throw .storage(.folder)
    }
    let folderCount = strlen(folder)
    // `/` ends with the slash that other folders get.
    nameStart = folder[folderCount - 1] == 0x2f ? folderCount : folderCount + 1
    draftStart = nameStart + count
    guard draftStart <= Int(keyboard_sqlite_path_limit()) else { throw .storage(.longPath) }
    (path + nameStart).update(from: name, count: count)
    path.update(from: folder, count: folderCount)
    path[nameStart - 1] = 0x2f
    path[draftStart] = 0
    draft.update(from: path, count: draftStart + 1)
  }

  /// Whether SQLite could take the file for one of those that it makes and deletes beside a neighbour. Some disks do
  /// not tell capital letters from small ones.
  private func isNameOfSQLite(_ name: UnsafePointer<CChar>, count: Int) -> Bool {
    func ends(_ end: StaticString) -> Bool {
      guard count >= end.utf8CodeUnitCount else { return false }
      let last = name + count - end.utf8CodeUnitCount
      for i in 0..<end.utf8CodeUnitCount where UInt8(bitPattern: last[i]) | 0x20 != end.utf8Start[i] { return false }
      return true
    }
    return ends("-wal") || ends("-shm") || ends("-journal")
  }

  private var draftStart = 0
  /// Where in `path` the file's own name begins.
  private var nameStart = 0

  // MARK: Rights

  /// Looks at the file.
  ///
  /// - Returns: false if there is none, or not even its folder.
  /// - Throws: `.storage` if others may read or write it, or its folder; or if it is not a regular file with one name.
  func look(_ id: inout keyboard_file_id) throws(KeyboardError) -> Bool {
    guard keyboard_is_folder_safe(folder) != 0 else {
      guard Int(keyboard_look_at_file(folder, &id)) == Int(KEYBOARD_FILE_MISSING) else { throw .storage(.folder) }
      return false
    }
    var seen = Int(keyboard_look_at_file(path, &id))
    if seen == Int(KEYBOARD_FILE_LINKED) {
      keyboard_remove_draft(folder, path + nameStart, id)
      seen = Int(keyboard_look_at_file(path, &id))
    }
    switch seen {
    case Int(KEYBOARD_FILE_SAFE): return true
    case Int(KEYBOARD_FILE_MISSING): return false
    default: throw .storage(.file)
    }
  }

  /// Whether this user may make files in the folder.
  var mayMakeFiles: Bool { keyboard_may_write(folder) != 0 }

  /// Whether the path names anything.
  ///
  /// - Throws: `.storage` if the system does not say.
  func isTaken() throws(KeyboardError) -> Bool {
    var id = keyboard_file_id()
    switch Int(keyboard_look_at_file(path, &id)) {
    case Int(KEYBOARD_FILE_MISSING): return false
    case Int(KEYBOARD_FILE_UNKNOWN): throw .storage
    default: return true
    }
  }

  /// Whether there are changes that SQLite would put into a file with this path: if there is no file, those of another.
  ///
  /// - Throws: `.storage` if the system does not say.
  func hasLeftovers() throws(KeyboardError) -> Bool {
    if try hasBytes("-wal") { return true }
    return try hasBytes("-journal")
  }

  private func hasBytes(_ end: StaticString) throws(KeyboardError) -> Bool {
    UnsafeMutableRawPointer(draft + draftStart).copyMemory(from: end.utf8Start, byteCount: end.utf8CodeUnitCount)
    draft[draftStart + end.utf8CodeUnitCount] = 0
    let answer = keyboard_has_bytes(draft)
    guard answer >= 0 else { throw .storage }
    return answer > 0
  }

  // MARK: Making a file

  /// Opens the folder for `publishDraft`, before anything is made in it: one that cannot be opened cannot be synced.
  ///
  /// - Returns: a descriptor, for `keyboard_close_folder`.
  /// - Throws: `.storage`.
  func openFolder() throws(KeyboardError) -> Int32 {
    let descriptor = keyboard_open_folder(folder)
    guard descriptor >= 0 else { throw .storage(.folder) }
    return descriptor
  }

  /// Makes an empty file under a random name, for SQLite to fill.
  ///
  /// - Throws: `.storage`, `.random`.
  func makeDraft() throws(KeyboardError) {
    guard keyboard_is_folder_safe(folder) != 0 else { throw .storage(.folder) }
    var number: UInt64 = 0
    guard keyboard_random(&number, MemoryLayout<UInt64>.size) != 0 else { throw .random }
    draft[draftStart] = 0x2e
    for i in 0..<Int(KEYBOARD_DRAFT_DIGITS) {
      let digit = CChar(truncatingIfNeeded: number >> UInt64(4 * i) & 15)
      draft[draftStart + 1 + i] = digit + (digit < 10 ? 48 : 87)
    }
    draft[draftStart + Self.suffixSize] = 0
    guard draftStart + Self.suffixSize <= Int(keyboard_sqlite_path_limit()) else { throw .storage(.longPath) }
    guard keyboard_make_file(draft) != 0 else { throw .storage }
  }

  /// Gives the draft the file's name, after all of it is on the disk.
  ///
  /// - Returns: false if something has the name already.
  /// - Throws: `.storage`.
  func publishDraft(in folder: Int32) throws(KeyboardError) -> Bool {
    guard keyboard_sync_file(draft) != 0 else { throw .storage }
    switch keyboard_link(draft, path) {
    case 0: break
    case EEXIST: return false
    default: throw .storage
    }
    keyboard_remove(draft)
    guard keyboard_sync_folder(folder) != 0 else { throw .storage }
    return true
  }

  func removeDraft() {
    if !ForkMark.isInChild { keyboard_remove(draft) }
  }
}
