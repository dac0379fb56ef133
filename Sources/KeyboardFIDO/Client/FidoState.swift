// What a client knows: names, options, the request that waits, and its answer.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import CKeyboardPlatform
import KeyboardMemory
import KeyboardText

/// A view of a client's memory, while its lock is held. Of what is in it only the token is secret, which opens a
/// session at the server: it is wiped when the next request begins. Passcodes are in keyboards, keys in the vault, and
/// what opens them in a workspace for the time of one call.
struct FidoState {
  let fields: UnsafeMutablePointer<Fields>
  private let facet: UnsafeMutableRawPointer
  private let aaids: UnsafeMutableRawPointer
  private let options: UnsafeMutablePointer<Int64>
  let appIDBytes: UnsafeMutableRawPointer
  let transactionBytes: UnsafeMutableRawPointer
  let parameters: UnsafeMutableRawPointer
  let record: UnsafeMutableRawPointer
  let nextRecord: UnsafeMutableRawPointer
  /// The keys of the request's appID, as the call has read them.
  let keys: KeyList
  /// Where they are, and which of them is used.
  let place: KeyPlace
  /// Where the key of the answer is.
  let answered: KeyPlace
  /// The message with the request, which is kept until it was answered.
  let document: JSONDocument
  /// What is only read: facets, the channel binding.
  let other: JSONDocument
  let response: UnsafeMutableRawPointer
  /// The URLs of the server, each with a NUL; its origin, and those that the app vouches for.
  let requestURL: UnsafeMutableRawPointer
  let responseURL: UnsafeMutableRawPointer
  let originBytes: UnsafeMutableRawPointer
  let addedOrigins: UnsafeMutableRawPointer
  /// The user that a call to the server is about.
  let user: UnsafeMutableRawPointer
  /// What the server is told, as JSON.
  let context: UnsafeMutableRawPointer
  let token: UnsafeMutableRawPointer

  struct Fields {
    var vault: UInt64
    var facetCount: Int
    var appIDCount: Int
    /// The request that waits; nil for none, and after it was answered.
    var request: Request?
    /// The app has brought the request, or it has brought the one before.
    var isLocal: Bool
    /// The appID of the request lets this server use all its keys.
    var isVouchedFor: Bool
    var originCount: Int
    var addedOriginCount: Int
    var hasAAID: (Bool, Bool)
    var parameterCount: Int
    var transactionCount: Int
    /// Of the answer; 0 for none.
    var responseCount: Int
    /// On the clock that also counts while the machine sleeps, in milliseconds; 0 for no end.
    var deadline: Int64
    /// Grows when a request is forgotten, so that a call that was sending notices.
    var epoch: UInt64
    var isSending: Bool
    /// Of which key the answer is.
    var verdict: Verdict
    /// What is still to be done with the key of the answer.
    var late: Late
    var userCount: Int
    var contextCount: Int
    var tokenCount: Int
    var serverStatus: Int32
    var hasServer: Bool
    var seconds: UInt32
    var send: CUSTOM_FIDO_SEND?
    var sendContext: UnsafeMutableRawPointer?
  }

  /// What a server's verdict is about.
  enum Verdict: UInt8, BitwiseCopyable {
    case ofNewKey = 0
    /// A key that no server was known to have.
    case ofPendingKey = 1
    case ofAcceptedKey = 2
  }

  /// What a server has said of a key when the vault failed.
  enum Late: UInt8, BitwiseCopyable {
    case none = 0
    case accepted = 1
    case refused = 2
  }

  static var optionCount: Int { 9 }
  static var userCapacity: Int { 128 }
  /// Of one appID: more than a person has at one server.
  static var maximumKeys: Int { 1000 }
  static var addedOriginSize: Int { Origin.capacity + 1 }
  static var responseCapacity: Int { 128 * 1024 }
  static var contextCapacity: Int { 16 * 1024 }
  /// Any that an answer can have.
  static var tokenCapacity: Int { JSONDocument.maximumSize }

  static var byteCount: Int { Pieces.byteCount { _ = FidoState(in: &$0) } }

  init(at memory: UnsafeMutableRawPointer) {
    var pieces = Pieces(memory)
    self.init(in: &pieces)
  }

  private init(in pieces: inout Pieces) {
    fields = pieces.take(MemoryLayout<Fields>.size).assumingMemoryBound(to: Fields.self)
    facet = pieces.take(Facets.longestID)
    appIDBytes = pieces.take(Facets.longestID)
    aaids = pieces.take(Authenticator.count * 16)
    options = pieces.take(Authenticator.count * Self.optionCount * 8).assumingMemoryBound(to: Int64.self)
    transactionBytes = pieces.take(Request.transactionCapacity)
    parameters = pieces.take(FinalChallenge.capacity)
    record = pieces.take(KeyRecord.capacity)
    nextRecord = pieces.take(KeyRecord.capacity)
    keys = KeyList(at: pieces.take(KeyList.byteCount))
    place = KeyPlace(memory: pieces.take(KeyPlace.byteCount))
    answered = KeyPlace(memory: pieces.take(KeyPlace.byteCount))
    document = JSONDocument(at: pieces.take(JSONDocument.byteCount))
    other = JSONDocument(at: pieces.take(JSONDocument.byteCount))
    response = pieces.take(Self.responseCapacity)
    requestURL = pieces.take(ServerCall.urlCapacity)
    responseURL = pieces.take(ServerCall.urlCapacity)
    originBytes = pieces.take(Origin.capacity)
    addedOrigins = pieces.take(Self.mostAddedOrigins * Self.addedOriginSize)
    user = pieces.take(Self.userCapacity)
    context = pieces.take(Self.contextCapacity)
    token = pieces.take(Self.tokenCapacity)
  }

  var vault: CUSTOM_VAULT { fields.pointee.vault }
  var store: KeyStore { KeyStore(vault: vault) }

  var facetID: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: facet, count: fields.pointee.facetCount) }
  /// That of the request; the facet's if it was empty.
  var appID: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: appIDBytes, count: fields.pointee.appIDCount) }

  /// For memory that is zero.
  func setUp(vault: CUSTOM_VAULT, facetID: UnsafeRawBufferPointer) {
    fields.pointee.vault = vault
    fields.pointee.request = nil
    fields.pointee.facetCount = facetID.count
    facet.copyMemory(from: facetID.baseAddress!, byteCount: facetID.count)
    for index in 0..<Authenticator.count {
      let authenticator = Authenticator.at(index)
      set(CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, of: authenticator, to: 5)
      set(CUSTOM_FIDO_OPTION_LOCK_TIME, of: authenticator, to: 300)
      set(CUSTOM_FIDO_OPTION_MINIMUM_NODE_COUNT, of: authenticator, to: 4)
    }
  }

  /// Forgets the request and its answer, and the token of the session before.
  func forget() {
    keyboard_wipe(token, fields.pointee.tokenCount)
    fields.pointee.tokenCount = 0
    fields.pointee.request = nil
    fields.pointee.responseCount = 0
    fields.pointee.transactionCount = 0
    fields.pointee.parameterCount = 0
    fields.pointee.appIDCount = 0
    fields.pointee.deadline = 0
    fields.pointee.isVouchedFor = false
    fields.pointee.userCount = 0
    fields.pointee.epoch &+= 1
  }

  /// The user that the server was asked for; nil if the app brought the request itself.
  var askedFor: UnsafeRawBufferPointer? {
    fields.pointee.userCount > 0 ? UnsafeRawBufferPointer(start: user, count: fields.pointee.userCount) : nil
  }

  func isAskedFor(_ userName: UnsafeRawBufferPointer) -> Bool { askedFor.map { $0.equals(userName) } ?? true }

  // MARK: Authenticators

  /// The model's name; nil without one.
  func aaid(of authenticator: Authenticator) -> UnsafeRawBufferPointer? {
    let isSet = authenticator == .passcode ? fields.pointee.hasAAID.0 : fields.pointee.hasAAID.1
    return isSet ? UnsafeRawBufferPointer(start: aaids + 16 * authenticator.index, count: aaidSize) : nil
  }

  func setAAID(of authenticator: Authenticator, to aaid: UnsafeRawBufferPointer) {
    (aaids + 16 * authenticator.index).copyMemory(from: aaid.baseAddress!, byteCount: aaidSize)
    if authenticator == .passcode { fields.pointee.hasAAID.0 = true } else { fields.pointee.hasAAID.1 = true }
  }

  func option(_ option: CUSTOM_FIDO_OPTION, of authenticator: Authenticator) -> Int64 {
    options[authenticator.index * Self.optionCount + Int(option.rawValue)]
  }

  func set(_ option: CUSTOM_FIDO_OPTION, of authenticator: Authenticator, to value: Int64) {
    options[authenticator.index * Self.optionCount + Int(option.rawValue)] = value
  }

  // MARK: The request

  /// - Throws: 1100 if no request waits, or its time is over.
  @discardableResult
  func waitingRequest() throws(FidoResult) -> Request {
    guard let request = fields.pointee.request else { throw FidoResult(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST) }
    guard fields.pointee.deadline == 0 || keyboard_running_clock() < fields.pointee.deadline else {
      forget()
      throw FidoResult(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST)
    }
    return request
  }
}
