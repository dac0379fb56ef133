// Types of messages.js: the sentences for people, in each language.
//
// SPDX-License-Identifier: Apache-2.0

export type MessageKind = 'rules' | 'codes';

/** By language, kind and key. */
export const messages: Readonly<Record<string, Readonly<Record<MessageKind, Readonly<Record<string, string>>>>>>;

/** The language of ours that a tag such as ko-KR means, or undefined. */
export function languageOf(tag: string): string | undefined;

/**
 * A rule's or a code's sentence in the first language that there is: the person's, unless languages are given; undefined
 * for an unknown key.
 */
export function sentence(kind: MessageKind, key: string, languages?: readonly string[]): string | undefined;
