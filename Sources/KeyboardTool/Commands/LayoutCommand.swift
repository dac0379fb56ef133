// Pictures of keyboards, for designers and for the documentation.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardLayout
import KeyboardTerminal

struct LayoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layout",
    abstract: "Prints one showing of a keyboard: a picture, its frames, or text.",
    discussion: """
      Sizes are in points, as an app would give them; in text, a key has the
      cells that it has on the pad, whatever the size. Each run shuffles anew. A
      seed repeats one showing, for documentation only, and the picture says so.

      Examples:
        keyboard layout --layout pin --format text
        keyboard layout --size 390x260 --shift caps --format svg > letters.svg
        keyboard layout --layout mixed --page 2 --format json | jq '.keys[].label'
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case svg, json, text }

  @Option(help: "The keys.")
  var layout: LayoutKind = .letters

  @Option(help: ArgumentHelp("The view's width and height in points.", valueName: "width>x<height"))
  var size = PointPair(320, 216)

  @Option(help: ArgumentHelp("The gaps between columns and between rows in points.", valueName: "column>x<row"))
  var gaps = PointPair(6, 8)

  @Option(help: "What to print.")
  var format: Format = .text

  @Option(help: ArgumentHelp("The page, from 1; the first is the one that an opening shows.", valueName: "n"))
  var page = 1

  @Option(help: "Whether letters are capital: off, for one letter, or caps lock.")
  var shift: ShiftState = .off

  @Option(help: ArgumentHelp("Repeat one showing, for documentation only.", valueName: "n"))
  var seed: UInt64?

  func validate() throws {
    guard (1...layout.pageCount).contains(page) else {
      throw ValidationError("Give a --page from 1 to \(layout.pageCount): \(layout.name) has no other.")
    }
    guard shift == .off || layout.hasShift else {
      throw ValidationError("Leave out --shift: \(layout.name) has no letters.")
    }
  }

  mutating func run() throws {
    switch format {
    case .svg: try writeOutput(showing(viewSize).svg)
    case .json: try writeOutput(showing(viewSize).json)
    case .text:
      guard let grid = Showing.grid(layout) else { return }
      try writeOutput(showing(grid.viewSize).text(grid, glyphs: .ofTerminal))
    }
  }

  private var viewSize: ViewSize {
    ViewSize(width: size.first, height: size.second, columnGap: gaps.first, rowGap: gaps.second)
  }

  private func showing(_ size: ViewSize) throws -> Showing {
    do {
      return try Showing(layout, page: page, size: size, shift: shift, seed: seed)
    } catch .argument {
      throw Failure(
        "Give a --size with a point for every key in both directions, at most \(short(ViewSize.limit)), "
          + "and --gaps from 0 to as much.", .usage)
    }
  }
}

/// Two numbers of points, written 320x216.
struct PointPair: ExpressibleByArgument {
  let first, second: Double

  init(_ first: Double, _ second: Double) { (self.first, self.second) = (first, second) }

  init?(argument: String) {
    let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Double(parts[0]), let second = Double(parts[1]) else { return nil }
    self.init(first, second)
  }

  var defaultValueDescription: String { "\(short(first))x\(short(second))" }
}
