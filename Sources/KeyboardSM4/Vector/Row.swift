// Several of something in flight at once: the processor computes on one while it waits for the results of another.
// What a row does to its elements is written out for each of them, in order.
//
// SPDX-License-Identifier: Apache-2.0

/// A fixed number of values, each in registers of its own.
public protocol Row {
  associatedtype Element
  static var count: Int { get }
  init(_ make: (Int) -> Element)
  mutating func forEach(_ body: (Int, inout Element) -> Void)
}

public struct One<Element>: Row {
  public var element: Element

  @inline(always) public static var count: Int { 1 }
  @inline(always) public init(_ make: (Int) -> Element) { element = make(0) }
  @inline(always) public mutating func forEach(_ body: (Int, inout Element) -> Void) { body(0, &element) }
}

/// A row, and another after it.
public struct Joined<First: Row, Second: Row>: Row where First.Element == Second.Element {
  public var first: First
  public var second: Second

  @inline(always) public static var count: Int { First.count &+ Second.count }

  @inline(always) public init(_ make: (Int) -> First.Element) {
    first = First(make)
    second = Second { make(First.count &+ $0) }
  }

  @inline(always) public mutating func forEach(_ body: (Int, inout First.Element) -> Void) {
    first.forEach(body)
    second.forEach { body(First.count &+ $0, &$1) }
  }
}

public typealias Two<Element> = Joined<One<Element>, One<Element>>
public typealias Three<Element> = Joined<Two<Element>, One<Element>>
public typealias Four<Element> = Joined<Two<Element>, Two<Element>>
public typealias Five<Element> = Joined<Two<Element>, Three<Element>>
