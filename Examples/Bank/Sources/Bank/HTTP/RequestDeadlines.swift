// Ends connections that take too long, so that slow clients do not keep them for ever. It counts from the beginning of
// a request, not from the last byte: a byte now and then is not enough. And it bounds what a client that asks for much
// and never reads can have waiting here: little is read at once, and only a number of requests may wait.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Limits: Sendable {
    /// From the last answer, or the connection's beginning, to the end of the next request's head. Then again to the
    /// end of its body.
    var request: TimeAmount
    /// From the end of the request to the last byte of the answer, which a client may be slow to take.
    var response: TimeAmount
    /// More than this of a body is not even thrown away.
    var bodyBytes = 1 << 20
    /// Requests that wait for their answer. A request of 18 bytes is a kilobyte when it has been taken apart.
    var unanswered = 64
    /// What is read at once. With a few parts waiting, nothing more is read.
    var readBytes = 4096
  }

  private let limits: Limits
  private var deadline = NIODeadline.distantFuture
  private var isScheduled = false
  private var isClosed = false
  /// The request that is being read has no end yet.
  private var isReading = false
  private var isAnswering = false
  /// Requests whose answer was not written whole.
  private var unanswered = 0
  private var bodyBytes = 0

  init(_ limits: Limits) { self.limits = limits }

  // MARK: The life of a connection

  func handlerAdded(context: ChannelHandlerContext) {
    let options = context.channel.syncOptions
    try? options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytes))
    try? options?.setOption(.maxMessagesPerRead, value: 1)
    if context.channel.isActive { start(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    start(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosed = true
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { isClosed = true }

  private func start(_ context: ChannelHandlerContext) {
    setDeadline(context)
    if !isScheduled { schedule(context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What was read with the part that ended the connection.
    guard !isClosed else { return }
    switch unwrapInboundIn(data) {
    case .head:
      isReading = true
      unanswered += 1
      guard unanswered <= limits.unanswered else {
        isClosed = true
        return context.close(promise: nil)
      }
      bodyBytes = 0
      setDeadline(context)
    case .body(let part):
      bodyBytes += part.readableBytes
      guard bodyBytes <= limits.bodyBytes else { return context.close(promise: nil) }
    case .end:
      isReading = false
      setDeadline(context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    isAnswering = true
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    // Written means taken by the system: a client that does not read does not move this on.
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { [self] _ in
      isAnswering = false
      unanswered -= 1
      setDeadline(context)
    }
    context.write(data, promise: written)
  }

  // MARK: Time

  private func setDeadline(_ context: ChannelHandlerContext) {
    let isWaitingForAnswer = unanswered > (isReading ? 1 : 0)
    deadline = .now() + (isWaitingForAnswer ? limits.response : limits.request)
  }

  /// One task for a connection: most deadlines are set anew before they are reached.
  private func schedule(_ context: ChannelHandlerContext) {
    isScheduled = true
    context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
      guard !isClosed else { return }
      guard deadline <= .now() else { return schedule(context) }
      end(context)
    }
  }

  /// A client that has sent a whole head is told why.
  private func end(_ context: ChannelHandlerContext) {
    guard isReading, unanswered == 1, !isAnswering else { return context.close(promise: nil) }
    let text = Answer(["error": Refusal.slow.code, "message": Refusal.slow.message]).text
    let headers: HTTPFields = [
      .contentType: "application/json", .contentLength: String(text.utf8.count), .connection: "close",
      .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
    let head = HTTPResponse(status: Refusal.slow.status, headerFields: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
