// `decryptBatch`, the server's call: passwords under different keys; their keys, texts and buffers are scattered in
// memory, as on a server. OpenSSL has no such call; it decrypts one after another.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import COpenSSL

enum Batch {
  static let oneBlock = [1, 16, 256, 4096]

  static func label(_ count: Int, blocks: Int = 1) -> String {
    count == 1 ? "1 password" : blocks == 1 ? "\(count) passwords" : "\(count)×\(blocks) blocks"
  }

  static func measure(_ run: Run) -> [Measurement] {
    oneBlock.flatMap { measure(run, count: $0, blocks: 1) } + measure(run, count: 256, blocks: 2)
  }

  private static func measure(_ run: Run, count: Int, blocks: Int) -> [Measurement] {
    let jobs = StrewnJobs(count: count, blocks: blocks)
    let used = OpenSSL.context()
    let contenders = [
      Contender(OpenSSL.newContext, operations: count) { repeats in
        for _ in 0..<repeats {
          for i in 0..<count {
            let context = OpenSSL.context()
            jobs.decrypt(i, context)
            EVP_CIPHER_CTX_free(context)
          }
        }
      },
      Contender(OpenSSL.sameContext, operations: count) { repeats in
        for _ in 0..<repeats {
          for i in 0..<count { jobs.decrypt(i, used) }
        }
      },
      Contender(Library.name, operations: count) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats { codes |= CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs.jobs, count).rawValue }
        Library.requireOK(codes, "decryptBatch")
      },
    ]
    for contender in contenders {
      jobs.forget()
      contender.run(1)
      jobs.requireDecrypted(by: contender.name)
    }
    let result = run.measure(.batch, label(count, blocks: blocks), contenders)
    contenders.last!.run(1)
    jobs.requireDecrypted(by: Library.name)
    return result
  }
}

/// Jobs whose buffers are in a shuffled order and at odd addresses in one large block of memory.
struct StrewnJobs {
  let jobs: UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>
  let count: Int
  let passwords: [[UInt8]]

  init(count: Int, blocks: Int, seed: UInt64 = 3) {
    var numbers = RepeatableNumbers(seed: seed)
    let size = 16 * blocks
    let slot = size + 16  // room for an odd start address
    let arena = allocate(3 * count * slot)
    var places = (0..<3 * count).shuffled(using: &numbers).map {
      arena + $0 * slot + Int.random(in: 0...15, using: &numbers)
    }
    jobs = .allocate(capacity: count)
    self.count = count
    passwords = (0..<count).map { _ in numbers.bytes(Int.random(in: size - 16..<size, using: &numbers)) }
    for i in 0..<count {
      let key = numbers.bytes(16)
      let (keyPlace, textPlace) = (places.removeLast(), places.removeLast())
      keyPlace.update(from: key, count: 16)
      textPlace.update(from: Library.encryptPassword(passwords[i], key: key), count: size)
      (jobs + i).initialize(
        to: CUSTOM_KEYBOARD_JOB(
          key: UnsafePointer(keyPlace), keyLength: 16, text: UnsafePointer(textPlace), textLength: size,
          clear: places.removeLast(), clearCapacity: size, clearLength: 0, rv: CUSTOM_KEYBOARD_OK))
    }
  }

  /// One job with OpenSSL, which writes the length to the same place as the library.
  @inline(__always)
  func decrypt(_ i: Int, _ context: OpaquePointer) {
    let job = jobs[i]
    jobs[i].clearLength = OpenSSL.decrypt(context, key: job.key!, job.text!, job.textLength, job.clear!)
  }

  func forget() {
    for i in 0..<count {
      jobs[i].clear!.update(repeating: 0xa5, count: jobs[i].clearCapacity)
      jobs[i].clearLength = 0
      jobs[i].rv = CUSTOM_KEYBOARD_OK
    }
  }

  func requireDecrypted(by name: String) {
    for i in 0..<count {
      require(jobs[i].rv == CUSTOM_KEYBOARD_OK, "\(name) decrypts password \(i)")
      require(jobs[i].clear!.array(jobs[i].clearLength) == passwords[i], "\(name) decrypts password \(i) correctly")
    }
  }
}
