// The ports: the page with the API, the keyboard's frame, and one for the operator if it is wanted.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// What is served as files.
struct BankFiles: Sendable {
  let page: [String: StaticFile]
  let frame: [String: StaticFile]

  /// The page needs the element's definition; everything else of the keyboard is the frame's.
  static let element = "custom-keyboard.js"
  static let module = "custom-keyboard.wasm"

  init(page: String, keyboard: [String]) throws {
    self.page = try StaticFile.files(in: page)
    guard self.page["index.html"] != nil else { throw Failure("There is no index.html in \(page).") }
    frame = try keyboard.reduce(into: [:]) { files, folder in
      for (name, file) in try StaticFile.files(in: folder) where files.updateValue(file, forKey: name) != nil {
        throw Failure("\(name) is in two of the folders of --keyboard.")
      }
    }
    for name in ["frame.html", "frame.js", Self.element, Self.module] where frame[name] == nil {
      let hint = name == Self.module ? " `make web` builds it, in build/web." : ""
      throw Failure("There is no \(name) in \(keyboard.joined(separator: ", ")).\(hint)")
    }
  }
}

struct Servers {
  let api: BankAPI
  let files: BankFiles
  let addresses: AddressOptions
  let fido: FIDOOptions
  let certificate: String?
  let limits: LimitOptions
  let metrics: Metrics
  let log: Logger

  /// Serves until the process is told to stop, and the requests that have begun are answered.
  func run(_ sweeper: Sweeper) async throws {
    let page = LateSite()
    let frame = LateSite()
    let ports = Ports(count: addresses.operatorPort == nil ? 2 : 3) { [self] ports in
      let (pagePort, framePort) = (ports[.page]!, ports[.frame]!)
      let origins = Origins(
        page: addresses.pageOrigin ?? "http://localhost:\(pagePort)",
        frame: addresses.frameOrigin ?? "http://127.0.0.1:\(framePort)")
      page.begin(pageSite(origins))
      frame.begin(frameSite(origins))
      let operators = ports[.operator].map { "Operator: http://\(addresses.operatorHost):\($0)\n" } ?? ""
      tell("Page:  \(origins.page)\nFrame: \(origins.frame)\n\(operators)", STDOUT_FILENO)
    }
    let host = addresses.host
    var services: [any Service] = [
      application(page, host, addresses.port) { port in ports.open(.page, port) },
      application(frame, host, addresses.framePort) { port in ports.open(.frame, port) },
      sweeper,
    ]
    if let port = addresses.operatorPort {
      let site = LateSite()
      site.begin(operatorSite())
      services.append(
        application(site, addresses.operatorHost, port) { port in ports.open(.operator, port) })
    }
    var group = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: quietLog)
    group.maximumGracefulShutdownDuration = .seconds(30)
    do {
      try await ServiceGroup(configuration: group).run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      let ports = [addresses.port, addresses.framePort, addresses.operatorPort].compactMap(\.self).map(String.init)
      throw Failure(
        """
        The port \(ports.joined(separator: " or ")) is in use: --port, --frame-port and --operator-port choose others.
        """)
    }
  }

  /// Hummingbird tells each start and stop. The bank's own lines are enough.
  private var quietLog: Logger {
    var log = log
    log.logLevel = .warning
    return log
  }

  // MARK: What each port serves

  private func pageSite(_ origins: Origins) -> Site {
    var site = Site(headers: SecurityHeaders.page(origins), proxies: addresses.proxy, metrics: metrics, log: log)
    api.add(to: &site)
    if !fido.fidoFacet.isEmpty {
      FIDOAPI(
        rules: fido.rules(origin: origins.page, certificate: certificate), ledger: api.ledger,
        verifications: api.verifications, admissions: api.admissions, log: api.log
      ).add(to: &site)
    }
    for (name, file) in files.page {
      let file = file.replacing("{{frame}}", with: origins.frame).replacing("{{page}}", with: origins.page)
      site.serve(file, at: "/" + name)
      if name == "index.html" { site.serve(file, at: "/") }
    }
    site.serve(files.frame[BankFiles.element]!, at: "/" + BankFiles.element)
    return site
  }

  private func frameSite(_ origins: Origins) -> Site {
    var site = Site(headers: SecurityHeaders.frame(origins), metrics: metrics, log: log)
    for (name, file) in files.frame { site.serve(file, at: "/" + name) }
    // The frame takes its key from here, and never from the page that shows it.
    let key = api.keys.offered
    let text = """
      {"way": "\(key.way)", "key": "\(Base64URL.encode(key.publicKey))", \
      "keyId": "\(Base64URL.encode(key.id))", "parents": ["\(origins.page)"], \
      "opaque": ["login", "register"], "attributes": {"layout": "pin", "shuffle": "opening", "maximum": "6"}}
      """
    site.serve(StaticFile(type: "application/json", bytes: Array(text.utf8)), at: "/keyboard.json")
    return site
  }

  /// For the bank's operator, and for programs that watch it.
  private func operatorSite() -> Site {
    var site = Site(headers: [.cacheControl: "no-store"], metrics: metrics, log: quietLog)
    site.on(.get, "/metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(api.admissions))))
    }
    let health = Health(limit: .seconds(limits.healthSeconds)) {
      do {
        try await api.ledger.ping()
        return true
      } catch {
        log.error("The bank is not healthy: \(error)")
        return false
      }
    }
    site.on(.get, "/health") { _, _ in
      guard await health.answers() else { throw Refusal.unhealthy }
      return Answer(["status": "healthy"], numbers: ["schema": Schema.newest]).response
    }
    return site
  }

  private func application(
    _ site: LateSite, _ host: String, _ port: Int, _ onRunning: @escaping @Sendable (Int) -> Void
  ) -> some Service {
    let seconds = Int64(limits.requestSeconds)
    let deadlines = RequestDeadlines.Limits(request: .seconds(seconds), response: .seconds(6 * seconds))
    return Application(
      responder: site,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [RequestDeadlines(deadlines)],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 8192, maxHeaderListSize: 16384, maxHeaderFieldCount: 64))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(limits.clients, logger: quietLog)),
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? port) },
      logger: quietLog)
  }
}

/// The ports that the system has given. A page names the frame's address and the frame the page's, so nothing is served
/// before all are known.
private final class Ports: Sendable {
  enum Use { case page, frame, `operator` }

  private let count: Int
  private let ready: @Sendable ([Use: Int]) -> Void
  private let known = Mutex<[Use: Int]>([:])

  /// - Parameters:
  ///   - count: how many there are.
  ///   - ready: runs when all are known.
  init(count: Int, ready: @escaping @Sendable ([Use: Int]) -> Void) { (self.count, self.ready) = (count, ready) }

  func open(_ use: Use, _ port: Int) {
    let all: [Use: Int]? = known.withLock { known in
      known[use] = port
      return known.count == count ? known : nil
    }
    if let all { ready(all) }
  }
}

/// A site that begins after its port is open.
private final class LateSite: HTTPResponder {
  typealias Context = BankContext
  private let site = Mutex<Site?>(nil)

  func begin(_ site: Site) { self.site.withLock { $0 = site } }

  func respond(to request: Request, context: Context) async throws -> Response {
    guard let site = site.withLock({ $0 }) else { return Refusal.unavailable.response }
    return try await site.respond(to: request, context: context)
  }
}
