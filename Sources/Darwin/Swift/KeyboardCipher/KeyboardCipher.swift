// What servers do is not in the package for phones: of this module they have what it passes on.
// SPDX-License-Identifier: Apache-2.0

@_exported public import KeyboardMemory
@_exported public import KeyboardOPAQUE
