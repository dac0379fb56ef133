// One sentence for each cause: what is wrong, and what to do. Swift's `description` and C's `CustomKeyboard_cause` are
// both of this table.
// SPDX-License-Identifier: Apache-2.0

extension KeyboardError {
  /// What is wrong, as exactly as the function knew it, and what to do. It has nothing of the caller's in it: no digits
  /// of a PIN, a card or a key.
  ///
  /// - C: `CustomKeyboard_cause`.
  package var sentence: StaticString {
    @inline(never) get {
      let ofCause: StaticString? =
        switch self {
        case .key(let cause): cause.sentence
        case .operationDisabled(let cause): cause.sentence
        case .tooLong(let cause): cause.sentence
        case .argument(let cause): cause.sentence
        case .refused(let cause): cause.sentence
        case .storage(let cause): cause.sentence
        // One sentence each, on purpose: an attacker must not learn more than the code.
        case .undecryptable, .mismatch, .locked: nil
        case .spaceTooSmall, .memory, .random, .exists, .notFound, .damaged, .busy: nil
        }
      return ofCause ?? Self.message(forCode: code)
    }
  }
}

extension KeyboardError.KeyCause {
  // What a context has to do with, and no other sentence here, has the word "context": the packages for Python and Java
  // tell the two apart by it.
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .missing: "No key is set: set one before the keyboard is opened."
    case .length:
      """
      The key has a wrong length: DES takes 8 bytes, 3DES 16 or 24, SM4 16, X25519 32, P-256 and SM2 65, X-Wing 1216, \
      and to open or to sign 32; RSA takes DER, of 2048 to 4096 bits.
      """
    case .value:
      "These bytes are not a key: not a point of the curve, a number out of range, or not a key of RSA in DER."
    case .context: "A context is set, and an ECB text cannot be bound to one: set a key that seals, or no context."
    case .noContext:
      "No context is set: pass the server's challenge to `setContext` after each `close`, or no bytes on purpose."
    case .pem:
      "The key is text, in PEM: pass its bytes, of RSA the DER. `keyboard key --to raw` or `--to der` makes them."
    case .accountNumber:
      """
      The card's number is missing or wrong: a PIN block takes it as its context, 10 to 19 digits without blanks or \
      other characters.
      """
    case .noAccountNumber: "A PIN block of format 1 is bound to no card: pass no context."
    case .serialNumber: "The key serial number has a wrong length: it has 10 bytes with 3DES, 12 with AES."
    case .counter:
      """
      The key serial number's counter is wrong: it is 0 when a device is loaded, and of a transaction it has 1 to 10 \
      bits set with 3DES, 1 to 16 with AES.
      """
    case .pinKeyLength:
      "The key has a wrong length: a PIN block takes 16 or 24 bytes of 3DES, of format 4 16, 24 or 32 of AES."
    case .singleDES: "The key is one of single DES: K1 and K2, or K2 and K3, are equal. Make another key."
    case .dukptKeyLength:
      """
      The base key or initial key has a wrong length: it has 16 bytes with 3DES; with AES 16, 24 or 32, and no less \
      than the keys that are made of it.
      """
    case .vaultKeyLength: "The vault's key has a wrong length: it has 32 bytes."
    case .opaqueSetup: "The server's setup is wrong: pass the 96 bytes that `opaqueSetup` made."
    case .opaqueRecord: "The record is wrong: pass the 192 bytes that were registered, or none for no such account."
    case .opaqueState: "The state is wrong: pass the 128 bytes that `opaqueAnswer` made."
    }
  }
}

extension KeyboardError.StateCause {
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .open: "The keyboard is open: close it first."
    case .notOpen: "The keyboard is not open: open it first."
    case .forked: "This process is the child of a fork, where this cannot be used: start a program there with exec."
    case .inChange: "This cannot be a part of a vault's change: do it before the change, or after it."
    case .noStep: "Nothing was begun for what is typed now: call `opaqueRegister` or `opaqueLogin` first."
    }
  }
}

extension KeyboardError.LengthCause {
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .password: "The password is too long: it may have 128 bytes."
    case .ciphertext: "The ciphertext is too long: it may have 144 bytes. Pass it without the bytes around it."
    case .context: "The context is too long: it may have 256 bytes."
    case .pepper: "The pepper is too long: it may have 64 bytes."
    case .identity: "The account or an identity is too long: each may have 255 bytes."
    case .ruleText: "The rule's text is too long: it may have 256 bytes."
    case .rules: "There are too many rules: a keyboard may have 16."
    case .data: "The data is too long: an item of a vault may have 65536 bytes."
    case .capacity: "The bytes are more than the capacity: ask for a larger one."
    }
  }
}

extension KeyboardError.ArgumentCause {
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .noKeyboard: "The keyboard does not exist any more: create a new one."
    case .sameKeyboard: "Both keyboards are one: pass two, on which the same is typed."
    case .notUTF8: "The characters are not UTF-8: pass whole characters."
    case .outsideView: "The point is outside the view: compare it with the size that the keyboard was given."
    case .noSuchKey: "The page has no key with this index: ask for the keys again, they change with the page."
    case .maximumCount: "The maximum count is negative: pass 0 for no maximum."
    case .patternLayout: "A pattern is not shuffled and has 9 nodes: pass no shuffle, and a maximum of 0 to 9."
    case .nodes: "A pattern takes the digits 1 to 9, each once: pass nodes that are not drawn yet."
    case .viewSize: "The view's size cannot be used: give each key a point in both directions, and gaps from 0."
    case .overlap: "The buffers overlap: pass buffers that do not."
    case .blocks: "The lengths do not fit: pass whole blocks, and an output as long as the input."
    case .noCipher: "The cipher context has no key: set it up first."
    case .pastMemory: "A buffer runs past the end of memory: check its length."
    case .verifier: "This is not a verifier: it begins with $argon2id$, or for import with $sha256d$ or $sha256x2$."
    case .bcrypt: "This verifier is one of bcrypt, which is not checked here: make a new one when its user logs in."
    case .otherVerifier:
      "This verifier is of an algorithm that is not checked here: make a new one, of Argon2id, when its user logs in."
    case .argon2Variant: "This verifier is of Argon2i or Argon2d: only Argon2id is checked here."
    case .argon2Version:
      "This verifier is of another version of Argon2: only version 19, written v=19, is checked here."
    case .verifierKeyID: "This verifier names a key (keyid): pass that key as the pepper, and the verifier without it."
    case .verifierData: "This verifier has associated data (data), which is not checked here: make a new one."
    case .verifierCosts:
      """
      The verifier's costs are out of bounds: m, t and p once each, m from 8 a lane to 1048576 KiB, 1 to 16 lanes, m \
      times t at most 2097152.
      """
    case .verifierLengths:
      "The verifier is cut off or altered: its salt has 8 to 64 bytes, its hash 16 to 64, in Base64."
    case .verifierDigits: "The verifier is cut off or altered: one for import has 64 hexadecimal digits."
    case .verifierPepper: "A verifier for import takes no pepper: pass none, and make a new one after the login."
    case .ruleNumber: "The rule's number is wrong: lengths are 0 to 128, counts 2 to 128, and other rules have none."
    case .ruleText: "The rule's text is wrong: a date is yyyy-mm-dd, and a number has the digits that are counted."
    case .pattern: "The pattern is not well-formed: check it, and see where it is wrong."
    case .notGenerated: "Keys of RSA are not made here: take `openssl genpkey`, or what made your other keys."
    case .salt: "The salt has a wrong length: it may have 8 to 64 bytes."
    case .keyLength: "A derived key has 16 to 64 bytes: pass a buffer of that length."
    case .costs:
      """
      The costs are out of range: 8 KiB a lane to 1048576 KiB, at least one pass, 2097152 KiB in all, 1 to 16 lanes; \
      or 0 for all.
      """
    case .noDevice: "The device is empty: load it with an initial key first."
    case .deviceKey: "The device's keys are not for this format: AES is for format 4, 3DES for the others."
    case .noPublicKey: "A public key is made for X25519, P-256, SM2 and X-Wing; for RSA, take `openssl pkey -pubout`."
    case .null: "A pointer is NULL: pass one, or a length of 0 where there may be no bytes."
    case .ecbWay: "This is not a way of ECB: for a sealed text call `unseal`, for a PIN block `receive`."
    case .sealingWay: "This is not a way that seals: pass SM4_GCM, X25519, P256, SM2, RSA or XWING; ECB has `decrypt`."
    case .signingWay: "There is no such way to sign: pass P256, SM2 or RSA."
    case .pinWay: "This is not a way of PIN blocks: pass PIN0, PIN1, PIN3 or PIN4."
    case .unknownWay: "There is no such way to encrypt: pass one of those that the header lists."
    case .scheme: "There is no such scheme of DUKPT: pass one of those that the header lists."
    case .layout: "There is no such layout or shuffle: pass those that the header lists."
    case .rule: "There is no such rule: pass one of those that the header lists."
    case .noHandle: "The handle names nothing: what it named was closed, or never existed."
    case .emptyPath: "The path is empty: pass the vault's file."
    case .nameOfSQLite:
      "The path ends in -wal, -shm or -journal, and SQLite would delete the file: pass another name."
    case .emptyName: "A name is empty: pass 1 to 255 bytes."
    case .longName: "A name is too long: it may have 255 bytes."
    case .nul: "The text has a NUL inside, where it would end in C: pass it without."
    case .policy: "The policy is out of range: 1 to 1000 tries, and 1 to 2147483647 seconds."
    case .structureSize: "The structure's size is wrong: set it to sizeof of the structure."
    case .wordCount: "Recovery words are 12, 15, 18, 21 or 24: pass one of these numbers."
    case .passphrase: "The passphrase has a character that is not printable ASCII: pass one without it."
    }
  }
}

extension KeyboardError.RefusalCause {
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .rule: "A rule refuses this passcode: ask for another one."
    case .noPIN: "What is typed is not a PIN: a PIN block takes 4 to 12 digits."
    case .receivedPIN: "A PIN that came in a PIN block may become only another PIN block, for the same card."
    case .usedUp: "All keys of the device were used: load it with a new initial key."
    case .nothingTyped: "Nothing is typed: ask for a passcode first."
    case .triesCounted: "Wrong tries are counted: the policy changes after the right passcode, or a reset."
    case .wordCount: "There are too few or too many words: recovery words are 12, 15, 18, 21 or 24."
    case .unknownWord: "A word is not on the list: check the spelling of each."
    case .wordChecksum: "The words do not belong together: check that each is right, and in its place."
    }
  }
}

extension KeyboardError.StorageCause {
  fileprivate var sentence: StaticString? {
    switch self {
    case .unspecified: nil
    case .longPath:
      "The path is too long: a vault's, counted from / and without links, has 504 bytes at most, a new one's 487."
    case .noFileName: "The path ends in a slash: pass the name of a file."
    case .folder:
      "The file's folder is not there or not this user's, or others may write into it: see to it with `ls -ld`."
    case .file: "The file must be a regular file with one name that only this user may read and write (`chmod 600`)."
    case .leftovers: "A WAL of another file is left at this path: move it away, or the file that it belongs to back."
    case .readOnly: "The file or its disk may only be read here."
    case .moved: "The file or its WAL was moved, removed or replaced: close the vault, and open it anew."
    }
  }
}
