// The part of SVG that the chart needs.
// SPDX-License-Identifier: Apache-2.0

struct SVG {
  enum Anchor: String {
    case start, middle, end
  }

  /// What the reader should see first is heavy and dark; the rest is lighter.
  struct Face {
    var size = 14.0
    var weight = 400
    var colour = Palette.text
    var anchor = Anchor.start
    /// Whether lines behind the text leave a margin around it.
    var hasHalo = false
  }

  enum Palette {
    static let text = "#1c2733"
    static let quiet = "#5b6874"
    static let grid = "#dfe4e8"
    static let paper = "#ffffff"
    /// The library's bars: the faster the path, the darker. The lightness also distinguishes them from the peers.
    static let paths = ["#5f9ec4", "#3a7ca8", "#1f5c89", "#0c3a5e"]
    static let peer = "#bcc5cc"
    static let peerDark = "#8b97a1"
  }

  static let fonts = "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

  let width: Double
  let height: Double
  private var elements: [String] = []

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private func n(_ value: Double) -> String { number(value, 1).replacing(",", with: "") }

  mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, radius: Double = 0)
  {
    elements.append(
      #"<rect x="\#(n(x))" y="\#(n(y))" width="\#(n(width))" height="\#(n(height))" rx="\#(n(radius))" fill="\#(fill)"/>"#
    )
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, colour: String, width: Double = 1
  ) {
    elements.append(
      #"<line x1="\#(n(x1))" y1="\#(n(y1))" x2="\#(n(x2))" y2="\#(n(y2))" stroke="\#(colour)" stroke-width="\#(n(width))"/>"#
    )
  }

  mutating func dot(_ x: Double, _ y: Double, radius: Double, fill: String, stroke: String) {
    elements.append(
      #"<circle cx="\#(n(x))" cy="\#(n(y))" r="\#(n(radius))" fill="\#(fill)" stroke="\#(stroke)" stroke-width="2.5"/>"#
    )
  }

  mutating func text(_ x: Double, _ y: Double, _ text: String, _ face: Face = Face()) {
    let halo = face.hasHalo ? #" paint-order="stroke" stroke="\#(Palette.paper)" stroke-width="5""# : ""
    elements.append(
      #"<text x="\#(n(x))" y="\#(n(y))" font-size="\#(n(face.size))" font-weight="\#(face.weight)" "#
        + #"fill="\#(face.colour)" text-anchor="\#(face.anchor.rawValue)"\#(halo)>\#(SVG.escape(text))</text>"#)
  }

  /// The whole file. `hatch` is the pattern for what is not constant-time.
  func file(title: String) -> String {
    let pattern =
      #"<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">"#
      + #"<rect width="6" height="6" fill="\#(Palette.peer)"/>"#
      + #"<rect width="2" height="6" fill="\#(Palette.paper)"/></pattern>"#
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" \
      height="\(n(height))" font-family="\(SVG.fonts)" role="img">
      <title>\(SVG.escape(title))</title>
      <defs>\(pattern)</defs>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }
}
