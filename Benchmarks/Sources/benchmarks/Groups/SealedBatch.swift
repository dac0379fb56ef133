// `unsealBatch`, the server's call for sealed texts: many texts under one private key. The peers have no such call;
// they open one text after another, with a key that is kept.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CSealedPeers

/// Texts under one key, each of another point.
struct SealedBatch {
  static let count = 64

  private let way: SealedWay
  private let keys: SealedKeys
  private let context: Bytes
  private let jobs: UnsafeMutableBufferPointer<CUSTOM_KEYBOARD_SEALED_JOB>

  init(_ way: SealedWay, count: Int) {
    self.way = way
    let keys = SealedKeys(way)
    let context = allocate(Sealing.challenge)
    self.keys = keys
    self.context = context
    jobs = .allocate(capacity: count)
    for i in 0..<count {
      let text = allocate(
        Library.seal(way, publicKey: keys.publicBytes, context: Sealing.challenge, password: Sealing.password))
      jobs.initializeElement(
        at: i,
        to: CUSTOM_KEYBOARD_SEALED_JOB(
          context: context, contextLength: Sealing.challenge.count, text: text, textLength: way.textCount,
          clear: allocate(PEER_BLOCK), clearCapacity: PEER_BLOCK, clearLength: 0, rv: CUSTOM_KEYBOARD_OK))
    }
  }

  func unseal() {
    let code = CustomKeyboard_unsealBatch(way.number, keys.secret, way.secretCount, jobs.baseAddress, jobs.count)
    Library.requireOK(code.rawValue, "unsealBatch")
    Library.requireOK(jobs.reduce(0) { $0 | $1.rv.rawValue }, "a job of unsealBatch")
  }

  static func measure(_ run: Run) -> [Measurement] {
    Sealing.ways.flatMap { way in
      let batch = SealedBatch(way, count: count)
      let output = allocate(PEER_BLOCK)
      let text = Bytes(mutating: batch.jobs[0].text!)
      let ours = Contender(Library.name, operations: count) { repeats in
        for _ in 0..<repeats { batch.unseal() }
      }
      let result = run.measure(
        .unsealBatch, way.name, Sealing.openers(way, batch.keys, batch.context, text, output) + [ours])
      for job in batch.jobs {
        require(job.clear!.array(job.clearLength) == Sealing.password, "unsealBatch finds the password")
      }
      return result
    }
  }
}
