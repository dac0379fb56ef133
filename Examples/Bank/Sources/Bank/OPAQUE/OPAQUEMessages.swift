// What clients send for OPAQUE, checked for its form. Whether bytes are points of the group is decided when they are
// used.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird

struct OPAQUELoginMessage: Sendable {
  let account: String
  let ke1: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["account", "ke1"])
    account = try members.account("account")
    ke1 = try members.bytes("ke1", count: 96...96)
  }
}

struct OPAQUERegisterMessage: Sendable {
  let account: String
  let request: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["account", "request"])
    account = try members.account("account")
    self.request = try members.bytes("request", count: 32...32)
  }
}

struct OPAQUERecordMessage: Sendable {
  let step: [UInt8]
  let record: [UInt8]
  let ke1: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["step", "record", "ke1"])
    step = try members.bytes("step", count: 16...16)
    record = try members.bytes("record", count: 192...192)
    ke1 = try members.bytes("ke1", count: 96...96)
  }
}

struct OPAQUEFinishMessage: Sendable {
  let step: [UInt8]
  let ke3: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["step", "ke3"])
    step = try members.bytes("step", count: 16...16)
    ke3 = try members.bytes("ke3", count: 64...64)
  }
}
