// The terms of OPAQUE for Swift: checked once, where they are made.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardCodes
  import KeyboardHashes
  import KeyboardMemory

  extension OPAQUE {
    /// What both ends have alike, and what a guess costs. Nothing in it is secret.
    ///
    ///     let terms = try OPAQUE.Terms(context: Array("shop-1".utf8))
    ///
    /// - C: `CUSTOM_OPAQUE_TERMS`.
    public struct Terms: Sendable {
      /// The application and its version. Only a login uses it.
      public let context: [UInt8]
      /// The client's identity; empty for its public key.
      public let client: [UInt8]
      /// The server's identity; empty for its public key.
      public let server: [UInt8]
      private let costs: Argon2id

      /// Nothing but the costs that Rust's opaque-ke has.
      public init() {
        (context, client, server) = ([], [], [])
        costs = LentTerms().costs
      }

      /// - Parameters:
      ///   - context: 0 … 256 bytes.
      ///   - client: 0 … 255 bytes.
      ///   - server: 0 … 255 bytes.
      ///   - memoryKiB: Argon2id's memory, 8 … 1,048,576 for each lane; or 0, and the next two 0: 19,456, 2 and 1.
      ///     Costs are for the client; a server does not use them.
      ///   - passes: at least 1; memory times passes at most 2,097,152.
      ///   - lanes: 1 … 16.
      /// - Throws: `.argument` for the costs; `.tooLong`.
      public init(
        context: [UInt8], client: [UInt8] = [], server: [UInt8] = [], memoryKiB: UInt32 = 0, passes: UInt32 = 0,
        lanes: UInt32 = 0
      ) throws(KeyboardError) {
        (self.context, self.client, self.server) = (context, client, server)
        costs = try LentTerms(
          context: OPAQUE.none, client: OPAQUE.none, server: OPAQUE.none, memorySize: memoryKiB, passCount: passes,
          laneCount: lanes
        ).costs
        try lend { terms throws(KeyboardError) in try terms.checkLengths() }
      }

      /// Lends the bytes for a call.
      package func lend(_ body: (LentTerms) throws(KeyboardError) -> Void) throws(KeyboardError) {
        try context.lend { context throws(KeyboardError) in
          try client.lend { client throws(KeyboardError) in
            try server.lend { server throws(KeyboardError) in
              var terms = LentTerms()
              (terms.context, terms.client, terms.server, terms.costs) = (context, client, server, costs)
              try body(terms)
            }
          }
        }
      }
    }
  }
#endif
