// The headers that tell browsers what they must not do. Two ports are two origins: the page's scripts cannot reach into
// the keyboard's frame, whatever they are.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The addresses as browsers see them, without a path: "https://bank.example".
struct Origins: Sendable {
  let page: String
  let frame: String
}

enum SecurityHeaders {
  /// The page has no inline script, sends forms nowhere, shows one frame, and cannot be framed itself. A service worker
  /// could answer the next load with another page.
  static func page(_ origins: Origins) -> HTTPFields {
    common + [
      .contentSecurityPolicy: """
      default-src 'self'; script-src 'self'; frame-src \(origins.frame); worker-src 'none'; object-src 'none'; \
      base-uri 'none'; form-action 'none'; frame-ancestors 'none'
      """,
      .crossOriginOpenerPolicy: "same-origin",
    ]
  }

  /// WebAssembly runs in the frame only, and only the bank's page may show it.
  static func frame(_ origins: Origins) -> HTTPFields {
    common + [
      .contentSecurityPolicy: """
      default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; \
      form-action 'none'; frame-ancestors \(origins.page)
      """
    ]
  }

  private static let common: HTTPFields = [
    .xContentTypeOptions: "nosniff",
    .referrerPolicy: "no-referrer",
    .crossOriginResourcePolicy: "same-origin",
    .originAgentCluster: "?1",  // a process of its own for each origin, where the browser can
    // No picture of the frame, and nothing of how a telephone shakes under a finger.
    .permissionsPolicy: """
    accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=()
    """,
    .cacheControl: "no-store",
  ]
}

private func + (first: HTTPFields, second: HTTPFields) -> HTTPFields {
  var fields = first
  for field in second { fields.append(field) }
  return fields
}

extension HTTPField.Name {
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  fileprivate static let originAgentCluster = HTTPField.Name("Origin-Agent-Cluster")!
  fileprivate static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
  fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
