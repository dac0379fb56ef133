// The names of UIKit and WebKit that the snippet of Docs/Apple.md uses, as Apple's documentation declares them, so that
// its types and actors are checked where there is no UIKit.
// SPDX-License-Identifier: Apache-2.0

import Foundation

struct ViewResizing: OptionSet, Sendable {
  let rawValue: Int
  static let (flexibleWidth, flexibleHeight) = (ViewResizing(rawValue: 2), ViewResizing(rawValue: 16))
}

struct URLRequest: Sendable {
  let url: URL?
  init(url: URL) { self.url = url }
}

@MainActor class UIView {
  init() {}
  var bounds = CGRect.zero
  var autoresizingMask: ViewResizing = []
  func addSubview(_ view: UIView) {}
}

final class UIScrollView: UIView { var isScrollEnabled = true }

@MainActor class UIViewController {
  init() {}
  var view: UIView! = UIView()
  func viewDidLoad() {}
}

@MainActor protocol WKScriptMessageHandler: AnyObject {
  func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor protocol WKNavigationDelegate: AnyObject {
  func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy
}

enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow }

@MainActor final class WKContentWorld { static let page = WKContentWorld() }
@MainActor final class WKNavigationAction { let request = URLRequest(url: URL(filePath: "/")) }
@MainActor final class WKSecurityOrigin { let host = "" }
@MainActor final class WKWebsiteDataStore { static func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore() } }

@MainActor final class WKFrameInfo {
  let isMainFrame = true
  let securityOrigin = WKSecurityOrigin()
}

@MainActor final class WKScriptMessage {
  let body: Any = 0
  let frameInfo = WKFrameInfo()
}

@MainActor final class WKUserContentController {
  func add(_ handler: any WKScriptMessageHandler, contentWorld: WKContentWorld, name: String) {}
}

@MainActor final class WKWebViewConfiguration {
  var websiteDataStore = WKWebsiteDataStore()
  var limitsNavigationsToAppBoundDomains = false
  let userContentController = WKUserContentController()
}

final class WKWebView: UIView {
  let scrollView = UIScrollView()
  weak var navigationDelegate: (any WKNavigationDelegate)?
  init(frame: CGRect, configuration: WKWebViewConfiguration) { super.init() }
  func load(_ request: URLRequest) {}
  func callAsyncJavaScript(
    _ body: String, arguments: [String: Any] = [:], in frame: WKFrameInfo?, in world: WKContentWorld
  ) {}
}
