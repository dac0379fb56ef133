// Files and names that a power cut leaves: a file is on the disk when it is synced, and its name when its folder is.
// SPDX-License-Identifier: Apache-2.0

package func folderName(of path: String) -> String {
  let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  return end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Makes names in a file's folder stay after a power cut.
package func syncFolder(of path: String) throws(Failure) {
  let folder = folderName(of: path)
  let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system("The folder \(folder) cannot be opened", .inputOutput) }
  defer { close(descriptor) }
  try sync(descriptor, folder)
}

/// Makes a file that another program may just have written stay after a power cut, with its name, before something
/// relies on it. A pipe or a device is left as it is.
package func syncFile(_ path: String) throws(Failure) {
  guard let place = realpath(path, nil) else { return }
  defer { free(place) }
  let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw .system("The file \(path) cannot be opened", .inputOutput) }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
  try sync(descriptor, path)
  try syncFolder(of: String(cString: place))
}

/// A disk that can only be read has nothing to write.
private func sync(_ descriptor: Int32, _ name: String) throws(Failure) {
  guard fsync(descriptor) == 0 || errno == EROFS || errno == EINVAL else {
    throw .system("Writing to \(name) failed", .inputOutput)
  }
}
