// What a function knows of an error beyond its code.
// SPDX-License-Identifier: Apache-2.0

extension KeyboardError {
  /// What is wrong with the key.
  @nonexhaustive
  public enum KeyCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// No key is set.
    case missing
    /// The algorithm takes no key of this length.
    case length
    /// The bytes are not a key: not a point of the curve, a number out of range, or not the DER of a key of RSA.
    case value
    /// A context is set, and an ECB text cannot be bound to one: take a way that seals.
    case context
    /// No context is set, and a sealed text is bound to one; it may be empty.
    case noContext
    /// The bytes are a key as text, in PEM: pass what it encodes.
    case pem
    /// A PIN block needs a card's number of 10…19 digits as its context.
    case accountNumber
    /// A PIN block of format 1 must have no context.
    case noAccountNumber
    /// The key serial number has a wrong length.
    case serialNumber
    /// The key serial number has a counter that is not possible here.
    case counter
    /// PIN blocks take no key of this length.
    case pinKeyLength
    /// Two neighbours among K1, K2 and K3 are equal, which makes 3DES single DES.
    case singleDES
    /// The scheme takes no base key or initial key of this length.
    case dukptKeyLength
    /// A vault's key has another length.
    case vaultKeyLength
    /// A server's setup of OPAQUE has another length, or its private key is out of range.
    case opaqueSetup
    /// A record of OPAQUE has another length, or its public key is none.
    case opaqueRecord
    /// A server's state between KE2 and KE3 has another length.
    case opaqueState
  }

  /// What is wrong with the state.
  @nonexhaustive
  public enum StateCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// The keyboard is open.
    case open
    /// The keyboard is not open.
    case notOpen
    /// The process is the child of a fork.
    case forked
    /// It is called inside a change of its vault.
    case inChange
    /// No registration or login of OPAQUE was begun for what is typed now.
    case noStep
  }

  /// What is too long.
  @nonexhaustive
  public enum LengthCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// The password would have more than 128 bytes.
    case password
    /// The ciphertext has more than 144 bytes.
    case ciphertext
    /// The context has more than 256 bytes.
    case context
    /// The pepper has more than 64 bytes.
    case pepper
    /// An account or an identity of OPAQUE has more than 255 bytes.
    case identity
    /// The rule's text, or the pattern, has more than 256 bytes.
    case ruleText
    /// There are 16 rules already.
    case rules
    /// An item's data has more than 65,536 bytes.
    case data
    /// The bytes do not fit into the capacity that was asked for.
    case capacity
  }

  /// Which argument is wrong, and how.
  @nonexhaustive
  public enum ArgumentCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// The keyboard was destroyed, or never existed.
    case noKeyboard
    /// The characters are not whole characters of UTF-8.
    case notUTF8
    /// The point is not in the view.
    case outsideView
    /// The page has no key with this index.
    case noSuchKey
    /// The maximum count is negative.
    case maximumCount
    /// A pattern is not shuffled, and has nine nodes at most.
    case patternLayout
    /// A pattern takes the digits 1 to 9, each once.
    case nodes
    /// The view's size or a gap is negative, too large or NaN, or there are fewer points than keys.
    case viewSize
    /// Two buffers overlap.
    case overlap
    /// The length is not a multiple of the block size, or input and output differ in length.
    case blocks
    /// The cipher context has no key.
    case noCipher
    /// A buffer runs past the end of memory.
    case pastMemory
    /// The string is not a verifier.
    case verifier
    /// The verifier is one of bcrypt.
    case bcrypt
    /// The verifier is of another algorithm that is not checked here, such as scrypt or PBKDF2.
    case otherVerifier
    /// The verifier is of Argon2i or Argon2d.
    case argon2Variant
    /// The verifier is of another version of Argon2 than 19.
    case argon2Version
    /// The verifier names a key.
    case verifierKeyID
    /// The verifier has associated data.
    case verifierData
    /// The verifier's memory, passes or lanes are not a number, or out of bounds.
    case verifierCosts
    /// The verifier's salt or hash is not Base64, or too short or too long.
    case verifierLengths
    /// The verifier is one for import, and has not 64 hexadecimal digits.
    case verifierDigits
    /// The verifier is one for import, which takes no pepper.
    case verifierPepper
    /// The rule's number is out of range, or the rule has none.
    case ruleNumber
    /// The rule's text is missing, not UTF-8 or not of the rule's form, or the rule has none.
    case ruleText
    /// The pattern is not well-formed.
    case pattern
    /// Keys of this way are made elsewhere.
    case notGenerated
    /// Keys of this way have no public key, or one that is made elsewhere.
    case noPublicKey
    /// The salt is too short or too long.
    case salt
    /// A key of this length is not derived.
    case keyLength
    /// Argon2id's memory or passes are out of range, or only one of them is 0.
    case costs
    /// Nothing was ever loaded into the terminal's device.
    case noDevice
    /// The device's keys are not for blocks of this format.
    case deviceKey
    /// A pointer of C's is NULL where something must be passed.
    case null
    /// The way is not one of ECB.
    case ecbWay
    /// The way is not one that seals.
    case sealingWay
    /// There is no such way to sign.
    case signingWay
    /// The way is not one of a PIN block.
    case pinWay
    /// There is no such way.
    case unknownWay
    /// There is no such scheme of DUKPT.
    case scheme
    /// There is no such layout, or no such shuffle.
    case layout
    /// There is no such rule.
    case rule
    /// What a handle named was closed, or never existed.
    case noHandle
    /// The path of a vault is empty.
    case emptyPath
    /// The path of a vault ends as those files do that SQLite makes and deletes.
    case nameOfSQLite
    /// A name is empty where it may not be.
    case emptyName
    /// A name has more than 255 bytes.
    case longName
    /// A text has a NUL inside.
    case nul
    /// A policy's number is out of range.
    case policy
    /// The size that a structure of C's begins with holds none of its members.
    case structureSize
    /// Recovery words are 12, 15, 18, 21 or 24.
    case wordCount
    /// A passphrase of recovery words is printable ASCII.
    case passphrase
    /// One keyboard is given where two are needed.
    case sameKeyboard
  }

  /// What is refused, and why.
  @nonexhaustive
  public enum RefusalCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// A rule refuses the passcode.
    case rule
    /// What is typed is not a PIN.
    case noPIN
    /// A PIN that was received in a PIN block must not become this text.
    case receivedPIN
    /// All keys of the terminal's device were used.
    case usedUp
    /// Nothing is typed.
    case nothingTyped
    /// Wrong tries or locks are counted, so the policy stays.
    case triesCounted
    /// There are not 12, 15, 18, 21 or 24 words.
    case wordCount
    /// A word is not on the list.
    case unknownWord
    /// The words' checksum is wrong.
    case wordChecksum
  }

  /// What is wrong with a file.
  @nonexhaustive
  public enum StorageCause: CaseIterable, Sendable {
    /// The function does not say.
    case unspecified
    /// The path is longer than a path may be.
    case longPath
    /// The path ends in a slash.
    case noFileName
    /// Others may write into the file's folder, or it is another user's.
    case folder
    /// The file is not a regular file with one name that is this user's alone.
    case file
    /// The changes of another file are left beside the path.
    case leftovers
    /// The file or the disk may only be read.
    case readOnly
    /// The file, or its WAL, is not at its path.
    case moved
  }

  /// A wrong key, without a cause.
  public static var key: KeyboardError { .key(.unspecified) }

  /// A wrong state, without a cause.
  public static var operationDisabled: KeyboardError { .operationDisabled(.unspecified) }

  /// A password or ciphertext that is too long, without a cause.
  public static var tooLong: KeyboardError { .tooLong(.unspecified) }

  /// A wrong argument, without a cause.
  public static var argument: KeyboardError { .argument(.unspecified) }

  /// Something that is refused, without a cause.
  public static var refused: KeyboardError { .refused(.unspecified) }

  /// A file that cannot be used, without a cause.
  public static var storage: KeyboardError { .storage(.unspecified) }
}
