// What both ends of OPAQUE have alike, and the setups of two servers.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

public struct OPAQUETerms: Equatable {
  private let context, client, server: [UInt8]
  private let memory, lanes: UInt32

  /// Costs are the smallest ones: the memory is in KiB.
  public init(_ world: World) {
    let reader = world.reader
    context = reader.one(of: [[], [1], [2], [UInt8](repeating: 3, count: 256)])
    client = reader.one(of: [[], [4], [UInt8](repeating: 5, count: 255)])
    server = reader.one(of: [[], [6], [UInt8](repeating: 7, count: 255)])
    (memory, lanes) = reader.one(of: [(8, 1), (9, 1), (16, 2)])
  }

  /// The context is not part of a record.
  public func areAlikeInRecord(_ other: OPAQUETerms) -> Bool {
    (client, server, memory, lanes) == (other.client, other.server, other.memory, other.lanes)
  }

  public func lend(_ body: (UnsafePointer<CUSTOM_OPAQUE_TERMS>) -> CUSTOM_KEYBOARD_RV) -> CUSTOM_KEYBOARD_RV {
    context.withUnsafeBufferPointer { context in
      client.withUnsafeBufferPointer { client in
        server.withUnsafeBufferPointer { server in
          var terms = CUSTOM_OPAQUE_TERMS()
          terms.size = MemoryLayout<CUSTOM_OPAQUE_TERMS>.size
          (terms.context, terms.contextLength) = (context.baseAddress, context.count)
          (terms.client, terms.clientLength) = (client.baseAddress, client.count)
          (terms.server, terms.serverLength) = (server.baseAddress, server.count)
          (terms.memoryKiB, terms.passes, terms.lanes) = (memory, 1, lanes)
          return body(&terms)
        }
      }
    }
  }
}

public enum OPAQUESetup {
  public static let all = (0..<2).map { _ in
    var (setup, publicKey) = ([UInt8](repeating: 0, count: 96), [UInt8](repeating: 0, count: 32))
    var (length, publicLength) = (0, 0)
    let code = CustomKeyboard_opaqueSetup(&setup, 96, &length, &publicKey, 32, &publicLength)
    expect(code == CUSTOM_KEYBOARD_OK, "opaqueSetup answers \(code.rawValue)")
    return setup
  }
}
