// The groups of measurements, in the order in which the table shows them.
// SPDX-License-Identifier: Apache-2.0

enum Group: String, Codable, CaseIterable {
  case bulk, setup, encrypt, decrypt, batch, rows, filling, unseal, unsealBatch, seal, sign, passcodes, des, threads
  case library, memory

  var title: String {
    switch self {
    case .bulk: "SM4-ECB in bulk, one core"
    case .setup: "SM4 key setup and one block"
    case .encrypt: "One password of 8 characters encrypted by getText, into a space of the text's size"
    case .decrypt: "One password of 8 characters decrypted, into a space of its own size"
    case .batch: "Many passwords decrypted, each under its own key"
    case .rows: "The paper's rows: setEncKey, open, input, getText, close, decrypt (1024-byte spaces)"
    case .filling: "getText into a 1024-byte space"
    case .unseal: "Sealed texts: one password opened by unseal, into a space of its own size"
    case .unsealBatch: "Sealed texts: 64 passwords under one key, opened by unsealBatch, time of each"
    case .seal: "Sealed texts: one password sealed by getText, into a space of the text's size"
    case .sign: "Signatures of a text of 192 bytes"
    case .passcodes: "Passcodes: checkVerifier (Argon2id, 19 MiB, two passes), and check with twelve rules"
    case .des: "DES and 3DES, 1 KiB"
    case .threads: "Two threads against one"
    case .library: "What the C library costs to carry"
    case .memory: "Memory of open keyboards"
    }
  }

  /// Measured on every path of the processor; the others on its best.
  static let onEveryPath: [Group] = [.bulk, .setup, .encrypt, .decrypt, .batch]
  /// Measured on the portable path and on the best: Argon2id has only two, and SM4's other paths lead to the same one.
  static let onTwoPaths: [Group] = [.passcodes]
  static let onTheBestPath: [Group] = [.rows, .filling, .unseal, .unsealBatch, .seal, .sign, .des, .threads]
}
