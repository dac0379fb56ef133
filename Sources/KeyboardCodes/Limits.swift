// Every size limit of the library, in one place. Include/custom_keyboard.h has the same numbers for C, and a test compares
// them.

/// The longest password in bytes: 1024 bits, the paper's limit.
public let maximumPasswordLength = 128

/// The longest ciphertext in bytes: the longest password and a block of padding.
public let maximumTextLength = 144

/// The longest key in bytes: three DES keys.
public let maximumKeyLength = 24

/// A good size for the space of `getText` and `decrypt`, the paper's ENCDATASPACESIZE.
public let suggestedSpaceSize = 1024
