// The pepper of passcodes, in a file.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal

package struct PepperOption: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "A file that holds the pepper, a secret that is kept apart: 1 to \(maximumPepperLength) bytes, in "
        + "hexadecimal digits.",
      valueName: "file"), completion: .file())
  package var pepperFile: String?

  /// - Returns: no bytes if there is no file.
  package func read() throws(Failure) -> SecretBytes {
    var pepper = try SecretBytes()
    guard let pepperFile else { return pepper }
    try pepper.read(file: pepperFile, kind: "pepper file")
    try pepper.decodeHexadecimal(name: "the pepper in \(pepperFile)")
    // An empty file is a mistake: a pepper that was meant to be there would be missing.
    guard (1...maximumPepperLength).contains(pepper.count) else {
      throw Failure(
        "Give a pepper of 2 to \(2 * maximumPepperLength) hexadecimal digits; the one in \(pepperFile) has "
          + "\(2 * pepper.count).", .data)
    }
    return pepper
  }
}
