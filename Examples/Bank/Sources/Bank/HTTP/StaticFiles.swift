// Files that do not change while the server runs: read once at the start, so that no request names a path of the disk.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore

struct StaticFile: Sendable {
  let type: String
  let bytes: [UInt8]

  /// By the end of the name. Files of other types are not served.
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "wasm": "application/wasm", "svg": "image/svg+xml", "png": "image/png",
  ]

  /// The files in a folder, not those in folders below.
  static func files(in folder: String) throws -> [String: StaticFile] {
    var files: [String: StaticFile] = [:]
    guard access(folder, R_OK | X_OK) == 0 else {
      throw Failure("The folder \(folder) cannot be read: \(String(cString: strerror(errno))).")
    }
    do {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let parts = name.split(separator: ".")
        guard parts.count > 1, !name.hasPrefix("."), let type = types[String(parts.last!)] else { continue }
        let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
        files[name] = StaticFile(type: type, bytes: Array(data))
      }
    } catch {
      throw Failure("The files of \(folder) cannot be read: \(error)")
    }
    return files
  }

  /// Puts an address into a page: `placeholder` is text that occurs in pages only.
  func replacing(_ placeholder: String, with text: String) -> StaticFile {
    guard type.hasPrefix("text/html") else { return self }
    let page = String(decoding: bytes, as: UTF8.self).replacing(placeholder, with: text)
    return StaticFile(type: type, bytes: Array(page.utf8))
  }

  /// A browser keeps the file, and asks each time whether it has changed.
  var handler: Site.Handler {
    let tag = "\"" + Base64URL.encode(sha256(bytes).prefix(12)) + "\""
    let headers: HTTPFields = [.contentType: type, .eTag: tag, .cacheControl: "no-cache"]
    let body = ByteBuffer(bytes: bytes)
    return { request, _ in
      guard request.headers[.ifNoneMatch] != tag else {
        return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-cache"])
      }
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
  }
}

extension Site {
  mutating func serve(_ file: StaticFile, at path: String) { on(.get, path, file.handler) }
}
