"""The bugs that mutation.py plants: what a careless or tired maintainer might really write, each a replacement of text
that stands exactly once in its file, and the tests that should notice it, the fastest first.

SPDX-License-Identifier: Apache-2.0
"""

from collections import namedtuple

# `needs` names what an x86 processor must have for the planted code to run at all.
Mutant = namedtuple("Mutant", "kind what file old new tests needs", defaults=("",))

MUTANTS = [
    Mutant(
        "padding off by one",
        "no padding behind a whole block",
        "Sources/KeyboardCipher/PKCS7.swift",
        "    (byteCount | (blockSize - 1)) + 1\n",
        "    (byteCount + blockSize - 1) / blockSize * blockSize\n",
        ["differential"],
    ),
    Mutant(
        "padding off by one",
        "a padding longer than its block is right",
        "Sources/KeyboardCipher/PaddedBlock.swift",
        "(UInt32(blockSize) &- UInt32(last)) >> 16",
        "(UInt32(blockSize) &+ 1 &- UInt32(last)) >> 16",
        ["padding"],
    ),
    Mutant(
        "biased draw",
        "no draw is rejected",
        "Sources/KeyboardMemory/Randomness.swift",
        "      while product.low < excess {",
        "      while product.low < excess && bound > .max / 2 {",
        ["KeyboardMemoryTests"],
    ),
    Mutant(
        "biased draw",
        "each key is exchanged with any other, not with those up to it",
        "Sources/KeyboardLayout/KeyOrder.swift",
        "source.uniform(below: UInt64(place) + 1)",
        "source.uniform(below: UInt64(pool.places.count))",
        ["KeyboardLayoutTests"],
    ),
    Mutant(
        "missing wipe",
        "a workspace is given back as it is",
        "Sources/KeyboardMemory/Workspace.swift",
        "    if usedCount > 0 { keyboard_wipe(memory, usedCount) }\n",
        "",
        ["residue"],
    ),
    Mutant(
        "missing wipe",
        "no more is wiped of a 3DES schedule than of one for DES",
        "Sources/KeyboardCipher/BlockCipher.swift",
        "    case .tripleDES: TripleDES.scheduleSize\n",
        "    case .tripleDES: DES.scheduleSize\n",
        ["residue"],
    ),
    Mutant(
        "missing wipe",
        "the stack under decrypt is left as it is",
        "Sources/KeyboardCipher/Decrypt.swift",
        "  Traces.wipe(way.traces(blockCount: way.blockCount(byteCount: text.count)))\n",
        "",
        ["residue"],
    ),
    Mutant(
        "skipped state check",
        "a key is taken while the keyboard is up",
        "Sources/CustomKeyboard/KeyboardSession.swift",
        "    guard !state.pointee.isOpen else { throw .operationDisabled }\n"
        "    guard way.acceptsKey(byteCount: bytes.count) else { throw .key }\n",
        "    guard way.acceptsKey(byteCount: bytes.count) else { throw .key }\n",
        ["contract"],
    ),
    Mutant(
        "wrong round constant",
        "the first one, on any processor",
        "Sources/KeyboardSM4/Portable/SM4+Words.swift",
        "var constant: UInt32 = 0x0007_0e15",
        "var constant: UInt32 = 0x0007_0e14",
        ["vectors, portable"],
    ),
    Mutant(
        "wrong round constant",
        "the first one, for batches on any processor",
        "Sources/KeyboardSM4/Portable/SM4+WordLanes.swift",
        "var constant: UInt32 = 0x0007_0e15",
        "var constant: UInt32 = 0x0007_0e51",
        ["batch, portable"],
    ),
    Mutant(
        "wrong round constant",
        "the fourth one, with AES-NI or GFNI",
        "Sources/KeyboardSM4/Vector/KeySchedule.swift",
        "0x4d46_3f38, 0x6962_5b54)",
        "0x4d46_3f38, 0x6962_5b45)",
        ["vectors"],
        "aes avx2",
    ),
    Mutant(
        "offset past the end",
        "one more place than there is",
        "Sources/KeyboardMemory/RandomPlacement.swift",
        "UInt64(space.count - bytes.count) + 1)",
        "UInt64(space.count - bytes.count) + 2)",
        ["placement"],
    ),
    # Right answers, and sooner where the padding is wrong: nothing but the measurement of time can see it.
    Mutant(
        "early return in unpadding",
        "the first wrong byte ends it",
        "Sources/KeyboardCipher/PKCS7.swift",
        "    let last = PaddedBlock(endingAt: bytes + byteCount, blockSize: blockSize)\n"
        "    return last.isPadded ? byteCount &- last.paddingCount : nil\n",
        "    let count = Int(bytes.load(fromByteOffset: byteCount - 1, as: UInt8.self))\n"
        "    guard count >= 1 && count <= blockSize else { return nil }\n"
        "    for i in byteCount - count..<byteCount {\n"
        "      guard bytes.load(fromByteOffset: i, as: UInt8.self) == UInt8(count) else { return nil }\n"
        "    }\n"
        "    return byteCount - count\n",
        ["padding", "timing"],
    ),
    Mutant(
        "lock left out",
        "calls on one keyboard are not serialised",
        "Sources/CustomKeyboard/KeyboardSlot.swift",
        "    pthread_mutex_lock(session.lock)\n    defer { pthread_mutex_unlock(session.lock) }\n",
        "",
        ["threads"],
    ),
    Mutant(
        "handle reused",
        "the generation stays",
        "Sources/KeyboardMemory/SecureSlot.swift",
        "SlotState(UInt64(generation + 1) << 32)",
        "SlotState(UInt64(generation) << 32)",
        ["contract", "threads"],
    ),
    # "Key kept after close": by the contract the key stays over close, for the next opening, and what ends there is
    # what was typed; the key ends with destroy. So both of these are planted.
    Mutant(
        "kept after close",
        "what was typed is forgotten, but not wiped",
        "Sources/CustomKeyboard/KeyboardSession.swift",
        "    erase(from: 0)\n    state.pointee.characterCount = 0\n    layout.close()\n",
        "    state.pointee.passwordLength = 0\n    state.pointee.characterCount = 0\n    layout.close()\n",
        ["contract", "kept"],
    ),
    Mutant(
        "key kept after destroy",
        "a slot's state is wiped, its secrets stay masked",
        "Sources/KeyboardMemory/SecureSlot.swift",
        "    keyboard_wipe(SecureArena.memory(index), byteCount)\n",
        "    keyboard_wipe(SecureArena.memory(index), 64)\n",
        ["contract", "kept"],
    ),
]
