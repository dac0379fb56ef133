// The C library of the system, for each file of the tool that imports this module.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
